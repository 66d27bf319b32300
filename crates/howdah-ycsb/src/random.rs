//! Random numbers that depend on a seed alone.

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): every state is a good one, so threads take theirs by hashing.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed; `stream` tells those of different purposes apart.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { state: mixed(seed ^ mixed(stream)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(self.state)
    }

    /// From 0 to below 1, all multiples of 2⁻⁵³ alike.
    pub fn share(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 to below `bound`, which is at least 1 (Lemire's product, whose bias is below `bound` ÷ 2⁶⁴).
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }
}

/// A number's bits, thoroughly mixed; no two numbers give the same.
pub fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
