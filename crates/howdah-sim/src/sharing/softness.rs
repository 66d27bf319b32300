//! Powers for soft sharing, from tables.

/// Steps of the utilisation from 0 to 1.
const UTILISATIONS: usize = 1024;

/// Steps between two powers of two.
const STEPS: usize = 1 << STEP_BITS;
const STEP_BITS: u32 = 8;

/// Powers of two that a sum of pressures may span: more than the uses of any flow.
const DOUBLINGS: usize = 32;

const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

/// Softness *p*, and the powers that sharing computes, interpolated between points so close that the relative error of a
/// rate is below 10⁻⁵. The C library's power is several times slower and may round differently on other systems.
#[derive(Debug)]
pub struct Softness {
    power: f64,
    pressures: Vec<f64>,
    slowdowns: Vec<f64>,
}

impl Softness {
    /// Tables for a softness of at least 1; infinity is hard sharing.
    ///
    /// # Panics
    /// If the softness is below 1.
    pub fn new(power: f64) -> Self {
        assert!(power >= 1.0, "a softness of {power}");
        let utilisation = |step: usize| (step as f64 / UTILISATIONS as f64).powf(power);
        let sum =
            |step: usize| (1.0 + (step % STEPS) as f64 / STEPS as f64) * 2_f64.powi((step / STEPS) as i32);
        Softness {
            power,
            pressures: (0..=UTILISATIONS + 1).map(utilisation).collect(),
            slowdowns: (0..=DOUBLINGS * STEPS).map(|step| sum(step).powf(-1.0 / power)).collect(),
        }
    }

    /// *p*.
    pub fn power(&self) -> f64 {
        self.power
    }

    /// What a resource at a utilisation from 0 to 1 adds to a flow's sum of pressures: uᵖ, or 0 if sharing is hard.
    pub fn pressure(&self, utilisation: f64) -> f64 {
        if self.power.is_infinite() {
            return 0.0;
        }
        let steps = utilisation * UTILISATIONS as f64;
        let step = steps as i32;
        let (low, high) = (self.pressures[step as usize], self.pressures[step as usize + 1]);
        low + (high - low) * (steps - f64::from(step))
    }

    /// The rate of a flow relative to its hard rate: its sum of pressures to the power −1/p, at most 1.
    pub fn slowdown(&self, sum: f64) -> f64 {
        if sum <= 1.0 {
            return 1.0;
        }
        // Exponent and first bits of the mantissa number the steps, the other bits are the position within a step.
        let bits = sum.to_bits() - 1_f64.to_bits();
        let step = (bits >> (MANTISSA_BITS - STEP_BITS)) as usize;
        let within = (bits & ((1 << (MANTISSA_BITS - STEP_BITS)) - 1)) as i64 as f64
            * (1.0 / (1_u64 << (MANTISSA_BITS - STEP_BITS)) as f64);
        let (low, high) = (self.slowdowns[step], self.slowdowns[step + 1]);
        low + (high - low) * within
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tables_approximate_powers(power in 1.0..20.0, utilisation in 0.0..=1.0, sum in 1.0..200.0) {
            let softness = Softness::new(power);
            prop_assert!((softness.pressure(utilisation) - utilisation.powf(power)).abs() < 1e-4);
            prop_assert!((softness.slowdown(sum) / sum.powf(-1.0 / power) - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn the_ends_of_the_tables_are_within_them() {
        let softness = Softness::new(3.0);
        assert_eq!(softness.pressure(1.0), 1.0);
        assert_eq!(softness.pressure(0.0), 0.0);
        assert_eq!(softness.slowdown(1.0), 1.0);
        assert_eq!(Softness::new(f64::INFINITY).slowdown(7.0), 1.0);
    }
}
