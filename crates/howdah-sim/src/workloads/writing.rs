//! Maps that write a file each, block after block, and perhaps a reduce that sums up.

use crate::attempt::Kind;
use crate::job::{Next, Program};
use crate::workloads::output::Output;
use crate::workloads::summing::SummingReduce;
use crate::world::{Stream, World};

/// The program of such a job.
#[derive(Debug)]
pub(crate) struct Writing {
    pub(crate) output: Output,
    /// Reference core-seconds of the map's thread for each byte.
    own_s: f64,
    /// Seconds that the thread stalls for each byte.
    stall_s: f64,
    reduce: SummingReduce,
}

impl Writing {
    pub(crate) fn new(output: Output, own_s: f64, stall_s: f64) -> Self {
        let reduce = SummingReduce::new(output.files.count());
        Self { output, own_s, stall_s, reduce }
    }

    fn map(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        let (file, worker, step) = (attempt.task, attempt.worker, attempt.step);
        if let Some(written) = step.checked_sub(1).and_then(|last| self.output.block(file, last)) {
            self.output.end(world, written);
        }
        let Some(block) = self.output.block(file, step) else { return Next::End };
        let bytes = self.output.files.bytes(block);
        world.uses.clear();
        let pause_s = self.output.begin(world, worker, block) + bytes * self.stall_s;
        let stream_s = self.own_s + self.output.files.encode_s_per_byte();
        let stream = Stream { work: bytes, stream_s, memory_s: 0.0, threads: 1.0, pause_s };
        world.stream(number, stream);
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.progress.output_bytes += bytes;
        Next::Stream
    }
}

impl Program for Writing {
    fn next(&mut self, world: &mut World<'_>, number: u32) -> Next {
        match world.attempts[number].kind {
            Kind::Map => self.map(world, number),
            Kind::Reduce => self.reduce.next(world, number),
        }
    }

    fn ended(&mut self, world: &mut World<'_>, number: u32) -> bool {
        self.reduce.ended(world.attempts[number].kind)
    }
}
