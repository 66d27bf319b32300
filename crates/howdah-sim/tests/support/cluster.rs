//! Clusters to simulate in tests.

use howdah_sim::{Outcome, Scenario, Sharing, Unwatched, simulate_with};
use serde_json::{Value, json};

/// Hosts of the vSphere 6 study, each divided into equal workers.
pub fn hosts(count: u32, workers: u32, slots: u32) -> Value {
    json!({
        "count": count, "sockets": 2, "cores_per_socket": 10, "threads_per_core": 2, "numa_nodes": 2,
        "memory_bytes": 256_u64 << 30, "speed": 1.0,
        "disks": [{
            "count": 20, "size_bytes": 600_000_000_000_u64, "kind": "fasthdd",
            "outer_bytes_per_s": 199_229_440.0, "inner_bytes_per_s": 115_343_360.0
        }],
        "nics": [{"count": 2, "bits_per_s": 10e9}],
        "virtual": workers > 1,
        "workers": [{
            "count": workers, "vcpus": 40 / workers, "memory_bytes": (240_u64 << 30) / u64::from(workers),
            "disks": 20 / workers, "numa_nodes": if workers > 1 { 1 } else { 2 },
            "map_slots": slots, "reduce_slots": slots
        }]
    })
}

/// Racks of two hosts each; the last two hosts have fewer workers.
pub fn racks(count: u32, workers: u32, slots: u32, less: u32) -> Value {
    let group = |rack: u32| {
        let mut group = hosts(2, workers, slots);
        group["rack"] = rack.into();
        if rack + 1 == count {
            group["workers"][0]["count"] = (workers - less).into();
        }
        group
    };
    (0..count).map(group).collect()
}

/// A scenario of these hosts and workloads with the vSphere 6 study's settings of Hadoop.
pub fn scenario(hosts: Value, workloads: Value) -> Value {
    json!({
        "hosts": hosts,
        "hdfs": {
            "replication": 3, "block_bytes": 256 << 20, "placement": "node-groups",
            "drop_behind_writes": true, "sync_behind_writes": true
        },
        "scheduling": {
            "kind": "slots", "slowstart": 0.0, "heartbeat_s": 1.0, "out_of_band": true,
            "locality_delay_s": 0.1, "jvm_reuse": true
        },
        "job": {
            "io_sort_bytes": 400 << 20, "io_sort_spill": 0.8, "io_sort_factor": 64, "parallel_copies": 20,
            "map_heap_bytes": 800 << 20, "reduce_heap_bytes": 1200 << 20, "shuffle_input_buffer": 0.75,
            "shuffle_merge": 0.95, "reduce_input_buffer": 0.7, "codec": "snappy", "compression_ratio": 4.9,
            "partition_samples": 2_000_000
        },
        "workloads": workloads
    })
}

/// TeraGen, TeraSort and TeraValidate.
pub fn terasuite(rows: u64, maps: u32, reduces: u32) -> Value {
    json!([
        {"kind": "teragen", "rows": rows, "maps": maps},
        {"kind": "terasort", "rows": rows, "reduces": reduces, "replication": 3},
        {"kind": "teravalidate", "rows": rows}
    ])
}

/// Simulates a scenario.
pub fn run(scenario: &Value) -> Outcome {
    run_with(scenario, Sharing::Quick)
}

/// Simulates a scenario with one of the methods of sharing.
pub fn run_with(scenario: &Value, sharing: Sharing) -> Outcome {
    simulate_with(&Scenario::from_json(&scenario.to_string()).unwrap(), sharing, &Unwatched).unwrap()
}

/// Seconds that each workload took.
pub fn elapsed_s(outcome: &Outcome) -> Vec<f64> {
    outcome
        .summary
        .workloads
        .iter()
        .map(|workload| (workload.end_ns - workload.start_ns) as f64 / 1e9)
        .collect()
}
