//! TeraGen's files compared with rows generated in memory.

use std::path::PathBuf;

use howdah_sort::{Context, Error, Pool, ROW, TaskKind, TeragenReport, fill_rows, map_rows, teragen};
use proptest::prelude::*;

const MIB: usize = 1 << 20;

fn part_files(dir: &tempfile::TempDir, maps: u32) -> Vec<PathBuf> {
    (0..maps).map(|map| dir.path().join(format!("part-m-{map:05}"))).collect()
}

#[test]
fn files_contain_the_rows_divided_as_by_hadoop() {
    let dir = tempfile::tempdir().unwrap();
    let files = part_files(&dir, 3);
    let context = Context::default();
    let mut pool = Pool::new(2 * MIB, 1).unwrap();
    let report = teragen(&mut pool, &files, 1000, 2, &context).unwrap();
    assert_eq!(report.checksum, 0x1f9ffe645ec);
    assert_eq!((report.rows, report.written_bytes), (1000, 100_000));
    let lengths: Vec<usize> = files.iter().map(|file| std::fs::read(file).unwrap().len() / ROW).collect();
    assert_eq!(lengths, [334, 333, 333]);

    let mut tasks = context.take_tasks();
    tasks.sort_by_key(|task| task.task);
    assert_eq!(tasks.iter().map(|task| task.output_rows).collect::<Vec<_>>(), [334, 333, 333]);
    assert!(tasks.iter().all(|task| task.kind == TaskKind::Map && task.slot < 2 && task.start <= task.end));
    assert_eq!(context.phases().iter().map(|phase| phase.name).collect::<Vec<_>>(), ["map"]);
    let progress = context.progress();
    assert_eq!((progress.done_bytes, progress.total_bytes), (100_000, 100_000));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_sizes_make_the_same_rows(rows in 0u64..60_000, maps in 1u32..7, slots in 1usize..5) {
        let dir = tempfile::tempdir().unwrap();
        let files = part_files(&dir, maps);
        let mut pool = Pool::new(2 * MIB, 1).unwrap();
        let report = teragen(&mut pool, &files, rows, slots, &Context::default()).unwrap();
        let mut expected = vec![0; rows as usize * ROW];
        fill_rows(0, &mut expected);
        let checksum = howdah_sort::sum_of_crcs(&expected);
        let written_bytes = rows * ROW as u64;
        prop_assert_eq!(&report, &TeragenReport { rows, checksum, written_bytes, direct: report.direct });
        for (map, file) in files.iter().enumerate() {
            let range = map_rows(rows, map as u32, maps);
            let expected = &expected[range.start as usize * ROW..range.end as usize * ROW];
            prop_assert!(std::fs::read(file).unwrap() == expected, "{} differs", file.display());
        }
    }
}

#[test]
fn a_cancelled_run_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::default();
    let mut pool = Pool::new(2 * MIB, 1).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while context.progress().done_bytes == 0 {
                std::thread::yield_now();
            }
            context.cancel();
        });
        // This many rows would fill the disk if they were not cancelled.
        let failed = teragen(&mut pool, &part_files(&dir, 2), 1 << 40, 2, &context);
        assert!(matches!(failed, Err(Error::Cancelled)), "{failed:?}");
    });
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_existing_file_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let files = part_files(&dir, 2);
    std::fs::write(&files[1], "mine").unwrap();
    let mut pool = Pool::new(2 * MIB, 1).unwrap();
    match teragen(&mut pool, &files, 10, 1, &Context::default()) {
        Err(Error::Io { path, action: "create", .. }) => assert_eq!(path, files[1]),
        result => panic!("{result:?}"),
    }
    assert!(!files[0].exists());
    assert_eq!(std::fs::read(&files[1]).unwrap(), b"mine");
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let files = part_files(&dir, 40);
    let mut pool = Pool::new(2 * MIB, 1).unwrap();
    let mut run = |files: &[PathBuf], rows| teragen(&mut pool, files, rows, 40, &Context::default());
    assert!(matches!(run(&files, 10), Err(Error::Memory { needed, .. }) if needed == 80 * 102_400));
    assert!(matches!(run(&files, u64::MAX), Err(Error::Input { subject, .. }) if subject == "rows"));
    assert!(matches!(run(&[], 10), Err(Error::Input { subject, .. }) if subject == "map tasks"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
