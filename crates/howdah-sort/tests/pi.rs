//! pi compared with Hadoop's results.

use howdah_sort::{Context, Error, pi};

/// (maps, samples, points inside) of `pi <maps> <samples>` as run with the jar
/// hadoop-mapreduce-examples 3.4.2 and its local job runner; inside is the printed value × total ÷ 4.
/// The last are long enough for the rounding errors of one map to add up.
const HADOOP: [(u32, u64, u64); 10] = [
    (1, 1, 1),                   // 4.00000000000000000000
    (1, 10, 9),                  // 3.60000000000000000000
    (3, 7, 20),                  // 3.80952380952380952381
    (10, 100, 787),              // 3.14800000000000000000
    (16, 1000, 12_570),          // 3.14250000000000000000
    (10, 1000, 7_852),           // 3.14080000000000000000
    (7, 12_345, 67_865),         // 3.14135277440259214257
    (4, 1_000_000, 3_141_604),   // 3.14160400000000000000
    (2, 5_000_000, 7_853_961),   // 3.14158440000000000000
    (1, 20_000_000, 15_707_949), // 3.14158980000000000000
];

#[test]
fn every_count_is_the_same_as_hadoops() {
    for (maps, samples, inside) in HADOOP {
        for slots in [1, 3] {
            let report = pi(maps, samples, slots, &Context::default()).unwrap();
            assert_eq!((report.inside, report.total), (inside, u64::from(maps) * samples));
        }
    }
}

#[test]
fn every_map_is_a_task_and_progress_counts_samples() {
    let context = Context::default();
    pi(5, 1000, 2, &context).unwrap();
    let mut tasks: Vec<_> = context.take_tasks().iter().map(|task| task.task).collect();
    tasks.sort_unstable();
    assert_eq!(tasks, [0, 1, 2, 3, 4]);
    assert_eq!((context.progress().done_bytes, context.progress().total_bytes), (5000, 5000));
}

#[test]
fn too_few_and_too_many_are_refused_by_name() {
    for (maps, samples, name) in
        [(0, 1, "maps"), (1, 0, "samples"), (2, u64::MAX / 2, "samples"), (3, u64::MAX / 4, "samples")]
    {
        let refused = pi(maps, samples, 1, &Context::default());
        assert!(matches!(refused, Err(Error::Input { subject, .. }) if subject == name));
    }
}

#[test]
fn a_cancelled_count_ends() {
    let context = Context::default();
    let failed = std::thread::scope(|scope| {
        let work = scope.spawn(|| pi(1, 1 << 60, 1, &context));
        while context.progress().done_bytes == 0 {
            std::thread::yield_now();
        }
        context.cancel();
        work.join().unwrap()
    });
    assert!(matches!(failed, Err(Error::Cancelled)));
}
