//! TeraSort: rows sorted by their keys into consecutive partitions, within a memory budget.
//!
//! Input that fits into the pool is read once and written once. Larger input takes two passes: sorted runs are
//! spilled, and every partition is merged from its part of each run. In both cases rows stay where they were read
//! while entries ([`entry`]) are sorted, and every slot is a few threads that pass buffers to one another: reading,
//! sorting or merging, and writing run at the same time.

pub(crate) mod codec;
pub(crate) mod entry;
mod external_sort;
pub(crate) mod gather;
mod in_memory;
mod index;
mod input;
pub(crate) mod merge;
mod output;
mod plan;
pub(crate) mod pool_splitter;
mod prefetch;
mod run_merge;
mod run_spill;
mod runs;
mod select;
mod spill_files;
mod stream;
mod task_reporter;
mod team;

use std::path::PathBuf;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::pool::Pool;
use crate::record::ROW;
pub use codec::Codec;
use external_sort::ExternalSort;
use in_memory::InMemorySort;
use input::Inputs;
use output::Outputs;
use spill_files::SpillFiles;

/// The input, the output and the settings of a sort.
#[derive(Clone, Debug)]
pub struct TerasortSpec {
    /// The input files, each with whole rows.
    pub inputs: Vec<PathBuf>,
    /// The output files, one for each partition (reduce task), in the order of their keys; none may exist.
    pub outputs: Vec<PathBuf>,
    /// Directories for intermediate data, one for each disk.
    pub spill_dirs: Vec<PathBuf>,
    /// Map tasks.
    pub maps: u32,
    /// Concurrent map tasks.
    pub map_slots: usize,
    /// Concurrent reduce tasks.
    pub reduce_slots: usize,
    /// Compression of intermediate data.
    pub codec: Codec,
}

/// The result of a sort.
#[derive(Clone, Debug)]
pub struct TerasortReport {
    /// Rows sorted.
    pub rows: u64,
    /// Whether nothing was spilled.
    pub in_memory: bool,
    /// Bytes read from input files.
    pub read_bytes: u64,
    /// Bytes written to output files.
    pub written_bytes: u64,
    /// Rows written to intermediate files.
    pub spilled_rows: u64,
    /// Their bytes before compression.
    pub spilled_raw_bytes: u64,
    /// Their bytes in intermediate files.
    pub spilled_bytes: u64,
    /// Bytes read back from intermediate files.
    pub spill_read_bytes: u64,
    /// Rows in each partition.
    pub partition_rows: Vec<u64>,
    /// Whether all files bypassed the page cache.
    pub direct: bool,
    /// Intermediate files that still occupy disk space, if rows were spilled.
    pub intermediate: Option<Intermediate>,
}

/// The intermediate files of a finished sort; their space is freed when this and its clones are dropped.
///
/// On a file system with the mount option `discard`, freeing the blocks keeps the disk busy for a quarter of a second
/// per gigabyte. To measure another program after the sort, drop this later.
#[derive(Clone, Debug)]
pub struct Intermediate {
    _files: Arc<SpillFiles>,
}

/// Sorts the rows of `spec.inputs` by key, equal keys in input order, into `spec.outputs`.
///
/// On success every output is on disk, and intermediate files are removed with the report. On failure all are removed.
/// Fails with [`Error::Memory`] if `pool` is smaller than the result of [`terasort_needs`].
pub fn terasort(pool: &mut Pool, spec: &TerasortSpec, context: &Context) -> Result<TerasortReport> {
    at_least_one("outputs", spec.outputs.len())?;
    at_least_one("maps", spec.maps as usize)?;
    at_least_one("map slots", spec.map_slots)?;
    at_least_one("reduce slots", spec.reduce_slots)?;
    let inputs = Inputs::open(&spec.inputs)?;
    let outputs = Outputs::new(&spec.outputs)?;
    let splits = inputs.split(spec.maps);
    let bytes = inputs.rows() * ROW as u64;

    let in_memory = InMemorySort::new(&inputs, &splits, spec.map_slots, spec.reduce_slots, context);
    let spill = if in_memory.needed() <= pool.len() {
        in_memory.run(pool.as_mut_slice(), &outputs)?;
        None
    } else {
        at_least_one("spill directories", spec.spill_dirs.len())?;
        let sort = ExternalSort {
            inputs: &inputs,
            splits: &splits,
            spill_dirs: &spec.spill_dirs,
            map_slots: spec.map_slots,
            reduce_slots: spec.reduce_slots,
            codec: spec.codec,
            context,
        };
        Some(sort.run(pool.as_mut_slice(), in_memory.needed(), &outputs)?)
    };
    let written = outputs.keep()?;
    Ok(TerasortReport {
        rows: inputs.rows(),
        in_memory: spill.is_none(),
        read_bytes: bytes,
        written_bytes: bytes,
        spilled_rows: spill.as_ref().map_or(0, |_| inputs.rows()),
        spilled_raw_bytes: spill.as_ref().map_or(0, |_| bytes),
        spilled_bytes: spill.as_ref().map_or(0, |spill| spill.written_bytes),
        spill_read_bytes: spill.as_ref().map_or(0, |spill| spill.read_bytes),
        partition_rows: written.rows,
        direct: inputs.is_direct() && written.direct && spill.as_ref().is_none_or(|spill| spill.direct),
        intermediate: spill.map(|spill| Intermediate { _files: Arc::new(spill.files) }),
    })
}

/// The smallest pool that sorts `rows` rows with `slots` slots (map or reduce, whichever are more), and
/// the smallest that sorts them without spilling, bytes.
///
/// The number of reduces makes no difference: partitions are cut from sorted runs during the merge.
pub fn terasort_needs(rows: u64, _reduces: usize, slots: usize) -> (u64, u64) {
    let (least, in_memory) = plan::memory_needs(rows, slots);
    (least as u64, in_memory as u64)
}

fn at_least_one(subject: &str, count: usize) -> Result<()> {
    if count > 0 {
        return Ok(());
    }
    Err(Error::Input {
        subject: subject.to_owned(),
        what: "the list is empty".to_owned(),
        hint: "give at least one".to_owned(),
    })
}
