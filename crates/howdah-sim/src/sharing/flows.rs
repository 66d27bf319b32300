//! The flows of a network, in slots that are used again.

use super::load::{FlowId, ResourceId, Use};
use crate::time::Time;

/// What limits a flow: a resource's index, or this if it is the flow itself.
pub const ITSELF: u32 = u32::MAX;

/// What stands in a row where a flow has no more uses.
const NO_USE: Use = Use { resource: ResourceId(0), weight: 0.0, class: 0 };

/// A flow, as its slot keeps it: two lines of the processor's cache, and in the first what all others change.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Flow {
    /// Part of what it would do alone that it gets in the hard solution, 0 before its first.
    pub level: f64,
    /// Units of work per second that it would do alone, φ.
    pub alone_per_s: f64,
    /// Its own cap in units per second.
    pub most_per_s: f64,
    /// What its own cap adds to the sum of pressures.
    pub own_pressure: f64,
    /// Sum of the pressures of its resources.
    pub pressures: f64,
    /// That sum when the flow was given its rate.
    pub paced_pressures: f64,
    /// What limits its level.
    pub bottleneck: u32,
    /// Number of its uses.
    pub count: u16,
    /// Whether the flow waits for a new rate.
    pub stale: bool,
    /// Whether the slot holds a flow.
    pub active: bool,
    /// Units of work per second that it does.
    pub per_s: f64,
    /// Units of work that were left at `since`.
    pub left: f64,
    /// When `left` and `per_s` were set.
    pub since: Time,
    /// Units of work in all.
    pub work: f64,
    /// What it was started with.
    pub tag: u64,
    /// Flows that the slot held before.
    pub generation: u32,
}

impl Flow {
    /// Units of work that are left at a time.
    pub fn left_at(&self, now: Time) -> f64 {
        (self.left - self.per_s * now.since(self.since)).max(0.0)
    }

    /// When the flow is done at its present rate, by the next whole nanosecond; nothing if it stands still.
    pub fn due(&self) -> Option<Time> {
        if self.left == 0.0 {
            return Some(self.since);
        }
        let seconds = self.left / self.per_s;
        // A flow that would take longer than a run may last stands still.
        (seconds < 1e9).then(|| self.since + (seconds * 1e9) as i64 + 1)
    }
}

/// Flows by slot.
#[derive(Debug, Default)]
pub struct Flows {
    slots: Vec<Flow>,
    /// What flows take of resources, by slot, in rows of equal length: the processor knows where a row is before it has
    /// read anything of the flow.
    uses: Vec<Use>,
    row: usize,
    free: Vec<u32>,
}

impl Flows {
    /// Takes a slot for a flow whose work starts now, all else as of old.
    pub fn enter(&mut self, now: Time, work: f64, uses: &[Use], most_per_s: f64, tag: u64) -> u32 {
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
            bottleneck: ITSELF,
            count: u16::try_from(uses.len()).expect("uses of a flow are numbered in 16 bits"),
            left: work,
            since: now,
            most_per_s,
            tag,
            work,
            ..Flow::default()
        };
        slot
    }

    /// Makes every row so long at least.
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

    /// Gives a slot back.
    pub fn leave(&mut self, slot: u32) {
        let flow = &mut self.slots[slot as usize];
        flow.active = false;
        flow.generation = flow.generation.wrapping_add(1);
        self.free.push(slot);
    }

    /// The flow in a slot.
    pub fn at(&self, slot: u32) -> &Flow {
        &self.slots[slot as usize]
    }

    /// What the flow in a slot takes of resources.
    pub fn uses(&self, slot: u32) -> &[Use] {
        let first = slot as usize * self.row;
        &self.uses[first..first + usize::from(self.at(slot).count)]
    }

    /// The flow in a slot, to change.
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

    /// Slots that hold a flow.
    pub fn active(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|&slot| self.at(slot).active)
    }

    /// Number of slots that hold a flow.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
