//! The resources of a network, and who uses them.

use super::flows::Flows;
use super::load::{CLASSES, Load};

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
    /// Whether it waits for a look at its level.
    pub waiting: bool,
    /// Whether it waits for a look at its pressure.
    pub bent: bool,
}

/// Who uses a resource, and who did.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Usage {
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

/// Columns by resource.
#[derive(Debug, Default)]
pub struct Resources {
    /// How it is shared.
    pub shares: Vec<Share>,
    /// Who uses it.
    pub usages: Vec<Usage>,
}

impl Resources {
    /// Adds a resource and returns its index.
    pub fn add(&mut self) -> u32 {
        let index = u32::try_from(self.shares.len()).expect("resources are numbered in 32 bits");
        self.shares.push(Share {
            capacity: 0.0,
            used: 0.0,
            level: f64::INFINITY,
            pressure: 0.0,
            pressed: 0.0,
            renewals: 0,
            renewed_in: 0,
            waiting: false,
            bent: false,
        });
        self.usages.push(Usage::default());
        index
    }

    /// Enters a flow in the lists of the resources that it uses, and gives it their pressures.
    pub fn join(&mut self, slot: u32, flows: &mut Flows) {
        let flow = flows.at_mut(slot);
        for (place, each) in (0..).zip(&flow.uses) {
            let demand = each.weight * flow.alone_per_s;
            let usage = &mut self.usages[each.resource.0 as usize];
            usage.members.push(Member { flow: slot, place, demand });
            usage.load.flows[usize::from(each.class)] += 1;
            usage.load.demand[usize::from(each.class)] += demand;
            flow.pressures += self.shares[each.resource.0 as usize].pressure;
        }
    }

    /// Strikes a flow off the lists, and counts what it took.
    pub fn part(&mut self, slot: u32, flows: &Flows, done: f64) {
        let flow = flows.at(slot);
        for (place, each) in (0..).zip(&flow.uses) {
            let class = usize::from(each.class);
            let usage = &mut self.usages[each.resource.0 as usize];
            // Looking through a list of dozens is quicker than to tell flows, all over the memory, where in it they are.
            let found = usage.members.iter().position(|member| member.flow == slot && member.place == place);
            let member = usage.members.swap_remove(found.expect("a flow is a member where it has a use"));
            usage.finished[class] += each.weight * done;
            usage.load.flows[class] -= 1;
            // Sums of floats drift; that of nothing is 0 for certain.
            let left = usage.load.demand[class] - member.demand;
            usage.load.demand[class] = if usage.load.flows[class] == 0 { 0.0 } else { left };
            let share = &mut self.shares[each.resource.0 as usize];
            share.used -= member.demand * flow.level;
            if usage.members.is_empty() {
                share.used = 0.0;
                share.level = f64::INFINITY;
            }
        }
    }
}
