//! Random numbers that depend only on a seed.

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014). Every state is a good one, so threads derive theirs by hashing.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed; `stream` separates sequences of different purposes.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { state: mix_bits(seed ^ mix_bits(stream)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix_bits(self.state)
    }

    /// A multiple of 2⁻⁵³ from 0 to below 1, all with the same probability.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 to below `bound`, which is at least 1 (Lemire's product; its bias is below `bound` ÷ 2⁶⁴).
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }
}

/// Mixes the bits of a number; a bijection.
pub fn mix_bits(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
