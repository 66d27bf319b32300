//! The resources of a network, and who uses them.

use super::flows::{Flow, Flows, Place};
use super::load::{CLASSES, Load};

/// Columns by resource.
#[derive(Debug, Default)]
pub struct Resources {
    /// Units per second that the resource gives.
    pub capacity: Vec<f64>,
    /// Units per second that its flows take in the hard solution.
    pub used: Vec<f64>,
    /// Highest level of its flows where it is full, infinite where it limits none.
    pub level: Vec<f64>,
    /// What it adds to the softness of its flows: its utilisation to the power of *p*, as last applied to them.
    pub pressure: Vec<f64>,
    /// The utilisation of that pressure.
    pub utilisation: Vec<f64>,
    /// What its flows ask of it.
    pub load: Vec<Load>,
    /// Its flows.
    pub members: Vec<Vec<Member>>,
    /// Units that flows have taken that have ended, by class.
    pub finished: Vec<[f64; CLASSES]>,
    /// Whether the resource is among those to be looked at.
    pub waiting: Vec<bool>,
    /// Whether the resource is among those whose use has changed.
    pub touched: Vec<bool>,
    /// How often its level was renewed in the present settlement.
    pub renewals: Vec<u32>,
}

/// One use of a resource: a flow's slot, and which of the flow's uses.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The slot.
    pub flow: u32,
    /// Index in the flow's uses.
    pub place: u32,
}

impl Resources {
    /// Adds a resource and returns its index.
    pub fn add(&mut self) -> u32 {
        let index = u32::try_from(self.load.len()).expect("resources are numbered in 32 bits");
        self.capacity.push(0.0);
        self.used.push(0.0);
        self.level.push(f64::INFINITY);
        self.pressure.push(0.0);
        self.utilisation.push(0.0);
        self.load.push(Load::default());
        self.members.push(Vec::new());
        self.finished.push([0.0; CLASSES]);
        self.waiting.push(false);
        self.touched.push(false);
        self.renewals.push(0);
        index
    }

    /// Enters a flow in the lists of the resources that it uses.
    pub fn join(&mut self, slot: u32, flow: &mut Flow) {
        for (place, each) in (0..).zip(&mut flow.uses) {
            let resource = each.resource as usize;
            each.member = self.members[resource].len() as u32;
            self.members[resource].push(Member { flow: slot, place });
            let load = &mut self.load[resource];
            load.flows[usize::from(each.class)] += 1;
            load.demand[usize::from(each.class)] += each.weight * flow.alone_per_s;
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
            self.used[resource] -= demand * flow.level;
            let load = &mut self.load[resource];
            load.flows[class] -= 1;
            // Sums of floats drift; an empty one is nothing for certain.
            load.demand[class] = if load.flows[class] == 0 { 0.0 } else { load.demand[class] - demand };
            let members = &mut self.members[resource];
            members.swap_remove(member as usize);
            if let Some(moved) = members.get(member as usize) {
                flows.at_mut(moved.flow).uses[moved.place as usize].member = member;
            }
            if members.is_empty() {
                self.used[resource] = 0.0;
                self.level[resource] = f64::INFINITY;
            }
        }
    }

    /// Number of resources.
    pub fn len(&self) -> usize {
        self.load.len()
    }
}
