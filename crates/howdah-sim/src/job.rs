//! A MapReduce job: slots, heartbeats, starts and ends of tasks, and the loop over events.

mod assigning;

use crate::attempt::{Attempt, Kind, State};
use crate::error::Result;
use crate::models::last::{self, Ended};
use crate::models::scheduling::Pending;
use crate::models::speculation::Speculation;
use crate::places::Place;
use crate::queue::Queue;
use crate::random::Random;
use crate::world::World;

/// What a program does with an attempt next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Next {
    /// It has started a stream.
    Stream,
    /// Nothing until the job wakes it.
    Wait,
    /// Nothing for so many seconds.
    Pause(f64),
    /// It has nothing left to do.
    End,
}

/// What tasks do. A program is asked when an attempt has started and whenever its last step is over.
pub(crate) trait Program {
    /// The next step of an attempt.
    fn next(&mut self, world: &mut World<'_>, attempt: u32) -> Next;

    /// A task has ended. The attempts that wait are asked again if it says so.
    fn ended(&mut self, world: &mut World<'_>, attempt: u32) -> bool;
}

/// Something that is due at a time.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A worker tells how it is, and may get tasks.
    Beat(u32),
    /// The scheduler's round comes to a worker.
    Round(u32),
    /// An attempt goes on.
    Go(u32),
    /// An attempt's end is known.
    End(u32),
}

/// A job under way.
pub(crate) struct Job {
    events: Queue<Event>,
    places: Vec<Place>,
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
    /// Maps and reduces that have ended, where hosts have twins.
    ended: [Vec<Ended>; 2],
    /// Where slow maps may run twice.
    speculation: Option<Speculation>,
}

impl Job {
    /// A job whose tasks can be assigned from now on.
    pub(crate) fn new(world: &World<'_>, maps: Pending, reduces: u32) -> Self {
        let mut random = Random::new(world.scenario.seed, "heartbeats", world.now.0 as u64);
        let mut events = Queue::new();
        let mut places = Vec::with_capacity(world.cluster.workers.len());
        for number in 0..world.cluster.workers.len() as u32 {
            let mut place = Place::new(world, number, &mut random);
            if let Some(round_s) = world.scenario.scheduling.round_s {
                // A round begins with any worker, and comes to all of them before it comes to one again.
                place.awaited = true;
                events.push(world.now.after(random.unit() * round_s), Event::Round(number));
            } else {
                place.beating = true;
                events.push(place.first_beat(), Event::Beat(number));
            }
            places.push(place);
        }
        let map_count = maps.left();
        Self {
            events,
            places,
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
        }
    }

    /// Lets slow maps run twice if the scenario does: only for maps that write nothing into HDFS, whose second attempt
    /// can be dropped without a trace.
    pub(crate) fn speculate(mut self, world: &World<'_>) -> Self {
        self.speculation = world.scenario.scheduling.speculative.then(|| Speculation::new(self.map_count));
        self
    }

    /// Runs the job's maps to their end, with whatever reduces do meanwhile.
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
            Event::Beat(worker) => {
                self.places[worker as usize].beating = false;
                self.assign(world, worker);
            }
            Event::Round(worker) => {
                self.places[worker as usize].awaited = false;
                self.assign(world, worker);
            }
            Event::Go(attempt) | Event::End(attempt) if world.attempts[attempt].state == State::Killed => {
                self.leave(world, attempt);
            }
            Event::Go(attempt) => self.go(world, program, attempt),
            Event::End(attempt) => self.end(world, program, attempt),
        }
    }

    fn go(&mut self, world: &mut World<'_>, program: &mut impl Program, attempt: u32) {
        let now = world.now;
        world.attempts[attempt].done.first.get_or_insert(now);
        match program.next(world, attempt) {
            Next::Stream => {}
            Next::Wait => self.waiting.push(attempt),
            Next::Pause(seconds) => self.events.push(world.now.after(seconds), Event::Go(attempt)),
            Next::End => {
                world.attempts[attempt].done.last = Some(now);
                let end = now.after(world.scenario.parameters.task_end_s);
                self.events.push(end, Event::End(attempt));
            }
        }
    }

    fn end(&mut self, world: &mut World<'_>, program: &mut impl Program, number: u32) {
        let Attempt { kind, task, start, .. } = world.attempts[number];
        if self.twins_end_later(world, number) {
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
        if let Some(other) = speculation.and_then(|all| all.ended(task, number, world.now.since(start))) {
            self.kill(world, other);
        }
        if self.reduces.left() > 0 && self.maps_ended == self.reduces_start_at(world) {
            self.ask_all_next(world);
        }
        self.leave(world, number);
    }

    /// Puts off the end of the last task of a kind where hosts have twins: it stands for the last of theirs, too, and the
    /// last of more tasks ends later.
    fn twins_end_later(&mut self, world: &World<'_>, number: u32) -> bool {
        let Attempt { kind, done, .. } = &world.attempts[number];
        let (ended, count, slots) = match kind {
            Kind::Map => (&mut self.ended[0], self.map_count, self.map_slots),
            Kind::Reduce => (&mut self.ended[1], self.reduce_count, self.reduce_slots),
        };
        if world.twins.count == 1 || ended.len() as u32 == count {
            return false;
        }
        ended.push(Ended { end_s: world.now.seconds(), bytes: done.input_bytes.max(done.output_bytes) });
        // In several waves a slot that ends late is given less: then how far ends lie apart tells nothing of the last.
        if (ended.len() as u32) < count || count > slots {
            return false;
        }
        let later_s = last::later_s(ended, world.twins.times);
        self.events.push(world.now.after(later_s), Event::End(number));
        true
    }

    /// Stops an attempt whose task another one has done. What it waits for besides a stream comes all the same.
    fn kill(&mut self, world: &mut World<'_>, number: u32) {
        let attempt = &mut world.attempts[number];
        attempt.state = State::Killed;
        if let Some(stream) = attempt.stream.take() {
            world.network.cancel(world.now, stream);
            self.leave(world, number);
        }
    }

    /// An attempt is over, in whatever way: its slot is free.
    fn leave(&mut self, world: &mut World<'_>, number: u32) {
        let attempt = &world.attempts[number];
        let (kind, worker, slot) = (attempt.kind, attempt.worker, attempt.slot);
        let host = world.host_of(worker);
        world.ledger.end_attempt(attempt, host, world.now);
        world.attempts.remove(number);
        world.task_ended(worker);
        self.places[worker as usize].give(kind, slot);
        if world.scenario.scheduling.out_of_band {
            self.assign(world, worker);
        } else {
            self.beat_next(world, worker);
        }
    }
}
