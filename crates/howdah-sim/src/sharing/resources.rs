//! The resources of a network, and who uses them.

use super::flows::{Flows, Place};
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
    /// What its flows ask of it.
    pub loads: Vec<Load>,
    /// Its flows.
    pub members: Vec<Vec<Member>>,
    /// Units that flows have taken that have ended, by class.
    pub finished: Vec<[f64; CLASSES]>,
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
        self.loads.push(Load::default());
        self.members.push(Vec::new());
        self.finished.push([0.0; CLASSES]);
        index
    }

    /// Enters a flow in the lists of the resources that it uses, and gives it their pressures.
    pub fn join(&mut self, slot: u32, flows: &mut Flows) {
        let flow = flows.at_mut(slot);
        for (place, each) in (0..).zip(&mut flow.uses) {
            let resource = each.resource as usize;
            let demand = each.weight * flow.alone_per_s;
            each.member = self.members[resource].len() as u32;
            self.members[resource].push(Member { flow: slot, place, demand });
            self.loads[resource].flows[usize::from(each.class)] += 1;
            self.loads[resource].demand[usize::from(each.class)] += demand;
            flow.pressures += self.shares[resource].pressure;
        }
    }

    /// Strikes a flow off the lists, and counts what it took.
    pub fn part(&mut self, slot: u32, flows: &mut Flows, done: f64) {
        for place in 0..flows.at(slot).uses.len() {
            let flow = flows.at(slot);
            let Place { weight, resource, member, class } = flow.uses[place];
            let (resource, class) = (resource as usize, usize::from(class));
            let demand = weight * flow.alone_per_s;
            self.finished[resource][class] += weight * done;
            let (share, load) = (&mut self.shares[resource], &mut self.loads[resource]);
            share.used -= demand * flow.level;
            load.flows[class] -= 1;
            // Sums of floats drift; that of nothing is 0 for certain.
            load.demand[class] = if load.flows[class] == 0 { 0.0 } else { load.demand[class] - demand };
            let members = &mut self.members[resource];
            members.swap_remove(member as usize);
            if let Some(moved) = members.get(member as usize) {
                flows.at_mut(moved.flow).uses[moved.place as usize].member = member;
            }
            if members.is_empty() {
                share.used = 0.0;
                share.level = f64::INFINITY;
            }
        }
    }
}
