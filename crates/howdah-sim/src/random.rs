//! Seeded randomness: one stream for each purpose, so an additional draw in one model does not change the others.

/// A stream of pseudo-random numbers, identified by a seed, a purpose and an index.
///
/// xoshiro256++ by D. Blackman and S. Vigna (2019, <https://prng.di.unimi.it>), seeded by their SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of a purpose, such as `"placement"`, and of one of its users, such as a host's index.
    #[must_use]
    pub fn new(seed: u64, purpose: &str, index: u64) -> Self {
        let mut mixed = seed;
        for byte in purpose.bytes() {
            mixed = split_mix(&mut { mixed ^ u64::from(byte) });
        }
        mixed = split_mix(&mut { mixed ^ index });
        Random::from_state(std::array::from_fn(|_| split_mix(&mut mixed)))
    }

    /// The stream that continues from a state, which must not be all zeros.
    #[must_use]
    pub fn from_state(state: [u64; 4]) -> Self {
        assert!(state != [0; 4], "a state of zeros only gives zeros");
        Random { state }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let state = &mut self.state;
        let result = state[0].wrapping_add(state[3]).rotate_left(23).wrapping_add(state[0]);
        let shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = state[3].rotate_left(45);
        result
    }

    /// A multiple of 2⁻⁵³ from 0 to below 1, all with the same probability.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number from 0 to below `end`.
    ///
    /// The bias of a product's high half is below `end` / 2⁶⁴, too small to show in any run.
    ///
    /// # Panics
    /// If `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        assert!(end > 0, "a choice among nothing");
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// A number with mean 0 and standard deviation 1 from the normal distribution (Box and Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A number with mean 1 from the exponential distribution.
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Puts items into random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
