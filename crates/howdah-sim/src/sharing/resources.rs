//! The resources of a network, and who uses them.

use super::flows::Flows;
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
    /// Its flows, in no order.
    pub members: Vec<Member>,
    /// What they ask of it.
    pub load: Load,
    /// Units that flows have taken that have ended, by class.
    pub finished: [f64; CLASSES],
}

/// One use of a resource by a flow.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The flow's slot.
    pub flow: u32,
    /// Index in the flow's uses.
    pub place: u32,
    /// Units per second that the flow would take if it were alone.
    pub demand: f64,
}

/// Resources by index.
#[derive(Debug, Default)]
pub struct Resources {
    /// All of them.
    pub all: Vec<Resource>,
}

impl Resources {
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
            members: Vec::new(),
            load: Load::default(),
            finished: [0.0; CLASSES],
        });
        index
    }

    /// Reads a little of each resource that a flow uses, so that the processor fetches all of them from memory at once
    /// and not one after another as they are changed: of a thousand hosts its caches hold only a part.
    pub fn fetch(&self, uses: &[Use]) {
        let read = |each: &Use| {
            let resource = &self.all[each.resource.0 as usize];
            resource.members.first().map_or(0.0, |member| member.demand) + resource.share.used
        };
        std::hint::black_box(uses.iter().map(read).sum::<f64>());
    }

    /// Enters a flow in the lists of the resources that it uses, and gives it their pressures.
    pub fn join(&mut self, slot: u32, flows: &mut Flows) {
        let flow = flows.at_mut(slot);
        for (place, each) in (0..).zip(&flow.uses) {
            let demand = each.weight * flow.alone_per_s;
            let resource = &mut self.all[each.resource.0 as usize];
            resource.members.push(Member { flow: slot, place, demand });
            resource.load.flows[usize::from(each.class)] += 1;
            resource.load.demand[usize::from(each.class)] += demand;
            flow.pressures += resource.share.pressure;
        }
    }

    /// Strikes a flow off the lists, and counts what it took.
    pub fn part(&mut self, slot: u32, flows: &Flows, done: f64) {
        let flow = flows.at(slot);
        for (place, each) in (0..).zip(&flow.uses) {
            let class = usize::from(each.class);
            let Resource { share, members, load, finished } = &mut self.all[each.resource.0 as usize];
            // Looking through a list of dozens is quicker than to tell flows, all over the memory, where in it they are.
            let found = members.iter().position(|member| member.flow == slot && member.place == place);
            let member = members.swap_remove(found.expect("a flow is a member where it has a use"));
            finished[class] += each.weight * done;
            load.flows[class] -= 1;
            // Sums of floats drift; that of nothing is 0 for certain.
            let left = load.demand[class] - member.demand;
            load.demand[class] = if load.flows[class] == 0 { 0.0 } else { left };
            share.used -= member.demand * flow.level;
            if members.is_empty() {
                share.used = 0.0;
                share.level = f64::INFINITY;
            }
        }
    }
}
