//! The resources of a network, and their flows.

use super::flows::Flows;
use super::lists::{List, Lists};
use super::load::{CLASSES, Load, Use};

/// The state of a resource that every change of a flow reads, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Share {
    /// Units per second that the resource has.
    pub capacity: f64,
    /// Units per second that its flows use in the hard solution.
    pub used: f64,
    /// The highest level of its flows if it is full, infinite if it limits none.
    pub level: f64,
    /// What it adds to the sum of pressures of each of its flows.
    pub pressure: f64,
    /// The utilisation at which the pressure was computed.
    pub pressure_utilisation: f64,
    /// Updates of its level in the settlement that updated it last.
    pub renewals: u16,
    /// Number of that settlement, modulo 2¹⁶.
    pub renewed_in: u16,
    /// Whether its capacity is constant.
    pub constant: bool,
    /// Whether its level waits for an update.
    pub waiting: bool,
    /// Whether its pressure waits for an update.
    pub bent: bool,
}

/// A resource: its state, its flows, and the total of ended flows.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Resource {
    /// Its state.
    pub share: Share,
    /// Its flows, unordered: a list of [`Resources::members`].
    pub members: List,
    /// Their load.
    pub load: Load,
    /// Units used by ended flows, by class.
    pub finished: [f64; CLASSES],
}

/// A use of a resource by a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The flow's slot.
    pub flow: u32,
    /// Index in the flow's uses.
    pub index: u32,
}

/// The resources of a network.
#[derive(Debug)]
pub struct Resources {
    /// The resources by index.
    pub all: Vec<Resource>,
    /// The flows of all resources.
    pub members: Lists<Member>,
}

impl Resources {
    /// No resources.
    pub fn new() -> Self {
        Resources { all: Vec::new(), members: Lists::new() }
    }

    /// The flows of a resource, unordered.
    pub fn members(&self, resource: u32) -> &[Member] {
        self.members.of(self.all[resource as usize].members)
    }

    /// Adds a resource and returns its index.
    pub fn add(&mut self) -> u32 {
        let index = u32::try_from(self.all.len()).expect("resources are numbered in 32 bits");
        let share = Share {
            capacity: 0.0,
            used: 0.0,
            level: f64::INFINITY,
            pressure: 0.0,
            pressure_utilisation: 0.0,
            renewals: 0,
            renewed_in: 0,
            constant: false,
            waiting: false,
            bent: false,
        };
        self.all.push(Resource {
            share,
            members: List::default(),
            load: Load::default(),
            finished: [0.0; CLASSES],
        });
        index
    }

    /// Reads a little of each resource that a flow uses, so the processor fetches them from memory in parallel instead of
    /// one after another when they are changed: its caches hold only a part of a thousand hosts.
    pub fn prefetch(&self, uses: &[Use]) {
        let read = |usage: &Use| {
            let member = self.members(usage.resource.0).first();
            member.map_or(0, |member| member.flow)
                + u32::from(self.all[usage.resource.0 as usize].share.waiting)
        };
        std::hint::black_box(uses.iter().map(read).fold(0, u32::wrapping_add));
    }

    /// Adds a flow to the resources that it uses, and their pressures to the flow.
    pub fn add_flow(&mut self, slot: u32, flows: &mut Flows) {
        let alone_per_s = flows.at(slot).alone_per_s;
        let mut pressures = 0.0;
        for (index, usage) in (0..).zip(flows.uses(slot)) {
            let resource = &mut self.all[usage.resource.0 as usize];
            self.members.push(&mut resource.members, Member { flow: slot, index });
            resource.load.flows[usize::from(usage.class)] += 1;
            resource.load.demand[usize::from(usage.class)] += usage.weight * alone_per_s;
            pressures += resource.share.pressure;
        }
        flows.at_mut(slot).pressures = pressures;
    }

    /// Removes a flow from its resources, and adds its use to their totals.
    pub fn remove_flow(&mut self, slot: u32, flows: &Flows, done: f64) {
        let flow = flows.at(slot);
        for (index, usage) in (0..).zip(flows.uses(slot)) {
            let class = usize::from(usage.class);
            let demand = usage.weight * flow.alone_per_s;
            let Resource { share, members, load, finished } = &mut self.all[usage.resource.0 as usize];
            // A search through a list of dozens is faster than to update positions in flows all over the memory.
            let removed = Member { flow: slot, index };
            let position = self.members.of(*members).iter().position(|member| *member == removed);
            self.members
                .swap_remove(members, position.expect("a flow is a member of every resource it uses"));
            finished[class] += usage.weight * done;
            load.flows[class] -= 1;
            // Sums of floats drift; an empty sum must be 0.
            let left = load.demand[class] - demand;
            load.demand[class] = if load.flows[class] == 0 { 0.0 } else { left };
            share.used -= demand * flow.level;
            if members.is_empty() {
                share.used = 0.0;
                share.level = f64::INFINITY;
            }
        }
    }
}
