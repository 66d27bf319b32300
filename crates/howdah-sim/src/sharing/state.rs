//! The state of a network, and the update of its sharing after flows started or ended.

use std::collections::VecDeque;

use super::calendar::Calendar;
use super::exact;
use super::flows::{Flows, OWN_CAP};
use super::load::Capacities;
use super::resources::Resources;
use super::softness::Softness;
use crate::time::Time;

/// Width of the band relative to the capacity if sharing is soft: unused capacity shortens the waiting of flows for one
/// another, which compensates for most of it.
pub const SOFT_BAND: f64 = 0.02;

/// Width of the band if sharing is hard and nothing compensates for unused capacity.
pub const HARD_BAND: f64 = 0.004;

/// Relative change of flows' rates by one resource that is ignored until the next update.
pub const BEND: f64 = 0.004;

/// A flow of a resource during an update of the resource's level.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub flow: u32,
    pub bottleneck: u32,
    pub demand: f64,
    pub limit: f64,
}

/// Flows, resources, and lists of pending updates.
#[derive(Debug)]
pub struct State {
    /// How stages wait for one another.
    pub softness: Softness,
    /// Whether everything is updated after every change.
    pub exact: bool,
    /// Width of the band below a resource's capacity, relative to it, in which the use of a limiting resource may be.
    pub band: f64,
    /// Relative change of rates that is ignored until the next update.
    pub bend: f64,
    /// The latest time of any call.
    pub now: Time,
    /// Number of the present settlement, modulo 2¹⁶.
    pub settlement: u16,
    /// Flows by slot.
    pub flows: Flows,
    /// Resources by index.
    pub resources: Resources,
    /// When flows are due.
    pub calendar: Calendar,
    /// Flows that started since the last settlement.
    pub started: Vec<u32>,
    /// Resources with flows that started or ended since, so their capacity may have changed.
    pub changed: Vec<u32>,
    /// Resources whose level waits for an update.
    pub waiting: VecDeque<u32>,
    /// Resources whose pressure waits for an update.
    pub bent: Vec<u32>,
    /// Flows that need a new rate.
    pub stale: Vec<u32>,
    /// Buffer of an update of a level, kept to avoid allocations.
    pub candidates: Vec<Candidate>,
}

impl State {
    /// A state without resources and flows.
    pub fn new(softness: f64, exact: bool) -> Self {
        State {
            softness: Softness::new(softness),
            exact,
            band: if softness.is_finite() { SOFT_BAND } else { HARD_BAND },
            bend: if exact { 0.0 } else { BEND },
            now: Time::ZERO,
            settlement: 0,
            flows: Flows::default(),
            resources: Resources::new(),
            calendar: Calendar::default(),
            started: Vec::new(),
            changed: Vec::new(),
            waiting: VecDeque::new(),
            bent: Vec::new(),
            stale: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Updates the sharing after flows started or ended.
    pub fn settle<C: Capacities>(&mut self, capacities: &C) {
        if self.changed.is_empty() && self.started.is_empty() {
            return;
        }
        self.settlement = self.settlement.wrapping_add(1);
        let mut changed = std::mem::take(&mut self.changed);
        for &resource in &changed {
            self.update_capacity(capacities, resource);
        }
        let mut started = std::mem::take(&mut self.started);
        if self.exact {
            self.solve();
        } else {
            for &slot in &started {
                self.admit(slot);
            }
            self.waiting.extend(&changed);
            self.balance();
        }
        started.clear();
        self.started = started;
        for &resource in &changed {
            let share = &mut self.resources.all[resource as usize].share;
            if !share.bent {
                share.bent = true;
                self.bent.push(resource);
            }
        }
        changed.clear();
        self.changed = changed;
        self.update_rates();
    }

    fn update_rates(&mut self) {
        let mut bent = std::mem::take(&mut self.bent);
        for resource in bent.drain(..) {
            self.update_pressure(resource);
        }
        self.bent = bent;
        let mut stale = std::mem::take(&mut self.stale);
        for slot in stale.drain(..) {
            if self.flows.at(slot).active {
                self.update_rate(slot);
            }
        }
        self.stale = stale;
    }

    /// Computes the levels of all flows from scratch.
    fn solve(&mut self) {
        let active: Vec<u32> = self.flows.active().collect();
        let demands: Vec<Vec<(usize, f64)>> = active
            .iter()
            .map(|&slot| {
                let alone_per_s = self.flows.at(slot).alone_per_s;
                let uses = self.flows.uses(slot).iter();
                uses.map(|usage| (usage.resource.0 as usize, usage.weight * alone_per_s)).collect()
            })
            .collect();
        let capacities: Vec<f64> =
            self.resources.all.iter().map(|resource| resource.share.capacity).collect();
        for (&slot, level) in active.iter().zip(exact::levels(&capacities, &demands)) {
            self.change(slot, level, OWN_CAP);
        }
        self.waiting.clear();
    }
}
