//! The network of resources and the flows in it.

use super::load::{Capacities, Class, FlowId, Load, ResourceId, Use};
use super::resources::Resources;
use super::state::State;
use crate::time::Time;

/// Resources, and the flows that share them.
#[derive(Debug)]
pub struct Network<C> {
    capacities: C,
    state: State,
}

/// A flow whose work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// When it was done.
    pub time: Time,
    /// The flow, which has left the network.
    pub flow: FlowId,
    /// What the flow was started with.
    pub tag: u64,
}

impl<C: Capacities> Network<C> {
    /// A network without resources and flows. Its sharing is renewed where enough has changed.
    ///
    /// # Panics
    /// If the softness is not at least 1; infinity is hard sharing.
    #[must_use]
    pub fn new(capacities: C, softness: f64) -> Self {
        Network { capacities, state: State::new(softness, false) }
    }

    /// A network whose sharing is renewed at every change, by progressive filling: what [`Network::new`] is held to in
    /// tests, and slow.
    ///
    /// # Panics
    /// If the softness is not at least 1.
    #[must_use]
    pub fn exact(capacities: C, softness: f64) -> Self {
        Network { capacities, state: State::new(softness, true) }
    }

    /// What gives resources their capacity.
    pub fn capacities(&self) -> &C {
        &self.capacities
    }

    /// What gives resources their capacity, to change it; flows feel it when their sharing is renewed.
    pub fn capacities_mut(&mut self) -> &mut C {
        &mut self.capacities
    }

    /// Adds a resource.
    pub fn add_resource(&mut self) -> ResourceId {
        let resource = self.state.resources.add();
        if self.capacities.is_constant(ResourceId(resource)) {
            self.state.ask_capacity(&self.capacities, resource);
            self.state.resources.all[resource as usize].share.constant = true;
        }
        ResourceId(resource)
    }

    /// Starts a flow of `work` units that uses resources at once and makes `most_per_s` units per second at most.
    ///
    /// Without uses it is a delay. The tag comes back when it is finished.
    ///
    /// # Panics
    /// If the work is negative or not finite, a weight not positive or not finite, the cap not positive, or infinite for
    /// a flow without uses, a resource or a class unknown, or the time before that of an earlier call.
    pub fn start(&mut self, now: Time, work: f64, uses: &[Use], most_per_s: f64, tag: u64) -> FlowId {
        self.advance(now);
        assert!(work.is_finite() && work >= 0.0, "a flow of {work} units of work");
        assert!(most_per_s > 0.0, "a flow of at most {most_per_s} units per second");
        let state = &mut self.state;
        state.resources.fetch(uses);
        let slot = state.flows.enter(now, work, uses, most_per_s, tag);
        let flow = state.flows.at_mut(slot);
        flow.alone_per_s = alone_per_s(&self.capacities, &state.resources, uses, most_per_s);
        state.resources.join(slot, &mut state.flows);
        state.newcomers.push(slot);
        state.changed.extend(uses.iter().map(|each| each.resource.0));
        state.flows.id(slot)
    }

    /// Takes a flow out before it is finished. Returns the work that is left.
    ///
    /// # Panics
    /// If the flow has ended before, or the time is before that of an earlier call.
    pub fn cancel(&mut self, now: Time, flow: FlowId) -> f64 {
        self.advance(now);
        // A flow that starts and is cancelled at the same time must have its level before it gives it up.
        self.state.settle(&self.capacities);
        let slot = self.state.flows.slot(flow);
        let left = self.state.flows.at(slot).left_at(now);
        self.remove(slot, left);
        left
    }

    /// When the next flow is finished, if no other starts before; nothing if no flow will.
    pub fn due(&mut self) -> Option<Time> {
        self.state.settle(&self.capacities);
        self.state.calendar.first().map(|(time, _)| time)
    }

    /// Takes out the flow that is finished next, if no other starts before. Of those finished at the same time, the one
    /// in the lowest slot.
    pub fn finish(&mut self) -> Option<Finished> {
        self.state.settle(&self.capacities);
        let (time, slot) = self.state.calendar.first()?;
        self.advance(time);
        let flow = self.state.flows.at(slot);
        let finished = Finished { time, flow: self.state.flows.id(slot), tag: flow.tag };
        let left = flow.left_at(time);
        assert!(left <= 1e-9 * flow.work, "a flow ends with {left} units of work left");
        self.remove(slot, 0.0);
        Some(finished)
    }

    /// Units of a resource that flows have used since the start, by class.
    ///
    /// # Panics
    /// If a flow is due before, or the time is before that of an earlier call.
    pub fn used(&mut self, now: Time, resource: ResourceId, class: Class) -> f64 {
        self.advance(now);
        let state = &self.state;
        let index = resource.0 as usize;
        let mut used = state.resources.all[index].finished[usize::from(class)];
        for member in state.resources.members(resource.0) {
            let flow = state.flows.at(member.flow);
            let each = state.flows.uses(member.flow)[member.place as usize];
            if each.class == class {
                used += each.weight * (flow.work - flow.left_at(now));
            }
        }
        used
    }

    /// Units of work per second that a flow does now.
    ///
    /// # Panics
    /// If the flow has ended.
    pub fn per_s(&mut self, flow: FlowId) -> f64 {
        self.state.settle(&self.capacities);
        self.state.flows.at(self.state.flows.slot(flow)).per_s
    }

    /// What all flows at a resource ask of it now.
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
            // What changed until now changed at the time that is being left.
            self.state.settle(&self.capacities);
            let due = self.state.calendar.first();
            assert!(due.is_none_or(|(time, _)| now <= time), "{now:?} comes after a flow is due");
            self.state.now = now;
        }
    }

    fn remove(&mut self, slot: u32, left: f64) {
        let state = &mut self.state;
        state.resources.fetch(state.flows.uses(slot));
        let done = state.flows.at(slot).work - left;
        state.resources.part(slot, &state.flows, done);
        state.changed.extend(state.flows.uses(slot).iter().map(|each| each.resource.0));
        state.calendar.drop(slot);
        state.flows.leave(slot);
    }
}

/// Units of work per second that a flow would do if it were alone.
fn alone_per_s<C: Capacities>(capacities: &C, resources: &Resources, uses: &[Use], most_per_s: f64) -> f64 {
    let mut alone_per_s = most_per_s;
    for each in uses {
        assert!(each.weight.is_finite() && each.weight > 0.0, "a use of weight {}", each.weight);
        let share = &resources.all[each.resource.0 as usize].share;
        let capacity = if share.constant {
            share.capacity
        } else {
            let mut load = Load::default();
            load.flows[usize::from(each.class)] = 1;
            load.demand[usize::from(each.class)] = each.weight * most_per_s;
            capacities.capacity(each.resource, &load)
        };
        alone_per_s = alone_per_s.min(capacity / each.weight);
    }
    assert!(
        alone_per_s.is_finite() && alone_per_s > 0.0,
        "a flow that would do {alone_per_s} units per second alone"
    );
    alone_per_s
}
