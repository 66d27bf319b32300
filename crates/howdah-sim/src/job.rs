//! A MapReduce job: slots, heartbeats, starts and ends of tasks, and the event loop.

mod assignment;

use crate::attempt::{Attempt, Kind, State};
use crate::error::Result;
use crate::models::last_task::{self, EndedTask};
use crate::models::scheduling::Pending;
use crate::models::speculation::Speculation;
use crate::queue::Queue;
use crate::random::Random;
use crate::worker_slots::WorkerSlots;
use crate::world::World;

/// What an attempt does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// It has started a stream.
    Stream,
    /// It waits until the job resumes it.
    Wait,
    /// It pauses for this many seconds.
    Pause(f64),
    /// It has nothing left to do.
    End,
}

/// The tasks of a job. `next` is called when an attempt starts and after each of its steps.
pub(crate) trait Program {
    /// The next step of an attempt.
    fn next(&mut self, world: &mut World<'_>, attempt: u32) -> Next;

    /// Handles the end of a task. Returns whether to resume the waiting attempts.
    fn ended(&mut self, world: &mut World<'_>, attempt: u32) -> bool;
}

/// An event at some time.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A worker sends a heartbeat and may receive tasks.
    Heartbeat(u32),
    /// The scheduler's next round begins.
    Round,
    /// An attempt resumes.
    Resume(u32),
    /// The end of an attempt is reported.
    End(u32),
}

/// A running job.
pub(crate) struct Job {
    events: Queue<Event>,
    worker_slots: Vec<WorkerSlots>,
    maps: Pending,
    map_count: u32,
    maps_ended: u32,
    reduces: Pending,
    reduce_count: u32,
    reduces_ended: u32,
    waiting: Vec<u32>,
    /// Map slots of the whole cluster.
    map_slots: u32,
    /// Reduce slots of the whole cluster.
    reduce_slots: u32,
    /// Maps and reduces that have ended, if hosts have twins.
    ended: [Vec<EndedTask>; 2],
    /// Set if slow maps may run twice.
    speculation: Option<Speculation>,
    /// Whether an event for the scheduler's next round exists.
    round_pending: bool,
    /// Where the scheduler's rounds begin.
    round_starts: Random,
}

impl Job {
    /// A job that is ready to run.
    pub(crate) fn new(world: &World<'_>, maps: Pending, reduces: u32) -> Self {
        let mut random = Random::new(world.scenario.seed, "heartbeats", world.now.0 as u64);
        let mut events = Queue::new();
        let mut worker_slots = Vec::with_capacity(world.cluster.workers.len());
        let round_s = world.scenario.scheduling.round_s;
        for number in 0..world.cluster.workers.len() as u32 {
            let mut slots = WorkerSlots::new(world, number, &mut random);
            if round_s.is_some() {
                slots.waits_for_round = true;
            } else {
                slots.heartbeat_pending = true;
                events.push(slots.first_heartbeat(), Event::Heartbeat(number));
            }
            worker_slots.push(slots);
        }
        if let Some(round_s) = round_s {
            events.push(world.now.after(random.unit() * round_s), Event::Round);
        }
        let map_count = maps.remaining();
        Self {
            events,
            worker_slots,
            maps,
            map_count,
            maps_ended: 0,
            reduces: Pending::anywhere(reduces),
            reduce_count: reduces,
            reduces_ended: 0,
            waiting: Vec::new(),
            map_slots: world.cluster.workers.iter().map(|worker| worker.map_slots).sum(),
            reduce_slots: world.cluster.workers.iter().map(|worker| worker.reduce_slots).sum(),
            ended: Default::default(),
            speculation: None,
            round_pending: round_s.is_some(),
            round_starts: Random::new(world.scenario.seed, "rounds", world.now.0 as u64),
        }
    }

    /// Enables speculative maps if the scenario does. Only for maps that write nothing to HDFS: their second attempt
    /// leaves no trace.
    pub(crate) fn speculate(mut self, world: &World<'_>) -> Self {
        self.speculation = world.scenario.scheduling.speculative.then(|| Speculation::new(self.map_count));
        self
    }

    /// Runs the job until all maps have ended; reduces run meanwhile.
    pub(crate) fn run_maps(&mut self, world: &mut World<'_>, program: &mut impl Program) -> Result<()> {
        self.run(world, program, |job| job.maps_ended == job.map_count)
    }

    /// Runs the job to its end.
    pub(crate) fn run_reduces(&mut self, world: &mut World<'_>, program: &mut impl Program) -> Result<()> {
        self.run(world, program, |job| {
            job.reduces_ended == job.reduce_count && job.maps_ended == job.map_count
        })
    }

    fn run(
        &mut self,
        world: &mut World<'_>,
        program: &mut impl Program,
        over: impl Fn(&Self) -> bool,
    ) -> Result<()> {
        while !over(self) {
            let stream = world.network.due();
            let event = self.events.due();
            match (stream, event) {
                (Some(stream), event) if event.is_none_or(|event| stream <= event) => {
                    if let Some(attempt) = world.finish(stream)? {
                        self.go(world, program, attempt);
                    }
                }
                (_, Some(_)) => {
                    let (time, event) = self.events.pop().expect("an event is due");
                    world.set_now(time)?;
                    self.handle(world, program, event);
                }
                (_, None) => unreachable!("a job with tasks left has something under way"),
            }
        }
        Ok(())
    }

    fn handle(&mut self, world: &mut World<'_>, program: &mut impl Program, event: Event) {
        match event {
            Event::Heartbeat(worker) => {
                self.worker_slots[worker as usize].heartbeat_pending = false;
                self.assign(world, worker);
            }
            Event::Round => self.assign_round(world),
            Event::Resume(attempt) | Event::End(attempt)
                if world.attempts[attempt].state == State::Killed =>
            {
                self.release(world, attempt);
            }
            Event::Resume(attempt) => self.go(world, program, attempt),
            Event::End(attempt) => self.end(world, program, attempt),
        }
    }

    fn go(&mut self, world: &mut World<'_>, program: &mut impl Program, attempt: u32) {
        let now = world.now;
        world.attempts[attempt].progress.first_step.get_or_insert(now);
        match program.next(world, attempt) {
            Next::Stream => {}
            Next::Wait => self.waiting.push(attempt),
            Next::Pause(seconds) => self.events.push(world.now.after(seconds), Event::Resume(attempt)),
            Next::End => {
                world.attempts[attempt].progress.last_step = Some(now);
                let end = now.after(world.scenario.parameters.task_end_s);
                self.events.push(end, Event::End(attempt));
            }
        }
    }

    fn end(&mut self, world: &mut World<'_>, program: &mut impl Program, number: u32) {
        let Attempt { kind, task, start, .. } = world.attempts[number];
        if self.postpone_last_end(world, number) {
            return;
        }
        match kind {
            Kind::Map => self.maps_ended += 1,
            Kind::Reduce => self.reduces_ended += 1,
        }
        if program.ended(world, number) {
            for waiting in std::mem::take(&mut self.waiting) {
                self.go(world, program, waiting);
            }
        }
        let speculation = self.speculation.as_mut().filter(|_| kind == Kind::Map);
        if let Some(rival) = speculation.and_then(|maps| maps.ended(task, number, world.now.since(start))) {
            self.kill(world, rival);
        }
        if self.reduces.remaining() > 0 && self.maps_ended == self.maps_before_reduces(world) {
            self.schedule_all(world);
        }
        self.release(world, number);
    }

    /// Postpones the end of the last task of a kind if hosts have twins: it represents the last of the twins' tasks, too,
    /// and the last of more tasks ends later. Returns whether it did.
    fn postpone_last_end(&mut self, world: &World<'_>, number: u32) -> bool {
        let Attempt { kind, progress, .. } = &world.attempts[number];
        let (ended, count, slots) = match kind {
            Kind::Map => (&mut self.ended[0], self.map_count, self.map_slots),
            Kind::Reduce => (&mut self.ended[1], self.reduce_count, self.reduce_slots),
        };
        if world.twins.count == 1 || ended.len() as u32 == count {
            return false;
        }
        ended.push(EndedTask {
            end_s: world.now.seconds(),
            bytes: progress.input_bytes.max(progress.output_bytes),
        });
        // With several waves a slow slot gets fewer tasks, so the spread of the ends does not predict the last one.
        if (ended.len() as u32) < count || count > slots {
            return false;
        }
        let delay_s = last_task::delay_s(ended, world.twins.scale);
        self.events.push(world.now.after(delay_s), Event::End(number));
        true
    }

    /// Stops an attempt whose task another attempt has finished. Pending events other than a stream still occur.
    fn kill(&mut self, world: &mut World<'_>, number: u32) {
        let attempt = &mut world.attempts[number];
        attempt.state = State::Killed;
        if let Some(stream) = attempt.stream.take() {
            world.network.cancel(world.now, stream);
            self.release(world, number);
        }
    }

    /// Removes an ended or killed attempt and frees its slot.
    fn release(&mut self, world: &mut World<'_>, number: u32) {
        let attempt = &world.attempts[number];
        let (kind, worker, slot) = (attempt.kind, attempt.worker, attempt.slot);
        let host = world.host_of(worker);
        world.recorder.end_attempt(attempt, host, world.now);
        world.attempts.remove(number);
        world.task_ended(worker);
        self.worker_slots[worker as usize].release(kind, slot);
        if world.scenario.scheduling.round_s.is_some() {
            self.schedule_assignment(world, worker);
        } else if world.scenario.scheduling.out_of_band {
            self.assign(world, worker);
        } else {
            self.schedule_heartbeat(world, worker);
        }
    }
}
