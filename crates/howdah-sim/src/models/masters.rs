//! The NameNode and the scheduler: a core each, which serves calls in the order of their arrival.
//!
//! Both spend their time under one lock, so more cores help little; calls wait if they arrive faster than they are served.
//! A shadow in lockstep (vSphere Fault Tolerance) adds a share to everything.
//!
//! Calls queue up with the heartbeats of all workers. A worker sends its next heartbeat an interval after the last was
//! served. So if a call waits for *W* seconds, *n* workers with an interval of *i* send *n / (i + W)* heartbeats per
//! second: however many they are, a master's load never exceeds 1, and tasks still get their turn.

use crate::parameters::Parameters;
use crate::scenario::{Masters, Protection};
use crate::time::Time;

/// Heartbeats that a master serves in addition to calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heartbeats {
    /// Workers that send them.
    pub(crate) workers: f64,
    /// Seconds from a served heartbeat to the worker's next.
    pub(crate) interval_s: f64,
    /// Reference core-seconds of a heartbeat.
    pub(crate) cpu_s: f64,
}

/// The core of a master.
#[derive(Clone, Debug)]
pub(crate) struct Master {
    speed: f64,
    heartbeats: Heartbeats,
    served_until: Time,
    free_at: Time,
    /// Calls that each call represents, because of twins.
    scale: f64,
    /// Work that has arrived since the start of the run, in seconds of this core.
    work_s: f64,
}

impl Master {
    pub(crate) fn new(
        masters: &Masters,
        heartbeats: Heartbeats,
        scale: f64,
        parameters: &Parameters,
    ) -> Self {
        let lockstep = match masters.protection {
            Protection::None => 1.0,
            Protection::Ft => 1.0 + parameters.lockstep_cost,
        };
        let speed = masters.speed / lockstep;
        Self { speed, heartbeats, served_until: Time::ZERO, free_at: Time::ZERO, scale, work_s: 0.0 }
    }

    /// Serves a call that costs `cpu_s` reference core-seconds, together with those of twins. Returns when it is answered,
    /// in the middle of them.
    pub(crate) fn serve(&mut self, now: Time, cpu_s: f64) -> Time {
        self.serve_heartbeats(now);
        let call_s = cpu_s / self.speed;
        self.work_s += call_s * self.scale;
        let start = self.free_at.max(now);
        self.free_at = start.after(call_s * self.scale);
        start.after(call_s * (self.scale + 1.0) / 2.0)
    }

    /// Busy seconds since the start of the run.
    pub(crate) fn busy_s(&mut self, now: Time) -> f64 {
        self.serve_heartbeats(now);
        self.work_s - self.free_at.since(now).max(0.0)
    }

    /// Serves the heartbeats that have arrived until now.
    fn serve_heartbeats(&mut self, now: Time) {
        let elapsed_s = now.since(self.served_until);
        let wait_s = self.free_at.since(self.served_until).max(0.0);
        let all_s = self.heartbeats.workers * self.heartbeats.cpu_s / self.speed;
        let load = |wait_s: f64| all_s / (self.heartbeats.interval_s + wait_s);
        // The wait moves towards its equilibrium, or towards 0; the load is taken as constant until then.
        let equilibrium_s = (all_s - self.heartbeats.interval_s).max(0.0);
        let until_then_s =
            if wait_s == equilibrium_s { 0.0 } else { (equilibrium_s - wait_s) / (load(wait_s) - 1.0) };
        let before_s = until_then_s.clamp(0.0, elapsed_s);
        let work_s = load(wait_s) * before_s + load(equilibrium_s) * (elapsed_s - before_s);
        self.work_s += work_s;
        self.free_at = self.served_until.max(self.free_at).after(work_s);
        self.served_until = now;
    }
}

#[cfg(test)]
mod tests {
    use super::{Heartbeats, Master};
    use crate::parameters::Parameters;
    use crate::scenario::{Masters, Protection};
    use crate::time::Time;

    fn master(protection: Protection, workers: f64) -> Master {
        let parameters = Parameters { lockstep_cost: 0.5, ..Parameters::default() };
        let heartbeats = Heartbeats { workers, interval_s: 1.0, cpu_s: 0.002 };
        Master::new(&Masters { speed: 2.0, protection }, heartbeats, 1.0, &parameters)
    }

    #[test]
    fn calls_wait_for_those_before() {
        let mut master = master(Protection::None, 0.0);
        assert_eq!(master.serve(Time::ZERO, 1.0), Time::from_seconds(0.5));
        assert_eq!(master.serve(Time::ZERO, 1.0), Time::from_seconds(1.0));
        assert_eq!(master.serve(Time::from_seconds(3.0), 1.0), Time::from_seconds(3.5));
        assert_eq!(master.busy_s(Time::from_seconds(4.0)), 1.5);
    }

    #[test]
    fn lockstep_adds_its_cost() {
        let answered = master(Protection::Ft, 0.0).serve(Time::ZERO, 2.0);
        assert_eq!(answered, Time::from_seconds(1.5));
    }

    #[test]
    fn heartbeats_add_load_without_delaying_calls_of_an_idle_master() {
        let mut master = master(Protection::None, 400.0);
        let now = Time::from_seconds(10.0);
        assert_eq!(master.serve(now, 1.0), now.after(0.5));
        assert!((master.busy_s(now) - 4.0).abs() < 1e-6, "{} s", master.busy_s(now));
    }

    #[test]
    fn the_load_never_exceeds_1_and_calls_have_their_turn() {
        for workers in [500.0, 5_000.0, 50_000.0] {
            let mut master = master(Protection::None, workers);
            let answers: Vec<Time> =
                (0..10_000).map(|call| master.serve(Time::from_seconds(f64::from(call)), 1.0)).collect();
            let end = Time::from_seconds(10_000.0);
            let busy_s = master.busy_s(end);
            assert!(
                (9_999.0..10_000.001).contains(&busy_s) || workers < 1_000.0,
                "{busy_s} s, {workers} workers"
            );
            // Half of the time is left to heartbeats: calls wait until heartbeats are rare enough.
            let wait_s = (workers * 0.001 / 0.5 - 1.0).max(0.0);
            let waited_s = answers[9_999].since(Time::from_seconds(9_999.0)) - 0.5;
            assert!((waited_s - wait_s).abs() <= 0.02 * wait_s + 0.6, "{waited_s} s instead of {wait_s} s");
        }
    }
}
