//! Properties of distributions, mixes and programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use howdah_sort::{Context, Error};
use howdah_ycsb::{
    Distribution, Durability, Key, Mix, OPERATIONS, Random, Store, Values, YcsbReport, YcsbSpec, Zipfian,
    ycsb,
};
use proptest::prelude::*;

const DRAWS: u64 = 400_000;

#[test]
fn zipfian_ranks_follow_zipfs_law() {
    for items in [10, 1_000, 100_000] {
        let ranks = Zipfian::new(items);
        let mut random = Random::new(1, items);
        let mut drawn: BTreeMap<u64, u64> = BTreeMap::new();
        for _ in 0..DRAWS {
            *drawn.entry(ranks.next(&mut random)).or_default() += 1;
        }
        assert!(drawn.keys().all(|&rank| rank < items));
        let share = |rank: u64| *drawn.get(&rank).unwrap_or(&0) as f64 / DRAWS as f64;
        for rank in 0..2 {
            let (measured, expected) = (share(rank), ranks.expected(rank));
            assert!(
                (measured - expected).abs() < 0.01 * expected + 0.001,
                "{items}, {rank}: {measured} {expected}"
            );
        }
        // The method approximates the other ranks: their cumulative shares are right.
        for until in [items / 2, items / 10] {
            let measured: f64 = (0..until).map(share).sum();
            let expected: f64 = (0..until).map(|rank| ranks.expected(rank)).sum();
            assert!((measured - expected).abs() < 0.05, "{items}, below {until}: {measured} {expected}");
        }
    }
}

#[test]
fn a_grown_sum_equals_a_new_one() {
    let mut grown = Zipfian::new(100);
    grown.grow(5_000);
    let new = Zipfian::new(5_000);
    for rank in [0, 1, 4_999] {
        assert!((grown.expected(rank) - new.expected(rank)).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn operations_have_the_shares_of_their_mix(weights in prop::array::uniform5(0u8..5), seed: u64) {
        prop_assume!(weights.iter().any(|&weight| weight > 0));
        let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        let mix = Mix::new(weights.map(f64::from));
        let mut random = Random::new(seed, 0);
        let mut drawn = [0u32; OPERATIONS.len()];
        for _ in 0..40_000 {
            drawn[mix.next(&mut random) as usize] += 1;
        }
        for (count, weight) in drawn.iter().zip(weights) {
            let (measured, expected) = (f64::from(*count) / 40_000.0, f64::from(weight) / total);
            prop_assert!((measured - expected).abs() < 0.015, "{:?} of {:?}", drawn, weights);
            prop_assert!(weight > 0 || *count == 0);
        }
    }
}

fn spec(dir: &Path) -> YcsbSpec {
    YcsbSpec {
        dirs: vec![dir.join("a"), dir.join("b")],
        table_seed: 5,
        seed: 6,
        records: 0,
        version: 0,
        fields: 10,
        field_bytes: 20,
        mix: Mix::inserts(),
        write_all_fields: false,
        distribution: Distribution::Zipfian,
        max_scan_length: 100,
        operations: 2_000,
        threads: 2,
        target: None,
        warm_up: Duration::ZERO,
        interval: Duration::from_secs(1),
        durability: Durability::SyncWal,
        cache_bytes: 1 << 20,
    }
}

fn run(spec: &YcsbSpec) -> YcsbReport {
    let report = ycsb(spec, &Context::default()).unwrap();
    assert_eq!(report.faults, []);
    report
}

/// The spec of a mix on a table that was loaded.
fn loaded(dir: &Path) -> YcsbSpec {
    let load = spec(dir);
    let report = run(&load);
    assert_eq!((report.operations, report.records, report.version), (2_000, 2_000, 0));
    YcsbSpec { records: report.records, ..load }
}

fn counts(report: &YcsbReport) -> BTreeMap<&'static str, u64> {
    report.returns.iter().map(|kind| (kind.name, kind.returns.values().sum())).collect()
}

#[test]
fn every_mix_leaves_a_table_with_what_was_written() {
    for durability in [Durability::AsyncWal, Durability::SyncWal, Durability::FsyncWal] {
        for distribution in [Distribution::Zipfian, Distribution::Uniform, Distribution::Latest] {
            let dir = tempfile::tempdir().unwrap();
            let mut mix = YcsbSpec {
                mix: Mix::new([0.3, 0.3, 0.1, 0.1, 0.2]),
                distribution,
                durability,
                threads: 3,
                operations: 600,
                warm_up: Duration::from_millis(5),
                ..loaded(dir.path())
            };
            for write_all_fields in [false, true] {
                mix.write_all_fields = write_all_fields;
                let report = run(&mix);
                let counts = counts(&report);
                assert_eq!(report.operations, 600);
                // The parts of a read-modify-write are counted, too, as by YCSB.
                assert_eq!(counts.values().sum::<u64>(), 600 + 2 * counts["read-modify-write"]);
                assert!(report.records > mix.records && report.version > mix.version);
                (mix.records, mix.version) = (report.records, report.version);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_operations() {
    let counted = |seed| {
        let dir = tempfile::tempdir().unwrap();
        let mix = Mix::new([0.5, 0.2, 0.1, 0.1, 0.1]);
        let report = run(&YcsbSpec { mix, seed, threads: 1, ..loaded(dir.path()) });
        (counts(&report), report.records_read, report.records, report.version)
    };
    assert_eq!(counted(1), counted(1));
    assert_ne!(counted(1), counted(2));
}

#[test]
fn intended_times_are_at_least_the_actual_ones() {
    let dir = tempfile::tempdir().unwrap();
    let spec = YcsbSpec {
        mix: Mix::new([0.5, 0.5, 0.0, 0.0, 0.0]),
        target: Some(4_000),
        operations: 800,
        durability: Durability::FsyncWal,
        ..loaded(dir.path())
    };
    let report = run(&spec);
    assert!(report.elapsed >= Duration::from_millis(150), "{:?}", report.elapsed);
    let times: BTreeMap<_, _> = report.times.iter().map(|(name, _, bytes)| (*name, decoded(bytes))).collect();
    for name in ["read", "update"] {
        let (actual, intended) = (&times[name], &times[format!("{name}, intended").as_str()]);
        assert_eq!(actual.len(), intended.len());
        for share in [0.1, 0.5, 0.9, 0.99, 1.0] {
            assert!(actual.value_at_quantile(share) <= intended.value_at_quantile(share), "{name}, {share}");
        }
    }
}

fn decoded(bytes: &[u8]) -> hdrhistogram::Histogram<u64> {
    hdrhistogram::serialization::Deserializer::new().deserialize(&mut &bytes[..]).unwrap()
}

#[test]
fn broken_and_missing_records_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mix = YcsbSpec {
        mix: Mix::new([1.0, 0.0, 0.0, 0.0, 0.0]),
        distribution: Distribution::Uniform,
        operations: 40_000,
        ..loaded(dir.path())
    };
    {
        let store = Store::open(&mix.dirs, mix.cache_bytes, mix.durability).unwrap();
        let key = Key::of(17);
        let mut record = vec![0; 200];
        Values::new(mix.table_seed, 10, 20).fill(key.hash(), 0, &mut record);
        record[199] ^= 4;
        store.put(&key, &record).unwrap();
        store.sync_all().unwrap();
    }
    let report = ycsb(&YcsbSpec { records: 2_001, ..mix }, &Context::default()).unwrap();
    let returns = &report.returns[0].returns;
    assert!(returns["UNEXPECTED_STATE"] > 0 && returns["NOT_FOUND"] > 0, "{returns:?}");
    let faults: Vec<&str> = report.faults.iter().map(|(_, fault)| fault.as_str()).collect();
    assert!(
        faults.iter().any(|fault| fault.contains("the table has 2000 records instead of 2001")),
        "{faults:?}"
    );
    assert!(
        faults.iter().any(|fault| fault.contains("has a value in field9 that was never written")),
        "{faults:?}"
    );
}

#[test]
fn a_cancelled_program_stops() {
    let dir = tempfile::tempdir().unwrap();
    let spec = YcsbSpec { target: Some(10), operations: 1_000, ..loaded(dir.path()) };
    let context = Context::default();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| ycsb(&spec, &context));
        std::thread::sleep(Duration::from_millis(250));
        context.cancel();
        assert!(matches!(running.join().unwrap(), Err(Error::Cancelled)));
    });
    // What was measured before is reported, and so is the phase.
    assert_eq!(context.phases().last().map(|phase| phase.name), Some("run"));
    assert!(!context.take_intervals().is_empty());
}

#[test]
fn an_empty_table_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let spec = YcsbSpec { mix: Mix::new([1.0, 0.0, 0.0, 0.0, 0.0]), ..spec(dir.path()) };
    assert!(matches!(ycsb(&spec, &Context::default()), Err(Error::Input { .. })));
}
