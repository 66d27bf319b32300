//! Max-min fair levels, renewed only where, and only when, enough has changed.
//!
//! Every full resource remembers its level: what it allows its flows at most. A flow that starts takes the lowest
//! level of its resources, if what others left there suffices, and disturbs nobody; in a steady state, where one task
//! follows another, that is the rule. A resource's level is renewed when its flows would take more than it has, or when
//! so much of it lies idle, although it limits flows, that its use has left a band below its capacity; then its use is
//! put into the middle of the band. What a renewal gives to its flows or takes from them changes their other resources,
//! which are looked at in turn.
//!
//! Where every flow has the level of a full resource, or 1, levels are max-min fair. So the distance from the exact
//! solution is of the order of the band, half of which lies idle in the mean.

use super::flows::ITSELF;
use super::load::{Capacities, ResourceId, Use};
use super::resources::Share;
use super::state::{Candidate, State};

/// Part by which sums of floats may miss a capacity.
const ROUNDING: f64 = 1e-9;

/// Renewals of one resource in a settlement after which its level is only lowered, so that every settlement ends:
/// lowering a level takes from other resources but never asks more of one.
const RENEWALS: u16 = 6;

impl Share {
    /// Whether its flows would take more than it has.
    fn is_over(&self) -> bool {
        self.used > self.capacity * (1.0 + ROUNDING)
    }

    /// Whether it limits flows although its use is below its band.
    fn is_slack(&self, band: f64) -> bool {
        self.level < f64::INFINITY && self.used < self.capacity * (1.0 - band)
    }
}

impl State {
    /// Learns what a resource gives now.
    pub fn ask_capacity<C: Capacities>(&mut self, capacities: &C, resource: u32) {
        if self.resources.all[resource as usize].share.constant {
            return;
        }
        let capacity = capacities.capacity(ResourceId(resource), &self.resources.all[resource as usize].load);
        assert!(capacity.is_finite() && capacity >= 0.0, "a capacity of {capacity} units per second");
        self.resources.all[resource as usize].share.capacity = capacity;
    }

    /// Gives a flow that started its first level.
    pub fn admit(&mut self, slot: u32) {
        let (level, bottleneck) = self.limit(slot, ITSELF);
        let flow = self.flows.at(slot);
        let mut fit = (level, bottleneck);
        for &Use { weight, resource, .. } in self.flows.uses(slot) {
            let share = &self.resources.all[resource.0 as usize].share;
            let room = ((share.capacity - share.used) / (weight * flow.alone_per_s)).max(0.0);
            // Only a resource that limits flows already looks after those below its level.
            if room < fit.0 && share.level < f64::INFINITY {
                fit = (room, resource.0);
            }
        }
        let (level, bottleneck) = if fit.0 >= level * (1.0 - self.band) { fit } else { (level, bottleneck) };
        self.change(slot, level, bottleneck);
    }

    /// Renews levels until no resource is over its capacity and none that limits flows is below its band.
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
                self.renew(resource, over);
            }
        }
    }

    /// Finds the level at which a resource's use is in its band, or that it limits none, and applies it.
    fn renew(&mut self, resource: u32, over: bool) {
        let index = resource as usize;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for member in self.resources.members(resource) {
            let flow = self.flows.at(member.flow);
            let demand = self.flows.uses(member.flow)[member.place as usize].weight * flow.alone_per_s;
            let (limit, by) = if flow.bottleneck == resource && !over {
                self.limit(member.flow, resource)
            } else {
                (flow.level, flow.bottleneck)
            };
            candidates.push(Candidate { flow: member.flow, by, demand, limit });
        }
        let level = level(&candidates, self.resources.all[index].share.capacity * (1.0 - self.band / 2.0));
        self.resources.all[index].share.level = level;
        let mut used = 0.0;
        for candidate in &candidates {
            let (limit, by) =
                if candidate.limit > level { (level, resource) } else { (candidate.limit, candidate.by) };
            used += candidate.demand * limit;
            self.change(candidate.flow, limit, by);
        }
        // The sum that was kept up to date has drifted; this one is fresh.
        self.resources.all[index].share.used = used;
        self.candidates = candidates;
    }

    /// The lowest level that a flow is allowed by itself and its resources, but for one, and which allows it.
    fn limit(&self, slot: u32, but: u32) -> (f64, u32) {
        let mut limit = (1.0, ITSELF);
        for each in self.flows.uses(slot) {
            let level = self.resources.all[each.resource.0 as usize].share.level;
            if level < limit.0 && each.resource.0 != but {
                limit = (level, each.resource.0);
            }
        }
        limit
    }

    /// Sets a flow's level, and has those of its resources looked at that this puts out of balance.
    pub fn change(&mut self, slot: u32, level: f64, bottleneck: u32) {
        let flow = self.flows.at_mut(slot);
        flow.bottleneck = bottleneck;
        let risen = level - flow.level;
        if risen == 0.0 {
            return;
        }
        flow.level = level;
        flow.own_pressure = self.softness.pressure(level * flow.alone_per_s / flow.most_per_s);
        let demand = risen * flow.alone_per_s;
        if !flow.stale {
            flow.stale = true;
            self.stale.push(slot);
        }
        for each in self.flows.uses(slot) {
            let share = &mut self.resources.all[each.resource.0 as usize].share;
            share.used += each.weight * demand;
            if !share.waiting && (share.is_over() || share.is_slack(self.band)) {
                share.waiting = true;
                self.waiting.push_back(each.resource.0);
            }
            if !share.bent && share.is_bent(self.bend) {
                share.bent = true;
                self.bent.push(each.resource.0);
            }
        }
    }
}

/// The highest level at which candidates, none above its limit, take no more than the capacity; infinite if all reach
/// their limits.
fn level(candidates: &[Candidate], capacity: f64) -> f64 {
    let mut level = 0.0;
    loop {
        let (mut taken, mut rising) = (0.0, 0.0);
        for each in candidates {
            if each.limit <= level {
                taken += each.demand * each.limit;
            } else {
                rising += each.demand;
            }
        }
        if rising == 0.0 {
            return f64::INFINITY;
        }
        // Those that reached their limits leave more to the others, so the level only rises.
        let next = ((capacity - taken) / rising).max(0.0);
        if next <= level {
            return level;
        }
        level = next;
    }
}
