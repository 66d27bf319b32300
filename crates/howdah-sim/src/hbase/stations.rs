//! Stations where operations wait: processors that all jobs share, and links and disks with a FIFO queue.

use std::collections::BinaryHeap;

use crate::time::{SECOND, Time};

/// Processors that share their time equally among jobs, like a system's scheduler.
///
/// Each of *n* jobs progresses at *capacity(n) / n*. A job of *w* seconds that arrives when the service attained by each
/// job so far is *v* seconds ends when it is *v + w*, so one number represents the progress of all jobs.
#[derive(Debug)]
pub(crate) struct Processors<J> {
    cores: f64,
    threads: f64,
    gain: f64,
    speed: f64,
    /// Cost of a second of work.
    factor: f64,
    jobs: BinaryHeap<QueuedJob<J>>,
    attained: f64,
    updated_at: Time,
    stopped: bool,
    quota: Quota,
    arrived: u64,
    /// Counts changes; an end that was computed before the last change is invalid.
    pub(crate) version: u64,
    /// Seconds of processor time that were used.
    pub(crate) used_s: f64,
}

/// A limit of processor time in each period, as by control groups.
///
/// Once the budget is used up, everything waits until the next period.
#[derive(Clone, Copy, Debug)]
struct Quota {
    budget_s: f64,
    remaining_s: f64,
    renewed: Time,
}

impl Quota {
    /// The default of `cpu.cfs_period_us`.
    const PERIOD_S: f64 = 0.1;
    const NONE: Self = Self { budget_s: f64::INFINITY, remaining_s: f64::INFINITY, renewed: Time::ZERO };

    /// Seconds that `threads` threads can run until the budget is used up or the next period begins.
    fn run_time_s(&self, now: Time, threads: f64) -> f64 {
        if self.budget_s.is_infinite() {
            return f64::INFINITY;
        }
        (self.remaining_s / threads).min(self.renewed.since(now)).max(0.0)
    }

    fn renew(&mut self) {
        self.remaining_s = self.budget_s;
        self.renewed = self.renewed.after(Self::PERIOD_S);
    }
}

#[derive(Debug)]
struct QueuedJob<J> {
    attained: f64,
    order: u64,
    job: J,
}

impl<J> Processors<J> {
    /// Processors with cores and hardware threads; `gain` is the relative gain when all hardware threads are busy.
    pub(crate) fn new(cores: f64, threads: f64, gain: f64, speed: f64, factor: f64) -> Self {
        Self {
            cores,
            threads,
            gain,
            speed,
            factor,
            jobs: BinaryHeap::new(),
            attained: 0.0,
            updated_at: Time::ZERO,
            stopped: false,
            quota: Quota::NONE,
            arrived: 0,
            version: 0,
            used_s: 0.0,
        }
    }

    /// Limits all threads together to a share of their time; `first` is the end of the first period.
    pub(crate) fn limit(&mut self, share: f64, first: Time) {
        let budget_s = share * self.threads * Quota::PERIOD_S;
        self.quota = Quota { budget_s, remaining_s: budget_s, renewed: first };
    }

    /// Running threads.
    fn running(&self) -> f64 {
        (self.jobs.len() as f64).min(self.threads)
    }

    /// Seconds of work per second of all jobs together.
    fn capacity(&self) -> f64 {
        let running = self.running();
        let second = (self.threads - self.cores).max(f64::MIN_POSITIVE);
        let shared = ((running - self.cores) / second).clamp(0.0, 1.0);
        running.min(self.cores) * (1.0 + self.gain * shared) * self.speed
    }

    fn advance(&mut self, now: Time) {
        let idle = self.jobs.is_empty() || self.stopped;
        if self.quota.budget_s.is_infinite() {
            if !idle {
                self.progress(now.since(self.updated_at));
            }
            self.updated_at = now;
            return;
        }
        loop {
            let until = now.min(self.quota.renewed);
            if !idle {
                let run_time_s =
                    self.quota.run_time_s(self.updated_at, self.running()).min(until.since(self.updated_at));
                self.progress(run_time_s);
                self.quota.remaining_s -= run_time_s * self.running();
            }
            self.updated_at = until;
            if now < self.quota.renewed {
                return;
            }
            self.quota.renew();
        }
    }

    /// Lets all jobs run for some seconds without an interruption.
    fn progress(&mut self, seconds: f64) {
        self.attained += seconds * self.capacity() / self.jobs.len() as f64;
        self.used_s += seconds * self.running();
    }

    /// Adds a job with `work` seconds on the reference core.
    pub(crate) fn add(&mut self, now: Time, work: f64, job: J) {
        self.advance(now);
        self.jobs.push(QueuedJob { attained: self.attained + work * self.factor, order: self.arrived, job });
        self.arrived += 1;
        self.version += 1;
    }

    /// When the next job ends, if nothing changes before.
    pub(crate) fn due(&self) -> Option<Time> {
        let next = self.jobs.peek()?;
        if self.stopped {
            return None;
        }
        let mut seconds = (next.attained - self.attained).max(0.0) * self.jobs.len() as f64 / self.capacity();
        let (mut at, mut quota) = (self.updated_at, self.quota);
        loop {
            let run_time_s = quota.run_time_s(at, self.running());
            if seconds <= run_time_s {
                // Rounded up, so the job is complete by then.
                return Some(at + (seconds * SECOND as f64).ceil() as i64);
            }
            seconds -= run_time_s;
            at = quota.renewed;
            quota.renew();
        }
    }

    /// Removes and returns the job that ends now, if any.
    pub(crate) fn ended(&mut self, now: Time) -> Option<J> {
        self.advance(now);
        let next = self.jobs.peek()?;
        if next.attained > self.attained + 1e-12 || self.stopped {
            return None;
        }
        self.version += 1;
        self.jobs.pop().map(|ending| ending.job)
    }

    /// Stops all jobs, or lets them continue.
    pub(crate) fn stop(&mut self, now: Time, stopped: bool) {
        self.advance(now);
        self.stopped = stopped;
        self.version += 1;
    }

    /// Hardware threads.
    pub(crate) fn count(&self) -> f64 {
        self.threads
    }

    /// Available processor seconds per second.
    pub(crate) fn available(&self) -> f64 {
        self.threads.min(self.quota.budget_s / Quota::PERIOD_S)
    }
}

// The heap returns its greatest entry first, so the earliest end must be the greatest.
impl<J> Ord for QueuedJob<J> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.attained.total_cmp(&self.attained).then(other.order.cmp(&self.order))
    }
}

impl<J> PartialOrd for QueuedJob<J> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> PartialEq for QueuedJob<J> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<J> Eq for QueuedJob<J> {}

/// A link or a disk, which serves in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct FifoStation {
    free: Time,
    /// Busy seconds.
    pub(crate) used_s: f64,
}

impl FifoStation {
    /// When a job that arrives now and takes `seconds` is complete.
    pub(crate) fn serve(&mut self, now: Time, seconds: f64) -> Time {
        self.used_s += seconds;
        self.free = self.free.max(now).after(seconds);
        self.free
    }

    /// When everything that has arrived is complete.
    pub(crate) fn free(&self) -> Time {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::{FifoStation, Processors};
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
    fn stopped_processors_make_no_progress() {
        let mut core = Processors::new(1.0, 1.0, 0.0, 1.0, 1.0);
        core.add(Time::ZERO, 1.0, ());
        core.stop(Time::from_seconds(0.5), true);
        assert_eq!(core.due(), None);
        core.stop(Time::from_seconds(2.0), false);
        assert_eq!(core.due().map(Time::seconds), Some(2.5));
    }

    #[test]
    fn a_used_up_quota_stops_jobs_until_the_next_period() {
        let mut core = Processors::new(1.0, 1.0, 0.0, 1.0, 1.0);
        core.limit(0.25, Time::from_seconds(0.1));
        core.add(Time::ZERO, 0.03, "longer than a period has");
        // 25 ms of the first tenth of a second, and 5 ms of the second.
        let end = core.due().unwrap();
        assert!((end.seconds() - 0.105).abs() < 1e-6, "{end:?}");
        assert_eq!(core.ended(end), Some("longer than a period has"));
        assert!((core.used_s - 0.03).abs() < 1e-6);
        core.add(Time::from_seconds(0.15), 0.02, "what is left of it");
        assert!((core.due().unwrap().seconds() - 0.17).abs() < 1e-6);
    }

    #[test]
    fn a_fifo_station_serves_in_the_order_of_arrival() {
        let mut disk = FifoStation::default();
        assert_eq!(disk.serve(Time::ZERO, 2.0).seconds(), 2.0);
        assert_eq!(disk.serve(Time::from_seconds(1.0), 2.0).seconds(), 4.0);
    }
}
