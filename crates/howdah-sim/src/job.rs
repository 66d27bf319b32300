//! A MapReduce job: slots, heartbeats, starts and ends of tasks, and the loop over events.

use crate::attempt::{Attempt, Done, Kind};
use crate::error::Result;
use crate::models::scheduling::{Locality, Pending};
use crate::models::{start, stragglers};
use crate::queue::Queue;
use crate::random::Random;
use crate::scenario::SchedulingKind;
use crate::time::Time;
use crate::world::{MOST_OFTEN_S, World};

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
    /// An attempt goes on.
    Go(u32),
    /// An attempt's end is known.
    End(u32),
}

/// What a worker has to do for a job.
#[derive(Clone, Debug)]
struct Place {
    /// Within the interval, when its heartbeats are.
    phase: Time,
    maps: Vec<u32>,
    reduces: Vec<u32>,
    map_slots_used: u32,
    reduce_slots_used: u32,
    beating: bool,
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
}

impl Job {
    /// A job whose tasks can be assigned from now on.
    pub(crate) fn new(world: &World<'_>, maps: Pending, reduces: u32) -> Self {
        let scheduling = &world.scenario.scheduling;
        let mut random = Random::new(world.scenario.seed, "heartbeats", world.now.0 as u64);
        let mut events = Queue::new();
        let mut places = Vec::with_capacity(world.cluster.workers.len());
        for (number, worker) in (0..).zip(&world.cluster.workers) {
            let phase = world.now.after(random.unit() * scheduling.heartbeat_s);
            events.push(phase, Event::Beat(number));
            places.push(Place {
                phase,
                maps: (0..worker.map_slots).rev().collect(),
                reduces: (0..worker.reduce_slots).rev().collect(),
                map_slots_used: 0,
                reduce_slots_used: 0,
                beating: true,
            });
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
        }
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
        let attempt = world.attempts[number].clone();
        world.ledger.end_attempt(&attempt, world.host_of(attempt.worker), world.now);
        let place = &mut self.places[attempt.worker as usize];
        world.task_ended(attempt.worker);
        match attempt.kind {
            Kind::Map => {
                place.maps.push(attempt.slot);
                self.maps_ended += 1;
            }
            Kind::Reduce => {
                place.reduces.push(attempt.slot);
                self.reduces_ended += 1;
            }
        }
        if program.ended(world, number) {
            for waiting in std::mem::take(&mut self.waiting) {
                self.go(world, program, waiting);
            }
        }
        world.attempts.remove(number);
        if self.reduces.left() > 0 && self.maps_ended == self.reduces_start_at(world) {
            (0..self.places.len() as u32).for_each(|worker| self.beat_next(world, worker));
        }
        if world.scenario.scheduling.out_of_band {
            self.assign(world, attempt.worker);
        } else {
            self.beat_next(world, attempt.worker);
        }
    }

    fn reduces_start_at(&self, world: &World<'_>) -> u32 {
        (f64::from(self.map_count) * world.scenario.scheduling.slowstart).ceil() as u32
    }

    /// Has a worker heard at its next regular heartbeat.
    fn beat_next(&mut self, world: &World<'_>, worker: u32) {
        let place = &mut self.places[worker as usize];
        if place.beating {
            return;
        }
        place.beating = true;
        // In whole nanoseconds, so that the next heartbeat is never now.
        let interval = Time::from_seconds(world.scenario.scheduling.heartbeat_s.max(MOST_OFTEN_S)).0;
        let beats = (world.now - place.phase).max(0) / interval + 1;
        self.events.push(place.phase + beats * interval, Event::Beat(worker));
    }

    /// Gives a worker the tasks that it has room for.
    fn assign(&mut self, world: &mut World<'_>, worker: u32) {
        while self.room(world, worker, Kind::Map) {
            let Some((task, locality)) = self.maps.take(&world.cluster, worker, world.now) else { break };
            self.begin(world, worker, Kind::Map, task, locality);
        }
        if self.maps_ended >= self.reduces_start_at(world) {
            while self.room(world, worker, Kind::Reduce) {
                let Some((task, locality)) = self.reduces.take(&world.cluster, worker, world.now) else {
                    break;
                };
                self.begin(world, worker, Kind::Reduce, task, locality);
            }
        }
        if self.maps.left() > 0 && self.room(world, worker, Kind::Map) {
            // It waits for a better place; the next heartbeat asks again.
            self.beat_next(world, worker);
        }
    }

    fn room(&self, world: &World<'_>, worker: u32, kind: Kind) -> bool {
        let place = &self.places[worker as usize];
        let slots = &world.cluster.workers[worker as usize];
        match world.scenario.scheduling.kind {
            SchedulingKind::Slots => {
                let (of_worker, free, of_all, left) = match kind {
                    Kind::Map => {
                        let left = self.map_count - self.maps_ended;
                        (slots.map_slots, &place.maps, self.map_slots, left)
                    }
                    Kind::Reduce => {
                        let left = self.reduce_count - self.reduces_ended;
                        (slots.reduce_slots, &place.reduces, self.reduce_slots, left)
                    }
                };
                // Fewer tasks than slots are spread: each worker takes its part of them and no more
                // (org.apache.hadoop.mapred.CapBasedLoadManager, JobQueueTaskScheduler).
                let part = (u64::from(of_worker) * u64::from(left)).div_ceil(u64::from(of_all.max(1)));
                !free.is_empty() && u64::from(of_worker) - (free.len() as u64) < part
            }
            SchedulingKind::Containers => {
                let map = 1.0 / f64::from(slots.map_slots);
                let reduce = 1.0 / f64::from(slots.reduce_slots.max(1));
                let maps = f64::from(slots.map_slots) - place.maps.len() as f64;
                let reduces = f64::from(slots.reduce_slots) - place.reduces.len() as f64;
                let used = maps * map + reduces * reduce;
                match kind {
                    Kind::Map => used + map <= 1.0 + 1e-9 && !place.maps.is_empty(),
                    // While maps wait, reduces have at most half of the pool
                    // (yarn.app.mapreduce.am.job.reduce.rampup.limit).
                    Kind::Reduce => {
                        let most = if self.maps.left() > 0 { 0.5 } else { 1.0 };
                        used + reduce <= 1.0 + 1e-9
                            && (reduces + 1.0) * reduce <= most + 1e-9
                            && !place.reduces.is_empty()
                    }
                }
            }
        }
    }

    fn begin(&mut self, world: &mut World<'_>, worker: u32, kind: Kind, task: u32, locality: Locality) {
        let place = &mut self.places[worker as usize];
        let (slots, used) = match kind {
            Kind::Map => (&mut place.maps, &mut place.map_slots_used),
            Kind::Reduce => (&mut place.reduces, &mut place.reduce_slots_used),
        };
        let slot = slots.pop().expect("there is room");
        let used_before = slot < *used;
        *used = (*used).max(slot + 1);
        let parameters = &world.scenario.parameters;
        let told = world.scheduler.serve(world.now, parameters.scheduler_task_s);
        let process = start::start(&world.scenario.scheduling, used_before, parameters);
        let recorded = world.namenode.serve(world.now, parameters.namenode_task_s);
        let speed = stragglers::speed(&mut world.spread, parameters.task_spread);
        world.task_began(worker);
        let attempt = Attempt {
            kind,
            task,
            worker,
            slot,
            locality,
            start: told,
            step: 0,
            process,
            speed,
            done: Done::default(),
        };
        let number = world.attempts.add(attempt);
        self.events.push(told.max(recorded), Event::Go(number));
    }
}
