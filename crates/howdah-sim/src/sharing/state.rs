//! What a network knows of its flows and resources, and what has changed since sharing was renewed.

use std::collections::VecDeque;

use super::calendar::Calendar;
use super::fair::Candidate;
use super::flows::Flows;
use super::resources::Resources;
use crate::time::Time;

/// Flows, resources, and lists of what is to be renewed.
#[derive(Debug)]
pub struct State {
    /// *p* of soft sharing.
    pub softness: f64,
    /// Whether everything is renewed at every change.
    pub exact: bool,
    /// The latest time that anyone spoke of.
    pub now: Time,
    /// Flows by slot.
    pub flows: Flows,
    /// Resources by index.
    pub resources: Resources,
    /// When flows are due.
    pub calendar: Calendar,
    /// Flows that started since sharing was renewed.
    pub newcomers: Vec<u32>,
    /// Resources to be looked at.
    pub waiting: VecDeque<u32>,
    /// Resources whose use or capacity has changed.
    pub touched: Vec<u32>,
    /// Flows that need a new rate.
    pub stale: Vec<u32>,
    /// Room for the flows of the resource whose level is sought, kept so that none is allocated.
    pub candidates: Vec<Candidate>,
}

impl State {
    /// A state without resources and flows.
    pub fn new(softness: f64, exact: bool) -> Self {
        State {
            softness,
            exact,
            now: Time::ZERO,
            flows: Flows::default(),
            resources: Resources::default(),
            calendar: Calendar::default(),
            newcomers: Vec::new(),
            waiting: VecDeque::new(),
            touched: Vec::new(),
            stale: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Puts a resource among those to be looked at, and among those whose use has changed.
    pub fn look_at(&mut self, resource: u32) {
        let index = resource as usize;
        if !self.resources.waiting[index] {
            self.resources.waiting[index] = true;
            self.waiting.push_back(resource);
        }
        if !self.resources.touched[index] {
            self.resources.touched[index] = true;
            self.touched.push(resource);
        }
    }

    /// Puts a flow among those that need a new rate.
    pub fn mark_stale(&mut self, slot: u32) {
        let flow = self.flows.at_mut(slot);
        if !flow.stale {
            flow.stale = true;
            self.stale.push(slot);
        }
    }
}
