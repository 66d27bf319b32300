//! What YCSB costs around the store: the same reads and writes with and without it, in turns.
//!
//! `cargo run --release -p howdah-ycsb --example bare -- DIRECTORY [RECORDS] [TURNS]` prints medians over the turns
//! of operations a second and of the time of an operation.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use howdah_sort::Context;
use howdah_ycsb::{Distribution, Durability, Key, Mix, Random, Store, Values, YcsbReport, YcsbSpec, ycsb};

const THREADS: usize = 1;
const FIELDS: usize = 10;
const FIELD_BYTES: usize = 100;
const SEED: u64 = 7;
const CACHE: u64 = 1 << 30;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("give a directory that does not exist yet")?);
    let records: u64 = arguments.next().map_or(Ok(200_000), |text| text.parse())?;
    let turns: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let mut taken = [const { Vec::new() }; 4];
    for turn in 0..turns {
        let dir = root.join(turn.to_string());
        let [with, without] = [dir.join("with"), dir.join("without")];
        // Either goes first in every second turn.
        for ycsb_turn in [turn % 2 == 0, turn % 2 == 1] {
            let times = if ycsb_turn { with_ycsb(&with, records)? } else { without_ycsb(&without, records)? };
            let index = if ycsb_turn { 0 } else { 2 };
            taken[index].push(times.0);
            taken[index + 1].push(times.1);
        }
        std::fs::remove_dir_all(&dir)?;
    }
    let [insert, read, bare_insert, bare_read] =
        taken.map(|times| median(times).as_secs_f64() / records as f64);
    for (name, with, without) in [("insert", insert, bare_insert), ("read", read, bare_read)] {
        println!(
            "{name}: {:.0}/s with YCSB, {:.0}/s without: {:.0} ns more for each, {:.1} %",
            1.0 / with,
            1.0 / without,
            1e9 * (with - without),
            100.0 * (with / without - 1.0),
        );
    }
    Ok(std::fs::remove_dir_all(&root)?)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn with_ycsb(dir: &Path, records: u64) -> Result<(Duration, Duration)> {
    let load = YcsbSpec {
        dirs: vec![dir.to_owned()],
        table_seed: SEED,
        seed: SEED,
        records: 0,
        version: 0,
        fields: FIELDS,
        field_bytes: FIELD_BYTES,
        mix: Mix::inserts(),
        write_all_fields: false,
        distribution: Distribution::Uniform,
        max_scan_length: 1,
        operations: records,
        threads: THREADS,
        target: None,
        warm_up: Duration::ZERO,
        interval: Duration::from_secs(1),
        durability: Durability::SyncWal,
        cache_bytes: CACHE,
    };
    let reads = YcsbSpec { records, mix: Mix::new([1.0, 0.0, 0.0, 0.0, 0.0]), ..load.clone() };
    let elapsed = |spec| ycsb(spec, &Context::default()).map(|report: YcsbReport| report.elapsed);
    Ok((elapsed(&load)?, elapsed(&reads)?))
}

fn without_ycsb(dir: &Path, records: u64) -> Result<(Duration, Duration)> {
    let dirs = [dir.to_owned()];
    let keys: Vec<Key> = (0..records).map(Key::of).collect();
    let mut record = vec![0; FIELDS * FIELD_BYTES];
    Values::new(SEED, FIELDS, FIELD_BYTES).fill(1, 0, &mut record);
    let store = Store::open(&dirs, CACHE, Durability::SyncWal)?;
    let start = Instant::now();
    for key in &keys {
        store.put(key, &record)?;
    }
    let inserted = start.elapsed();
    store.sync_all()?;
    drop(store);
    let store = Store::open(&dirs, CACHE, Durability::SyncWal)?;
    // Keys are drawn before the clock runs, as they are made before it.
    let mut random = Random::new(SEED, 1);
    let chosen: Vec<Key> = (0..records).map(|_| keys[random.below(records) as usize]).collect();
    let start = Instant::now();
    let mut bytes = 0;
    for key in &chosen {
        bytes += store.get(key)?.map_or(0, |record| record.len());
    }
    let read = start.elapsed();
    assert_eq!(bytes, chosen.len() * record.len());

    Ok((inserted, read))
}
