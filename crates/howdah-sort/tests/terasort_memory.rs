//! TeraSort's peak memory, measured in a process that does nothing else.

use std::path::PathBuf;
use std::process::Command;

use howdah_sort::{Codec, Context, Pool, TerasortSpec, teragen, terasort};

/// Set in the child process: the directory to sort in.
const DIR: &str = "HOWDAH_TEST_DIR";
const ROWS: u64 = 1_000_000;
const POOL: usize = 32 << 20;
/// Memory of the process in addition to the pool: the program, thread stacks, file names, buffers
/// of the compressor.
const OVERHEAD: usize = 12 << 20;

/// Sorts 100 MB in a child process, which prints its peak memory.
#[test]
fn peak_memory_stays_within_the_pool() {
    if let Some(dir) = std::env::var_os(DIR) {
        return sort_in(PathBuf::from(dir));
    }
    let dir = tempfile::tempdir().unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "terasort_memory::peak_memory_stays_within_the_pool", "--nocapture"])
        .env(DIR, dir.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{output}");
    let peak_kib: usize =
        output.split("VmHWM:").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
    let peak = peak_kib << 10;
    // A peak below the pool's size would be a mistake in this test.
    assert!(peak > POOL, "the peak is {peak} bytes, less than the pool");
    assert!(peak < POOL + OVERHEAD, "the peak is {peak} bytes");
}

fn sort_in(dir: PathBuf) {
    let paths = |stem: &str| (0..4).map(|number| dir.join(format!("{stem}-{number}"))).collect::<Vec<_>>();
    let mut pool = Pool::new(POOL, 2).unwrap();
    teragen(&mut pool, &paths("in"), ROWS, 2, &Context::default()).unwrap();
    for codec in [Codec::None, Codec::Lz4, Codec::Snappy, Codec::Zstd] {
        let spec = TerasortSpec {
            inputs: paths("in"),
            outputs: paths(&format!("out-{codec:?}")),
            spill_dirs: vec![dir.clone()],
            maps: 4,
            map_slots: 2,
            reduce_slots: 2,
            codec,
        };
        let report = terasort(&mut pool, &spec, &Context::default()).unwrap();
        assert!(!report.in_memory);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap());
}
