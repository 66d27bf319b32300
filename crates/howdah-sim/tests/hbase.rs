//! HBase's queues: comparisons with exact solutions, and general laws.

use crate::cluster::{hosts, scenario};
use howdah_sim::hbase::ClientSummary;
use howdah_sim::{Scenario, Unwatched, simulate};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A client and `servers` servers with one core each; operations cost nothing until a test sets a cost.
fn single_core(servers: u32, shares: Value, threads: u32) -> Value {
    let mut all = scenario(json!([hosts(servers, 1, 1)]), json!([]));
    all["hosts"][0]["nics"][0]["bits_per_s"] = json!(1e15);
    all["hosts"][0]["sockets"] = json!(1);
    all["hosts"][0]["cores_per_socket"] = json!(1);
    all["hosts"][0]["threads_per_core"] = json!(1);
    all["hosts"][0]["numa_nodes"] = json!(1);
    all["hosts"][0]["workers"][0]["vcpus"] = json!(1);
    all["hosts"][0]["workers"][0]["numa_nodes"] = json!(1);
    all["hbase"] = json!({
        "handlers": 50_000, "block_cache_bytes": 1e12, "page_cache_bytes": 0.0, "memstore_bytes": 1e9,
        "flush_bytes": 134e6, "compacted_files": 3, "log": "fan-out", "replication": 1, "client_cpus": 1,
        "programs": [{
            "kind": "ycsb-c", "records": 1_000_000, "record_bytes": 1500.0, "update_bytes": 150.0,
            "scanned": 50.5, "regions": servers, "operations": 60_000, "shares": shares,
            "distribution": "uniform", "durability": "sync-wal", "clients": 1, "threads": threads,
        }],
    });
    all["parameters"] = json!({
        "hbase_client_s": 0.0, "hbase_read_s": 0.0, "hbase_write_s": 0.0, "hbase_scan_row_s": 0.0,
        "hbase_byte_s": 0.0, "hbase_miss_s": 0.0, "hbase_round_trip_s": 0.0, "hbase_sync_s": 0.0,
        "hbase_sync_cpu_s": 0.0, "hbase_merge_byte_s": 0.0, "hbase_pause_s": 0.0, "hbase_pause_share": 0.0,
    });
    all
}

fn simulated(scenario: &Value) -> ClientSummary {
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a sensible scenario");
    let outcome = simulate(&scenario, &Unwatched).expect("nothing cancels");
    outcome.summary.workloads[0].clients.clone().expect("the scenario has HBase")
}

/// Mean duration of a kind of operation, seconds.
fn mean_s(summary: &ClientSummary, operation: &str) -> f64 {
    let times = summary.latencies.iter().find(|times| times.operation == operation).expect("such operations");
    let durations = times.microseconds.iter().zip(&times.counts);
    let sum: f64 = durations.map(|(&microseconds, &count)| microseconds as f64 * count as f64).sum();
    sum / times.counts.iter().sum::<u64>() as f64 / 1e6
}

/// The quantile of the durations of a kind of operation, seconds.
fn within_s(summary: &ClientSummary, operation: &str, share: f64) -> f64 {
    let times = summary.latencies.iter().find(|times| times.operation == operation).expect("such operations");
    let mut remaining = share * times.counts.iter().sum::<u64>() as f64;
    for (&microseconds, &count) in times.microseconds.iter().zip(&times.counts) {
        remaining -= count as f64;
        if remaining <= 0.0 {
            return microseconds as f64 / 1e6;
        }
    }
    unreachable!("the share is at most 1")
}

/// The rate of a closed network with two shared processors and a delay, by mean-value analysis
/// (M. Reiser and S. Lavenberg, JACM 27, 1980).
fn mean_value_analysis(demands_s: [f64; 2], delay_s: f64, threads: u32) -> f64 {
    let mut waiting = [0.0; 2];
    let mut rate = 0.0;
    for thread in 1..=threads {
        let times = [0, 1].map(|station: usize| demands_s[station] * (1.0 + waiting[station]));
        rate = f64::from(thread) / (delay_s + times[0] + times[1]);
        waiting = times.map(|time| rate * time);
    }
    rate
}

#[test]
fn a_closed_network_has_the_rate_of_its_exact_solution() {
    for (client_s, read_s, round_trip_s, threads) in
        [(2e-4, 3e-4, 1e-3, 1), (2e-4, 3e-4, 1e-3, 4), (3e-4, 3e-4, 5e-4, 16), (5e-5, 4e-4, 2e-3, 8)]
    {
        let mut scenario = single_core(1, json!({"read": 1.0}), threads);
        scenario["parameters"]["hbase_client_s"] = json!(client_s);
        scenario["parameters"]["hbase_read_s"] = json!(read_s);
        scenario["parameters"]["hbase_round_trip_s"] = json!(round_trip_s);
        let exact = mean_value_analysis([client_s, read_s], round_trip_s, threads);
        let rate = simulated(&scenario).throughput_per_s;
        assert!((rate / exact - 1.0).abs() < 0.02, "{threads} threads: {rate} where {exact} is exact");
    }
}

#[test]
fn many_threads_at_a_target_rate_behave_like_an_open_queue() {
    // M/M/1 with processor sharing: a mean of s / (1 − ρ).
    for busy in [0.3, 0.6, 0.8] {
        let mut scenario = single_core(1, json!({"read": 1.0}), 20_000);
        scenario["parameters"]["hbase_read_s"] = json!(1e-3);
        scenario["hbase"]["programs"][0]["target_per_s"] = json!(busy * 1_000.0);
        let summary = simulated(&scenario);
        let exact_s = 1e-3 / (1.0 - busy);
        assert!(
            (mean_s(&summary, "read") / exact_s - 1.0).abs() < 0.1,
            "{busy}: {}",
            mean_s(&summary, "read")
        );
        assert!((summary.throughput_per_s / (busy * 1_000.0) - 1.0).abs() < 0.02);
    }
}

/// Mixes on a few servers with all mechanisms.
fn mixes() -> impl Strategy<Value = Value> {
    let shares = prop::sample::select(vec![
        json!({"read": 1.0}),
        json!({"insert": 1.0}),
        json!({"read": 0.5, "update": 0.5}),
        json!({"read": 0.95, "update": 0.05}),
        json!({"scan": 0.95, "insert": 0.05}),
    ]);
    let distributions = prop::sample::select(vec!["uniform", "zipfian", "latest"]);
    (3_u32..5, shares, 1_u32..40, distributions, 0.0..1.0, any::<u32>()).prop_map(
        |(servers, shares, threads, distribution, cached, seed)| {
            let mut scenario = single_core(servers, shares, threads);
            scenario["hosts"][0]["nics"][0]["bits_per_s"] = json!(1e10);
            scenario["hosts"][0]["cores_per_socket"] = json!(2);
            scenario["hosts"][0]["workers"][0]["vcpus"] = json!(2);
            scenario["hbase"]["block_cache_bytes"] = json!(cached * 5e8);
            scenario["hbase"]["handlers"] = json!(30);
            scenario["hbase"]["programs"][0]["distribution"] = distribution.into();
            scenario["hbase"]["programs"][0]["operations"] = json!(20_000);
            scenario["parameters"] = json!({});
            scenario["seed"] = seed.into();
            scenario
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_same_scenario_gives_the_same_outcome(scenario in mixes()) {
        prop_assert_eq!(simulated(&scenario), simulated(&scenario));
    }

    #[test]
    fn rate_and_times_satisfy_littles_law(scenario in mixes()) {
        // Rate × time = threads, if there is no read-modify-write.
        let summary = simulated(&scenario);
        let threads = scenario["hbase"]["programs"][0]["threads"].as_f64().unwrap();
        let counts = |times: &howdah_sim::hbase::Latencies| times.counts.iter().sum::<u64>() as f64;
        let all: f64 = summary.latencies.iter().map(counts).sum();
        let mean: f64 = summary.latencies.iter().map(|times| counts(times) / all * mean_s(&summary, &times.operation)).sum();
        prop_assert!((summary.throughput_per_s * mean / threads - 1.0).abs() < 0.01);
    }

    #[test]
    fn faster_processors_never_slow_anything_down(scenario in mixes()) {
        let mut slower = scenario.clone();
        slower["hosts"][0]["speed"] = json!(0.5 * scenario["hosts"][0]["speed"].as_f64().unwrap());
        prop_assert!(simulated(&slower).throughput_per_s <= 1.05 * simulated(&scenario).throughput_per_s);
    }

    #[test]
    fn more_cache_never_misses_more(scenario in mixes()) {
        let mut larger = scenario.clone();
        let cache = scenario["hbase"]["block_cache_bytes"].as_f64().unwrap();
        larger["hbase"]["block_cache_bytes"] = json!(1.5 * cache + 1e6);
        let (less, more) = (simulated(&scenario), simulated(&larger));
        prop_assert!(more.in_memory >= less.in_memory);
        prop_assert!(more.throughput_per_s >= 0.95 * less.throughput_per_s);
    }

    #[test]
    fn more_replicas_are_never_faster(scenario in mixes()) {
        let mut three = scenario.clone();
        three["hbase"]["replication"] = json!(3);
        prop_assert!(simulated(&three).throughput_per_s <= 1.05 * simulated(&scenario).throughput_per_s);
    }
}

#[test]
fn a_possible_target_rate_is_reached_with_latencies_that_grow_towards_the_limit() {
    let mut scenario = single_core(3, json!({"read": 0.5, "update": 0.5}), 64);
    scenario["parameters"] = json!({"hbase_pause_share": 0.0});
    scenario["hosts"][0]["nics"][0]["bits_per_s"] = json!(1e10);
    let most = simulated(&scenario).throughput_per_s;
    let mut slowest = Vec::new();
    for share in [0.2, 0.5, 0.8, 0.95] {
        scenario["hbase"]["programs"][0]["target_per_s"] = json!(share * most);
        let summary = simulated(&scenario);
        assert!((summary.throughput_per_s / (share * most) - 1.0).abs() < 0.03, "{share} of {most}");
        slowest.push(within_s(&summary, "update, intended", 0.99));
    }
    assert!(slowest.is_sorted() && slowest[3] > 2.0 * slowest[0], "{slowest:?}");
}

#[test]
fn a_pipeline_of_replicas_takes_longer_than_a_fan_out() {
    let mut scenario = single_core(3, json!({"update": 1.0}), 8);
    scenario["parameters"] = json!({"hbase_pause_share": 0.0});
    scenario["hbase"]["replication"] = json!(3);
    let fan_out = simulated(&scenario).throughput_per_s;
    scenario["hbase"]["log"] = json!("pipeline");
    assert!(simulated(&scenario).throughput_per_s < 0.9 * fan_out);
}

#[test]
fn without_a_cache_disks_limit_the_rate() {
    let mut scenario = single_core(1, json!({"read": 1.0}), 64);
    scenario["hbase"]["block_cache_bytes"] = json!(0.0);
    scenario["hbase"]["memstore_bytes"] = json!(0.0);
    let disks = scenario["hosts"][0]["workers"][0]["disks"].as_f64().unwrap();
    scenario["parameters"]["read_seek_s"] = json!(0.01);
    let summary = simulated(&scenario);
    assert_eq!(summary.in_memory, 0.0);
    assert!(summary.throughput_per_s < disks / 0.01);
    let busiest = summary.stations.iter().max_by(|left, right| left.busy.total_cmp(&right.busy)).unwrap();
    assert_eq!(busiest.station, "disks");
}

#[test]
fn a_quota_of_a_quarter_gives_a_quarter_of_the_rate_with_pauses() {
    let mut scenario = single_core(1, json!({"read": 1.0}), 1);
    scenario["parameters"]["hbase_read_s"] = json!(1e-3);
    let unlimited = simulated(&scenario);
    scenario["hbase"]["cpu_quota"] = json!(0.25);
    let limited = simulated(&scenario);
    assert!((limited.throughput_per_s / unlimited.throughput_per_s / 0.25 - 1.0).abs() < 0.03);
    // Nothing runs for three quarters of each tenth of a second: one read in 25 waits for that.
    let slowest_s = within_s(&limited, "read", 0.99);
    assert!((0.075..0.085).contains(&slowest_s), "{slowest_s}");
    assert!(within_s(&limited, "read", 0.95) < 0.005 && within_s(&unlimited, "read", 0.99) < 0.006);
}

#[test]
fn an_invalid_scenario_is_refused_with_its_key() {
    for (key, value, subject) in [
        ("handlers", json!(0), "hbase.handlers"),
        ("replication", json!(4), "hbase.replication"),
        ("flush_bytes", json!(0.0), "hbase.flush_bytes"),
    ] {
        let mut scenario = single_core(3, json!({"read": 1.0}), 1);
        scenario["hbase"][key] = value;
        let error = Scenario::from_json(&scenario.to_string()).unwrap_err();
        assert!(
            matches!(error, howdah_sim::Error::Input { subject: ref wrong, .. } if wrong == subject),
            "{error}"
        );
    }
    let scenario = single_core(3, json!({"read": 0.5}), 1);
    assert!(Scenario::from_json(&scenario.to_string()).unwrap_err().to_string().contains("sum to 0.5"));
}
