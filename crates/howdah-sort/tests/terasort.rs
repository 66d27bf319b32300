//! TeraSort compared with a plain stable sort, for different keys, sizes, tasks, slots, memory and codecs.

use std::path::{Path, PathBuf};

use howdah_sort::{
    Codec, Context, Error, KEY, Pool, ROW, TaskKind, TerasortReport, TerasortSpec, terasort, terasort_needs,
};
use proptest::prelude::*;
use tempfile::TempDir;

#[derive(Clone, Copy, Debug)]
enum Keys {
    Uniform,
    Equal,
    Few,
    Ascending,
    Descending,
    Skewed,
}

/// Rows with these keys; their values number them, so no two rows are identical.
fn rows(count: usize, keys: Keys, seed: u64) -> Vec<u8> {
    let mut rows = vec![0; count * ROW];
    let mut random = seed | 1;
    for (number, row) in rows.chunks_exact_mut(ROW).enumerate() {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = random ^ (random >> 29);
        let key = match keys {
            Keys::Uniform => mixed,
            Keys::Equal => 7,
            Keys::Few => mixed % 5,
            Keys::Ascending => number as u64,
            Keys::Descending => u64::MAX - number as u64,
            Keys::Skewed => {
                if mixed % 10 < 9 {
                    1
                } else {
                    mixed
                }
            }
        };
        // Some keys differ only in their last two bytes.
        row[..8].copy_from_slice(&key.to_be_bytes());
        row[8..KEY].copy_from_slice(&((random >> 40) as u16 % 3).to_be_bytes());
        row[KEY..KEY + 8].copy_from_slice(&(number as u64).to_be_bytes());
    }
    rows
}

struct Case {
    dir: TempDir,
    rows: Vec<u8>,
    spec: TerasortSpec,
}

impl Case {
    /// Rows in files with these relative sizes, to be sorted into `partitions` partitions.
    fn new(rows: Vec<u8>, files: &[usize], partitions: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let inputs = paths(dir.path(), "part-m", files.len());
        let mut rest = rows.as_slice();
        for (file, (path, share)) in inputs.iter().zip(files).enumerate() {
            let weight = files[file..].iter().sum();
            let len = (rest.len() / ROW * share).checked_div(weight).unwrap_or(0) * ROW;
            let last = file + 1 == files.len();
            let (now, later) = rest.split_at(if last { rest.len() } else { len });
            std::fs::write(path, now).unwrap();
            rest = later;
        }
        let spill_dirs = paths(dir.path(), "disk", 2);
        for dir in &spill_dirs {
            std::fs::create_dir(dir).unwrap();
        }
        let spec = TerasortSpec {
            inputs,
            outputs: paths(dir.path(), "part-r", partitions),
            spill_dirs,
            maps: 3,
            map_slots: 2,
            reduce_slots: 2,
            codec: Codec::None,
        };
        Self { dir, rows, spec }
    }

    fn sort(&self, pool: &mut Pool) -> Result<TerasortReport, Error> {
        terasort(pool, &self.spec, &Context::default())
    }

    /// Sorts, and compares with a stable sort of the same rows.
    fn check(&self, pool: &mut Pool) -> TerasortReport {
        let report = self.sort(pool).unwrap();
        let mut expected: Vec<&[u8]> = self.rows.chunks_exact(ROW).collect();
        expected.sort_by_key(|row| &row[..KEY]);
        let partitions: Vec<Vec<u8>> =
            self.spec.outputs.iter().map(|path| std::fs::read(path).unwrap()).collect();
        assert!(partitions.concat() == expected.concat(), "the output is not the sorted input");
        let lengths: Vec<u64> = partitions.iter().map(|rows| (rows.len() / ROW) as u64).collect();
        assert_eq!(report.partition_rows, lengths);
        assert_eq!(report.rows, expected.len() as u64);
        self.assert_nothing_spilled_is_left();
        report
    }

    fn assert_nothing_spilled_is_left(&self) {
        for dir in &self.spec.spill_dirs {
            assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0);
        }
    }

    fn outputs_left(&self) -> usize {
        self.spec.outputs.iter().filter(|path| path.exists()).count()
    }
}

fn paths(dir: &Path, stem: &str, count: usize) -> Vec<PathBuf> {
    (0..count).map(|number| dir.join(format!("{stem}-{number:05}"))).collect()
}

fn keys() -> impl Strategy<Value = Keys> {
    prop_oneof![
        Just(Keys::Uniform),
        Just(Keys::Equal),
        Just(Keys::Few),
        Just(Keys::Ascending),
        Just(Keys::Descending),
        Just(Keys::Skewed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_sort_in_memory_is_stable(
        count in prop_oneof![0..20usize, 0..30_000usize],
        keys in keys(),
        seed in any::<u64>(),
        files in proptest::collection::vec(0..5usize, 1..5),
        partitions in 1..9usize,
        maps in 1..9u32,
        map_slots in 1..5usize,
        reduce_slots in 1..5usize,
    ) {
        let mut case = Case::new(rows(count, keys, seed), &files, partitions);
        case.spec = TerasortSpec { maps, map_slots, reduce_slots, ..case.spec };
        let report = case.check(&mut Pool::new(8 << 20, 1).unwrap());
        prop_assert!(report.in_memory);
        // Partitions are as equal as possible, whatever the keys.
        let (least, most) = (report.partition_rows.iter().min(), report.partition_rows.iter().max());
        prop_assert!(most.unwrap() - least.unwrap() <= 1);
    }
}

fn codecs() -> impl Strategy<Value = Codec> {
    prop_oneof![Just(Codec::None), Just(Codec::Lz4), Just(Codec::Snappy), Just(Codec::Zstd)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_external_sort_is_stable(
        count in 60_000..100_000usize,
        keys in keys(),
        seed in any::<u64>(),
        files in proptest::collection::vec(0..5usize, 1..4),
        partitions in 1..9usize,
        maps in 1..40u32,
        map_slots in 1..4usize,
        reduce_slots in 1..4usize,
        codec in codecs(),
        spare in 0..3usize,
    ) {
        let mut case = Case::new(rows(count, keys, seed), &files, partitions);
        case.spec = TerasortSpec { maps, map_slots, reduce_slots, codec, ..case.spec };
        let (least, in_memory) = terasort_needs(count as u64, partitions, map_slots.max(reduce_slots));
        let memory = least as usize + (spare << 20);
        // The estimate for a sort in memory allows for unaligned ends, and pools are rounded up, so less may be enough.
        prop_assume!(memory as u64 + (4 << 20) < in_memory);
        let report = case.check(&mut Pool::new(memory, 1).unwrap());
        prop_assert!(!report.in_memory);
        prop_assert_eq!(report.spilled_rows, count as u64);
        prop_assert_eq!(report.spilled_raw_bytes, (count * ROW) as u64);
        if codec == Codec::None {
            prop_assert_eq!(report.spilled_bytes, report.spilled_raw_bytes);
        } else {
            prop_assert!(report.spilled_bytes < report.spilled_raw_bytes);
        }
        prop_assert!(report.spill_read_bytes >= report.spilled_bytes);
        // Cuts by blocks leave partitions approximately equal.
        let (least, most) = (report.partition_rows.iter().min(), report.partition_rows.iter().max());
        let mean = count / partitions;
        prop_assert!(most.unwrap() - least.unwrap() <= mean as u64 / 2, "{:?}", report.partition_rows);
    }
}

#[test]
fn an_existing_output_is_refused_and_kept() {
    let case = Case::new(rows(1000, Keys::Uniform, 1), &[1], 2);
    std::fs::write(&case.spec.outputs[1], "precious").unwrap();
    let failed = case.sort(&mut Pool::new(8 << 20, 1).unwrap());
    assert!(matches!(failed, Err(Error::Io { path, .. }) if path == case.spec.outputs[1]));
    assert_eq!(case.outputs_left(), 1);
    assert_eq!(std::fs::read(&case.spec.outputs[1]).unwrap(), b"precious");
}

#[test]
fn a_truncated_input_is_named() {
    let case = Case::new(rows(1000, Keys::Uniform, 1), &[1, 1], 2);
    std::fs::write(&case.spec.inputs[1], [0; 1234]).unwrap();
    let failed = case.sort(&mut Pool::new(8 << 20, 1).unwrap());
    let Err(Error::Input { subject, what, hint }) = failed else { panic!("{failed:?}") };
    assert_eq!(subject, case.spec.inputs[1].display().to_string());
    assert_eq!(what, "is 1234 bytes long, not a multiple of 100");
    assert!(hint.contains("100-byte rows"), "{hint}");
    assert_eq!(case.outputs_left(), 0);
}

#[test]
fn a_failed_write_leaves_no_output() {
    let mut case = Case::new(rows(10_000, Keys::Uniform, 1), &[1], 3);
    case.spec.outputs[2] = case.dir.path().join("missing").join("part-r-00002");
    let failed = case.sort(&mut Pool::new(8 << 20, 1).unwrap());
    assert!(matches!(failed, Err(Error::Io { action: "create", .. })), "{failed:?}");
    assert_eq!(case.outputs_left(), 0);
}

#[test]
fn memory_too_small_for_two_passes_is_refused() {
    let case = Case::new(rows(400_000, Keys::Uniform, 1), &[1], 2);
    let budget = Pool::new(1, 1).unwrap().len() as u64;
    let Err(Error::Memory { budget: reported, needed }) = case.sort(&mut Pool::new(1, 1).unwrap()) else {
        panic!("40 MB were sorted in {budget} bytes");
    };
    assert_eq!(reported, budget);
    assert_eq!(case.outputs_left(), 0);
    // The reported memory is enough.
    assert!(needed > budget);
    case.check(&mut Pool::new(needed as usize, 1).unwrap());
}

#[test]
fn no_input_gives_empty_outputs() {
    for files in [&[][..], &[1][..]] {
        let case = Case::new(Vec::new(), files, 3);
        let report = case.check(&mut Pool::new(2 << 20, 1).unwrap());
        assert_eq!(report.partition_rows, [0, 0, 0]);
    }
}

#[test]
fn an_empty_list_is_refused_by_name() {
    let good = Case::new(rows(10, Keys::Uniform, 1), &[1], 1);
    type Remove = fn(&mut TerasortSpec);
    let without: [(&str, Remove); 4] = [
        ("outputs", |spec| spec.outputs.clear()),
        ("maps", |spec| spec.maps = 0),
        ("map slots", |spec| spec.map_slots = 0),
        ("reduce slots", |spec| spec.reduce_slots = 0),
    ];
    for (name, remove) in without {
        let mut spec = good.spec.clone();
        remove(&mut spec);
        let failed = terasort(&mut Pool::new(2 << 20, 1).unwrap(), &spec, &Context::default());
        assert!(matches!(failed, Err(Error::Input { subject, .. }) if subject == name));
    }
}

#[test]
fn a_missing_spill_directory_is_named() {
    let mut case = Case::new(rows(100_000, Keys::Uniform, 1), &[1], 2);
    case.spec.spill_dirs[1] = case.dir.path().join("missing");
    let failed = case.sort(&mut Pool::new(4 << 20, 1).unwrap());
    assert!(
        matches!(&failed, Err(Error::Io { path, .. }) if path.starts_with(&case.spec.spill_dirs[1])),
        "{failed:?}"
    );
    assert_eq!(case.outputs_left(), 0);
}

#[test]
fn a_cancelled_sort_leaves_no_files() {
    // Cancelled after each tenth of its progress, for a sort in memory and an external one.
    let case = Case::new(rows(100_000, Keys::Uniform, 1), &[1], 4);
    for memory in [4 << 20, 16 << 20] {
        let mut pool = Pool::new(memory, 1).unwrap();
        let mut cancelled = 0;
        for tenth in 0..10 {
            let context = Context::default();
            let sorted = std::thread::scope(|scope| {
                let sort = scope.spawn(|| terasort(&mut pool, &case.spec, &context));
                loop {
                    let progress = context.progress();
                    let reached = progress.done_bytes * 10 >= progress.total_bytes * tenth;
                    if sort.is_finished() || (progress.total_bytes > 0 && reached) {
                        break;
                    }
                    std::thread::yield_now();
                }
                context.cancel();
                sort.join().unwrap()
            });
            match sorted {
                Err(Error::Cancelled) => {
                    cancelled += 1;
                    assert_eq!(case.outputs_left(), 0);
                }
                // It ended before it was cancelled.
                Ok(_) => case.spec.outputs.iter().for_each(|path| std::fs::remove_file(path).unwrap()),
                Err(error) => panic!("{error}"),
            }
            case.assert_nothing_spilled_is_left();
        }
        assert!(cancelled > 0, "no sort was cancelled");
    }
}

#[test]
fn every_task_is_reported_and_tasks_of_a_slot_do_not_overlap() {
    let mut case = Case::new(rows(100_000, Keys::Uniform, 1), &[1, 1], 5);
    case.spec.maps = 7;
    // Runs of several tasks, runs of one task, and no runs.
    for memory in [3 << 20, 6 << 20, 16 << 20] {
        let context = Context::default();
        let report = terasort(&mut Pool::new(memory, 1).unwrap(), &case.spec, &context).unwrap();
        let tasks = context.take_tasks();
        for (kind, count) in [(TaskKind::Map, 7), (TaskKind::Reduce, 5)] {
            let mut of_kind: Vec<_> = tasks.iter().filter(|task| task.kind == kind).collect();
            of_kind.sort_by_key(|task| task.task);
            assert!(of_kind.iter().map(|task| task.task).eq(0..count));
            assert_eq!(of_kind.iter().map(|task| task.output_rows).sum::<u64>(), report.rows);
            let spilled: u64 = of_kind.iter().map(|task| task.spilled_bytes).sum();
            let expected = if kind == TaskKind::Map { report.spilled_bytes } else { report.spill_read_bytes };
            assert_eq!(spilled, expected);
            of_kind.sort_by_key(|task| (task.slot, task.start));
            for pair in of_kind.windows(2).filter(|pair| pair[0].slot == pair[1].slot) {
                assert!(pair[0].start <= pair[0].end && pair[0].end <= pair[1].start);
            }
        }
        let phases: Vec<_> = context.phases().iter().map(|phase| phase.name).collect();
        assert_eq!(phases, ["map-shuffle", "reduce-merge"]);
        let last_map = tasks.iter().filter(|task| task.kind == TaskKind::Map).map(|task| task.end).max();
        assert!(last_map.unwrap() <= context.phases()[0].end);
        let progress = context.progress();
        assert_eq!(report.in_memory, memory == 16 << 20);
        assert_eq!(progress.done_bytes, progress.total_bytes);
        case.spec.outputs.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    }
}

#[test]
fn intermediate_files_occupy_space_until_the_report_is_dropped() {
    let case = Case::new(rows(50_000, Keys::Uniform, 1), &[1], 3);
    let report = case.sort(&mut Pool::new(3 << 20, 1).unwrap()).unwrap();
    assert!(!report.in_memory);
    // They have no names, but the process has them open.
    let open = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let links = open.filter_map(|fd| std::fs::read_link(fd.unwrap().path()).ok());
        links.filter(|path| case.spec.spill_dirs.iter().any(|dir| path.starts_with(dir))).count()
    };
    let kept = report.intermediate.clone();
    assert_eq!(open(), case.spec.spill_dirs.len());
    drop(report);
    assert_eq!(open(), case.spec.spill_dirs.len());
    drop(kept);
    assert_eq!(open(), 0);
}
