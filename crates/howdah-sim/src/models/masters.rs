//! The NameNode and the scheduler: one core each, which serves calls in the order of their arrival.
//!
//! Both spend their time under one lock, so more cores help little; calls wait when they come faster than it serves.
//! A shadow in lockstep (vSphere Fault Tolerance) adds a share to everything.
//!
//! Calls queue up with the heartbeats of all workers, and a worker sends its next one only an interval after the last
//! was heard. So where a call waits for *W* seconds, *n* workers at an interval of *i* send *n / (i + W)* heartbeats per
//! second: however many they are, a master is never more than busy, and tasks still get their turn.

use crate::parameters::Parameters;
use crate::scenario::{Masters, Protection};
use crate::time::Time;

/// The heartbeats that a master hears beside calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beats {
    /// Workers that send them.
    pub(crate) workers: f64,
    /// Seconds from one that is heard to the worker's next.
    pub(crate) interval_s: f64,
    /// What each costs of a reference core.
    pub(crate) cpu_s: f64,
}

/// One master's core.
#[derive(Clone, Debug)]
pub(crate) struct Master {
    speed: f64,
    beats: Beats,
    heard_until: Time,
    free_at: Time,
    /// Calls that each stands for, those of twins.
    calls: f64,
    /// Work that has come since the start of the run, in seconds of this core.
    work_s: f64,
}

impl Master {
    pub(crate) fn new(masters: &Masters, beats: Beats, calls: f64, parameters: &Parameters) -> Self {
        let lockstep = match masters.protection {
            Protection::None => 1.0,
            Protection::Ft => 1.0 + parameters.lockstep_cost,
        };
        let speed = masters.speed / lockstep;
        Self { speed, beats, heard_until: Time::ZERO, free_at: Time::ZERO, calls, work_s: 0.0 }
    }

    /// Serves a call that costs so much of a reference core, and those of twins. Returns when it is answered, in the
    /// middle of them.
    pub(crate) fn serve(&mut self, now: Time, cpu_s: f64) -> Time {
        self.hear(now);
        let took = cpu_s / self.speed;
        self.work_s += took * self.calls;
        let begun = self.free_at.max(now);
        self.free_at = begun.after(took * self.calls);
        begun.after(took * (self.calls + 1.0) / 2.0)
    }

    /// Seconds that it was busy since the start of the run.
    pub(crate) fn busy_s(&mut self, now: Time) -> f64 {
        self.hear(now);
        self.work_s - self.free_at.since(now).max(0.0)
    }

    /// Takes in the heartbeats that have come until now.
    fn hear(&mut self, now: Time) {
        let elapsed_s = now.since(self.heard_until);
        let wait_s = self.free_at.since(self.heard_until).max(0.0);
        let all_s = self.beats.workers * self.beats.cpu_s / self.speed;
        let load = |wait_s: f64| all_s / (self.beats.interval_s + wait_s);
        // The wait is drawn to where as much comes as is served, or to none. Until then the load is taken as it is.
        let lasting_s = (all_s - self.beats.interval_s).max(0.0);
        let until_then_s =
            if wait_s == lasting_s { 0.0 } else { (lasting_s - wait_s) / (load(wait_s) - 1.0) };
        let before_s = until_then_s.clamp(0.0, elapsed_s);
        let work_s = load(wait_s) * before_s + load(lasting_s) * (elapsed_s - before_s);
        self.work_s += work_s;
        self.free_at = self.heard_until.max(self.free_at).after(work_s);
        self.heard_until = now;
    }
}

#[cfg(test)]
mod tests {
    use super::{Beats, Master};
    use crate::parameters::Parameters;
    use crate::scenario::{Masters, Protection};
    use crate::time::Time;

    fn master(protection: Protection, workers: f64) -> Master {
        let parameters = Parameters { lockstep_cost: 0.5, ..Parameters::default() };
        let beats = Beats { workers, interval_s: 1.0, cpu_s: 0.002 };
        Master::new(&Masters { speed: 2.0, protection }, beats, 1.0, &parameters)
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
    fn lockstep_makes_everything_dearer() {
        let answered = master(Protection::Ft, 0.0).serve(Time::ZERO, 2.0);
        assert_eq!(answered, Time::from_seconds(1.5));
    }

    #[test]
    fn heartbeats_take_their_part_and_let_calls_through_at_once_while_there_is_room() {
        let mut master = master(Protection::None, 400.0);
        let now = Time::from_seconds(10.0);
        assert_eq!(master.serve(now, 1.0), now.after(0.5));
        assert!((master.busy_s(now) - 4.0).abs() < 1e-6, "{} s", master.busy_s(now));
    }

    #[test]
    fn a_master_is_never_more_than_busy_and_calls_have_their_turn() {
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
            // Half of the time is left to heartbeats: calls wait as long as makes these rare enough.
            let wait_s = (workers * 0.001 / 0.5 - 1.0).max(0.0);
            let waited_s = answers[9_999].since(Time::from_seconds(9_999.0)) - 0.5;
            assert!((waited_s - wait_s).abs() <= 0.02 * wait_s + 0.6, "{waited_s} s instead of {wait_s} s");
        }
    }
}
