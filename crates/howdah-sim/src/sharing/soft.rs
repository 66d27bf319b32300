//! Rates from levels: stages that wait for one another.

use super::resources::Share;
use super::state::State;

/// Relative change of a flow's rate by all its resources together that is applied at once; smaller ones wait.
const LAG: f64 = 0.01;

impl Share {
    /// Used part of its capacity in the hard solution.
    fn utilisation(&self) -> f64 {
        if self.used <= 0.0 { 0.0 } else { (self.used / self.capacity).min(1.0) }
    }

    /// Whether its utilisation has changed enough since the last update to change a rate by more than `bend`.
    pub fn is_bent(&self, bend: f64) -> bool {
        // With u up to 1, duᵖ is at most p·du, and the relative change of a rate is at most duᵖ/p.
        (self.used - self.pressure_utilisation * self.capacity).abs() > bend * self.capacity
    }
}

impl State {
    /// Updates the pressure of a resource if it has changed enough.
    pub fn update_pressure(&mut self, resource: u32) {
        let share = &mut self.resources.all[resource as usize].share;
        share.bent = false;
        let (used, capacity) = (share.used, share.capacity);
        assert!(used <= capacity * (1.0 + 1e-6), "{used} units per second are taken of {capacity}");
        let utilisation = share.utilisation();
        let pressure = self.softness.pressure(utilisation);
        let risen = pressure - share.pressure;
        if risen.abs() <= self.bend * self.softness.power() {
            return;
        }
        share.pressure_utilisation = utilisation;
        share.pressure = pressure;
        let lag = if self.exact { 0.0 } else { LAG * self.softness.power() };
        for member in self.resources.members(resource) {
            let flow = self.flows.at_mut(member.flow);
            flow.pressures += risen;
            // The relative change of a rate is d(sum)/(p·sum).
            let bent =
                (flow.pressures - flow.rated_pressures).abs() > lag * (flow.own_pressure + flow.pressures);
            if bent && !flow.stale {
                flow.stale = true;
                self.stale.push(member.flow);
            }
        }
    }

    /// Updates the rate of a flow, and the time at which it is due.
    pub fn update_rate(&mut self, slot: u32) {
        let now = self.now;
        let flow = self.flows.at_mut(slot);
        flow.stale = false;
        flow.rated_pressures = flow.pressures;
        flow.remaining = flow.remaining_at(now);
        flow.since = now;
        flow.per_s =
            flow.level * flow.alone_per_s * self.softness.slowdown(flow.own_pressure + flow.pressures);
        match flow.due() {
            Some(due) => self.calendar.set(slot, due),
            None => self.calendar.drop(slot),
        }
    }
}
