//! Which worker is given which task, and when.

use super::{Event, Job};
use crate::attempt::{Attempt, Done, Kind, State};
use crate::models::rampup::Pool;
use crate::models::scheduling::Locality;
use crate::models::{start, stragglers};
use crate::places::Tasks;
use crate::scenario::SchedulingKind;
use crate::world::World;

impl Job {
    pub(super) fn reduces_start_at(&self, world: &World<'_>) -> u32 {
        (f64::from(self.map_count) * world.scenario.scheduling.slowstart).ceil() as u32
    }

    /// Reduces that may run at once.
    fn most_reduces(&self, world: &World<'_>) -> u32 {
        if self.maps_ended < self.reduces_start_at(world) {
            return 0;
        }
        if !serves_reduces_first(world) {
            return u32::MAX;
        }
        let (map_slots, reduce_slots) = (self.map_slots, self.reduce_slots);
        let (maps, waiting, ended) = (self.map_count, self.maps.left(), self.maps_ended);
        Pool { map_slots, reduce_slots, maps, waiting, ended }.reduces()
    }

    /// Has a worker heard at its next regular heartbeat.
    pub(super) fn beat_next(&mut self, world: &World<'_>, worker: u32) {
        let place = &mut self.places[worker as usize];
        if place.beating {
            return;
        }
        place.beating = true;
        let next = place.next_beat(world.now, world.scenario.scheduling.heartbeat_s);
        self.events.push(next, Event::Beat(worker));
    }

    /// Has every worker given what it has room for, as soon as containers are given out next.
    pub(super) fn ask_all_next(&mut self, world: &World<'_>) {
        (0..self.places.len() as u32).for_each(|worker| self.ask_next(world, worker));
    }

    /// Has a worker given more as soon as containers are given out next: in the next round, or at its heartbeat.
    fn ask_next(&mut self, world: &World<'_>, worker: u32) {
        let Some(round_s) = world.scenario.scheduling.round_s else {
            return self.beat_next(world, worker);
        };
        let place = &mut self.places[worker as usize];
        if !place.awaited {
            place.awaited = true;
            self.events.push(world.now.after(round_s), Event::Round(worker));
        }
    }

    /// Gives a worker the tasks that it has room for.
    pub(super) fn assign(&mut self, world: &mut World<'_>, worker: u32) {
        let maps_waited = self.maps.left() > 0;
        let held = self.give(world, worker);
        if maps_waited && self.maps.left() == 0 && self.reduces.left() > 0 && serves_reduces_first(world) {
            self.ask_all_next(world);
        }
        let room = self.room(world, worker, Kind::Map);
        if held || (self.maps.left() > 0 && room) {
            // It is due another container, or waits for a better place.
            self.ask_next(world, worker);
        } else if self.speculation.is_some() && self.maps_ended < self.map_count && room {
            // A map may turn out to be slow; the next heartbeat asks again.
            self.beat_next(world, worker);
        }
    }

    /// Gives a worker tasks until its room, they, or what it may be given at once are used up; tells whether the last.
    ///
    /// At a heartbeat a node is given so many containers, and so many that are near nothing, and none after either
    /// (`yarn.scheduler.capacity.per-node-heartbeat`); asynchronous scheduling gives it one in each round.
    fn give(&mut self, world: &mut World<'_>, worker: u32) -> bool {
        let scheduling = &world.scenario.scheduling;
        let most = if scheduling.round_s.is_some() { Some(1) } else { scheduling.containers_per_beat };
        let most_off_switch = scheduling.off_switch_per_beat;
        let (mut given, mut off_switch) = (0, 0);
        let mut is_enough = |anywhere: bool| {
            given += 1;
            off_switch += u32::from(anywhere);
            most.is_some_and(|most| given >= most) || most_off_switch.is_some_and(|most| off_switch >= most)
        };
        let kinds = [Kind::Map, Kind::Reduce];
        let kinds = if serves_reduces_first(world) { [kinds[1], kinds[0]] } else { kinds };
        for kind in kinds {
            while self.room(world, worker, kind) {
                let Some((task, locality)) = self.take(world, worker, kind) else { break };
                self.begin(world, worker, kind, task, locality);
                if is_enough(kind == Kind::Reduce || self.maps.is_anywhere(locality)) {
                    return true;
                }
            }
            if kind == Kind::Map {
                self.speculate_on(world, worker);
            }
        }
        false
    }

    /// Takes the next task of a kind for a worker, if it may run now.
    fn take(&mut self, world: &World<'_>, worker: u32, kind: Kind) -> Option<(u32, Locality)> {
        if kind == Kind::Map {
            return self.maps.take(&world.cluster, worker, world.now);
        }
        let running = self.reduce_count - self.reduces.left() - self.reduces_ended;
        let may_run = running < self.most_reduces(world)
            && (self.maps.left() == 0 || !serves_reduces_first(world) || self.leaves_a_map_room(worker));
        may_run.then(|| self.reduces.take(&world.cluster, worker, world.now)).flatten()
    }

    /// Whether a map has room somewhere, once the maps there have ended, if a worker is given a reduce more: reduces wait
    /// for all maps. YARN would stop reduces that take the room of maps.
    fn leaves_a_map_room(&self, worker: u32) -> bool {
        let given = |place: usize| u32::from(place == worker as usize);
        let mut places = self.places.iter().enumerate();
        self.places[worker as usize].holds_a_map(1)
            || places.any(|(number, place)| place.holds_a_map(given(number)))
    }

    /// Runs slow maps a second time where nothing else is left to run.
    fn speculate_on(&mut self, world: &mut World<'_>, worker: u32) {
        while self.maps.left() == 0 && self.room(world, worker, Kind::Map) {
            let slow = self.speculation.as_mut().and_then(|all| all.slow(world.now));
            let Some((task, first)) = slow.filter(|&(_, first)| world.attempts[first].worker != worker)
            else {
                break;
            };
            let locality = world.attempts[first].locality;
            self.begin(world, worker, Kind::Map, task, locality);
        }
    }

    fn room(&self, world: &World<'_>, worker: u32, kind: Kind) -> bool {
        let tasks = match kind {
            Kind::Map => Tasks { slots: self.map_slots, left: self.map_count - self.maps_ended },
            Kind::Reduce => Tasks { slots: self.reduce_slots, left: self.reduce_count - self.reduces_ended },
        };
        let place = &self.places[worker as usize];
        let half = self.maps.left() > 0 && !serves_reduces_first(world);
        place.room(world.scenario.scheduling.kind, kind, tasks, half)
    }

    fn begin(&mut self, world: &mut World<'_>, worker: u32, kind: Kind, task: u32, locality: Locality) {
        let (slot, used_before) = self.places[worker as usize].take(kind);
        let parameters = &world.scenario.parameters;
        let told_s = match world.scenario.scheduling.kind {
            SchedulingKind::Slots => parameters.scheduler_task_s,
            SchedulingKind::Containers => parameters.container_s,
        };
        let told = world.scheduler.serve(world.now, told_s);
        let process = start::start(&world.scenario.scheduling, used_before, parameters);
        let recorded = world.namenode.serve(world.now, parameters.namenode_task_s);
        let speed = stragglers::speed(&mut world.spread, parameters.task_spread);
        world.task_began(worker);
        let attempt = Attempt {
            kind,
            task,
            again: 0,
            state: State::Sound,
            stream: None,
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
        if let Some(all) = self.speculation.as_mut().filter(|_| kind == Kind::Map) {
            world.attempts[number].again = all.began(task, number, world.now);
        }
        self.events.push(told.max(recorded), Event::Go(number));
    }
}

/// Whether containers go to reduces before maps.
fn serves_reduces_first(world: &World<'_>) -> bool {
    world.scenario.scheduling.kind == SchedulingKind::Containers
        && world.scenario.parameters.reduces_first > 0.0
}
