//! When each operation should begin.

use std::time::Duration;

/// Start times of one thread's operations, when several threads share a rate.
///
/// A late operation does not postpone those that follow. Their waiting is part of their intended times, so a
/// stall counts for every operation that should have started meanwhile (coordinated omission).
#[derive(Clone, Debug)]
pub struct Pace {
    first: Duration,
    step_ns: f64,
    done: u64,
}

impl Pace {
    /// The pace of thread `thread` of `threads`, which together start `per_s` operations a second from `start` on.
    pub fn new(start: Duration, per_s: u64, thread: usize, threads: usize) -> Self {
        let step_ns = 1e9 * threads as f64 / per_s as f64;
        let first = start + Duration::from_nanos((step_ns * thread as f64 / threads as f64) as u64);
        Self { first, step_ns, done: 0 }
    }

    /// When the next operation should begin.
    pub fn next(&mut self) -> Duration {
        let next = self.first + Duration::from_nanos((self.step_ns * self.done as f64) as u64);
        self.done += 1;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_turns_at_the_common_rate() {
        let start = Duration::from_secs(3);
        let mut paces: Vec<Pace> = (0..4).map(|thread| Pace::new(start, 100, thread, 4)).collect();
        let times: Vec<u128> = (0..8).map(|turn| (paces[turn % 4].next() - start).as_millis()).collect();
        assert_eq!(times, [0, 10, 20, 30, 40, 50, 60, 70]);
    }
}
