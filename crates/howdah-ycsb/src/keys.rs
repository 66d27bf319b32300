//! Keys of records: `user` and the hash of the record's number, as YCSB's hashed inserts name them.

/// Digits of a hash, padded with zeros (`zeropadding=19`): keys sort like their hashes, and a table
/// can be split evenly before it is loaded.
const DIGITS: usize = 19;
const PREFIX: &[u8; 4] = b"user";

/// Bytes of a key.
pub const KEY_BYTES: usize = PREFIX.len() + DIGITS;

/// The key of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    hash: u64,
    text: [u8; KEY_BYTES],
}

impl Key {
    /// The key of a record by its number, which counts from 0.
    pub fn of(number: u64) -> Self {
        Self::from_hash(hash(number))
    }

    /// The key with a hash, which is below 2⁶³.
    pub fn from_hash(hash: u64) -> Self {
        let mut text = [b'0'; KEY_BYTES];
        text[..PREFIX.len()].copy_from_slice(PREFIX);
        let mut rest = hash;
        for digit in text[PREFIX.len()..].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        Self { hash, text }
    }

    /// Parses a key; None for any other text.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX.as_slice()).filter(|digits| digits.len() == DIGITS)?;
        let hash = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some(Self::from_hash(hash)).filter(|key| key.text == text)
    }

    /// The hash, from which the record's values are made, too.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The key as it is stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&String::from_utf8_lossy(&self.text))
    }
}

/// YCSB's 64-bit hash: FNV-1a over the octets of a number, lowest first, without the sign.
pub fn hash(number: u64) -> u64 {
    let octets = number.to_le_bytes();
    let hash = octets.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x100_0000_01B3)
    });
    // Java's Math.abs does not change the smallest number. Neither YCSB nor this hash makes a key of it.
    (hash as i64).unsigned_abs() & (i64::MAX as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match_those_of_ycsb() {
        // From YCSB 0.17.0 itself: `user` and Utils.hash of 0, 1 and 2.
        assert_eq!(hash(0), 6_284_781_860_667_377_211);
        assert_eq!(hash(1), 8_517_097_267_634_966_620);
        assert_eq!(hash(2), 1_820_151_046_732_198_393);
        assert_eq!(Key::of(2).to_string(), "user1820151046732198393");
    }

    #[test]
    fn a_key_is_parsed_into_its_number() {
        for number in [0, 1, 7, 1_000_000, u64::MAX] {
            let key = Key::of(number);
            assert_eq!(Key::parse(key.as_bytes()), Some(key));
        }
        assert_eq!(Key::from_hash(12).to_string(), "user0000000000000000012");
        for wrong in ["", "user", "user12", "users000000000000000012", "user00000000000000000+2"] {
            assert_eq!(Key::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
