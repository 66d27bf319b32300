//! The network of resources and flows.

use super::load::{Capacities, Class, FlowId, Load, ResourceId, Use};
use super::resources::Resources;
use super::state::State;
use crate::time::Time;

/// Resources and the flows that share them.
#[derive(Debug)]
pub struct Network<C> {
    capacities: C,
    state: State,
}

/// A finished flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// When it finished.
    pub time: Time,
    /// The flow, which is no longer in the network.
    pub flow: FlowId,
    /// The tag given at its start.
    pub tag: u64,
}

impl<C: Capacities> Network<C> {
    /// A network without resources and flows. Its sharing is updated after changes that are large enough.
    ///
    /// # Panics
    /// If the softness is not at least 1; infinity is hard sharing.
    #[must_use]
    pub fn new(capacities: C, softness: f64) -> Self {
        Network { capacities, state: State::new(softness, false) }
    }

    /// A network with sharing by progressive filling, updated after every change: slow, the reference in tests for
    /// [`Network::new`].
    ///
    /// # Panics
    /// If the softness is not at least 1.
    #[must_use]
    pub fn exact(capacities: C, softness: f64) -> Self {
        Network { capacities, state: State::new(softness, true) }
    }

    /// The capacities of resources.
    pub fn capacities(&self) -> &C {
        &self.capacities
    }

    /// The capacities of resources, mutable. A change takes effect with the next update of the sharing.
    pub fn capacities_mut(&mut self) -> &mut C {
        &mut self.capacities
    }

    /// Adds a resource.
    pub fn add_resource(&mut self) -> ResourceId {
        let resource = self.state.resources.add();
        if self.capacities.is_constant(ResourceId(resource)) {
            self.state.update_capacity(&self.capacities, resource);
            self.state.resources.all[resource as usize].share.constant = true;
        }
        ResourceId(resource)
    }

    /// Starts a flow of `work` units with uses of resources and a cap of `max_per_s` units per second.
    ///
    /// Without uses it is a delay. The tag is returned when it finishes.
    ///
    /// # Panics
    /// If the work is negative or not finite, a weight not positive or not finite, the cap not positive, or infinite for
    /// a flow without uses, a resource or a class unknown, or the time earlier than that of a previous call.
    pub fn start(&mut self, now: Time, work: f64, uses: &[Use], max_per_s: f64, tag: u64) -> FlowId {
        self.advance(now);
        assert!(work.is_finite() && work >= 0.0, "a flow of {work} units of work");
        assert!(max_per_s > 0.0, "a flow of at most {max_per_s} units per second");
        let state = &mut self.state;
        state.resources.prefetch(uses);
        let slot = state.flows.add(now, work, uses, max_per_s, tag);
        let flow = state.flows.at_mut(slot);
        flow.alone_per_s = alone_per_s(&self.capacities, &state.resources, uses, max_per_s);
        state.resources.add_flow(slot, &mut state.flows);
        state.started.push(slot);
        state.changed.extend(uses.iter().map(|usage| usage.resource.0));
        state.flows.id(slot)
    }

    /// Removes a flow before it finishes. Returns its remaining work.
    ///
    /// # Panics
    /// If the flow has ended, or the time is earlier than that of a previous call.
    pub fn cancel(&mut self, now: Time, flow: FlowId) -> f64 {
        self.advance(now);
        // A flow that starts and is cancelled at the same time must have a level before it is removed.
        self.state.settle(&self.capacities);
        let slot = self.state.flows.slot(flow);
        let remaining = self.state.flows.at(slot).remaining_at(now);
        self.remove(slot, remaining);
        remaining
    }

    /// When the next flow finishes, if no other starts before; none if no flow will finish.
    pub fn due(&mut self) -> Option<Time> {
        self.state.settle(&self.capacities);
        self.state.calendar.first().map(|(time, _)| time)
    }

    /// Removes the flow that finishes next, if no other starts before. Of those that finish at the same time, the one
    /// in the lowest slot.
    pub fn finish(&mut self) -> Option<Finished> {
        self.state.settle(&self.capacities);
        let (time, slot) = self.state.calendar.first()?;
        self.advance(time);
        let flow = self.state.flows.at(slot);
        let finished = Finished { time, flow: self.state.flows.id(slot), tag: flow.tag };
        let remaining = flow.remaining_at(time);
        assert!(remaining <= 1e-9 * flow.work, "a flow ends with {remaining} units of work left");
        self.remove(slot, 0.0);
        Some(finished)
    }

    /// Units of a resource that flows have used since the start, by class.
    ///
    /// # Panics
    /// If a flow is due before, or the time is earlier than that of a previous call.
    pub fn used(&mut self, now: Time, resource: ResourceId, class: Class) -> f64 {
        self.advance(now);
        let state = &self.state;
        let index = resource.0 as usize;
        let mut used = state.resources.all[index].finished[usize::from(class)];
        for member in state.resources.members(resource.0) {
            let flow = state.flows.at(member.flow);
            let usage = state.flows.uses(member.flow)[member.index as usize];
            if usage.class == class {
                used += usage.weight * (flow.work - flow.remaining_at(now));
            }
        }
        used
    }

    /// The rate of a flow, units of work per second.
    ///
    /// # Panics
    /// If the flow has ended.
    pub fn per_s(&mut self, flow: FlowId) -> f64 {
        self.state.settle(&self.capacities);
        self.state.flows.at(self.state.flows.slot(flow)).per_s
    }

    /// The present load of a resource.
    pub fn load(&self, resource: ResourceId) -> &Load {
        &self.state.resources.all[resource.0 as usize].load
    }

    /// Flows in the network.
    pub fn flows(&self) -> usize {
        self.state.flows.len()
    }

    fn advance(&mut self, now: Time) {
        assert!(now >= self.state.now, "time runs back from {:?} to {now:?}", self.state.now);
        if now > self.state.now {
            // Changes before now took effect at the earlier time.
            self.state.settle(&self.capacities);
            let due = self.state.calendar.first();
            assert!(due.is_none_or(|(time, _)| now <= time), "{now:?} comes after a flow is due");
            self.state.now = now;
        }
    }

    fn remove(&mut self, slot: u32, remaining: f64) {
        let state = &mut self.state;
        state.resources.prefetch(state.flows.uses(slot));
        let done = state.flows.at(slot).work - remaining;
        state.resources.remove_flow(slot, &state.flows, done);
        state.changed.extend(state.flows.uses(slot).iter().map(|usage| usage.resource.0));
        state.calendar.drop(slot);
        state.flows.remove(slot);
    }
}

/// Units of work per second of a flow without others.
fn alone_per_s<C: Capacities>(capacities: &C, resources: &Resources, uses: &[Use], max_per_s: f64) -> f64 {
    let mut alone_per_s = max_per_s;
    for usage in uses {
        assert!(usage.weight.is_finite() && usage.weight > 0.0, "a use of weight {}", usage.weight);
        let share = &resources.all[usage.resource.0 as usize].share;
        let capacity = if share.constant {
            share.capacity
        } else {
            let mut load = Load::default();
            load.flows[usize::from(usage.class)] = 1;
            load.demand[usize::from(usage.class)] = usage.weight * max_per_s;
            capacities.capacity(usage.resource, &load)
        };
        alone_per_s = alone_per_s.min(capacity / usage.weight);
    }
    assert!(
        alone_per_s.is_finite() && alone_per_s > 0.0,
        "a flow that would do {alone_per_s} units per second alone"
    );
    alone_per_s
}
