//! Free slots of a worker: slots of each kind, or containers of one pool.

use crate::attempt::Kind;
use crate::random::Random;
use crate::scenario::SchedulingKind;
use crate::time::Time;
use crate::world::{MIN_HEARTBEAT_S, World};

/// The state of a worker in a job.
#[derive(Clone, Debug)]
pub(crate) struct WorkerSlots {
    /// When the job's first heartbeat is due.
    first_heartbeat: Time,
    /// Whether a heartbeat is scheduled.
    pub(crate) heartbeat_pending: bool,
    /// Whether the worker may get a task in the scheduler's next round.
    pub(crate) waits_for_round: bool,
    maps: Slots,
    reduces: Slots,
}

/// Slots for tasks of one kind.
#[derive(Clone, Debug)]
struct Slots {
    free: Vec<u32>,
    /// Slots that have had a task of the job.
    used: u32,
    count: u32,
}

/// Tasks of one kind in the whole cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterTasks {
    /// Slots of the cluster.
    pub(crate) slots: u32,
    /// Tasks that have not ended.
    pub(crate) remaining: u32,
}

impl Slots {
    fn new(count: u32) -> Self {
        Self { free: (0..count).rev().collect(), used: 0, count }
    }

    fn busy(&self) -> u32 {
        self.count - self.free.len() as u32
    }

    /// Fewer tasks than slots are spread: each worker takes at most its share of them
    /// (org.apache.hadoop.mapred.CapBasedLoadManager, JobQueueTaskScheduler).
    fn fair_share(&self, tasks: ClusterTasks) -> u64 {
        (u64::from(self.count) * u64::from(tasks.remaining)).div_ceil(u64::from(tasks.slots.max(1)))
    }

    /// The share of the pool that a task takes.
    fn fraction(&self) -> f64 {
        1.0 / f64::from(self.count.max(1))
    }
}

impl WorkerSlots {
    pub(crate) fn new(world: &World<'_>, worker: u32, random: &mut Random) -> Self {
        let slots = &world.cluster.workers[worker as usize];
        Self {
            first_heartbeat: world.now.after(random.unit() * world.scenario.scheduling.heartbeat_s),
            heartbeat_pending: false,
            waits_for_round: false,
            maps: Slots::new(slots.map_slots),
            reduces: Slots::new(slots.reduce_slots),
        }
    }

    /// When the first heartbeat is due.
    pub(crate) fn first_heartbeat(&self) -> Time {
        self.first_heartbeat
    }

    /// When the next regular heartbeat is due.
    pub(crate) fn next_heartbeat(&self, now: Time, interval_s: f64) -> Time {
        // Whole nanoseconds make sure that the next heartbeat is later than now.
        let interval = Time::from_seconds(interval_s.max(MIN_HEARTBEAT_S)).0;
        let beats = (now - self.first_heartbeat).max(0) / interval + 1;
        self.first_heartbeat + beats * interval
    }

    /// Whether another task fits. With `half`, reduces may use half of the pool at most.
    pub(crate) fn has_room(
        &self,
        scheduling: SchedulingKind,
        kind: Kind,
        tasks: ClusterTasks,
        half: bool,
    ) -> bool {
        let slots = self.slots(kind);
        if slots.free.is_empty() {
            return false;
        }
        match scheduling {
            SchedulingKind::Slots => u64::from(slots.busy()) < slots.fair_share(tasks),
            SchedulingKind::Containers => {
                let reduces = f64::from(self.reduces.busy()) * self.reduces.fraction();
                let used = f64::from(self.maps.busy()) * self.maps.fraction() + reduces;
                let max_reduces = if half { 0.5 } else { 1.0 };
                let allowed = kind == Kind::Map || reduces + slots.fraction() <= max_reduces + ROUNDING;
                allowed && used + slots.fraction() <= 1.0 + ROUNDING
            }
        }
    }

    /// Whether a map fits next to the running reduces and `more` reduces.
    pub(crate) fn fits_map(&self, more: u32) -> bool {
        let reduces = f64::from(self.reduces.busy() + more) * self.reduces.fraction();
        self.maps.count > 0 && reduces + self.maps.fraction() <= 1.0 + ROUNDING
    }

    /// Takes a slot. Returns its number and whether it has had a task of the job before.
    pub(crate) fn acquire(&mut self, kind: Kind) -> (u32, bool) {
        let slots = match kind {
            Kind::Map => &mut self.maps,
            Kind::Reduce => &mut self.reduces,
        };
        let slot = slots.free.pop().expect("there is room");
        let before = slot < slots.used;
        slots.used = slots.used.max(slot + 1);
        (slot, before)
    }

    /// Frees a slot.
    pub(crate) fn release(&mut self, kind: Kind, slot: u32) {
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

/// Allowed rounding error of a sum of shares of the pool.
const ROUNDING: f64 = 1e-9;
