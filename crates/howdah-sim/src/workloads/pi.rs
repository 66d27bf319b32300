//! Hadoop's pi: maps that only compute, and a reduce that sums up.

use crate::attempt::Kind;
use crate::error::Result;
use crate::job::{Job, Next, Program};
use crate::models::scheduling::Pending;
use crate::workloads::summing;
use crate::world::{Stream, World};

struct Pi {
    samples: u64,
    maps_left: u32,
}

/// Runs pi.
pub(crate) fn run(world: &mut World<'_>, maps: u32, samples: u64) -> Result<()> {
    let mut program = Pi { samples, maps_left: maps };
    world.start_job()?;
    let mut job = Job::new(world, Pending::anywhere(maps), 1);
    job.run_maps(world, &mut program)?;
    world.end_phase("map");
    job.run_reduces(world, &mut program)?;
    world.end_job()?;
    world.end_phase("reduce");
    let workload = world.recorder.workload();
    (workload.maps, workload.reduces) = (u64::from(maps), 1);
    Ok(())
}

impl Program for Pi {
    fn next(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        match attempt.kind {
            Kind::Map if attempt.step == 0 => {
                let point_s = world.scenario.parameters.pi_point_s;
                world.uses.clear();
                let work = self.samples as f64;
                let stream = Stream { work, stream_s: point_s, memory_s: 0.0, threads: 1.0, pause_s: 0.0 };
                world.stream(number, stream);
                world.attempts[number].step = 1;
                Next::Stream
            }
            Kind::Map => Next::End,
            Kind::Reduce => summing::next(world, number, self.maps_left),
        }
    }

    fn ended(&mut self, world: &mut World<'_>, number: u32) -> bool {
        if world.attempts[number].kind == Kind::Reduce {
            return false;
        }
        self.maps_left -= 1;
        self.maps_left == 0
    }
}
