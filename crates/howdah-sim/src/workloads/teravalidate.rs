//! TeraValidate: each map reads a whole file of TeraSort's, one reduce compares their bounds.
//!
//! A map is one split that begins with the file's first block, and only that block's hosts are its preferred places
//! (org.apache.hadoop.mapreduce.lib.input.FileInputFormat). With three replicas two of three such places hold little of
//! the rest, so that up to two thirds of the data come over the network.

use crate::attempt::Kind;
use crate::error::Result;
use crate::files::Files;
use crate::job::{Job, Next, Program};
use crate::models::scheduling::Pending;
use crate::workloads::input;
use crate::world::{Stream, World};

struct Teravalidate<'a> {
    files: &'a Files,
    remote_bytes: f64,
    maps_left: u32,
}

/// Runs it.
pub(crate) fn run(world: &mut World<'_>, rows: u64, files: &Files) -> Result<()> {
    input::lie(world, files);
    let first = (0..files.count())
        .map(|file| files.of(file))
        .map(|blocks| if blocks.is_empty() { &[][..] } else { files.disks(blocks.start) });
    let delay_s = world.scenario.scheduling.locality_delay_s;
    let maps = Pending::near(&world.cluster, first, delay_s);
    let mut program = Teravalidate { files, remote_bytes: 0.0, maps_left: files.count() };
    world.job_starts()?;
    let mut job = Job::new(world, maps, 1);
    job.run_maps(world, &mut program)?;
    world.end_phase("map");
    job.run_reduces(world, &mut program)?;
    world.job_ends()?;
    world.end_phase("reduce");
    let workload = world.ledger.workload();
    workload.maps = u64::from(files.count());
    workload.reduces = 1;
    workload.remote_read_bytes = program.remote_bytes;
    workload.counters.input_rows = rows;
    workload.counters.read_bytes = rows * 100;
    Ok(())
}

impl Program for Teravalidate<'_> {
    fn next(&mut self, world: &mut World<'_>, number: u32) -> Next {
        let attempt = &world.attempts[number];
        if attempt.kind == Kind::Reduce {
            return if self.maps_left > 0 { Next::Wait } else { Next::End };
        }
        let (file, worker, step) = (attempt.task, attempt.worker, attempt.step);
        let blocks = self.files.of(file);
        if step > 0 {
            world.watch.advance(self.files.bytes(blocks.start + step - 1) as u64);
        }
        let block = blocks.start + step;
        if block >= blocks.end {
            return Next::End;
        }
        let bytes = self.files.bytes(block);
        let parameters = &world.scenario.parameters;
        let own_s = parameters.validate_s_per_byte;
        world.uses.clear().cpu(&world.cluster, worker, own_s);
        if input::read(world, worker, self.files.disks(block), 1.0) {
            self.remote_bytes += bytes;
        }
        let answered = world.namenode.serve(world.now, parameters.namenode_block_s);
        let pause_s = answered.since(world.now) + world.scenario.network.round_trip_s;
        let thread_s = own_s + parameters.read_s_per_byte / 2.0;
        world.stream(number, Stream { work: bytes, thread_s, pause_s });
        let attempt = &mut world.attempts[number];
        attempt.step += 1;
        attempt.done.input_bytes += bytes;
        attempt.done.cpu_s += bytes * thread_s;
        Next::Stream
    }

    fn ended(&mut self, world: &mut World<'_>, number: u32) -> bool {
        if world.attempts[number].kind == Kind::Reduce {
            return false;
        }
        self.maps_left -= 1;
        self.maps_left == 0
    }
}
