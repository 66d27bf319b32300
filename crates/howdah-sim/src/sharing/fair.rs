//! Max-min fair levels, updated only where and when enough has changed.
//!
//! Every full resource has a level, the maximum of its flows' levels. A flow that starts takes the lowest level of its
//! resources, if there is enough unused capacity, and affects no other flow. In a steady state, where one task follows
//! another, this is the usual case. A resource's level is updated when its flows exceed its capacity, or when it limits
//! flows although its use has fallen below its capacity by more than the band; then its use is set to the middle of the
//! band. An update changes the use of other resources of its flows, which are checked in turn.
//!
//! If every flow has the level of a full resource, or 1, levels are max-min fair. So the distance from the exact
//! solution is of the order of the band, half of which is unused on average.

use super::flows::OWN_CAP;
use super::load::{Capacities, ResourceId, Use};
use super::resources::Share;
use super::state::{Candidate, State};

/// Allowed rounding error of a sum, relative to a capacity.
const ROUNDING: f64 = 1e-9;

/// Updates of a resource in one settlement after which its level is only lowered, so every settlement ends:
/// a lower level never increases the use of another resource.
const RENEWALS: u16 = 6;

impl Share {
    /// Whether its flows exceed its capacity.
    fn is_over(&self) -> bool {
        self.used > self.capacity * (1.0 + ROUNDING)
    }

    /// Whether it limits flows although its use is below the band.
    fn is_slack(&self, band: f64) -> bool {
        self.level < f64::INFINITY && self.used < self.capacity * (1.0 - band)
    }
}

impl State {
    /// Updates the capacity of a resource.
    pub fn update_capacity<C: Capacities>(&mut self, capacities: &C, resource: u32) {
        if self.resources.all[resource as usize].share.constant {
            return;
        }
        let capacity = capacities.capacity(ResourceId(resource), &self.resources.all[resource as usize].load);
        assert!(capacity.is_finite() && capacity >= 0.0, "a capacity of {capacity} units per second");
        self.resources.all[resource as usize].share.capacity = capacity;
    }

    /// Sets the first level of a flow.
    pub fn admit(&mut self, slot: u32) {
        let (level, bottleneck) = self.limit(slot, OWN_CAP);
        let flow = self.flows.at(slot);
        let mut fit = (level, bottleneck);
        for &Use { weight, resource, .. } in self.flows.uses(slot) {
            let share = &self.resources.all[resource.0 as usize].share;
            let room = ((share.capacity - share.used) / (weight * flow.alone_per_s)).max(0.0);
            // A resource that does not limit flows yet would ignore those below its level.
            if room < fit.0 && share.level < f64::INFINITY {
                fit = (room, resource.0);
            }
        }
        let (level, bottleneck) = if fit.0 >= level * (1.0 - self.band) { fit } else { (level, bottleneck) };
        self.change(slot, level, bottleneck);
    }

    /// Updates levels until no resource is over its capacity and none that limits flows is below its band.
    pub fn balance(&mut self) {
        while let Some(resource) = self.waiting.pop_front() {
            let share = &mut self.resources.all[resource as usize].share;
            share.waiting = false;
            let over = share.is_over();
            if share.renewed_in != self.settlement {
                (share.renewed_in, share.renewals) = (self.settlement, 0);
            }
            if over || (share.is_slack(self.band) && share.renewals < RENEWALS) {
                share.renewals += 1;
                self.update_level(resource, over);
            }
        }
    }

    /// Sets the level at which a resource's use is in its band, or infinity if it limits no flow.
    fn update_level(&mut self, resource: u32, over: bool) {
        let index = resource as usize;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for member in self.resources.members(resource) {
            let flow = self.flows.at(member.flow);
            let demand = self.flows.uses(member.flow)[member.index as usize].weight * flow.alone_per_s;
            let (limit, bottleneck) = if flow.bottleneck == resource && !over {
                self.limit(member.flow, resource)
            } else {
                (flow.level, flow.bottleneck)
            };
            candidates.push(Candidate { flow: member.flow, bottleneck, demand, limit });
        }
        let level = level(&candidates, self.resources.all[index].share.capacity * (1.0 - self.band / 2.0));
        self.resources.all[index].share.level = level;
        let mut used = 0.0;
        for candidate in &candidates {
            let (limit, bottleneck) = if candidate.limit > level {
                (level, resource)
            } else {
                (candidate.limit, candidate.bottleneck)
            };
            used += candidate.demand * limit;
            self.change(candidate.flow, limit, bottleneck);
        }
        // The incremental sum has drifted; this one is exact.
        self.resources.all[index].share.used = used;
        self.candidates = candidates;
    }

    /// The lowest level that a flow is allowed by its own cap and all resources except one, and the one that limits it.
    fn limit(&self, slot: u32, except: u32) -> (f64, u32) {
        let mut limit = (1.0, OWN_CAP);
        for usage in self.flows.uses(slot) {
            let level = self.resources.all[usage.resource.0 as usize].share.level;
            if level < limit.0 && usage.resource.0 != except {
                limit = (level, usage.resource.0);
            }
        }
        limit
    }

    /// Sets a flow's level, and queues those of its resources that it unbalances.
    pub fn change(&mut self, slot: u32, level: f64, bottleneck: u32) {
        let flow = self.flows.at_mut(slot);
        flow.bottleneck = bottleneck;
        let risen = level - flow.level;
        if risen == 0.0 {
            return;
        }
        flow.level = level;
        flow.own_pressure = self.softness.pressure(level * flow.alone_per_s / flow.max_per_s);
        let demand = risen * flow.alone_per_s;
        if !flow.stale {
            flow.stale = true;
            self.stale.push(slot);
        }
        for usage in self.flows.uses(slot) {
            let share = &mut self.resources.all[usage.resource.0 as usize].share;
            share.used += usage.weight * demand;
            if !share.waiting && (share.is_over() || share.is_slack(self.band)) {
                share.waiting = true;
                self.waiting.push_back(usage.resource.0);
            }
            if !share.bent && share.is_bent(self.bend) {
                share.bent = true;
                self.bent.push(usage.resource.0);
            }
        }
    }
}

/// The highest level at which candidates, limited individually, do not exceed the capacity; infinite if all reach
/// their limits.
fn level(candidates: &[Candidate], capacity: f64) -> f64 {
    let mut level = 0.0;
    loop {
        let (mut taken, mut rising) = (0.0, 0.0);
        for candidate in candidates {
            if candidate.limit <= level {
                taken += candidate.demand * candidate.limit;
            } else {
                rising += candidate.demand;
            }
        }
        if rising == 0.0 {
            return f64::INFINITY;
        }
        // Candidates at their limits leave more to the rest, so the level only rises.
        let next = ((capacity - taken) / rising).max(0.0);
        if next <= level {
            return level;
        }
        level = next;
    }
}
