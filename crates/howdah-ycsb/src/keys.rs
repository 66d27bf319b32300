//! Names of records: `user` and the number's hash, as YCSB writes them for inserts in no order.

/// Digits of a hash, with zeros before it: with all of them the names are in the order of the hashes,
/// and a table can be divided evenly beforehand (`zeropadding=19`).
const DIGITS: usize = 19;
const PREFIX: &[u8; 4] = b"user";

/// Bytes of a key.
pub const KEY_BYTES: usize = PREFIX.len() + DIGITS;

/// One record's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    hash: u64,
    text: [u8; KEY_BYTES],
}

impl Key {
    /// The name of the record with that number, which counts from 0.
    pub fn of(number: u64) -> Self {
        Self::named(hash(number))
    }

    /// The name with that hash, which is below 2⁶³.
    pub fn named(hash: u64) -> Self {
        let mut text = [b'0'; KEY_BYTES];
        text[..PREFIX.len()].copy_from_slice(PREFIX);
        let mut left = hash;
        for digit in text[PREFIX.len()..].iter_mut().rev() {
            *digit += (left % 10) as u8;
            left /= 10;
        }
        Self { hash, text }
    }

    /// Reads a name; None for what is none.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX.as_slice()).filter(|digits| digits.len() == DIGITS)?;
        let hash = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some(Self::named(hash)).filter(|key| key.text == text)
    }

    /// What the name was made from, and what the record's values are made from.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The name as it is stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&String::from_utf8_lossy(&self.text))
    }
}

/// YCSB's hash of 64 bits: FNV-1a over a number's octets, lowest first, without its sign.
pub fn hash(number: u64) -> u64 {
    let octets = number.to_le_bytes();
    let hash = octets.iter().fold(0xCBF2_9CE4_8422_2325u64, |hash, &octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x100_0000_01B3)
    });
    // Java's Math.abs leaves the least number as it is; that one is left out of the names here too.
    (hash as i64).unsigned_abs() & (i64::MAX as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_ycsb() {
        // From YCSB 0.17.0 itself: `user` and Utils.hash of 0, 1 and 2.
        assert_eq!(hash(0), 6_284_781_860_667_377_211);
        assert_eq!(hash(1), 8_517_097_267_634_966_620);
        assert_eq!(hash(2), 1_820_151_046_732_198_393);
        assert_eq!(Key::of(2).to_string(), "user1820151046732198393");
    }

    #[test]
    fn a_name_is_read_as_what_it_was_made_from() {
        for number in [0, 1, 7, 1_000_000, u64::MAX] {
            let key = Key::of(number);
            assert_eq!(Key::parse(key.as_bytes()), Some(key));
        }
        assert_eq!(Key::named(12).to_string(), "user0000000000000000012");
        for wrong in ["", "user", "user12", "users000000000000000012", "user00000000000000000+2"] {
            assert_eq!(Key::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
