//! The raw limits: the bytes that are moved, and the removal of all files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use howdah_sort::{Context, Error, Pool, memory_copy_bytes_per_s, raw_limit};

fn scratch_files(dir: &Path, count: usize) -> Vec<PathBuf> {
    (0..count).map(|number| dir.join(format!("scratch-{number}"))).collect()
}

fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).unwrap().next().is_none()
}

#[test]
fn all_bytes_are_written_read_and_copied_and_all_files_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::default();
    let mut pool = Pool::new(8 << 20, 2).unwrap();
    // Neither a multiple of a page nor of a block, so the last block is short.
    let bytes = (5 << 20) + 1;
    let report = raw_limit(&mut pool, &scratch_files(dir.path(), 2), bytes, 3, &context).unwrap();
    assert_eq!(report.bytes, 2 * ((5 << 20) + 4096));
    for time in [report.write, report.read, report.copy] {
        assert!(time > Duration::ZERO);
    }
    assert_eq!(context.progress().done_bytes, 4 * report.bytes);
    assert_eq!(context.progress().total_bytes, 4 * report.bytes);
    let names: Vec<_> = context.phases().iter().map(|phase| phase.name).collect();
    assert_eq!(names, ["write", "read", "copy"]);
    assert!(is_empty(dir.path()));
}

#[test]
fn cancelling_removes_the_scratch_files() {
    let dir = tempfile::tempdir().unwrap();
    let context = Context::default();
    let files = scratch_files(dir.path(), 1);
    let failed = std::thread::scope(|scope| {
        let work =
            scope.spawn(|| raw_limit(&mut Pool::new(2 << 20, 1).unwrap(), &files, 1 << 40, 1, &context));
        while context.progress().done_bytes == 0 {
            assert!(!work.is_finished(), "the write failed before it was cancelled");
            std::thread::yield_now();
        }
        assert!(!is_empty(dir.path()));
        context.cancel();
        work.join().unwrap()
    });
    assert!(matches!(failed, Err(Error::Cancelled)));
    assert!(is_empty(dir.path()));
}

#[test]
fn an_existing_file_with_the_name_of_a_copy_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let files = scratch_files(dir.path(), 1);
    let in_the_way = dir.path().join("scratch-0.copy");
    std::fs::write(&in_the_way, "mine").unwrap();
    let failed = raw_limit(&mut Pool::new(2 << 20, 1).unwrap(), &files, 4096, 1, &Context::default());
    assert!(matches!(failed, Err(Error::Io { path, .. }) if path == in_the_way));
    assert_eq!(std::fs::read(&in_the_way).unwrap(), b"mine");
    assert!(!files[0].exists());
}

#[test]
fn memory_is_copied_at_a_rate_even_with_more_threads_than_pages() {
    let mut pool = Pool::new(2 << 20, 1).unwrap();
    for threads in [0, 1, 2, 1000] {
        let rate = memory_copy_bytes_per_s(&mut pool, threads);
        assert!(rate.is_finite() && rate > 0.0);
    }
}
