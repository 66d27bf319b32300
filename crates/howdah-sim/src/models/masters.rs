//! The NameNode and the scheduler: one core each, which serves calls in the order of their arrival.
//!
//! Both spend their time under one lock, so more cores help little; calls wait when they come faster than it serves.
//! A shadow in lockstep (vSphere Fault Tolerance) adds a share to everything.

use crate::parameters::Parameters;
use crate::scenario::{Masters, Protection};
use crate::time::Time;

/// One master's core.
#[derive(Clone, Debug)]
pub(crate) struct Master {
    speed: f64,
    free_at: Time,
    busy_s: f64,
}

impl Master {
    pub(crate) fn new(masters: &Masters, parameters: &Parameters) -> Self {
        let lockstep = match masters.protection {
            Protection::None => 1.0,
            Protection::Ft => 1.0 + parameters.lockstep_cost,
        };
        Self { speed: masters.speed / lockstep, free_at: Time::ZERO, busy_s: 0.0 }
    }

    /// Serves a call that costs so much of a reference core. Returns when it is answered.
    pub(crate) fn serve(&mut self, now: Time, cpu_s: f64) -> Time {
        let took = cpu_s / self.speed;
        self.busy_s += took;
        self.free_at = self.free_at.max(now).after(took);
        self.free_at
    }

    /// Counts what it does beside calls, which nobody waits for.
    pub(crate) fn also(&mut self, cpu_s: f64) {
        self.busy_s += cpu_s / self.speed;
    }

    /// Seconds it was busy since the start of the run.
    pub(crate) fn busy_s(&self) -> f64 {
        self.busy_s
    }
}

#[cfg(test)]
mod tests {
    use super::Master;
    use crate::parameters::Parameters;
    use crate::scenario::{Masters, Protection};
    use crate::time::Time;

    fn master(protection: Protection) -> Master {
        let parameters = Parameters { lockstep_cost: 0.5, ..Parameters::default() };
        Master::new(&Masters { speed: 2.0, protection }, &parameters)
    }

    #[test]
    fn calls_wait_for_those_before() {
        let mut master = master(Protection::None);
        assert_eq!(master.serve(Time::ZERO, 1.0), Time::from_seconds(0.5));
        assert_eq!(master.serve(Time::ZERO, 1.0), Time::from_seconds(1.0));
        assert_eq!(master.serve(Time::from_seconds(3.0), 1.0), Time::from_seconds(3.5));
        assert_eq!(master.busy_s(), 1.5);
    }

    #[test]
    fn lockstep_makes_everything_dearer() {
        let answered = master(Protection::Ft).serve(Time::ZERO, 2.0);
        assert_eq!(answered, Time::from_seconds(1.5));
    }
}
