//! The quick simulation against the full one, and where it is refused.

use crate::cluster::{elapsed_s, hosts, run, scenario, terasuite};
use howdah_sim::Outcome;
use serde_json::{Value, json};

const BLOCK: u64 = 64 << 20;

/// Hosts alike in racks of four, with so many blocks for each place of a map.
fn alike(count: u32, blocks: u64) -> Value {
    let racks: Vec<Value> = (0..count / 4)
        .map(|rack| {
            let mut group = hosts(4, 4, 6);
            group["rack"] = rack.into();
            group
        })
        .collect();
    let slots = count * 4 * 6;
    let rows = u64::from(slots) * blocks * BLOCK / 100;
    let mut scenario = scenario(racks.into(), terasuite(rows, slots, slots));
    scenario["hdfs"]["block_bytes"] = BLOCK.into();
    scenario
}

fn quick(mut scenario: Value) -> Outcome {
    scenario["quick"] = true.into();
    run(&scenario)
}

/// The median over seeds of every workload's time, and of every phase's.
fn medians_s(scenario: &Value, seeds: u64, is_quick: bool) -> Vec<f64> {
    let runs: Vec<Vec<f64>> = (0..seeds)
        .map(|seed| {
            let mut scenario = scenario.clone();
            (scenario["seed"], scenario["quick"]) = (seed.into(), is_quick.into());
            let outcome = run(&scenario);
            assert_eq!(outcome.summary.few_hosts.is_some(), is_quick);
            let phases = outcome.summary.workloads.iter().flat_map(|workload| &workload.phases);
            let phases_s = phases.map(|phase| (phase.end_ns - phase.start_ns) as f64 / 1e9);
            elapsed_s(&outcome).into_iter().chain(phases_s).collect()
        })
        .collect();
    (0..runs[0].len())
        .map(|figure| {
            let mut times_s: Vec<f64> = runs.iter().map(|run| run[figure]).collect();
            times_s.sort_by(f64::total_cmp);
            times_s[times_s.len() / 2]
        })
        .collect()
}

#[test]
fn few_hosts_give_the_medians_of_all() {
    // So few seeds tell a median to some two per cent; the exam of many clusters takes more of them.
    let scenario = alike(32, 52);
    let (full, few) = (medians_s(&scenario, 3, false), medians_s(&scenario, 9, true));
    for (number, (full_s, few_s)) in full.iter().zip(&few).enumerate() {
        assert!((few_s / full_s - 1.0).abs() < 0.04, "figure {number}: {few_s} s instead of {full_s} s");
    }
}

#[test]
fn few_hosts_do_the_work_of_all() {
    let scenario = alike(16, 52);
    let (full, few) = (run(&scenario).summary, quick(scenario).summary);
    assert_eq!((full.few_hosts, few.few_hosts), (None, Some(8)));
    for (all, part) in full.workloads.iter().zip(&few.workloads) {
        assert_eq!((all.maps, all.reduces.max(2)), (part.maps, part.reduces.max(2)), "{}", all.kind);
        let within = |share: f64, one: f64, other: f64| (one - other).abs() <= share * one.max(other);
        let near = |one: f64, other: f64| within(0.03, one, other);
        assert!(near(all.counters.spilled_bytes as f64, part.counters.spilled_bytes as f64));
        let off_bytes = (all.remote_read_bytes - part.remote_read_bytes).abs();
        assert!(off_bytes <= 0.06 * all.counters.read_bytes as f64, "{}: {off_bytes}", all.kind);
        for (all, part) in all.phases.iter().zip(&part.phases) {
            assert!(near(all.disk_written_bytes, part.disk_written_bytes), "{all:?} {part:?}");
            // On which replica of its first block TeraValidate's map runs is chance, of 192 maps here.
            assert!(within(0.12, all.received_bytes, part.received_bytes), "{all:?} {part:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_quick_result() {
    let scenario = alike(16, 52);
    assert_eq!(quick(scenario.clone()).summary.to_json(), quick(scenario).summary.to_json());
}

#[test]
fn what_cannot_be_quick_is_simulated_in_full_and_says_why() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut scenario = alike(16, 52);
        change(&mut scenario);
        quick(scenario).summary.full_because
    };
    assert_eq!(changed(&|_| ()), None);
    for (because, change) in [
        (
            "hosts are not identical",
            &(|it: &mut Value| it["hosts"][1]["nics"][0]["bits_per_s"] = json!(1e9)) as &dyn Fn(&mut Value),
        ),
        ("hosts have different numbers of workers", &|it| it["hosts"][1]["workers"][0]["count"] = json!(3)),
        ("hosts differ in speed", &|it| it["parameters"] = json!({"host_spread": 0.05})),
        ("racks share uplinks", &|it| {
            it["network"] = json!({"uplinks_bits_per_s": [40e9, null, null, null]})
        }),
        ("every task or host is recorded", &|it| it["record"] = json!({"tasks": true})),
        ("the cluster has few hosts", &|it| {
            it["hosts"].as_array_mut().unwrap().pop();
        }),
        ("there is little data for each task", &|it| it["workloads"][2]["rows"] = json!(1_000_000)),
        ("there are few tasks", &|it| it["workloads"] = json!([{"kind": "pi", "maps": 11, "samples": 1000}])),
    ] {
        assert_eq!(changed(change), Some(because));
    }
}
