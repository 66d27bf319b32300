//! Assigns tasks to workers.

use super::{Event, Job};
use crate::attempt::{Attempt, Kind, Progress, State};
use crate::models::rampup::Pool;
use crate::models::scheduling::Locality;
use crate::models::{start, stragglers};
use crate::scenario::SchedulingKind;
use crate::worker_slots::ClusterTasks;
use crate::world::World;

impl Job {
    /// Maps that must have ended before reduces start.
    pub(super) fn maps_before_reduces(&self, world: &World<'_>) -> u32 {
        (f64::from(self.map_count) * world.scenario.scheduling.slowstart).ceil() as u32
    }

    /// Reduces that may run at the same time.
    fn max_reduces(&self, world: &World<'_>) -> u32 {
        if self.maps_ended < self.maps_before_reduces(world) {
            return 0;
        }
        if !serves_reduces_first(world) {
            return u32::MAX;
        }
        let (map_slots, reduce_slots) = (self.map_slots, self.reduce_slots);
        let (maps, waiting, ended) = (self.map_count, self.maps.remaining(), self.maps_ended);
        Pool { map_slots, reduce_slots, maps, waiting, ended }.reduces()
    }

    /// Schedules the next regular heartbeat of a worker.
    pub(super) fn schedule_heartbeat(&mut self, world: &World<'_>, worker: u32) {
        let slots = &mut self.worker_slots[worker as usize];
        if slots.heartbeat_pending {
            return;
        }
        slots.heartbeat_pending = true;
        let next = slots.next_heartbeat(world.now, world.scenario.scheduling.heartbeat_s);
        self.events.push(next, Event::Heartbeat(worker));
    }

    /// Schedules an assignment to every worker.
    pub(super) fn schedule_all(&mut self, world: &World<'_>) {
        (0..self.worker_slots.len() as u32).for_each(|worker| self.schedule_assignment(world, worker));
    }

    /// Schedules the next assignment to a worker: in the next round, or at its heartbeat.
    pub(super) fn schedule_assignment(&mut self, world: &World<'_>, worker: u32) {
        let Some(round_s) = world.scenario.scheduling.round_s else {
            return self.schedule_heartbeat(world, worker);
        };
        self.worker_slots[worker as usize].waits_for_round = true;
        if !self.round_pending {
            self.round_pending = true;
            self.events.push(world.now.after(round_s), Event::Round);
        }
    }

    /// Assigns a task to each worker in turn, from a random one on. That one comes twice: the scheduler's second loop, over
    /// the workers before the first one, includes it (`CapacityScheduler.schedule`). So two workers get four tasks 3 to 1
    /// as often as 2 to 2.
    pub(super) fn assign_round(&mut self, world: &mut World<'_>) {
        self.round_pending = false;
        let workers = self.worker_slots.len() as u32;
        let start = self.round_starts.below(u64::from(workers)) as u32;
        for worker in (start..workers).chain(0..=start) {
            if std::mem::take(&mut self.worker_slots[worker as usize].waits_for_round) {
                self.assign(world, worker);
            }
        }
    }

    /// Assigns tasks to a worker.
    pub(super) fn assign(&mut self, world: &mut World<'_>, worker: u32) {
        let maps_waited = self.maps.remaining() > 0;
        let at_limit = self.assign_tasks(world, worker);
        if maps_waited
            && self.maps.remaining() == 0
            && self.reduces.remaining() > 0
            && serves_reduces_first(world)
        {
            self.schedule_all(world);
        }
        let has_room = self.has_room(world, worker, Kind::Map);
        if at_limit || (self.maps.remaining() > 0 && has_room) {
            // The worker may get another container, or a map waits for a better place.
            self.schedule_assignment(world, worker);
        } else if self.speculation.is_some() && self.maps_ended < self.map_count && has_room {
            // A map may be slow by the next heartbeat.
            self.schedule_heartbeat(world, worker);
        }
    }

    /// Assigns tasks until the worker is full, no task fits, or a limit is reached. Returns whether a limit was.
    ///
    /// At a heartbeat a node gets a limited number of containers, and of containers away from their input, and none
    /// after either (`yarn.scheduler.capacity.per-node-heartbeat`). Asynchronous scheduling assigns one in each round.
    fn assign_tasks(&mut self, world: &mut World<'_>, worker: u32) -> bool {
        let scheduling = &world.scenario.scheduling;
        if scheduling.job_queue && world.scenario.parameters.queue_limits > 0.0 {
            return self.assign_from_queue(world, worker);
        }
        let limit = if scheduling.round_s.is_some() { Some(1) } else { scheduling.containers_per_beat };
        let off_switch_limit = scheduling.off_switch_per_beat;
        let (mut assigned, mut off_switch) = (0, 0);
        let mut is_limit_reached = |anywhere: bool| {
            assigned += 1;
            off_switch += u32::from(anywhere);
            limit.is_some_and(|limit| assigned >= limit)
                || off_switch_limit.is_some_and(|limit| off_switch >= limit)
        };
        let kinds = [Kind::Map, Kind::Reduce];
        let kinds = if serves_reduces_first(world) { [kinds[1], kinds[0]] } else { kinds };
        for kind in kinds {
            while self.has_room(world, worker, kind) {
                let Some((task, locality)) = self.next_task(world, worker, kind) else { break };
                self.start_attempt(world, worker, kind, task, locality);
                if is_limit_reached(kind == Kind::Reduce || self.maps.is_unconstrained(locality)) {
                    return true;
                }
            }
            if kind == Kind::Map {
                self.assign_speculative(world, worker);
            }
        }
        false
    }

    /// Assigns maps, as long as they fit and have a block in the worker's rack, or one other map, which ends the maps of this
    /// heartbeat; and one reduce. Returns whether another reduce may follow (JobQueueTaskScheduler.assignTasks).
    ///
    /// Its reserve of slots (`mapred.jobtracker.taskalloc.capacitypad`) is left out: it counts the maps that ran before each
    /// worker got its latest, so it is rarely used up while worker after worker gets maps.
    fn assign_from_queue(&mut self, world: &mut World<'_>, worker: u32) -> bool {
        while self.has_room(world, worker, Kind::Map) {
            let Some((task, locality)) = self.next_task(world, worker, Kind::Map) else { break };
            self.start_attempt(world, worker, Kind::Map, task, locality);
            if self.maps.is_unconstrained(locality) {
                break;
            }
        }
        self.assign_speculative(world, worker);
        if !self.has_room(world, worker, Kind::Reduce) {
            return false;
        }
        let Some((task, locality)) = self.next_task(world, worker, Kind::Reduce) else { return false };
        self.start_attempt(world, worker, Kind::Reduce, task, locality);
        self.reduces.remaining() > 0 && self.has_room(world, worker, Kind::Reduce)
    }

    /// Takes the next task of a kind for a worker, if one may run now.
    fn next_task(&mut self, world: &World<'_>, worker: u32, kind: Kind) -> Option<(u32, Locality)> {
        if kind == Kind::Map {
            return self.maps.take(&world.cluster, worker, world.now);
        }
        let running = self.reduce_count - self.reduces.remaining() - self.reduces_ended;
        let may_run = running < self.max_reduces(world)
            && (self.maps.remaining() == 0
                || !serves_reduces_first(world)
                || self.leaves_room_for_map(worker));
        may_run.then(|| self.reduces.take(&world.cluster, worker, world.now)).flatten()
    }

    /// Whether a map still fits on some worker, once its running maps have ended, if this worker gets another reduce:
    /// reduces wait for all maps. YARN would preempt reduces that block maps.
    fn leaves_room_for_map(&self, worker: u32) -> bool {
        let added = |number: usize| u32::from(number == worker as usize);
        let mut all_slots = self.worker_slots.iter().enumerate();
        self.worker_slots[worker as usize].fits_map(1)
            || all_slots.any(|(number, slots)| slots.fits_map(added(number)))
    }

    /// Runs slow maps a second time if nothing else waits.
    fn assign_speculative(&mut self, world: &mut World<'_>, worker: u32) {
        while self.maps.remaining() == 0 && self.has_room(world, worker, Kind::Map) {
            let slow = self.speculation.as_mut().and_then(|maps| maps.candidate(world.now));
            let Some((task, original)) =
                slow.filter(|&(_, original)| world.attempts[original].worker != worker)
            else {
                break;
            };
            let locality = world.attempts[original].locality;
            self.start_attempt(world, worker, Kind::Map, task, locality);
        }
    }

    fn has_room(&self, world: &World<'_>, worker: u32, kind: Kind) -> bool {
        let (slots, remaining) = match kind {
            Kind::Map => (self.map_slots, self.map_count - self.maps_ended),
            Kind::Reduce => (self.reduce_slots, self.reduce_count - self.reduces_ended),
        };
        let tasks = ClusterTasks { slots, remaining };
        let half = self.maps.remaining() > 0 && !serves_reduces_first(world);
        let scheduling = world.scenario.scheduling.kind;
        self.worker_slots[worker as usize].has_room(scheduling, kind, tasks, half)
    }

    fn start_attempt(
        &mut self,
        world: &mut World<'_>,
        worker: u32,
        kind: Kind,
        task: u32,
        locality: Locality,
    ) {
        let (slot, used_before) = self.worker_slots[worker as usize].acquire(kind);
        let parameters = &world.scenario.parameters;
        let assignment_s = match world.scenario.scheduling.kind {
            SchedulingKind::Slots => parameters.scheduler_task_s,
            SchedulingKind::Containers => parameters.container_s,
        };
        let assigned = world.scheduler.serve(world.now, assignment_s);
        let process = start::start(&world.scenario.scheduling, used_before, parameters);
        let recorded = world.namenode.serve(world.now, parameters.namenode_task_s);
        let speed = stragglers::speed(&mut world.spread, parameters.task_spread);
        world.task_started(worker);
        let attempt = Attempt {
            kind,
            task,
            ordinal: 0,
            state: State::Active,
            stream: None,
            worker,
            slot,
            locality,
            start: assigned,
            step: 0,
            process,
            speed,
            progress: Progress::default(),
        };
        let number = world.attempts.add(attempt);
        if let Some(maps) = self.speculation.as_mut().filter(|_| kind == Kind::Map) {
            world.attempts[number].ordinal = maps.add_attempt(task, number, world.now);
        }
        self.events.push(assigned.max(recorded), Event::Resume(number));
    }
}

/// Whether reduces get containers before maps.
fn serves_reduces_first(world: &World<'_>) -> bool {
    world.scenario.scheduling.kind == SchedulingKind::Containers
        && world.scenario.parameters.reduces_first > 0.0
}
