//! From levels to rates: stages that wait for one another.

use super::resources::Share;
use super::state::State;

/// Part by which all that a flow has learnt may bend its rate before that is renewed.
const LAG: f64 = 0.01;

impl Share {
    /// Part of its capacity that is taken in the hard solution.
    fn utilisation(&self) -> f64 {
        if self.used <= 0.0 { 0.0 } else { (self.used / self.capacity).min(1.0) }
    }

    /// Whether its utilisation is so far from what its flows know that this may bend their rates by more than a part.
    pub fn is_bent(&self, bend: f64) -> bool {
        // With u up to 1, duᵖ is at most p·du, and a rate bends by duᵖ/p at most.
        (self.used - self.pressed * self.capacity).abs() > bend * self.capacity
    }
}

impl State {
    /// Renews what a resource adds to the sums of its flows, if that has changed enough.
    pub fn press(&mut self, resource: u32) {
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
        share.pressed = utilisation;
        share.pressure = pressure;
        let lag = if self.exact { 0.0 } else { LAG * self.softness.power() };
        for member in self.resources.members(resource) {
            let flow = self.flows.at_mut(member.flow);
            flow.pressures += risen;
            // A rate bends by a part d(sum)/(p·sum).
            let bent =
                (flow.pressures - flow.paced_pressures).abs() > lag * (flow.own_pressure + flow.pressures);
            if bent && !flow.stale {
                flow.stale = true;
                self.stale.push(member.flow);
            }
        }
    }

    /// Gives a flow its rate, and the calendar the time at which it is due.
    pub fn pace(&mut self, slot: u32) {
        let now = self.now;
        let flow = self.flows.at_mut(slot);
        flow.stale = false;
        flow.paced_pressures = flow.pressures;
        flow.left = flow.left_at(now);
        flow.since = now;
        flow.per_s =
            flow.level * flow.alone_per_s * self.softness.slowdown(flow.own_pressure + flow.pressures);
        match flow.due() {
            Some(due) => self.calendar.set(slot, due),
            None => self.calendar.drop(slot),
        }
    }
}
