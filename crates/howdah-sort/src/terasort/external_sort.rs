//! Sorting what does not fit the pool, in two passes: spill sorted runs, then merge them.

use std::ops::Range;
use std::path::PathBuf;

use super::carve::{Carver, cut_off};
use super::codec::Codec;
use super::input::Inputs;
use super::output::Outputs;
use super::plan::{Demand, Spilling};
use super::run_merge::RunMerge;
use super::run_spill::{RunSpill, RunWork};
use super::runs::{RunPlan, pack};
use super::spill::SpillFiles;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::pool::Slab;
use crate::record::ROW;

/// A sort that spills.
pub struct SpillingSort<'a> {
    pub inputs: &'a Inputs,
    /// The rows of each map task.
    pub splits: &'a [Range<u64>],
    pub spill_dirs: &'a [PathBuf],
    pub map_slots: usize,
    pub reduce_slots: usize,
    pub codec: Codec,
    pub context: &'a Context,
}

/// What went through intermediate files.
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

impl SpillingSort<'_> {
    /// Sorts within `pool`; fails if it is too small for two passes. `in_memory` bytes would do without spilling.
    pub fn run(&self, pool: Slab, in_memory: usize, outputs: &Outputs) -> Result<SpillReport> {
        let count = |items: Vec<Vec<RunPlan>>| items.iter().map(Vec::len).sum();
        let demand = Demand {
            rows: self.inputs.rows(),
            map_slots: self.map_slots,
            reduce_slots: self.reduce_slots,
            compressed: self.codec != Codec::None,
            runs: |run_bytes| count(pack(self.inputs, self.splits, run_bytes)),
        };
        let memory = demand.share_out(pool.len()).ok_or_else(|| Error::Memory {
            given: pool.len() as u64,
            needed: demand.least(in_memory) as u64,
        })?;
        let files = SpillFiles::create(self.spill_dirs, memory.flush)?;
        let bytes = self.inputs.rows() * ROW as u64;
        self.context.expect(4 * bytes);

        self.context.begin_phase("map-shuffle");
        let mut carver = Carver::new(pool);
        let items = self.indexed_runs(&memory, &mut carver);
        let rest = carver.rest();
        let spill = RunSpill {
            inputs: self.inputs,
            files: &files,
            memory: &memory,
            slots: self.map_slots,
            codec: self.codec,
            context: self.context,
        };
        let runs = spill.run(items, &mut Carver::new(rest))?;
        let written_bytes = runs.iter().map(|run| run.spilled.len).sum();
        // Only now is it known how far the rows could be compressed.
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
        let read_bytes = merge.run(&mut Carver::new(rest), outputs)?;
        self.context.end_phase();
        Ok(SpillReport { written_bytes, read_bytes, direct: files.is_direct(), files })
    }

    /// The runs to be made, each with room for its index.
    fn indexed_runs<'p>(&self, memory: &Spilling, carver: &mut Carver<'p>) -> Vec<Vec<RunWork<'p>>> {
        let items = pack(self.inputs, self.splits, memory.run);
        let blocks = |plan: &RunPlan| plan.rows().div_ceil(memory.block_rows);
        let all = items.iter().flatten().map(blocks).sum();
        let mut index = Carver::new(carver.bytes(memory.index));
        let (mut firsts, mut ends) = (index.entries(all), index.offsets(all));
        let mut indexed = |plan: RunPlan| {
            let count = blocks(&plan);
            RunWork { plan, firsts: cut_off(&mut firsts, count), ends: cut_off(&mut ends, count) }
        };
        items.into_iter().map(|runs| runs.into_iter().map(&mut indexed).collect()).collect()
    }
}
