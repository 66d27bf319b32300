//! An external sort of input that does not fit into the pool, in two passes: spills sorted runs, then merges them.

use std::ops::Range;
use std::path::PathBuf;

use super::codec::Codec;
use super::input::Inputs;
use super::output::Outputs;
use super::plan::{ExternalPlan, MemoryDemand};
use super::pool_splitter::{PoolSplitter, split_front};
use super::run_merge::RunMerge;
use super::run_spill::{RunSpill, RunWork};
use super::runs::{RunPlan, pack};
use super::spill_files::SpillFiles;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::pool::Slab;
use crate::record::ROW;

/// An external sort.
pub struct ExternalSort<'a> {
    pub inputs: &'a Inputs,
    /// The rows of each map task.
    pub splits: &'a [Range<u64>],
    pub spill_dirs: &'a [PathBuf],
    pub map_slots: usize,
    pub reduce_slots: usize,
    pub codec: Codec,
    pub context: &'a Context,
}

/// The result of an external sort's use of intermediate files.
pub struct SpillReport {
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes read back.
    pub read_bytes: u64,
    /// Whether the files bypassed the page cache.
    pub direct: bool,
    /// The files, still open.
    pub files: SpillFiles,
}

impl ExternalSort<'_> {
    /// Sorts within `pool`, or fails if it is too small for two passes. A sort in memory would need `in_memory` bytes.
    pub fn run(&self, pool: Slab, in_memory: usize, outputs: &Outputs) -> Result<SpillReport> {
        let count = |items: Vec<Vec<RunPlan>>| items.iter().map(Vec::len).sum();
        let demand = MemoryDemand {
            rows: self.inputs.rows(),
            map_slots: self.map_slots,
            reduce_slots: self.reduce_slots,
            compressed: self.codec != Codec::None,
            runs: |run_bytes| count(pack(self.inputs, self.splits, run_bytes)),
        };
        let memory = demand.plan(pool.len()).ok_or_else(|| Error::Memory {
            budget: pool.len() as u64,
            needed: demand.smallest_pool(in_memory) as u64,
        })?;
        let files = SpillFiles::create(self.spill_dirs, memory.flush)?;
        let bytes = self.inputs.rows() * ROW as u64;
        self.context.expect(4 * bytes);

        self.context.begin_phase("map-shuffle");
        let mut splitter = PoolSplitter::new(pool);
        let items = self.indexed_runs(&memory, &mut splitter);
        let rest = splitter.rest();
        let spill = RunSpill {
            inputs: self.inputs,
            files: &files,
            memory: &memory,
            slots: self.map_slots,
            codec: self.codec,
            context: self.context,
        };
        let runs = spill.run(items, &mut PoolSplitter::new(rest))?;
        let written_bytes = runs.iter().map(|run| run.spilled.len).sum();
        // Only now the compression ratio of the rows is known.
        self.context.expect(2 * (bytes + written_bytes));

        self.context.begin_phase("reduce-merge");
        let merge = RunMerge {
            runs: &runs,
            files: &files,
            memory: &memory,
            slots: self.reduce_slots,
            codec: self.codec,
            context: self.context,
        };
        let read_bytes = merge.run(&mut PoolSplitter::new(rest), outputs)?;
        self.context.end_phase();
        Ok(SpillReport { written_bytes, read_bytes, direct: files.is_direct(), files })
    }

    /// The runs to write, each with memory for its index.
    fn indexed_runs<'p>(
        &self,
        memory: &ExternalPlan,
        splitter: &mut PoolSplitter<'p>,
    ) -> Vec<Vec<RunWork<'p>>> {
        let items = pack(self.inputs, self.splits, memory.run);
        let blocks = |plan: &RunPlan| plan.rows().div_ceil(memory.block_rows);
        let all = items.iter().flatten().map(blocks).sum();
        let mut index = PoolSplitter::new(splitter.bytes(memory.index));
        let (mut firsts, mut ends) = (index.entries(all), index.offsets(all));
        let mut indexed = |plan: RunPlan| {
            let count = blocks(&plan);
            RunWork { plan, firsts: split_front(&mut firsts, count), ends: split_front(&mut ends, count) }
        };
        items.into_iter().map(|runs| runs.into_iter().map(&mut indexed).collect()).collect()
    }
}
