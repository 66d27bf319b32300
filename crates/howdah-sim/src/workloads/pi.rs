//! Hadoop's pi: maps that only compute, and a reduce that sums up.

use crate::attempt::Kind;
use crate::error::Result;
use crate::job::{Next, Program};
use crate::models::scheduling::Pending;
use crate::workloads::summing::{self, SummingReduce};
use crate::world::{Stream, World};

struct Pi {
    samples: u64,
    reduce: SummingReduce,
}

/// Runs pi.
pub(crate) fn run(world: &mut World<'_>, maps: u32, samples: u64) -> Result<()> {
    let mut program = Pi { samples, reduce: SummingReduce::new(maps) };
    summing::run(world, &mut program, Pending::anywhere(maps))
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
            Kind::Reduce => self.reduce.next(world, number),
        }
    }

    fn ended(&mut self, world: &mut World<'_>, number: u32) -> bool {
        self.reduce.ended(world.attempts[number].kind)
    }
}
