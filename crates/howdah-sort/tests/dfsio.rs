//! dfsio and storage: the bytes on disk, the times, and the files after a failure.

use std::path::{Path, PathBuf};
use std::time::Duration;

use howdah_sort::{
    Context, Error, Pool, TaskKind, dfsio_read, dfsio_write, monotonic, storage_read, storage_write,
};

fn names(dir: &Path, count: usize) -> Vec<PathBuf> {
    (0..count).map(|number| dir.join(format!("test_io_{number}"))).collect()
}

fn pool(bytes: usize) -> Pool {
    Pool::new(bytes, 1).unwrap()
}

/// Not a multiple of a block or a page, and more than one block of a 2 MiB pool with two slots.
const ODD: u64 = (3 << 20) + 4096 + 17;

#[test]
fn files_written_are_read_with_their_length_and_time() {
    let dir = tempfile::tempdir().unwrap();
    let files = names(dir.path(), 3);
    let context = Context::default();
    let start = monotonic();
    let written = dfsio_write(&mut pool(2 << 20), &files, ODD, 2, 7, &context).unwrap();
    let elapsed = monotonic() - start;
    for (file, path) in written.files.iter().zip(&files) {
        assert_eq!((&file.path, file.bytes), (path, ODD));
        assert_eq!(std::fs::metadata(path).unwrap().len(), ODD);
        assert!(file.io > Duration::ZERO && file.io < elapsed);
    }
    assert_eq!(context.progress().done_bytes, 3 * ODD);
    assert_eq!(context.progress().total_bytes, 3 * ODD);

    let context = Context::default();
    let read = dfsio_read(&mut pool(2 << 20), &files, 2, &context).unwrap();
    assert_eq!(read.direct, written.direct);
    assert_eq!(read.files.iter().map(|file| file.bytes).collect::<Vec<_>>(), [ODD; 3]);
    assert_eq!(context.progress().done_bytes, 3 * ODD);
}

#[test]
fn every_file_is_a_map_within_the_map_phase() {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::default();
    dfsio_write(&mut pool(4 << 20), &names(dir.path(), 5), ODD, 3, 7, &context).unwrap();
    let phases = context.phases();
    assert_eq!(phases.iter().map(|phase| phase.name).collect::<Vec<_>>(), ["map"]);
    let mut tasks = context.take_tasks();
    tasks.sort_by_key(|task| task.task);
    assert_eq!(tasks.iter().map(|task| task.task).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    for task in tasks {
        assert_eq!((task.kind, task.input_bytes, task.output_bytes), (TaskKind::Map, 0, ODD));
        assert!(task.slot < 3);
        assert!(phases[0].start <= task.start && task.start < task.end && task.end <= phases[0].end);
    }
}

/// No two pages are equal, and bytes have no pattern that a disk could compress.
#[test]
fn no_two_pages_are_equal_and_contents_depend_on_the_seed() {
    let dir = tempfile::tempdir().unwrap();
    let content = |name: &str, seed| {
        let folder = dir.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let files = names(&folder, 2);
        dfsio_write(&mut pool(2 << 20), &files, 4 << 20, 2, seed, &Context::default()).unwrap();
        files.iter().flat_map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>()
    };
    let first = content("first", 1);
    let mut pages: Vec<_> = first.chunks_exact(4096).collect();
    let count = pages.len();
    pages.sort_unstable();
    pages.dedup();
    assert_eq!(pages.len(), count);
    let mut histogram = [0_u32; 256];
    first.iter().for_each(|&byte| histogram[usize::from(byte)] += 1);
    let expected = first.len() as u32 / 256;
    assert!(histogram.iter().all(|&count| count > expected * 9 / 10 && count < expected * 12 / 10));
    assert_ne!(first[4096..8192], content("second", 2)[4096..8192]);
}

#[test]
fn a_file_that_exists_is_refused_and_the_others_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let files = names(dir.path(), 3);
    std::fs::write(&files[2], "mine").unwrap();
    let failed = dfsio_write(&mut pool(2 << 20), &files, 4096, 1, 7, &Context::default());
    assert!(matches!(failed, Err(Error::Io { path, action: "create", .. }) if path == files[2]));
    assert!(!files[0].exists() && !files[1].exists());
    assert_eq!(std::fs::read(&files[2]).unwrap(), b"mine");
}

#[test]
fn a_cancelled_write_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::default();
    let files = names(dir.path(), 1);
    let failed = std::thread::scope(|scope| {
        let work = scope.spawn(|| dfsio_write(&mut pool(2 << 20), &files, 1 << 40, 1, 7, &context));
        while context.progress().done_bytes == 0 {
            assert!(!work.is_finished(), "the write failed before it was cancelled");
            std::thread::yield_now();
        }
        context.cancel();
        work.join().unwrap()
    });
    assert!(matches!(failed, Err(Error::Cancelled)));
    assert!(!files[0].exists());
}

#[test]
fn a_missing_file_is_named_before_any_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let files = names(dir.path(), 1);
    let context = Context::default();
    let failed = dfsio_read(&mut pool(2 << 20), &files, 1, &context);
    assert!(matches!(failed, Err(Error::Io { path, .. }) if path == files[0]));
    assert_eq!(context.progress().phase, "");
}

#[test]
fn too_little_memory_for_the_slots_is_an_error_with_the_memory_needed() {
    let dir = tempfile::tempdir().unwrap();
    let failed = dfsio_write(&mut pool(2 << 20), &names(dir.path(), 3), 1, 3, 7, &Context::default());
    assert!(matches!(failed, Err(Error::Memory { budget: 0x20_0000, needed: 0x30_0000 })));
}

#[test]
fn storage_processes_one_file_after_another() {
    let dir = tempfile::tempdir().unwrap();
    let files = names(dir.path(), 4);
    let context = Context::default();
    let written = storage_write(&mut pool(4 << 20), &files, ODD, &context).unwrap();
    let read = storage_read(&mut pool(4 << 20), &files, &context).unwrap();
    for report in [written, read] {
        assert_eq!(report.files.iter().map(|file| file.bytes).collect::<Vec<_>>(), [ODD; 4]);
    }
    assert_eq!(context.phases().iter().map(|phase| phase.name).collect::<Vec<_>>(), ["write", "read"]);
    let tasks = context.take_tasks();
    assert_eq!(tasks.iter().map(|task| task.task).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert!(tasks.windows(2).all(|pair| pair[0].end <= pair[1].start));
}

#[test]
fn an_empty_file_is_written_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let files = names(dir.path(), 1);
    storage_write(&mut pool(2 << 20), &files, 0, &Context::default()).unwrap();
    let read = storage_read(&mut pool(2 << 20), &files, &Context::default()).unwrap();
    assert_eq!(read.files[0].bytes, 0);
}
