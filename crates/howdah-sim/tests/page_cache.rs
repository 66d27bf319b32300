//! The page cache on a host with slow disks: writeback, deleted spills, and cached reads.

use crate::cluster::{elapsed_s, run, scenario};
use howdah_sim::outcome::PhaseSummary;
use serde_json::{Value, json};

/// 20 GB.
const ROWS: u64 = 200_000_000;
const BYTES: f64 = 20e9;

/// Four hosts with 64 GiB and `disks` disks of 7,200 rotations a minute.
fn slow_disks(disks: u32) -> Value {
    json!({
        "count": 4, "sockets": 2, "cores_per_socket": 6, "threads_per_core": 1, "numa_nodes": 2,
        "memory_bytes": 64_u64 << 30, "speed": 1.0,
        "disks": [{
            "count": disks, "size_bytes": 1_000_000_000_000_u64, "kind": "hdd",
            "outer_bytes_per_s": 100e6, "inner_bytes_per_s": 50e6
        }],
        "nics": [{"count": 1, "bits_per_s": 10e9}],
        "virtual": false,
        "workers": [{
            "count": 1, "vcpus": 12, "memory_bytes": 64_u64 << 30, "disks": disks, "numa_nodes": 2,
            "map_slots": 4, "reduce_slots": 4
        }]
    })
}

/// TeraSort's programs with one replica on such hosts; DataNodes do not manage the page cache.
fn programs(disks: u32, parameters: Value) -> Value {
    let workloads = json!([
        {"kind": "teragen", "rows": ROWS, "maps": 16},
        {"kind": "terasort", "rows": ROWS, "reduces": 16, "replication": 1},
        {"kind": "teravalidate", "rows": ROWS}
    ]);
    let mut scenario = scenario(json!([slow_disks(disks)]), workloads);
    scenario["hdfs"] = json!({
        "replication": 1, "block_bytes": 64 << 20, "placement": "default",
        "drop_behind_writes": false, "sync_behind_writes": false
    });
    scenario["job"]["codec"] = "none".into();
    scenario["job"]["compression_ratio"] = 1.0.into();
    scenario["parameters"] = parameters;
    scenario
}

/// The phases of the three programs: map; map-shuffle and reduce-merge; map and reduce.
fn phases(scenario: &Value) -> Vec<PhaseSummary> {
    run(scenario).summary.workloads.into_iter().flat_map(|workload| workload.phases).collect()
}

#[test]
fn a_cache_writes_back_what_a_program_has_written() {
    let behind = programs(1, json!({"dirty_share": 0.15}));
    let at_once = programs(1, json!({"dirty_share": 0.0}));
    let written = |scenario: &Value| phases(scenario)[0].disk_written_bytes;
    assert_eq!(written(&at_once).round(), BYTES);
    // The limit of dirty pages on a host is about 5 GB.
    assert!(written(&behind) < 0.8 * BYTES, "{}", written(&behind));
    assert!(elapsed_s(&run(&behind))[0] < elapsed_s(&run(&at_once))[0]);
    // Writeback continues: TeraGen's rows are on their disks before TeraSort's maps end.
    let total: f64 = phases(&behind)[..2].iter().map(|phase| phase.disk_written_bytes).sum();
    assert!(total > BYTES);
}

#[test]
fn spills_that_are_deleted_young_are_never_written() {
    // Row indexes take so much of the buffer that every block makes three spills, which are merged into one.
    let written = |age_s: f64| {
        let mut scenario = programs(1, json!({"dirty_share": 0.0, "spill_age_s": age_s}));
        scenario["job"]["io_sort_bytes"] = (100 << 20).into();
        scenario["job"]["io_sort_records"] = 0.05.into();
        phases(&scenario)[1].disk_written_bytes
    };
    let (all, young) = (written(0.0), written(1e6));
    // The spills are written once less; the first maps do not have the duration of earlier maps yet.
    assert!((0.8..=1.0).contains(&((all - young) / BYTES)), "{all} and {young}");
}

#[test]
fn files_that_fit_into_the_cache_are_not_read_from_disks() {
    let read = |cached: f64| phases(&programs(1, json!({"used_once_cached": cached})))[3].disk_read_bytes;
    assert_eq!(read(0.5), 0.0);
    // A hundredth of 50 GiB caches a tenth of the 5 GB of a host.
    assert!((0.85..=0.95).contains(&(read(0.01) / BYTES)), "{}", read(0.01));
}

#[test]
fn output_replaces_input_in_the_cache() {
    let read = |cached: f64| phases(&programs(1, json!({"used_once_cached": cached})))[1].disk_read_bytes;
    // A tenth caches the 5 GB of TeraGen, but TeraSort's output replaces half of it before it is read.
    assert!(read(0.1) > 0.3 * BYTES, "{}", read(0.1));
    assert_eq!(read(0.5), 0.0);
}

#[test]
fn blocks_are_evicted_in_the_order_in_which_they_were_cached() {
    let read = |maps: u32, order: f64| {
        let mut scenario = programs(1, json!({"used_once_cached": 0.13, "cache_order": order}));
        scenario["workloads"][0]["maps"] = maps.into();
        phases(&scenario)[1].disk_read_bytes
    };
    // Maps read files in their order. Files that were written one after another are read before they are evicted; of files
    // that were written at the same time, the first blocks of the last ones are evicted.
    let (in_turn, at_once) = (read(64, 1.0), read(16, 1.0));
    assert!(at_once > 0.03 * BYTES, "{at_once}");
    assert!(in_turn < 0.6 * at_once, "{in_turn} and {at_once}");
    // A cache that keeps the same share of every block evicts the same share of both.
    let (in_turn, at_once) = (read(64, 0.0), read(16, 0.0));
    assert!(in_turn > 0.7 * at_once, "{in_turn} and {at_once}");
}

#[test]
fn input_and_output_displace_runs() {
    let read = |order: f64| {
        let parameters = json!({"used_once_cached": 0.15, "runs_in_order": order});
        phases(&programs(1, parameters))[2].disk_read_bytes
    };
    // A cache of 9 GB holds the 8 GB of intermediate data of a host, but not input and output as well.
    assert_eq!(read(0.0), 0.0);
    assert!(read(1.0) > 0.05 * BYTES, "{}", read(1.0));
}

#[test]
fn intermediate_data_on_one_of_three_disks_make_it_the_slowest() {
    let mut one = programs(3, json!({"dirty_share": 0.01}));
    one["hosts"][0]["workers"][0]["local_disks"] = 1.into();
    let all = programs(3, json!({"dirty_share": 0.01}));
    assert!(elapsed_s(&run(&one))[1] > 1.2 * elapsed_s(&run(&all))[1]);
    // TeraGen has no intermediate data.
    assert_eq!(elapsed_s(&run(&one))[0], elapsed_s(&run(&all))[0]);
}

#[test]
fn writers_that_share_a_disk_lose_the_time_of_seeks() {
    let taken =
        |seek_s: f64| elapsed_s(&run(&programs(1, json!({"dirty_share": 0.0, "write_seek_s": seek_s}))))[0];
    // Four writers: three of four chunks of 4 MiB, 42 ms, begin with a seek of 17 ms.
    assert!((1.2..1.45).contains(&(taken(0.01) / taken(0.0))), "{}", taken(0.01) / taken(0.0));
}

#[test]
fn a_late_reduce_waits_for_a_seek_to_every_small_uncached_piece() {
    // Twice as many reduces as slots fetch 16 KB of each of 5,000 maps.
    let sorted = |kind: &str, cached: f64, seeks: f64| {
        let mut scenario = programs(1, json!({"used_once_cached": cached, "piece_seeks": seeks}));
        scenario["hosts"][0]["disks"][0]["kind"] = kind.into();
        scenario["hdfs"]["block_bytes"] = json!(4 << 20);
        scenario["hdfs"]["readahead_bytes"] = json!(4 << 20);
        scenario["job"]["compression_ratio"] = 4.0.into();
        scenario["workloads"][1]["reduces"] = 64.into();
        let outcome = run(&scenario);
        let read: f64 = outcome.summary.workloads[1].phases.iter().map(|phase| phase.disk_read_bytes).sum();
        (elapsed_s(&outcome)[1], read)
    };
    let ((seeking_s, seeking_bytes), (free_s, free_bytes)) =
        (sorted("hdd", 0.01, 1.0), sorted("hdd", 0.01, 0.0));
    assert!(seeking_s > 1.1 * free_s, "{seeking_s} s and {free_s} s");
    // A seek transfers no bytes.
    assert!((seeking_bytes / free_bytes - 1.0).abs() < 0.01, "{seeking_bytes} and {free_bytes}");
    assert_eq!(sorted("ssd", 0.01, 1.0), sorted("ssd", 0.01, 0.0));
    assert_eq!(sorted("hdd", 0.5, 1.0).0, sorted("hdd", 0.5, 0.0).0);
}
