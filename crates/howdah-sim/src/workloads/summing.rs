//! Jobs of maps and one reduce that sums up their results. Its process starts while maps run; it waits for the last.

use crate::attempt::Kind;
use crate::error::Result;
use crate::job::{Job, Next, Program};
use crate::models::scheduling::Pending;
use crate::world::World;

/// The reduce of such a job.
#[derive(Debug)]
pub(crate) struct SummingReduce {
    remaining_maps: u32,
}

impl SummingReduce {
    pub(crate) fn new(maps: u32) -> Self {
        Self { remaining_maps: maps }
    }

    /// The next step of the reduce.
    pub(crate) fn next(&self, world: &mut World<'_>, attempt: u32) -> Next {
        if world.start_process(attempt) {
            Next::Stream
        } else if self.remaining_maps > 0 {
            Next::Wait
        } else {
            Next::End
        }
    }

    /// Handles the end of a task. Returns whether to resume the reduce.
    pub(crate) fn ended(&mut self, kind: Kind) -> bool {
        if kind == Kind::Reduce {
            return false;
        }
        self.remaining_maps -= 1;
        self.remaining_maps == 0
    }
}

/// Runs such a job.
pub(crate) fn run(world: &mut World<'_>, program: &mut impl Program, maps: Pending) -> Result<()> {
    let count = maps.remaining();
    world.start_job()?;
    let mut job = Job::new(world, maps, 1);
    job.run_maps(world, program)?;
    world.end_phase("map");
    job.run_reduces(world, program)?;
    world.end_job()?;
    world.end_phase("reduce");
    let workload = world.recorder.workload();
    (workload.maps, workload.reduces) = (u64::from(count), 1);
    Ok(())
}
