//! The flows of a network, in reusable slots.

use super::load::{FlowId, ResourceId, Use};
use crate::time::Time;

/// The bottleneck of a flow that is limited by its own cap; otherwise it is the index of a resource.
pub const OWN_CAP: u32 = u32::MAX;

/// Fills the rest of a row of uses.
const NO_USE: Use = Use { resource: ResourceId(0), weight: 0.0, class: 0 };

/// A flow in its slot: two cache lines, the first with everything that other flows change.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Flow {
    /// Rate in the hard solution relative to `alone_per_s`, 0 before its first.
    pub level: f64,
    /// Units of work per second without other flows, φ.
    pub alone_per_s: f64,
    /// Its own cap in units per second.
    pub max_per_s: f64,
    /// What its own cap adds to the sum of pressures.
    pub own_pressure: f64,
    /// Sum of the pressures of its resources.
    pub pressures: f64,
    /// That sum when its rate was computed.
    pub rated_pressures: f64,
    /// What limits its level.
    pub bottleneck: u32,
    /// Number of its uses.
    pub count: u16,
    /// Whether it waits for a new rate.
    pub stale: bool,
    /// Whether the slot contains a flow.
    pub active: bool,
    /// Units of work per second.
    pub per_s: f64,
    /// Remaining units of work at `since`.
    pub remaining: f64,
    /// When `remaining` and `per_s` were set.
    pub since: Time,
    /// Units of work in total.
    pub work: f64,
    /// The tag given at its start.
    pub tag: u64,
    /// Number of earlier flows in the slot.
    pub generation: u32,
}

impl Flow {
    /// Remaining units of work at a time.
    pub fn remaining_at(&self, now: Time) -> f64 {
        (self.remaining - self.per_s * now.since(self.since)).max(0.0)
    }

    /// When it ends at its present rate, rounded up to a nanosecond; none if it makes no progress.
    pub fn due(&self) -> Option<Time> {
        if self.remaining == 0.0 {
            return Some(self.since);
        }
        let seconds = self.remaining / self.per_s;
        // A flow that would take longer than the longest run makes no progress.
        (seconds < 1e9).then(|| self.since + (seconds * 1e9) as i64 + 1)
    }
}

/// Flows by slot.
#[derive(Debug, Default)]
pub struct Flows {
    slots: Vec<Flow>,
    /// The uses of flows by slot, in rows of equal length: the processor can compute the address of a row without
    /// reading the flow.
    uses: Vec<Use>,
    row: usize,
    free: Vec<u32>,
}

impl Flows {
    /// Adds a flow whose work starts now.
    pub fn add(&mut self, now: Time, work: f64, uses: &[Use], max_per_s: f64, tag: u64) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Flow::default());
            self.uses.resize(self.slots.len() * self.row, NO_USE);
            u32::try_from(self.slots.len() - 1).expect("flows are numbered in 32 bits")
        });
        self.lengthen(uses.len());
        let first = slot as usize * self.row;
        self.uses[first..first + uses.len()].copy_from_slice(uses);
        let flow = &mut self.slots[slot as usize];
        *flow = Flow {
            active: true,
            generation: flow.generation,
            bottleneck: OWN_CAP,
            count: u16::try_from(uses.len()).expect("uses of a flow are numbered in 16 bits"),
            remaining: work,
            since: now,
            max_per_s,
            tag,
            work,
            ..Flow::default()
        };
        slot
    }

    /// Extends every row to at least this length.
    fn lengthen(&mut self, row: usize) {
        if row <= self.row {
            return;
        }
        let mut longer = vec![NO_USE; self.slots.len() * row];
        for slot in 0..self.slots.len() {
            let uses = &self.uses[slot * self.row..(slot + 1) * self.row];
            longer[slot * row..slot * row + self.row].copy_from_slice(uses);
        }
        (self.uses, self.row) = (longer, row);
    }

    /// Frees a slot.
    pub fn remove(&mut self, slot: u32) {
        let flow = &mut self.slots[slot as usize];
        flow.active = false;
        flow.generation = flow.generation.wrapping_add(1);
        self.free.push(slot);
    }

    /// The flow in a slot.
    pub fn at(&self, slot: u32) -> &Flow {
        &self.slots[slot as usize]
    }

    /// The uses of the flow in a slot.
    pub fn uses(&self, slot: u32) -> &[Use] {
        let first = slot as usize * self.row;
        &self.uses[first..first + usize::from(self.at(slot).count)]
    }

    /// The flow in a slot, mutable.
    pub fn at_mut(&mut self, slot: u32) -> &mut Flow {
        &mut self.slots[slot as usize]
    }

    /// The slot of a flow.
    ///
    /// # Panics
    /// If the flow has ended.
    pub fn slot(&self, id: FlowId) -> u32 {
        let flow = self.at(id.slot);
        assert!(flow.active && flow.generation == id.generation, "{id:?} has ended");
        id.slot
    }

    /// The id of the flow in a slot.
    pub fn id(&self, slot: u32) -> FlowId {
        FlowId { slot, generation: self.at(slot).generation }
    }

    /// Slots with a flow.
    pub fn active(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|&slot| self.at(slot).active)
    }

    /// Number of slots with a flow.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
