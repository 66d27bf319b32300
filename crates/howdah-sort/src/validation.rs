//! TeraValidate's reduce: combines the checks of the files, with Hadoop's messages.

use std::fmt::Write;

use crate::order::{Key, RowCheck};

/// A fault: the key of TeraValidate's output line and the rest of that line.
pub type Fault = (String, String);

/// The rows and the checksum that TeraGen recorded.
pub type Expected = (u64, u128);

/// The result of TeraValidate for all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// Rows in all files.
    pub rows: u64,
    /// The sum of all rows' CRC-32s.
    pub checksum: u128,
    /// Every fault; rows out of order are listed for the first few of each file and counted beyond.
    pub faults: Vec<Fault>,
    /// The text of Hadoop's `part-r-00000`.
    pub report: String,
}

/// Combines the checks of the files, which are in the order of their partitions.
///
/// The report has the text that Hadoop's TeraValidate would write for the same files, except that Hadoop lists
/// all misorders, in the order in which its map tasks happen to deliver them. Lost, repeated or changed rows
/// that do not disturb the order are additional faults, since Hadoop leaves comparing
/// the checksums to its user. They require TeraGen's record.
pub fn combine_checks(files: &[(String, RowCheck)], expected: Option<Expected>) -> Validation {
    let rows = files.iter().map(|(_, check)| check.rows).sum();
    let checksum = files.iter().map(|(_, check)| check.checksum).sum();
    let mut faults = misorders(files);
    faults.extend(bad_partitioning(files));
    let mut report = String::new();
    if rows > 0 {
        writeln!(report, "checksum\t{checksum:x}").expect("a string takes any text");
    }
    for (key, message) in &faults {
        writeln!(report, "{key}\t{message}").expect("a string takes any text");
    }
    if let Some(expected) = expected {
        faults.extend(incompleteness(rows, checksum, expected));
    }
    Validation { rows, checksum, faults, report }
}

fn error(message: String) -> Fault {
    ("error".to_owned(), message)
}

fn misorders(files: &[(String, RowCheck)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, check) in files {
        for misorder in &check.misorders {
            let (before, after) = (misorder.before, misorder.after);
            faults.push(error(format!("misorder in {name} between {before} and {after}")));
        }
        let more = check.misorder_count - check.misorders.len() as u64;
        if more > 0 {
            faults.push(error(format!("misorder in {name} {more} times more")));
        }
    }
    faults
}

/// Compares each file's ends with those before them, like Hadoop's reducer, which also compares a
/// file's own two ends.
fn bad_partitioning(files: &[(String, RowCheck)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut previous: Option<(String, Key)> = None;
    for (name, check) in files {
        let Some((first, last)) = check.ends else { continue };
        for (end, key) in [("begin", first), ("end", last)] {
            let end = format!("{name}:{end}");
            if let Some((previous_end, previous_key)) =
                previous.filter(|(_, previous_key)| key < *previous_key)
            {
                faults.push(error(format!(
                    "bad key partitioning:\n  file {previous_end} key {previous_key}\n  file {end} key {key}"
                )));
            }
            previous = Some((end, key));
        }
    }
    faults
}

fn incompleteness(rows: u64, checksum: u128, (expected_rows, expected_checksum): Expected) -> Vec<Fault> {
    let mut faults = Vec::new();
    if rows != expected_rows {
        let (difference, how) = if rows < expected_rows {
            (expected_rows - rows, "lost")
        } else {
            (rows - expected_rows, "too many")
        };
        let message =
            format!("{rows} rows instead of the {expected_rows} that TeraGen recorded: {difference} {how}");
        faults.push(("rows".to_owned(), message));
    }
    if checksum != expected_checksum {
        let message = format!(
            "checksum {checksum:x} instead of {expected_checksum:x} from TeraGen: rows were changed, lost or repeated"
        );
        faults.push(("checksum".to_owned(), message));
    }
    faults
}
