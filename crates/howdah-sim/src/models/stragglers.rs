//! Random differences in the speed of tasks and hosts.
//!
//! The logarithm of a speed is normal with mean 0: causes that multiply, such as more frequent garbage collection or a disk
//! with more bad tracks, make speeds lognormal.

use crate::random::Random;

/// A random relative speed; `spread` is the standard deviation of its logarithm, which is cut at three deviations.
pub(crate) fn speed(random: &mut Random, spread: f64) -> f64 {
    if spread == 0.0 { 1.0 } else { (random.normal().clamp(-3.0, 3.0) * spread).exp() }
}
