//! Maps that read a whole file each, block after block, and a reduce that sums up.

use crate::attempt::Kind;
use crate::files::Files;
use crate::job::{Next, Program};
use crate::twins::Site;
use crate::workloads::input;
use crate::workloads::summing::SummingReduce;
use crate::world::{Stream, World};

/// Blocks whose locations a reader requests at once (`dfs.client.read.prefetch.size`).
const PREFETCHED: f64 = 10.0;

/// The program of such a job.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    files: &'a Files,
    /// Reference core-seconds of the map's thread for each byte, without its part of the read.
    own_s: f64,
    /// Whether a map is placed by its file's first block; otherwise its worker is unrelated to its file.
    by_locality: bool,
    /// For each file, the twin of its reader.
    twins: Vec<u32>,
    reduce: SummingReduce,
    /// Bytes that came from another host.
    pub(crate) remote_bytes: f64,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(files: &'a Files, by_locality: bool, own_s: f64) -> Self {
        let maps = files.count();
        Self {
            files,
            own_s,
            by_locality,
            twins: vec![0; maps as usize],
            reduce: SummingReduce::new(maps),
            remote_bytes: 0.0,
        }
    }

    fn map(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        let (file, worker, step) = (attempt.task, attempt.worker, attempt.step);
        let blocks = self.files.blocks_of(file);
        let block = blocks.start + step;
        if step > 0 {
            world.watch.advance(self.files.bytes(block - 1) as u64);
        }
        if block >= blocks.end {
            return Next::End;
        }
        let bytes = self.files.bytes(block);
        if step == 0 {
            let replicas = if self.by_locality { self.files.replicas(block) } else { &[] };
            self.twins[file as usize] = world.reader(worker, replicas).twin;
        }
        let reader = Site { worker, twin: self.twins[file as usize] };
        world.uses.clear();
        self.remote_bytes += bytes * input::read(world, reader, self.files, block, false);
        let parameters = &world.scenario.parameters;
        let answered = world.namenode.serve(world.now, parameters.namenode_block_s / PREFETCHED);
        let pause_s = answered.since(world.now) + world.scenario.network.round_trip_s;
        let stream_s = self.own_s + parameters.read_s_per_byte / 2.0;
        world.stream(number, Stream { work: bytes, stream_s, memory_s: 0.0, threads: 1.0, pause_s });
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.progress.input_bytes += bytes;
        Next::Stream
    }
}

impl Program for Reading<'_> {
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
