//! Where operations wait: processors that all jobs share, links and disks that serve them one after another.

use std::collections::BinaryHeap;

use crate::time::{SECOND, Time};

/// Processors that share their time equally among jobs, as a system's scheduler does.
///
/// With *n* jobs every one of them goes on at *capacity(n) / n*. A job of *w* seconds that arrives when each job so far
/// has got *v* seconds ends when each has got *v + w*, so that one number holds the progress of all of them.
#[derive(Debug)]
pub(crate) struct Processors<J> {
    cores: f64,
    threads: f64,
    gain: f64,
    speed: f64,
    /// What a second of work takes here.
    factor: f64,
    jobs: BinaryHeap<Ending<J>>,
    got: f64,
    at: Time,
    stopped: bool,
    quota: Quota,
    arrived: u64,
    /// Counts changes: an end that was told before one of them no longer holds.
    pub(crate) version: u64,
    /// Seconds of processor time that were used.
    pub(crate) used: f64,
}

/// How much processor time there is until it is dealt out again, as control groups limit it.
///
/// Who has used up its part stands still for the rest of the period, however little it needs.
#[derive(Clone, Copy, Debug)]
struct Quota {
    each_s: f64,
    left_s: f64,
    renewed: Time,
}

impl Quota {
    /// `cpu.cfs_period_us` as control groups have it.
    const PERIOD_S: f64 = 0.1;
    const NONE: Self = Self { each_s: f64::INFINITY, left_s: f64::INFINITY, renewed: Time::ZERO };

    /// Seconds that so many threads can run before they stand still or the next period begins.
    fn runs_s(&self, at: Time, threads: f64) -> f64 {
        if self.each_s.is_infinite() {
            return f64::INFINITY;
        }
        (self.left_s / threads).min(self.renewed.since(at)).max(0.0)
    }

    fn renew(&mut self) {
        self.left_s = self.each_s;
        self.renewed = self.renewed.after(Self::PERIOD_S);
    }
}

#[derive(Debug)]
struct Ending<J> {
    got: f64,
    order: u64,
    job: J,
}

impl<J> Processors<J> {
    /// With so many cores and hardware threads; `gain` is what the second threads add when all are busy.
    pub(crate) fn new(cores: f64, threads: f64, gain: f64, speed: f64, factor: f64) -> Self {
        Self {
            cores,
            threads,
            gain,
            speed,
            factor,
            jobs: BinaryHeap::new(),
            got: 0.0,
            at: Time::ZERO,
            stopped: false,
            quota: Quota::NONE,
            arrived: 0,
            version: 0,
            used: 0.0,
        }
    }

    /// Limits what all threads together may use to a share of their time; periods begin at a moment of their own.
    pub(crate) fn limit(&mut self, share: f64, first: Time) {
        let each_s = share * self.threads * Quota::PERIOD_S;
        self.quota = Quota { each_s, left_s: each_s, renewed: first };
    }

    /// Threads that run.
    fn running(&self) -> f64 {
        (self.jobs.len() as f64).min(self.threads)
    }

    /// Seconds of work that all jobs together get in a second.
    fn capacity(&self) -> f64 {
        let running = self.running();
        let second = (self.threads - self.cores).max(f64::MIN_POSITIVE);
        let shared = ((running - self.cores) / second).clamp(0.0, 1.0);
        running.min(self.cores) * (1.0 + self.gain * shared) * self.speed
    }

    fn pass(&mut self, now: Time) {
        let idle = self.jobs.is_empty() || self.stopped;
        if self.quota.each_s.is_infinite() {
            if !idle {
                self.go_on(now.since(self.at));
            }
            self.at = now;
            return;
        }
        loop {
            let until = now.min(self.quota.renewed);
            if !idle {
                let runs_s = self.quota.runs_s(self.at, self.running()).min(until.since(self.at));
                self.go_on(runs_s);
                self.quota.left_s -= runs_s * self.running();
            }
            self.at = until;
            if now < self.quota.renewed {
                return;
            }
            self.quota.renew();
        }
    }

    /// Gives every job its part of so many seconds in which nothing stands still.
    fn go_on(&mut self, seconds: f64) {
        self.got += seconds * self.capacity() / self.jobs.len() as f64;
        self.used += seconds * self.running();
    }

    /// Adds a job of so many seconds on a reference core.
    pub(crate) fn add(&mut self, now: Time, work: f64, job: J) {
        self.pass(now);
        self.jobs.push(Ending { got: self.got + work * self.factor, order: self.arrived, job });
        self.arrived += 1;
        self.version += 1;
    }

    /// When the next job ends if nothing else happens.
    pub(crate) fn due(&self) -> Option<Time> {
        let next = self.jobs.peek()?;
        if self.stopped {
            return None;
        }
        let mut seconds = (next.got - self.got).max(0.0) * self.jobs.len() as f64 / self.capacity();
        let (mut at, mut quota) = (self.at, self.quota);
        loop {
            let runs_s = quota.runs_s(at, self.running());
            if seconds <= runs_s {
                // Rounded up, so that the job has got all of its time by then.
                return Some(at + (seconds * SECOND as f64).ceil() as i64);
            }
            seconds -= runs_s;
            at = quota.renewed;
            quota.renew();
        }
    }

    /// The job that ends now, if one does.
    pub(crate) fn ended(&mut self, now: Time) -> Option<J> {
        self.pass(now);
        let next = self.jobs.peek()?;
        if next.got > self.got + 1e-12 || self.stopped {
            return None;
        }
        self.version += 1;
        self.jobs.pop().map(|ending| ending.job)
    }

    /// Stops all jobs, or lets them go on.
    pub(crate) fn stop(&mut self, now: Time, stopped: bool) {
        self.pass(now);
        self.stopped = stopped;
        self.version += 1;
    }

    /// Hardware threads.
    pub(crate) fn count(&self) -> f64 {
        self.threads
    }

    /// Seconds of processor time that there are in a second.
    pub(crate) fn available(&self) -> f64 {
        self.threads.min(self.quota.each_s / Quota::PERIOD_S)
    }
}

// The heap gives its greatest entry first, so the earliest end is the greatest.
impl<J> Ord for Ending<J> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.got.total_cmp(&self.got).then(other.order.cmp(&self.order))
    }
}

impl<J> PartialOrd for Ending<J> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> PartialEq for Ending<J> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<J> Eq for Ending<J> {}

/// A link or a disk, which serves one after another in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    free: Time,
    /// Seconds that it was busy.
    pub(crate) used: f64,
}

impl Line {
    /// When something is done that takes so many seconds and arrives now.
    pub(crate) fn serve(&mut self, now: Time, seconds: f64) -> Time {
        self.used += seconds;
        self.free = self.free.max(now).after(seconds);
        self.free
    }

    /// When all that has arrived is done.
    pub(crate) fn free(&self) -> Time {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Processors};
    use crate::time::Time;

    #[test]
    fn two_jobs_on_one_core_take_twice_as_long_and_the_shorter_ends_first() {
        let mut core = Processors::new(1.0, 1.0, 0.0, 1.0, 1.0);
        core.add(Time::ZERO, 2.0, "long");
        core.add(Time::ZERO, 1.0, "short");
        let first = core.due().unwrap();
        assert_eq!((first.seconds(), core.ended(first)), (2.0, Some("short")));
        let last = core.due().unwrap();
        assert_eq!((last.seconds(), core.ended(last)), (3.0, Some("long")));
    }

    #[test]
    fn hardware_threads_add_their_gain_and_no_more() {
        let ends = |jobs: u32| {
            let mut core = Processors::new(1.0, 2.0, 0.25, 1.0, 1.0);
            (0..jobs).for_each(|job| core.add(Time::ZERO, 1.0, job));
            core.due().unwrap().seconds()
        };
        assert_eq!([1, 2, 4].map(ends), [1.0, 1.6, 3.2]);
    }

    #[test]
    fn nothing_goes_on_while_it_is_stopped() {
        let mut core = Processors::new(1.0, 1.0, 0.0, 1.0, 1.0);
        core.add(Time::ZERO, 1.0, ());
        core.stop(Time::from_seconds(0.5), true);
        assert_eq!(core.due(), None);
        core.stop(Time::from_seconds(2.0), false);
        assert_eq!(core.due().map(Time::seconds), Some(2.5));
    }

    #[test]
    fn who_has_used_up_its_time_stands_still_until_it_is_dealt_out_again() {
        let mut core = Processors::new(1.0, 1.0, 0.0, 1.0, 1.0);
        core.limit(0.25, Time::from_seconds(0.1));
        core.add(Time::ZERO, 0.03, "longer than a period has");
        // 25 ms of the first tenth of a second, and 5 ms of the second.
        let end = core.due().unwrap();
        assert!((end.seconds() - 0.105).abs() < 1e-6, "{end:?}");
        assert_eq!(core.ended(end), Some("longer than a period has"));
        assert!((core.used - 0.03).abs() < 1e-6);
        core.add(Time::from_seconds(0.15), 0.02, "what is left of it");
        assert!((core.due().unwrap().seconds() - 0.17).abs() < 1e-6);
    }

    #[test]
    fn a_line_serves_in_the_order_of_arrival() {
        let mut disk = Line::default();
        assert_eq!(disk.serve(Time::ZERO, 2.0).seconds(), 2.0);
        assert_eq!(disk.serve(Time::from_seconds(1.0), 2.0).seconds(), 4.0);
    }
}
