//! Erasure-coded files: bytes written, bytes over the network, and invalid policies.

use crate::cluster::{elapsed_s, hosts, run, scenario};
use howdah_sim::{Outcome, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

const CELL: u64 = 1 << 20;
const BLOCK: u64 = 64 << 20;

/// TeraGen, TeraSort and TeraValidate on `count` hosts with one worker each; files are coded or have three replicas.
fn programs(count: u32, rows: u64, maps: u32, coding: Option<(u32, u32)>) -> Value {
    let workloads = json!([
        {"kind": "teragen", "rows": rows, "maps": maps},
        {"kind": "terasort", "rows": rows, "reduces": maps, "replication": 3},
        {"kind": "teravalidate", "rows": rows}
    ]);
    let mut scenario = scenario(json!([hosts(count, 1, 8)]), workloads);
    scenario["hdfs"]["block_bytes"] = BLOCK.into();
    if let Some((data, parity)) = coding {
        scenario["hdfs"]["coding"] = json!({
            "data": data, "parity": parity, "cell_bytes": CELL, "encode_s_per_byte": 1.8e-9
        });
    }
    scenario
}

fn written(outcome: &Outcome) -> f64 {
    outcome.summary.workloads[0].phases.iter().map(|phase| phase.disk_written_bytes).sum()
}

/// Bytes of a coded file: the parity cells of a row are as long as its first cell.
fn stored(bytes: u64, data: u64, parity: u64) -> u64 {
    let group = data * BLOCK;
    let row_bytes =
        |bytes: u64| bytes + parity * (bytes / (data * CELL) * CELL + (bytes % (data * CELL)).min(CELL));
    bytes / group * row_bytes(group) + row_bytes(bytes % group)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_and_its_parity_are_written(
        rows in 50_000_u64..20_000_000,
        maps in 1_u32..40,
        coding in prop::sample::select(vec![(6_u32, 3_u32), (10, 4), (3, 2), (2, 1)]),
        seed in any::<u64>(),
    ) {
        let mut scenario = programs(16, rows, maps, Some(coding));
        scenario["seed"] = seed.into();
        let outcome = run(&scenario);
        let (data, parity) = (u64::from(coding.0), u64::from(coding.1));
        let file = |file: u64| (rows * (file + 1) / u64::from(maps) - rows * file / u64::from(maps)) * 100;
        let expected: u64 = (0..u64::from(maps)).map(|number| stored(file(number), data, parity)).sum();
        prop_assert!((written(&outcome) / expected as f64 - 1.0).abs() < 1e-6);
        let workloads = &outcome.summary.workloads;
        // Each group has all of its units, and at most one of its data units is local to a reader.
        let units: u64 = workloads[0].replicas.iter().map(|&units| u64::from(units)).sum();
        prop_assert_eq!(units % (data + parity), 0);
        let least = (data - 1) as f64 / data as f64;
        let bytes = rows as f64 * 100.0;
        for workload in &workloads[1..] {
            prop_assert!(workload.remote_read_bytes >= bytes * least * (1.0 - 1e-9));
            prop_assert!(workload.remote_read_bytes <= bytes * (1.0 + 1e-9));
        }
    }
}

#[test]
fn six_cells_and_their_parity_take_half_as_much_again_and_cross_the_network() {
    let rows = 64 * 6 * (BLOCK / 100);
    let (coded, copied) = (run(&programs(12, rows, 64, Some((6, 3)))), run(&programs(12, rows, 64, None)));
    let bytes = rows as f64 * 100.0;
    assert!((written(&coded) / bytes - 1.5).abs() < 1e-3, "{}", written(&coded) / bytes);
    assert!((written(&copied) / bytes - 3.0).abs() < 1e-6);
    let received = |outcome: &Outcome| outcome.summary.workloads[0].phases[0].received_bytes / bytes;
    // One unit of nine stays with its writer: eight sixths of the data are sent. Two of three replicas are.
    assert!((received(&coded) - 8.0 / 6.0).abs() < 0.01, "{}", received(&coded));
    assert!((received(&copied) - 2.0).abs() < 0.01, "{}", received(&copied));
    let remote = |outcome: &Outcome| outcome.summary.workloads[1].remote_read_bytes / bytes;
    assert!(remote(&coded) > 5.0 / 6.0 - 1e-9, "{}", remote(&coded));
    assert!(remote(&copied) < 0.2, "{}", remote(&copied));
}

#[test]
fn a_slower_coder_slows_writes() {
    let taken = |encode_s: f64| {
        let mut scenario = programs(12, 100_000_000, 96, Some((6, 3)));
        scenario["hdfs"]["coding"]["encode_s_per_byte"] = encode_s.into();
        elapsed_s(&run(&scenario))[0]
    };
    assert!(taken(5e-8) > taken(0.0) + 2.0, "{} and {}", taken(5e-8), taken(0.0));
}

#[test]
fn groups_with_more_units_than_workers_are_refused() {
    let text = programs(8, 1_000_000, 8, Some((6, 3))).to_string();
    let error = Scenario::from_json(&text).unwrap_err().to_string();
    assert!(error.contains("9 units of a coded group, but 8 DataNodes"), "{error}");
}
