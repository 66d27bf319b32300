//! From levels to rates: stages that wait for one another.

use super::load::Capacities;
use super::state::State;

/// Part by which a resource may bend the rates of its flows before they are renewed.
const BEND: f64 = 0.01;

impl State {
    /// Renews what resources add to the softness of their flows, where that has changed enough.
    pub(super) fn press(&mut self) {
        let bend = if self.exact { 0.0 } else { BEND };
        let mut touched = std::mem::take(&mut self.touched);
        for resource in touched.drain(..) {
            let index = resource as usize;
            let (used, capacity) = (self.resources.used[index], self.resources.capacity[index]);
            self.resources.touched[index] = false;
            self.resources.renewals[index] = 0;
            assert!(used <= capacity * (1.0 + 1e-6), "{used} units per second are taken of {capacity}");
            let utilisation = if used <= 0.0 { 0.0 } else { (used / capacity).min(1.0) };
            // d(uᵖ)/p is at most du for u up to 1.
            if (utilisation - self.resources.utilisation[index]).abs() <= bend {
                continue;
            }
            let pressure = self.pressure(utilisation);
            if (pressure - self.resources.pressure[index]).abs() <= bend * self.softness {
                continue;
            }
            self.resources.utilisation[index] = utilisation;
            self.resources.pressure[index] = pressure;
            for member in 0..self.resources.members[index].len() {
                self.mark_stale(self.resources.members[index][member].flow);
            }
        }
        self.touched = touched;
    }

    /// Gives stale flows their rates, and the calendar the times at which they are due.
    pub(super) fn pace(&mut self) {
        let mut stale = std::mem::take(&mut self.stale);
        for slot in stale.drain(..) {
            let flow = self.flows.at(slot);
            if !flow.active {
                continue;
            }
            let hard = flow.level * flow.alone_per_s;
            let mut pressures = self.pressure(hard / flow.most_per_s);
            for each in &flow.uses {
                pressures += self.resources.pressure[each.resource as usize];
            }
            let soft = if pressures > 1.0 { pressures.powf(-1.0 / self.softness) } else { 1.0 };
            let now = self.now;
            let flow = self.flows.at_mut(slot);
            flow.stale = false;
            flow.left = flow.left_at(now);
            flow.since = now;
            flow.per_s = hard * soft;
            match flow.due() {
                Some(due) => self.calendar.set(slot, due),
                None => self.calendar.drop(slot),
            }
        }
        self.stale = stale;
    }

    fn pressure(&self, utilisation: f64) -> f64 {
        if self.softness.is_finite() { utilisation.powf(self.softness) } else { 0.0 }
    }

    /// Renews sharing after flows started or ended.
    pub(super) fn settle<C: Capacities>(&mut self, capacities: &C) {
        if self.waiting.is_empty() && self.newcomers.is_empty() {
            return;
        }
        self.ask_capacities(capacities);
        if self.exact {
            self.newcomers.clear();
            self.solve();
        } else {
            self.admit();
            self.balance();
        }
        self.press();
        self.pace();
    }
}
