//! What workers have room for: slots of each kind, or containers of one pool.

use crate::attempt::Kind;
use crate::random::Random;
use crate::scenario::SchedulingKind;
use crate::time::Time;
use crate::world::{MOST_OFTEN_S, World};

/// A worker as a job sees it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// When its first heartbeat of the job is.
    phase: Time,
    /// Whether its next heartbeat is waited for.
    pub(crate) beating: bool,
    /// Whether the scheduler's next round comes to it.
    pub(crate) awaited: bool,
    maps: Slots,
    reduces: Slots,
}

/// Places for tasks of one kind.
#[derive(Clone, Debug)]
struct Slots {
    free: Vec<u32>,
    /// Slots that had a task of the job.
    used: u32,
    all: u32,
}

/// Tasks of one kind, cluster-wide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tasks {
    /// Slots of the whole cluster.
    pub(crate) slots: u32,
    /// Tasks that have not ended.
    pub(crate) left: u32,
}

impl Slots {
    fn new(all: u32) -> Self {
        Self { free: (0..all).rev().collect(), used: 0, all }
    }

    fn busy(&self) -> u32 {
        self.all - self.free.len() as u32
    }

    /// Fewer tasks than slots are spread: each worker takes its part of them and no more
    /// (org.apache.hadoop.mapred.CapBasedLoadManager, JobQueueTaskScheduler).
    fn part(&self, tasks: Tasks) -> u64 {
        (u64::from(self.all) * u64::from(tasks.left)).div_ceil(u64::from(tasks.slots.max(1)))
    }

    /// The share of a pool that one task takes.
    fn one(&self) -> f64 {
        1.0 / f64::from(self.all.max(1))
    }
}

impl Place {
    pub(crate) fn new(world: &World<'_>, worker: u32, random: &mut Random) -> Self {
        let slots = &world.cluster.workers[worker as usize];
        Self {
            phase: world.now.after(random.unit() * world.scenario.scheduling.heartbeat_s),
            beating: false,
            awaited: false,
            maps: Slots::new(slots.map_slots),
            reduces: Slots::new(slots.reduce_slots),
        }
    }

    /// When its first heartbeat is.
    pub(crate) fn first_beat(&self) -> Time {
        self.phase
    }

    /// When its next regular heartbeat is.
    pub(crate) fn next_beat(&self, now: Time, interval_s: f64) -> Time {
        // In whole nanoseconds, so that the next heartbeat is never now.
        let interval = Time::from_seconds(interval_s.max(MOST_OFTEN_S)).0;
        let beats = (now - self.phase).max(0) / interval + 1;
        self.phase + beats * interval
    }

    /// Whether it has room for one task more. With `half`, reduces have at most half of a pool.
    pub(crate) fn room(&self, scheduling: SchedulingKind, kind: Kind, tasks: Tasks, half: bool) -> bool {
        let slots = self.slots(kind);
        if slots.free.is_empty() {
            return false;
        }
        match scheduling {
            SchedulingKind::Slots => u64::from(slots.busy()) < slots.part(tasks),
            SchedulingKind::Containers => {
                let reduces = f64::from(self.reduces.busy()) * self.reduces.one();
                let used = f64::from(self.maps.busy()) * self.maps.one() + reduces;
                let most = if half { 0.5 } else { 1.0 };
                let ramped = kind == Kind::Map || reduces + slots.one() <= most + ROUNDING;
                ramped && used + slots.one() <= 1.0 + ROUNDING
            }
        }
    }

    /// Whether a pool holds a map next to its reduces and so many more.
    pub(crate) fn holds_a_map(&self, more: u32) -> bool {
        let reduces = f64::from(self.reduces.busy() + more) * self.reduces.one();
        self.maps.all > 0 && reduces + self.maps.one() <= 1.0 + ROUNDING
    }

    /// Takes a slot. Returns its number and whether it had a task of the job before.
    pub(crate) fn take(&mut self, kind: Kind) -> (u32, bool) {
        let slots = match kind {
            Kind::Map => &mut self.maps,
            Kind::Reduce => &mut self.reduces,
        };
        let slot = slots.free.pop().expect("there is room");
        let before = slot < slots.used;
        slots.used = slots.used.max(slot + 1);
        (slot, before)
    }

    /// Gives a slot back.
    pub(crate) fn give(&mut self, kind: Kind, slot: u32) {
        match kind {
            Kind::Map => self.maps.free.push(slot),
            Kind::Reduce => self.reduces.free.push(slot),
        }
    }

    fn slots(&self, kind: Kind) -> &Slots {
        match kind {
            Kind::Map => &self.maps,
            Kind::Reduce => &self.reduces,
        }
    }
}

/// What sums of parts of a pool may be off.
const ROUNDING: f64 = 1e-9;
