//! Contents of records: a function of the seed, the record, the field and the number of the write.
//!
//! YCSB's data integrity check has the same idea. A reader can check each field, and see which write it is
//! of, without remembering anything.

use crate::random::{Random, mix_bits};

/// Values are cut from this many bytes, few enough to stay in the processor's cache.
const FILLER: usize = 1 << 16;
/// A field begins with its version if it has room for more than that.
const VERSION: usize = 4;
const VERSIONED_FROM: usize = 8;

/// The format and contents of records.
pub struct Values {
    seed: u64,
    fields: usize,
    field_bytes: usize,
    filler: Vec<u8>,
}

impl Values {
    /// Records of `fields` fields with `field_bytes` bytes each.
    pub fn new(seed: u64, fields: usize, field_bytes: usize) -> Self {
        let mut random = Random::new(seed, 0x0066_696C_6C65_7200);
        let words = (FILLER + field_bytes).div_ceil(8);
        let filler = (0..words).flat_map(|_| random.bits().to_le_bytes()).collect();
        Self { seed, fields, field_bytes, filler }
    }

    /// Fields of a record.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// Bytes of a record.
    pub fn record_bytes(&self) -> usize {
        self.fields * self.field_bytes
    }

    /// Whether fields contain their versions.
    pub fn versioned(&self) -> bool {
        self.field_bytes >= VERSIONED_FROM
    }

    /// Writes all fields of a record.
    pub fn fill(&self, key: u64, version: u32, record: &mut [u8]) {
        for field in 0..self.fields {
            self.fill_field(key, field, version, record);
        }
    }

    /// Writes one field of a record.
    pub fn fill_field(&self, key: u64, field: usize, version: u32, record: &mut [u8]) {
        let offset = field * self.field_bytes;
        let mut rest = &mut record[offset..offset + self.field_bytes];
        let mut version = version;
        if self.versioned() {
            let (head, tail) = rest.split_at_mut(VERSION);
            head.copy_from_slice(&version.to_le_bytes());
            rest = tail;
        } else {
            version = 0;
        }
        rest.copy_from_slice(self.content(key, field, version, rest.len()));
    }

    /// The newest version of a record's fields, or a description of what is wrong with the record.
    pub fn check(&self, key: u64, record: &[u8]) -> Result<u32, String> {
        if record.len() != self.record_bytes() {
            return Err(format!("has {} bytes instead of {}", record.len(), self.record_bytes()));
        }
        let mut newest = 0;
        for (field, value) in record.chunks_exact(self.field_bytes).enumerate() {
            let (version, rest) = self.split(value);
            if rest != self.content(key, field, version, rest.len()) {
                return Err(format!("has a value in field{field} that was never written"));
            }
            newest = newest.max(version);
        }
        Ok(newest)
    }

    fn split<'a>(&self, value: &'a [u8]) -> (u32, &'a [u8]) {
        match value.split_first_chunk::<VERSION>() {
            Some((head, rest)) if self.versioned() => (u32::from_le_bytes(*head), rest),
            _ => (0, value),
        }
    }

    fn content(&self, key: u64, field: usize, version: u32, length: usize) -> &[u8] {
        let offset =
            mix_bits(key ^ self.seed ^ (((field as u64) << 32 | u64::from(version)) << 8)) as usize % FILLER;
        &self.filler[offset..offset + length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_anywhere_is_detected() {
        let values = Values::new(7, 3, 20);
        let mut record = vec![0; 60];
        values.fill(99, 0, &mut record);
        values.fill_field(99, 1, 5, &mut record);
        assert_eq!(values.check(99, &record), Ok(5));
        for bit in 0..60 * 8 {
            let mut broken = record.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            assert!(values.check(99, &broken).is_err(), "bit {bit}");
        }
        assert!(values.check(98, &record).is_err());
        assert!(Values::new(8, 3, 20).check(99, &record).is_err());
        assert!(values.check(99, &record[..59]).is_err());
    }

    #[test]
    fn a_field_of_few_bytes_has_no_version() {
        let values = Values::new(7, 2, 7);
        let mut record = vec![0; 14];
        values.fill(1, 9, &mut record);
        assert_eq!(values.check(1, &record), Ok(0));
    }
}
