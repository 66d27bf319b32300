//! HBase's queues: exact solutions where there are any, and laws that hold for all of them.

use crate::cluster::{hosts, scenario};
use howdah_sim::hbase::Asked;
use howdah_sim::{Scenario, Unwatched, simulate};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One client and so many servers, whose operations cost nothing until a test says what.
fn asking(servers: u32, shares: Value, threads: u32) -> Value {
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

fn ask(scenario: &Value) -> Asked {
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a sensible scenario");
    let outcome = simulate(&scenario, &Unwatched).expect("nobody cancels");
    outcome.summary.workloads[0].asked.clone().expect("HBase was asked")
}

/// Mean seconds of one kind of operation.
fn mean_s(asked: &Asked, operation: &str) -> f64 {
    let times = asked.latencies.iter().find(|times| times.operation == operation).expect("such operations");
    let sum: f64 =
        times.microseconds.iter().zip(&times.counts).map(|(&at, &count)| at as f64 * count as f64).sum();
    sum / times.counts.iter().sum::<u64>() as f64 / 1e6
}

/// The time within which a share of one kind of operation ended.
fn within_s(asked: &Asked, operation: &str, share: f64) -> f64 {
    let times = asked.latencies.iter().find(|times| times.operation == operation).expect("such operations");
    let mut left = share * times.counts.iter().sum::<u64>() as f64;
    for (&at, &count) in times.microseconds.iter().zip(&times.counts) {
        left -= count as f64;
        if left <= 0.0 {
            return at as f64 / 1e6;
        }
    }
    unreachable!("a share of all is within them")
}

/// What two shared processors and a delay of so many seconds come to with so many threads: mean-value analysis
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
        let mut scenario = asking(1, json!({"read": 1.0}), threads);
        scenario["parameters"]["hbase_client_s"] = json!(client_s);
        scenario["parameters"]["hbase_read_s"] = json!(read_s);
        scenario["parameters"]["hbase_round_trip_s"] = json!(round_trip_s);
        let exact = mean_value_analysis([client_s, read_s], round_trip_s, threads);
        let rate = ask(&scenario).throughput_per_s;
        assert!((rate / exact - 1.0).abs() < 0.02, "{threads} threads: {rate} where {exact} is exact");
    }
}

#[test]
fn many_threads_that_keep_a_rate_wait_as_long_as_at_one_open_queue() {
    // M/M/1 with its processor shared: a mean of s / (1 − ρ).
    for busy in [0.3, 0.6, 0.8] {
        let mut scenario = asking(1, json!({"read": 1.0}), 20_000);
        scenario["parameters"]["hbase_read_s"] = json!(1e-3);
        scenario["hbase"]["programs"][0]["target_per_s"] = json!(busy * 1_000.0);
        let asked = ask(&scenario);
        let exact_s = 1e-3 / (1.0 - busy);
        assert!((mean_s(&asked, "read") / exact_s - 1.0).abs() < 0.1, "{busy}: {}", mean_s(&asked, "read"));
        assert!((asked.throughput_per_s / (busy * 1_000.0) - 1.0).abs() < 0.02);
    }
}

/// Any mix on a few servers, with every mechanism at work.
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
            let mut scenario = asking(servers, shares, threads);
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
        prop_assert_eq!(ask(&scenario), ask(&scenario));
    }

    #[test]
    fn all_threads_are_always_on_their_way(scenario in mixes()) {
        // Little's law: rate × time = threads, where no operation is made of two.
        let asked = ask(&scenario);
        let threads = scenario["hbase"]["programs"][0]["threads"].as_f64().unwrap();
        let counts = |times: &howdah_sim::hbase::Latencies| times.counts.iter().sum::<u64>() as f64;
        let all: f64 = asked.latencies.iter().map(counts).sum();
        let mean: f64 = asked.latencies.iter().map(|times| counts(times) / all * mean_s(&asked, &times.operation)).sum();
        prop_assert!((asked.throughput_per_s * mean / threads - 1.0).abs() < 0.01);
    }

    #[test]
    fn faster_processors_never_slow_anything_down(scenario in mixes()) {
        let mut slower = scenario.clone();
        slower["hosts"][0]["speed"] = json!(0.5 * scenario["hosts"][0]["speed"].as_f64().unwrap());
        prop_assert!(ask(&slower).throughput_per_s <= 1.05 * ask(&scenario).throughput_per_s);
    }

    #[test]
    fn more_cache_never_misses_more(scenario in mixes()) {
        let mut larger = scenario.clone();
        let cache = scenario["hbase"]["block_cache_bytes"].as_f64().unwrap();
        larger["hbase"]["block_cache_bytes"] = json!(1.5 * cache + 1e6);
        let (less, more) = (ask(&scenario), ask(&larger));
        prop_assert!(more.in_memory >= less.in_memory);
        prop_assert!(more.throughput_per_s >= 0.95 * less.throughput_per_s);
    }

    #[test]
    fn more_replicas_are_never_faster(scenario in mixes()) {
        let mut three = scenario.clone();
        three["hbase"]["replication"] = json!(3);
        prop_assert!(ask(&three).throughput_per_s <= 1.05 * ask(&scenario).throughput_per_s);
    }
}

#[test]
fn a_rate_below_what_is_possible_is_kept_and_the_slowest_wait_longer_towards_it() {
    let mut scenario = asking(3, json!({"read": 0.5, "update": 0.5}), 64);
    scenario["parameters"] = json!({"hbase_pause_share": 0.0});
    scenario["hosts"][0]["nics"][0]["bits_per_s"] = json!(1e10);
    let most = ask(&scenario).throughput_per_s;
    let mut slowest = Vec::new();
    for share in [0.2, 0.5, 0.8, 0.95] {
        scenario["hbase"]["programs"][0]["target_per_s"] = json!(share * most);
        let asked = ask(&scenario);
        assert!((asked.throughput_per_s / (share * most) - 1.0).abs() < 0.03, "{share} of {most}");
        slowest.push(within_s(&asked, "update, intended", 0.99));
    }
    assert!(slowest.is_sorted() && slowest[3] > 2.0 * slowest[0], "{slowest:?}");
}

#[test]
fn a_chain_of_replicas_takes_longer_than_all_of_them_at_once() {
    let mut scenario = asking(3, json!({"update": 1.0}), 8);
    scenario["parameters"] = json!({"hbase_pause_share": 0.0});
    scenario["hbase"]["replication"] = json!(3);
    let at_once = ask(&scenario).throughput_per_s;
    scenario["hbase"]["log"] = json!("pipeline");
    assert!(ask(&scenario).throughput_per_s < 0.9 * at_once);
}

#[test]
fn what_no_memory_holds_comes_from_disks_and_those_decide() {
    let mut scenario = asking(1, json!({"read": 1.0}), 64);
    scenario["hbase"]["block_cache_bytes"] = json!(0.0);
    scenario["hbase"]["memstore_bytes"] = json!(0.0);
    let disks = scenario["hosts"][0]["workers"][0]["disks"].as_f64().unwrap();
    scenario["parameters"]["read_seek_s"] = json!(0.01);
    let asked = ask(&scenario);
    assert_eq!(asked.in_memory, 0.0);
    assert!(asked.throughput_per_s < disks / 0.01);
    let busiest = asked.stations.iter().max_by(|one, other| one.busy.total_cmp(&other.busy)).unwrap();
    assert_eq!(busiest.station, "disks");
}

#[test]
fn a_quarter_of_the_time_makes_a_quarter_of_the_rate_and_waits_for_the_rest() {
    let mut scenario = asking(1, json!({"read": 1.0}), 1);
    scenario["parameters"]["hbase_read_s"] = json!(1e-3);
    let free = ask(&scenario);
    scenario["hbase"]["cpu_quota"] = json!(0.25);
    let held = ask(&scenario);
    assert!((held.throughput_per_s / free.throughput_per_s / 0.25 - 1.0).abs() < 0.03);
    // Of a tenth of a second three quarters pass while nothing runs: one read in 25 waits for that.
    let slowest_s = within_s(&held, "read", 0.99);
    assert!((0.075..0.085).contains(&slowest_s), "{slowest_s}");
    assert!(within_s(&held, "read", 0.95) < 0.005 && within_s(&free, "read", 0.99) < 0.006);
}

#[test]
fn what_cannot_be_simulated_is_refused_by_its_key() {
    for (key, value, subject) in [
        ("handlers", json!(0), "hbase.handlers"),
        ("replication", json!(4), "hbase.replication"),
        ("flush_bytes", json!(0.0), "hbase.flush_bytes"),
    ] {
        let mut scenario = asking(3, json!({"read": 1.0}), 1);
        scenario["hbase"][key] = value;
        let error = Scenario::from_json(&scenario.to_string()).unwrap_err();
        assert!(
            matches!(error, howdah_sim::Error::Input { subject: ref at, .. } if at == subject),
            "{error}"
        );
    }
    let scenario = asking(3, json!({"read": 0.5}), 1);
    assert!(Scenario::from_json(&scenario.to_string()).unwrap_err().to_string().contains("sum to 0.5"));
}
