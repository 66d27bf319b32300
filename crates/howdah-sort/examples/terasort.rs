//! TeraSort compared with the raw limit of the same disk in the same run.
//!
//!     cargo run --release --example terasort -- DIR ROWS MEMORY_MIB [KEYS] [CODEC] [REPEATS]
//!
//! Generates ROWS rows in DIR (which it cleans up), then REPEATS (5) times measures plain direct I/O
//! and a sort in this much memory, and prints medians. KEYS are uniform (TeraGen's), equal, few or skewed.
//! The limit is reading and then writing everything once if it fits into memory, otherwise two plain copies.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use howdah_sort::{
    Codec, Context, Pool, ROW, TerasortSpec, monotonic, raw_limit, teragen, terasort, terasort_needs,
};

const SLOTS: usize = 2;
const FILES: u32 = 4;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, rows, memory, rest @ ..] = arguments.as_slice() else {
        return Err("usage: terasort DIR ROWS MEMORY_MIB [KEYS] [CODEC] [REPEATS]".into());
    };
    let rest = |index: usize, default: &'static str| rest.get(index).map_or(default, String::as_str);
    let (rows, memory): (u64, usize) = (rows.parse()?, memory.parse::<usize>()? << 20);
    let (keys, codec) = (rest(0, "uniform"), Codec::parse(rest(1, "none"))?);
    let repeats: usize = rest(2, "5").parse()?;

    let mut pool = Pool::new(memory, SLOTS)?;
    let work = Path::new(dir).join(format!("terasort-{}", std::process::id()));
    std::fs::create_dir(&work)?;
    let measured = measure(&mut pool, &work, rows, keys, codec, repeats);
    std::fs::remove_dir_all(&work)?;
    let (least, in_memory) = terasort_needs(rows, FILES as usize, SLOTS);
    println!("needs {} MiB, in memory {} MiB", least >> 20, in_memory >> 20);
    measured
}

fn measure(pool: &mut Pool, work: &Path, rows: u64, keys: &str, codec: Codec, repeats: usize) -> Outcome<()> {
    let inputs: Vec<PathBuf> = (0..FILES).map(|file| work.join(format!("part-m-{file:05}"))).collect();
    teragen(pool, &inputs, rows, SLOTS, &Context::default())?;
    for input in &inputs {
        rewrite_keys(input, keys)?;
    }
    let scratch: Vec<PathBuf> = (0..FILES).map(|file| work.join(format!("raw-{file}"))).collect();
    let spec = TerasortSpec {
        inputs,
        outputs: (0..FILES).map(|file| work.join(format!("part-r-{file:05}"))).collect(),
        spill_dirs: vec![work.to_owned()],
        maps: (rows * ROW as u64).div_ceil(128 << 20).max(4) as u32,
        map_slots: SLOTS,
        reduce_slots: SLOTS,
        codec,
    };
    let mut seconds: [Vec<f64>; 6] = Default::default();
    for _ in 0..repeats {
        let raw = raw_limit(pool, &scratch, rows * ROW as u64 / u64::from(FILES), 1, &Context::default())?;
        let context = Context::default();
        let (start, cpu) = (monotonic(), cpu_seconds()?);
        let report = terasort(pool, &spec, &context)?;
        let (sort, cpu) = (monotonic() - start, cpu_seconds()? - cpu);
        let phase = |index: usize| context.phases()[index].end - context.phases()[index].start;
        let limit = if report.in_memory { raw.read + raw.write } else { 2 * raw.copy };
        println!(
            "read {:.3} write {:.3} copy {:.3}  sort {:.3} = {:.3} + {:.3}  cpu {cpu:.2}  ratio {:.3}  spilled {:.3} GB",
            raw.read.as_secs_f64(),
            raw.write.as_secs_f64(),
            raw.copy.as_secs_f64(),
            sort.as_secs_f64(),
            phase(0).as_secs_f64(),
            phase(1).as_secs_f64(),
            sort.as_secs_f64() / limit.as_secs_f64(),
            report.spilled_bytes as f64 / 1e9,
        );
        let times = [raw.read, raw.write, raw.copy, sort, limit, phase(0)];
        seconds.iter_mut().zip(times).for_each(|(all, time)| all.push(Duration::as_secs_f64(&time)));
        for output in &spec.outputs {
            std::fs::remove_file(output)?;
        }
    }
    let [read, write, copy, sort, limit, map] = seconds.map(median);
    println!(
        "MEDIAN rows {rows} keys {keys} codec {codec:?}: read {read:.3} write {write:.3} copy {copy:.3}  \
         sort {sort:.3} (map-shuffle {map:.3})  {:.1} ns/row  ratio {:.3}  peak {} MiB of {} MiB",
        sort * 1e9 / rows as f64,
        sort / limit,
        peak_rss_mib()?,
        pool.len() >> 20,
    );
    Ok(())
}

/// Replaces the uniform keys of a file's rows by keys of another kind.
fn rewrite_keys(path: &Path, keys: &str) -> Outcome<()> {
    use std::os::unix::fs::FileExt;
    let key = |row: &mut [u8]| match keys {
        "equal" => row[..10].fill(7),
        "few" => {
            let few = row[0] % 10;
            row[..10].fill(few);
        }
        // Nine rows of ten have the same key; the rest is uniform.
        "skewed" if row[0] < 230 => row[..10].fill(7),
        _ => {}
    };
    if keys == "uniform" {
        return Ok(());
    }
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut block = vec![0; 100_000 * ROW];
    let len = file.metadata()?.len();
    for offset in (0..len).step_by(block.len()) {
        let block = &mut block[..(len - offset).min(100_000 * ROW as u64) as usize];
        file.read_exact_at(block, offset)?;
        block.chunks_exact_mut(ROW).for_each(key);
        file.write_all_at(block, offset)?;
    }
    file.sync_all()?;
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The CPU time of this process so far. Unlike elapsed time, it hardly depends on other work on the
/// machine.
fn cpu_seconds() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().ok_or("no name")?;
    let ticks = |index: usize| after_name.split_whitespace().nth(index).ok_or("too few fields");
    // User and system time, in hundredths of a second on every Linux.
    Ok((ticks(11)?.parse::<f64>()? + ticks(12)?.parse::<f64>()?) / 100.0)
}

fn peak_rss_mib() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no value")?.parse::<u64>()? / 1024)
}
