//! The resources of a network, and who uses them.

use super::flows::Flows;
use super::lists::{List, Lists};
use super::load::{CLASSES, Load, Use};

/// How a resource is shared now: what is looked at whenever a flow changes, kept in one line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Share {
    /// Units per second that the resource gives.
    pub capacity: f64,
    /// Units per second that its flows take in the hard solution.
    pub used: f64,
    /// Highest level of its flows where it is full, infinite where it limits none.
    pub level: f64,
    /// What it adds to the sum of each of its flows.
    pub pressure: f64,
    /// The utilisation that the pressure is of.
    pub pressed: f64,
    /// Times that its level was renewed in the settlement that renewed it last.
    pub renewals: u16,
    /// Number of that settlement, of those few that are told apart.
    pub renewed_in: u16,
    /// Whether it always gives the same.
    pub constant: bool,
    /// Whether it waits for a look at its level.
    pub waiting: bool,
    /// Whether it waits for a look at its pressure.
    pub bent: bool,
}

/// A resource: how it is shared, and then who uses it, and who did.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Resource {
    /// How it is shared.
    pub share: Share,
    /// Its flows, in no order: a list of [`Resources::members`].
    pub members: List,
    /// What they ask of it.
    pub load: Load,
    /// Units that flows have taken that have ended, by class.
    pub finished: [f64; CLASSES],
}

/// One use of a resource by a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The flow's slot.
    pub flow: u32,
    /// Index in the flow's uses.
    pub place: u32,
}

/// Resources by index.
#[derive(Debug)]
pub struct Resources {
    /// All of them.
    pub all: Vec<Resource>,
    /// The flows of each.
    pub members: Lists<Member>,
}

impl Resources {
    /// None yet.
    pub fn new() -> Self {
        Resources { all: Vec::new(), members: Lists::new() }
    }

    /// The flows of a resource, in no order.
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
            pressed: 0.0,
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

    /// Reads a little of each resource that a flow uses, so that the processor fetches all of them from memory at once
    /// and not one after another as they are changed: of a thousand hosts its caches hold only a part.
    pub fn fetch(&self, uses: &[Use]) {
        let read = |each: &Use| {
            let member = self.members(each.resource.0).first();
            member.map_or(0, |member| member.flow)
                + u32::from(self.all[each.resource.0 as usize].share.waiting)
        };
        std::hint::black_box(uses.iter().map(read).fold(0, u32::wrapping_add));
    }

    /// Enters a flow in the lists of the resources that it uses, and gives it their pressures.
    pub fn join(&mut self, slot: u32, flows: &mut Flows) {
        let alone_per_s = flows.at(slot).alone_per_s;
        let mut pressures = 0.0;
        for (place, each) in (0..).zip(flows.uses(slot)) {
            let resource = &mut self.all[each.resource.0 as usize];
            self.members.push(&mut resource.members, Member { flow: slot, place });
            resource.load.flows[usize::from(each.class)] += 1;
            resource.load.demand[usize::from(each.class)] += each.weight * alone_per_s;
            pressures += resource.share.pressure;
        }
        flows.at_mut(slot).pressures = pressures;
    }

    /// Strikes a flow off the lists, and counts what it took.
    pub fn part(&mut self, slot: u32, flows: &Flows, done: f64) {
        let flow = flows.at(slot);
        for (place, each) in (0..).zip(flows.uses(slot)) {
            let class = usize::from(each.class);
            let demand = each.weight * flow.alone_per_s;
            let Resource { share, members, load, finished } = &mut self.all[each.resource.0 as usize];
            // Looking through a list of dozens is quicker than to tell flows, all over the memory, where in it they are.
            let member = Member { flow: slot, place };
            let found = self.members.of(*members).iter().position(|other| *other == member);
            self.members.swap_remove(members, found.expect("a flow is a member where it has a use"));
            finished[class] += each.weight * done;
            load.flows[class] -= 1;
            // Sums of floats drift; that of nothing is 0 for certain.
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
