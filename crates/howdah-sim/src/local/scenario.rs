//! The scenario of one machine and the local engine's programs on it.
//!
//! Rates are bytes per second, costs CPU seconds for each byte of rows. All of them are measured by
//! `howdah probe --measure`, or follow from the plan; nothing is fitted.

use serde::Deserialize;

use crate::error::{Error, Result};

/// The complete input of a local simulation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalScenario {
    /// CPUs that the process may use.
    pub cpus: f64,
    /// The data directories, each on a separate disk.
    pub directories: Vec<Directory>,
    /// The rates of all directories together, if less than their sum.
    pub together: Directory,
    /// The CPU costs of rows.
    pub costs: Costs,
    /// Seconds to create a file and to wait for its last write.
    pub operation_s: f64,
    /// Latency of a small read with one in flight for each slot, seconds.
    pub request_s: f64,
    /// Memory that the kernels share.
    pub pool_bytes: u64,
    /// Concurrent map tasks.
    pub map_slots: u32,
    /// Concurrent reduce tasks.
    pub reduce_slots: u32,
    /// Programs to run one after another.
    pub workloads: Vec<LocalWorkload>,
    /// Interval of samples, seconds.
    pub sample_interval_s: f64,
}

/// The rates of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// Rate of reads only.
    pub read_bytes_per_s: f64,
    /// Rate of writes only.
    pub write_bytes_per_s: f64,
    /// Efficiency of a copy: 1 if reads and writes do not slow one another.
    pub mixed_share: f64,
}

/// CPU costs of rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Generating rows.
    pub generate_s: f64,
    /// Validating rows.
    pub validate_s: f64,
    /// Reading a byte, bypassing the page cache.
    pub read_s: f64,
    /// Writing a byte, bypassing the page cache.
    pub write_s: f64,
}

/// A cost that grows by a constant with every doubling of a number.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubling {
    /// The number at which it was measured.
    pub at: f64,
    /// The cost there.
    pub cost_s: f64,
    /// The increase with each doubling.
    pub doubling_s: f64,
}

impl Doubling {
    /// The cost at a number, at least half of the measured one.
    pub fn cost(&self, at: f64) -> f64 {
        let line = self.cost_s + self.doubling_s * (at.max(1.0) / self.at).log2();
        line.max(self.cost_s / 2.0)
    }

    fn check(&self, name: &str) -> Result<()> {
        positive(&format!("{name}.at"), self.at)?;
        positive(&format!("{name}.cost_s"), self.cost_s)?;
        if self.doubling_s.is_finite() {
            return Ok(());
        }
        Err(Error::input(format!("{name}.doubling_s"), "is not finite", "give seconds"))
    }
}

/// A program of the local engine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "lowercase")]
pub enum LocalWorkload {
    /// TeraGen: rows into files.
    Teragen {
        /// Rows.
        rows: u64,
        /// Map tasks, one file each.
        maps: u32,
    },
    /// TeraSort of TeraGen's rows.
    Terasort {
        /// Rows.
        rows: u64,
        /// Map tasks.
        maps: u32,
        /// Reduce tasks, one file each.
        reduces: u32,
        /// Memory required to sort the rows without spilling.
        in_memory_bytes: u64,
        /// Cost of sorting a byte of a window, by the rows in the window.
        sort_s: Doubling,
        /// Cost of merging a byte, by the number of sorted lists.
        merge_s: Doubling,
        /// Compression of intermediate data, if any.
        codec: Option<Packing>,
    },
    /// TeraValidate of TeraSort's output.
    Teravalidate {
        /// Rows.
        rows: u64,
        /// Files.
        files: u32,
    },
    /// TestDFSIO, write.
    #[serde(rename = "dfsio-write")]
    DfsioWrite {
        /// Files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
    },
    /// TestDFSIO, read.
    #[serde(rename = "dfsio-read")]
    DfsioRead {
        /// Files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
    },
}

/// The costs and the result of a codec.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packing {
    /// Cost of compressing a byte.
    pub pack_s: f64,
    /// Cost of decompressing a byte.
    pub unpack_s: f64,
    /// Bytes after compression for each byte.
    pub ratio: f64,
}

/// Limits of a scenario, about a thousand times what one machine can store.
const MAX_ROWS: u64 = 1 << 44;
const MAX_TASKS: u32 = 1 << 16;

impl LocalScenario {
    /// Parses and checks a scenario in JSON; an [`Error::Input`] names the wrong key.
    pub fn from_json(text: &str) -> Result<Self> {
        let scenario: Self = serde_json::from_str(text).map_err(|error| {
            Error::input("scenario", error.to_string(), "see the fields of LocalScenario")
        })?;
        scenario.check()?;
        Ok(scenario)
    }

    fn check(&self) -> Result<()> {
        if self.directories.is_empty() {
            return Err(Error::input("directories", "the list is empty", "give at least one"));
        }
        positive("cpus", self.cpus)?;
        positive("sample_interval_s", self.sample_interval_s)?;
        positive("operation_s", self.operation_s)?;
        positive("request_s", self.request_s)?;
        let costs = &self.costs;
        for (name, value) in [
            ("costs.generate_s", costs.generate_s),
            ("costs.validate_s", costs.validate_s),
            ("costs.read_s", costs.read_s),
            ("costs.write_s", costs.write_s),
        ] {
            positive(name, value)?;
        }
        for (number, directory) in self.directories.iter().chain([&self.together]).enumerate() {
            let name = |field| format!("directories[{number}].{field}");
            positive(&name("read_bytes_per_s"), directory.read_bytes_per_s)?;
            positive(&name("write_bytes_per_s"), directory.write_bytes_per_s)?;
            positive(&name("mixed_share"), directory.mixed_share)?;
        }
        check_range("pool_bytes", self.pool_bytes, 1, 1 << 50)?;
        check_range("map_slots", self.map_slots.into(), 1, MAX_TASKS.into())?;
        check_range("reduce_slots", self.reduce_slots.into(), 1, MAX_TASKS.into())?;
        self.workloads.iter().try_for_each(LocalWorkload::check)
    }
}

impl LocalWorkload {
    fn check(&self) -> Result<()> {
        let (rows, tasks) = match self {
            Self::Teragen { rows, maps } => (*rows, [*maps, 1]),
            Self::Terasort { rows, maps, reduces, sort_s, merge_s, codec, .. } => {
                sort_s.check("sort_s")?;
                merge_s.check("merge_s")?;
                if let Some(packing) = codec {
                    positive("codec.pack_s", packing.pack_s)?;
                    positive("codec.unpack_s", packing.unpack_s)?;
                    positive("codec.ratio", packing.ratio)?;
                }
                (*rows, [*maps, *reduces])
            }
            Self::Teravalidate { rows, files } => (*rows, [*files, 1]),
            Self::DfsioWrite { files, file_bytes } | Self::DfsioRead { files, file_bytes } => {
                (*file_bytes / 100, [*files, 1])
            }
        };
        check_range("workloads.rows", rows, 0, MAX_ROWS)?;
        tasks.iter().try_for_each(|&count| check_range("workloads.tasks", count.into(), 1, MAX_TASKS.into()))
    }
}

fn positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::input(name, format!("{value} is not a finite number above 0"), "give the measured value"))
}

fn check_range(name: &str, value: u64, min: u64, max: u64) -> Result<()> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::input(name, format!("{value} is out of range"), format!("give {min} to {max}")))
}
