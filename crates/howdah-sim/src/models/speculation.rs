//! Speculative attempts: a task that takes much longer than ended ones runs a second time elsewhere, and
//! the attempt that ends first counts (org.apache.hadoop.mapreduce.v2.app.speculate.DefaultSpeculator).
//!
//! No more than 1 % of the tasks run twice at the same time, or ten (`mapreduce.job.speculative.speculative-cap-total-tasks`
//! and `…minimum-allowed-tasks`).

use std::collections::VecDeque;

use crate::time::Time;

/// A task is slow if it has run this many times longer than the mean of the ended ones.
const SLOW: f64 = 1.5;

/// Tasks that may run twice in any case.
const MIN_LIMIT: u32 = 10;

/// Share of the tasks that may run twice.
const LIMIT: f64 = 0.01;

/// How many of the oldest attempts are candidates.
const OLDEST: usize = 16;

/// The running tasks, oldest first, and the durations of the ended ones.
#[derive(Debug, Default)]
pub(crate) struct Speculation {
    running: VecDeque<(u32, Time)>,
    attempts: Vec<[Option<u32>; 2]>,
    ended: u32,
    ended_s: f64,
    speculative: u32,
}

impl Speculation {
    pub(crate) fn new(tasks: u32) -> Self {
        Self { attempts: vec![[None; 2]; tasks as usize], ..Self::default() }
    }

    /// Adds an attempt of a task. Returns its ordinal, 0 for the first.
    pub(crate) fn add_attempt(&mut self, task: u32, attempt: u32, now: Time) -> u8 {
        let attempts = &mut self.attempts[task as usize];
        if attempts[0].is_none() {
            attempts[0] = Some(attempt);
            self.running.push_back((task, now));
            return 0;
        }
        attempts[1] = Some(attempt);
        self.speculative += 1;
        1
    }

    /// Ends a task by one of its attempts. Returns its other running attempt, which must be killed.
    pub(crate) fn ended(&mut self, task: u32, attempt: u32, seconds: f64) -> Option<u32> {
        self.ended += 1;
        self.ended_s += seconds;
        let attempts = std::mem::take(&mut self.attempts[task as usize]);
        let rival = attempts.into_iter().flatten().find(|&rival| rival != attempt);
        self.speculative -= u32::from(rival.is_some());
        rival
    }

    /// A task to run a second time: its number and its first attempt.
    pub(crate) fn candidate(&mut self, now: Time) -> Option<(u32, u32)> {
        while self.running.front().is_some_and(|&(task, _)| self.attempts[task as usize][0].is_none()) {
            self.running.pop_front();
        }
        let limit = MIN_LIMIT.max((LIMIT * self.attempts.len() as f64) as u32);
        if self.ended == 0 || self.speculative >= limit {
            return None;
        }
        let slow_s = SLOW * self.ended_s / f64::from(self.ended);
        let old = self.running.iter().take(OLDEST).filter(|&&(_, start)| now.since(start) > slow_s);
        let mut once = old.filter_map(|&(task, _)| match self.attempts[task as usize] {
            [Some(first), None] => Some((task, first)),
            _ => None,
        });
        once.next()
    }
}

#[cfg(test)]
mod tests {
    use super::Speculation;
    use crate::time::Time;

    #[test]
    fn only_slow_tasks_run_a_second_time_and_only_once() {
        let mut speculation = Speculation::new(3);
        for task in 0..3 {
            speculation.add_attempt(task, 10 + task, Time::ZERO);
        }
        let at = |seconds: f64| Time::from_seconds(seconds);
        assert_eq!(speculation.candidate(at(100.0)), None, "no task has ended");
        assert_eq!(speculation.ended(0, 10, 10.0), None);
        assert_eq!(speculation.candidate(at(15.0)), None);
        assert_eq!(speculation.candidate(at(16.0)), Some((1, 11)));
        speculation.add_attempt(1, 13, at(16.0));
        assert_eq!(speculation.candidate(at(16.0)), Some((2, 12)));
        assert_eq!(speculation.ended(1, 13, 5.0), Some(11));
        assert_eq!(speculation.ended(2, 12, 20.0), None);
        assert_eq!(speculation.candidate(at(99.0)), None);
    }
}
