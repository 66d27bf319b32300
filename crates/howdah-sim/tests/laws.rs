//! Laws that hold for every cluster and workload.

use std::collections::HashSet;

use crate::cluster::{elapsed_s, hosts, racks, run, run_with, scenario, terasuite};
use howdah_sim::Sharing;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Small clusters with any policy, scheduler and number of replicas that fits.
fn clusters() -> impl Strategy<Value = Value> {
    let policies =
        prop::sample::select(vec!["default", "node-groups", "upgrade-domains", "rack-fault-tolerant"]);
    let sizes = (2_u32..5, prop::sample::select(vec![(1_u32, 8_u32), (2, 5), (4, 3), (10, 1)]), 1_u32..4);
    (sizes, policies, any::<bool>(), any::<bool>(), 0.0..=1.0, any::<u64>(), 1_u64..400).prop_map(
        |((count, (workers, slots), replicas), policy, containers, synchronous, slowstart, seed, rows)| {
            let maps = 2 * count * workers * slots;
            let mut scenario =
                scenario(racks(count, workers, slots, 0), terasuite(rows * 500_000, maps, maps / 2));
            scenario["hdfs"]["placement"] = policy.into();
            scenario["hdfs"]["replication"] = replicas.into();
            scenario["hdfs"]["sync_behind_writes"] = synchronous.into();
            scenario["hdfs"]["block_bytes"] = json!(64 << 20);
            scenario["scheduling"]["kind"] = if containers { "containers" } else { "slots" }.into();
            scenario["scheduling"]["slowstart"] = json!(slowstart);
            scenario["scheduling"]["out_of_band"] = synchronous.into();
            scenario["workloads"][1]["replication"] = replicas.into();
            scenario["record"] = json!({"tasks": true, "sample_interval_s": 2.0});
            scenario["seed"] = seed.into();
            scenario
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_task_ends_once_and_every_byte_is_written(scenario in clusters()) {
        let outcome = run(&scenario);
        let rows = scenario["workloads"][0]["rows"].as_u64().unwrap();
        let replicas = scenario["hdfs"]["replication"].as_u64().unwrap();
        let bytes = rows as f64 * 100.0;
        let [generate, sort, validate] = &outcome.summary.workloads[..] else { panic!("three workloads") };

        let blocks = |files: u64| (bytes as u64 / files).div_ceil(64 << 20);
        let written: u64 = generate.replicas.iter().map(|&blocks| u64::from(blocks)).sum();
        prop_assert!(written >= blocks(generate.maps) * generate.maps * replicas - generate.maps * replicas);
        prop_assert_eq!(written % replicas, 0);
        prop_assert_eq!(sort.locality.worker + sort.locality.host + sort.locality.rack + sort.locality.away, sort.maps);
        prop_assert!(validate.remote_read_bytes <= bytes);

        let tasks = &outcome.tasks;
        let distinct: HashSet<_> = (0..tasks.task.len())
            .map(|row| (tasks.workload[row], tasks.kind[row], tasks.task[row]))
            .collect();
        prop_assert_eq!(distinct.len(), tasks.task.len());
        let expected = generate.maps + sort.maps + sort.reduces + validate.maps + validate.reduces;
        prop_assert_eq!(distinct.len() as u64, expected);
        prop_assert!((0..tasks.task.len()).all(|row| tasks.start_ns[row] <= tasks.end_ns[row]));
        let output: u64 = (0..tasks.task.len())
            .filter(|&row| tasks.workload[row] == 1 && tasks.kind[row] == 1)
            .map(|row| tasks.output_bytes[row])
            .sum();
        prop_assert_eq!(output, rows * 100);
    }

    #[test]
    fn phases_follow_one_another_and_no_disk_or_link_exceeds_its_rate(scenario in clusters()) {
        let outcome = run(&scenario);
        let mut last = 0;
        let count = f64::from(scenario["hosts"].as_array().unwrap().len() as u32 * 2);
        for phase in outcome.summary.workloads.iter().flat_map(|workload| &workload.phases) {
            prop_assert_eq!(phase.start_ns, last);
            last = phase.end_ns;
            let seconds = (phase.end_ns - phase.start_ns) as f64 / 1e9;
            let disks = (phase.disk_read_bytes + phase.disk_written_bytes) / seconds;
            prop_assert!(disks <= count * 20.0 * 199_229_440.0 * 1.001, "{} bytes/s from disks", disks);
            prop_assert!(phase.sent_bytes / seconds <= count * 2.5e9);
            prop_assert!((phase.sent_bytes - phase.received_bytes).abs() <= 1e-6 * phase.sent_bytes.max(1.0));
            prop_assert!((0.0..=1.0).contains(&phase.cpu_busy), "{} of the CPUs busy", phase.cpu_busy);
            for busy in [phase.namenode_busy, phase.scheduler_busy] {
                prop_assert!((0.0..=1.0 + 1e-6).contains(&busy), "{} of a master busy", busy);
            }
        }
    }

    #[test]
    fn the_same_scenario_gives_the_same_outcome(scenario in clusters()) {
        let (first, second) = (run(&scenario), run(&scenario));
        prop_assert_eq!(first.summary.to_json(), second.summary.to_json());
        prop_assert_eq!(first.tasks.end_ns, second.tasks.end_ns);
        prop_assert_eq!(first.samples.value, second.samples.value);
    }
}

#[test]
fn node_groups_separate_replicas_and_the_default_does_not() {
    let workloads = json!([{"kind": "teragen", "rows": 200_000_000, "maps": 96}]);
    let mut scenario = scenario(json!([hosts(4, 4, 6)]), workloads);
    let sharing = |scenario: &Value| run(scenario).summary.workloads[0].sharing_host;
    assert_eq!(sharing(&scenario), 0);
    scenario["hdfs"]["placement"] = "default".into();
    assert!(sharing(&scenario) > 0);
}

/// Mean seconds of each workload over several seeds, and the standard error.
fn mean_elapsed_s(scenario: &mut Value, sharing: Sharing) -> Vec<(f64, f64)> {
    const SEEDS: u64 = 12;
    let runs: Vec<Vec<f64>> = (0..SEEDS)
        .map(|seed| {
            scenario["seed"] = seed.into();
            elapsed_s(&run_with(scenario, sharing))
        })
        .collect();
    let count = SEEDS as f64;
    let statistics = |workload: usize| {
        let mean = runs.iter().map(|run| run[workload]).sum::<f64>() / count;
        let spread = runs.iter().map(|run| (run[workload] - mean).powi(2)).sum::<f64>();
        (mean, (spread / (count - 1.0) / count).sqrt())
    };
    (0..runs[0].len()).map(statistics).collect()
}

#[test]
fn quick_sharing_is_within_a_hundredth_of_the_exact() {
    // The first rounding difference makes a run as different as another seed, so means are compared with their errors.
    let mut scenario = scenario(racks(2, 4, 6, 0), terasuite(3_000_000_000, 96, 96));
    let [quick, exact] =
        [Sharing::Quick, Sharing::Exact].map(|sharing| mean_elapsed_s(&mut scenario, sharing));
    for ((quick, error), (exact, other_error)) in quick.into_iter().zip(exact) {
        let most = 0.01 * exact + 3.0 * error.hypot(other_error);
        assert!((quick - exact).abs() < most, "{quick} s against {exact} s, at most {most} s apart");
    }
}

#[test]
fn smaller_blocks_load_the_scheduler_and_slow_the_sort() {
    let run_with = |block_bytes: u64| {
        let mut scenario = scenario(racks(2, 4, 6, 0), terasuite(500_000_000, 96, 96));
        scenario["hdfs"]["block_bytes"] = block_bytes.into();
        let outcome = run(&scenario);
        (elapsed_s(&outcome)[1], outcome.summary.workloads[1].phases[0].scheduler_busy)
    };
    let (large, small) = (run_with(256 << 20), run_with(4 << 20));
    assert!(small.0 > 1.2 * large.0 && small.1 > 2.0 * large.1, "{small:?} against {large:?}");
}

#[test]
fn a_scheduler_overloaded_by_heartbeats_still_runs_every_task() {
    let mut scenario = scenario(racks(2, 4, 6, 0), terasuite(100_000_000, 96, 96));
    let quiet = run(&scenario);
    // Sixteen workers' heartbeats would take 1.6 s of each second.
    scenario["parameters"] = json!({"scheduler_beat_s": 0.1});
    let loaded = run(&scenario);
    assert!(elapsed_s(&loaded)[1] > elapsed_s(&quiet)[1]);
    for phase in loaded.summary.workloads.iter().flat_map(|workload| &workload.phases) {
        assert!((0.98..=1.0 + 1e-6).contains(&phase.scheduler_busy), "{phase:?}");
    }
}

#[test]
fn a_narrow_uplink_slows_writes() {
    let mut scenario =
        scenario(racks(2, 4, 6, 0), json!([{"kind": "teragen", "rows": 1_000_000_000, "maps": 96}]));
    let wide = elapsed_s(&run(&scenario))[0];
    scenario["network"] = json!({"uplinks_bits_per_s": [1e9, 1e9], "round_trip_s": 1e-4});
    // Two of three replicas cross the uplinks, half of them in each direction, at 0.94 Gb/s.
    let narrow = elapsed_s(&run(&scenario))[0];
    assert!(wide < 60.0 && narrow > 1e11 / 2.0 / (0.94e9 / 8.0), "{narrow} s against {wide} s");
}

#[test]
fn the_page_cache_serves_reads_of_recent_writes() {
    let workloads = terasuite(100_000_000, 96, 96);
    let mut scenario = scenario(racks(2, 4, 6, 0), workloads);
    let disks = |scenario: &Value| run(scenario).summary.workloads[1].phases[0].disk_read_bytes;
    assert!(disks(&scenario) >= 1e10);
    scenario["hdfs"]["drop_behind_writes"] = false.into();
    assert_eq!(disks(&scenario), 0.0);
}

#[test]
fn dfsio_reads_its_files_and_pi_only_computes() {
    let workloads = json!([
        {"kind": "dfsio-write", "files": 40, "file_bytes": 4_u64 << 30},
        {"kind": "dfsio-read", "files": 40, "file_bytes": 4_u64 << 30},
        {"kind": "pi", "maps": 160, "samples": 1_000_000_000}
    ]);
    let outcome = run(&scenario(racks(2, 4, 6, 0), workloads));
    let bytes = 40.0 * 4.0 * 1024.0_f64.powi(3);
    let disk = |workload: usize| {
        let phases = &outcome.summary.workloads[workload].phases;
        let sum =
            |bytes: fn(&howdah_sim::outcome::PhaseSummary) -> f64| phases.iter().map(bytes).sum::<f64>();
        (sum(|phase| phase.disk_read_bytes) / bytes, sum(|phase| phase.disk_written_bytes) / bytes)
    };
    assert_eq!(disk(0).0, 0.0);
    assert!((disk(0).1 - 3.0).abs() < 1e-6 && (disk(1).0 - 1.0).abs() < 1e-6, "{:?} {:?}", disk(0), disk(1));
    assert_eq!(disk(2), (0.0, 0.0));
}

/// A reading job is placed by its control files, which are unrelated to the data of the job before:
/// with three replicas on four hosts, three quarters of all bytes are read without crossing the network.
#[test]
fn dfsio_reads_locally_as_often_as_by_chance() {
    let mut local = 0.0;
    for seed in 0..40 {
        let workloads = json!([
            {"kind": "dfsio-write", "files": 64, "file_bytes": 64_u64 << 20},
            {"kind": "dfsio-read", "files": 64, "file_bytes": 64_u64 << 20},
        ]);
        let mut scenario = scenario(racks(2, 4, 6, 0), workloads);
        scenario["seed"] = seed.into();
        let read = &run(&scenario).summary.workloads[1];
        local += 1.0 - read.remote_read_bytes / (64.0 * 64.0 * f64::from(1 << 20));
    }
    // With 40 × 64 files, each local or not, the standard error of the share is below 0.01.
    assert!((local / 40.0 - 0.75).abs() < 0.04, "{}", local / 40.0);
}

#[test]
fn speculation_shortens_the_wait_for_the_slowest_maps() {
    let mut scenario = scenario(racks(2, 4, 6, 0), terasuite(1_000_000_000, 96, 96));
    scenario["parameters"] = json!({"task_spread": 1.0});
    scenario["record"] = json!({"tasks": true});
    let without = run(&scenario);
    scenario["scheduling"]["speculative"] = true.into();
    let with = run(&scenario);
    let maps_s = |outcome: &howdah_sim::Outcome| {
        let phase = &outcome.summary.workloads[1].phases[0];
        (phase.end_ns - phase.start_ns) as f64 / 1e9
    };
    assert!(maps_s(&with) < 0.97 * maps_s(&without), "{} s against {} s", maps_s(&with), maps_s(&without));
    let tasks = &with.tasks;
    let rows = |state: u8| (0..tasks.task.len()).filter(|&row| tasks.state[row] == state).collect::<Vec<_>>();
    let killed = rows(2);
    assert!(!killed.is_empty() && killed.iter().all(|&row| tasks.workload[row] == 1 && tasks.kind[row] == 0));
    assert_eq!(rows(0).len(), without.tasks.task.len(), "every task succeeds once");
    assert!(tasks.attempt.contains(&1));
}
