//! What a network knows of its flows and resources, and how sharing is renewed after some started or ended.

use std::collections::VecDeque;

use super::calendar::Calendar;
use super::exact;
use super::flows::{Flows, ITSELF};
use super::load::Capacities;
use super::resources::Resources;
use super::softness::Softness;
use crate::time::Time;

/// Width of the band, as a part of the capacity, where sharing is soft: what lies idle makes flows wait less for one
/// another, which makes up for most of it.
pub const SOFT_BAND: f64 = 0.02;

/// Width of the band where sharing is hard, and nothing makes up for what lies idle.
pub const HARD_BAND: f64 = 0.004;

/// Part by which a resource may bend the rates of its flows before they learn of it.
pub const BEND: f64 = 0.004;

/// A flow at a resource, while the resource's level is sought.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub flow: u32,
    pub by: u32,
    pub demand: f64,
    pub limit: f64,
}

/// Flows, resources, and lists of what is to be renewed.
#[derive(Debug)]
pub struct State {
    /// How stages wait for one another.
    pub softness: Softness,
    /// Whether everything is renewed at every change.
    pub exact: bool,
    /// Part of a resource that its use may stay below its capacity while it limits flows.
    pub band: f64,
    /// Part by which rates may be bent before they are renewed.
    pub bend: f64,
    /// The latest time that anyone spoke of.
    pub now: Time,
    /// Number of the present settlement, of those few that are told apart.
    pub settlement: u16,
    /// Flows by slot.
    pub flows: Flows,
    /// Resources by index.
    pub resources: Resources,
    /// When flows are due.
    pub calendar: Calendar,
    /// Flows that started since sharing was renewed.
    pub newcomers: Vec<u32>,
    /// Resources whose flows started or ended, so that their capacity may be another.
    pub changed: Vec<u32>,
    /// Resources whose level is to be looked at.
    pub waiting: VecDeque<u32>,
    /// Resources whose pressure is to be looked at.
    pub bent: Vec<u32>,
    /// Flows that need a new rate.
    pub stale: Vec<u32>,
    /// Room for the flows of the resource whose level is sought, kept so that none is allocated.
    pub candidates: Vec<Candidate>,
}

impl State {
    /// A state without resources and flows.
    pub fn new(softness: f64, exact: bool) -> Self {
        State {
            softness: Softness::new(softness),
            exact,
            band: if softness.is_finite() { SOFT_BAND } else { HARD_BAND },
            bend: if exact { 0.0 } else { BEND },
            now: Time::ZERO,
            settlement: 0,
            flows: Flows::default(),
            resources: Resources::new(),
            calendar: Calendar::default(),
            newcomers: Vec::new(),
            changed: Vec::new(),
            waiting: VecDeque::new(),
            bent: Vec::new(),
            stale: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Renews sharing after flows started or ended.
    pub fn settle<C: Capacities>(&mut self, capacities: &C) {
        if self.changed.is_empty() && self.newcomers.is_empty() {
            return;
        }
        self.settlement = self.settlement.wrapping_add(1);
        let mut changed = std::mem::take(&mut self.changed);
        for &resource in &changed {
            self.ask_capacity(capacities, resource);
        }
        let mut newcomers = std::mem::take(&mut self.newcomers);
        if self.exact {
            self.solve();
        } else {
            for &slot in &newcomers {
                self.admit(slot);
            }
            self.waiting.extend(&changed);
            self.balance();
        }
        newcomers.clear();
        self.newcomers = newcomers;
        for &resource in &changed {
            let share = &mut self.resources.all[resource as usize].share;
            if !share.bent {
                share.bent = true;
                self.bent.push(resource);
            }
        }
        changed.clear();
        self.changed = changed;
        self.repace();
    }

    fn repace(&mut self) {
        let mut bent = std::mem::take(&mut self.bent);
        for resource in bent.drain(..) {
            self.press(resource);
        }
        self.bent = bent;
        let mut stale = std::mem::take(&mut self.stale);
        for slot in stale.drain(..) {
            if self.flows.at(slot).active {
                self.pace(slot);
            }
        }
        self.stale = stale;
    }

    /// Gives every flow its level as if nothing were known yet.
    fn solve(&mut self) {
        let active: Vec<u32> = self.flows.active().collect();
        let demands: Vec<Vec<(usize, f64)>> = active
            .iter()
            .map(|&slot| {
                let alone_per_s = self.flows.at(slot).alone_per_s;
                let uses = self.flows.uses(slot).iter();
                uses.map(|each| (each.resource.0 as usize, each.weight * alone_per_s)).collect()
            })
            .collect();
        let capacities: Vec<f64> =
            self.resources.all.iter().map(|resource| resource.share.capacity).collect();
        for (&slot, level) in active.iter().zip(exact::levels(&capacities, &demands)) {
            self.change(slot, level, ITSELF);
        }
        self.waiting.clear();
    }
}
