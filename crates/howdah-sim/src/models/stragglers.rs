//! Tasks and hosts that are slower than others for no reason of their own.
//!
//! The logarithm of a speed is normal with mean 0: what multiplies, such as a collector that runs more often or a disk
//! with more bad tracks, makes speeds lognormal.

use crate::random::Random;

/// A factor of speed with the given standard deviation of its logarithm, within three deviations.
pub(crate) fn speed(random: &mut Random, spread: f64) -> f64 {
    if spread == 0.0 { 1.0 } else { (random.normal().clamp(-3.0, 3.0) * spread).exp() }
}
