//! Max-min fair levels, renewed only where, and only when, enough has changed.
//!
//! Every full resource remembers its level: what it allows its flows at most. A flow that starts takes the lowest
//! level of its resources, if what others left there suffices, and disturbs nobody; in a steady state, where one task
//! follows another, that is the rule. A resource's level is renewed when its flows would take more than it has, or when
//! more than [`SLACK`] of it lies idle although it limits flows. What a renewal gives to its flows or takes from them
//! changes their other resources, which are looked at in turn.
//!
//! Where no resource has slack and every flow has the level of a full resource, or 1, levels are max-min fair. So the
//! distance from the exact solution is of the order of the slack.

use super::exact;
use super::flows::{ITSELF, Place};
use super::load::{Capacities, ResourceId};
use super::state::State;

/// Part of a resource that may lie idle before its level is raised.
const SLACK: f64 = 0.02;

/// Part by which sums of floats may miss a capacity.
const ROUNDING: f64 = 1e-9;

/// Renewals of one resource in a settlement after which its level is only lowered, so that every settlement ends:
/// lowering a level takes from other resources but never asks more of one.
const RENEWALS: u32 = 6;

/// A flow at a resource, while the resource's level is sought.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    flow: u32,
    demand: f64,
    limit: f64,
    by: u32,
}

impl State {
    /// Learns what changed resources give now.
    pub(super) fn ask_capacities<C: Capacities>(&mut self, capacities: &C) {
        let all = self.exact.then_some(0..self.resources.len() as u32);
        for resource in self.waiting.iter().copied().chain(all.into_iter().flatten()) {
            let load = &self.resources.load[resource as usize];
            let capacity = capacities.capacity(ResourceId(resource), load);
            assert!(capacity.is_finite() && capacity >= 0.0, "a capacity of {capacity} units per second");
            self.resources.capacity[resource as usize] = capacity;
        }
    }

    /// Gives every flow its level as if nothing were known yet.
    pub(super) fn solve(&mut self) {
        let active: Vec<u32> = self.flows.active().collect();
        let demands: Vec<Vec<(usize, f64)>> = active
            .iter()
            .map(|&slot| {
                let flow = self.flows.at(slot);
                flow.uses
                    .iter()
                    .map(|each| (each.resource as usize, each.weight * flow.alone_per_s))
                    .collect()
            })
            .collect();
        let levels = exact::levels(&self.resources.capacity, &demands);
        for (&slot, level) in active.iter().zip(levels) {
            self.change(slot, level, ITSELF);
        }
        while let Some(resource) = self.waiting.pop_front() {
            self.resources.waiting[resource as usize] = false;
        }
    }

    /// Gives flows that started their first level.
    pub(super) fn admit(&mut self) {
        let mut newcomers = std::mem::take(&mut self.newcomers);
        for slot in newcomers.drain(..) {
            let (level, bottleneck) = self.limit(slot, ITSELF);
            let flow = self.flows.at(slot);
            let mut fit = level;
            let mut scarcest = bottleneck;
            for &Place { weight, resource, .. } in &flow.uses {
                let resource = resource as usize;
                let room = self.resources.capacity[resource] - self.resources.used[resource];
                let room = (room / (weight * flow.alone_per_s)).max(0.0);
                // Only a resource that limits flows already looks after those below its level.
                if room < fit && self.resources.level[resource].is_finite() {
                    (fit, scarcest) = (room, resource as u32);
                }
            }
            if fit >= level * (1.0 - SLACK) {
                self.change(slot, fit, scarcest);
            } else {
                self.change(slot, level, bottleneck);
            }
        }
        self.newcomers = newcomers;
    }

    /// Renews levels until no resource is over its capacity and none that limits flows has slack.
    pub(super) fn balance(&mut self) {
        while let Some(resource) = self.waiting.pop_front() {
            let index = resource as usize;
            self.resources.waiting[index] = false;
            let (used, capacity) = (self.resources.used[index], self.resources.capacity[index]);
            let over = used > capacity * (1.0 + ROUNDING);
            let slack = self.resources.level[index].is_finite() && used < capacity * (1.0 - SLACK);
            if over || (slack && self.resources.renewals[index] < RENEWALS) {
                self.resources.renewals[index] += 1;
                self.renew(resource, over);
            }
        }
    }

    /// Finds the level at which a resource is full, or that it limits none, and applies it.
    fn renew(&mut self, resource: u32, over: bool) {
        let index = resource as usize;
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        for member in &self.resources.members[index] {
            let flow = self.flows.at(member.flow);
            let demand = flow.uses[member.place as usize].weight * flow.alone_per_s;
            let (limit, by) = if flow.bottleneck == resource && !over {
                self.limit(member.flow, resource)
            } else {
                (flow.level, flow.bottleneck)
            };
            candidates.push(Candidate { flow: member.flow, demand, limit, by });
        }
        let level = level(&candidates, self.resources.capacity[index]);
        self.resources.level[index] = level;
        for candidate in &candidates {
            let (limit, by) =
                if candidate.limit > level { (level, resource) } else { (candidate.limit, candidate.by) };
            self.change(candidate.flow, limit, by);
        }
        let used = candidates.iter().map(|each| each.demand * self.flows.at(each.flow).level).sum();
        self.resources.used[index] = used;
        self.candidates = candidates;
    }

    /// The lowest level that a flow is allowed by itself and its resources, but for one, and which allows it.
    fn limit(&self, slot: u32, but: u32) -> (f64, u32) {
        let mut limit = (1.0, ITSELF);
        for each in &self.flows.at(slot).uses {
            let level = self.resources.level[each.resource as usize];
            if level < limit.0 && each.resource != but {
                limit = (level, each.resource);
            }
        }
        limit
    }

    /// Sets a flow's level, and has its resources looked at.
    fn change(&mut self, slot: u32, level: f64, bottleneck: u32) {
        let flow = self.flows.at_mut(slot);
        flow.bottleneck = bottleneck;
        let risen = level - flow.level;
        if risen == 0.0 {
            return;
        }
        flow.level = level;
        let demand = risen * flow.alone_per_s;
        self.mark_stale(slot);
        for place in 0..self.flows.at(slot).uses.len() {
            let Place { weight, resource, .. } = self.flows.at(slot).uses[place];
            self.resources.used[resource as usize] += weight * demand;
            self.look_at(resource);
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
