//! What the simulator is told of one machine and of the local engine's programs on it.
//!
//! Rates are bytes per second, costs CPU seconds for each byte of rows. All of it is measured by
//! `howdah probe --measure`, or follows from the plan; nothing is fitted.

use serde::Deserialize;

use crate::error::{Error, Result};

/// Everything that the simulated run depends on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalScenario {
    /// CPUs that the process may keep busy.
    pub cpus: f64,
    /// The data directories, each on a disk of its own.
    pub directories: Vec<Directory>,
    /// What all directories do at once, where that is less than their sum.
    pub together: Directory,
    /// What rows cost.
    pub costs: Costs,
    /// Seconds for a file's making and its last wait for the disk.
    pub operation_s: f64,
    /// Seconds until a small read is answered, with one under way for each slot.
    pub request_s: f64,
    /// Memory that the kernels share.
    pub pool_bytes: u64,
    /// Map tasks at once.
    pub map_slots: u32,
    /// Reduce tasks at once.
    pub reduce_slots: u32,
    /// What is run, in order.
    pub workloads: Vec<LocalWorkload>,
    /// Samples are taken at this interval, seconds.
    pub sample_interval_s: f64,
}

/// What a file system does.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// Reading alone.
    pub read_bytes_per_s: f64,
    /// Writing alone.
    pub write_bytes_per_s: f64,
    /// What is left of the disk's time when it copies: 1 where reads and writes cost one another nothing.
    pub mixed_share: f64,
}

/// What rows cost the processors.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Costs {
    /// Making rows.
    pub generate_s: f64,
    /// Looking at rows.
    pub validate_s: f64,
    /// Reading a byte past the page cache.
    pub read_s: f64,
    /// Writing a byte past the page cache.
    pub write_s: f64,
}

/// A cost that grows by as much with every doubling of a number.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doubling {
    /// The number at which it was measured.
    pub at: f64,
    /// The cost there.
    pub cost_s: f64,
    /// What each doubling adds.
    pub doubling_s: f64,
}

impl Doubling {
    /// The cost at a number. Far below what was measured, no less than half of what was measured.
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

/// One of the local engine's programs.
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
    /// TeraSort, of what TeraGen wrote.
    Terasort {
        /// Rows.
        rows: u64,
        /// Map tasks.
        maps: u32,
        /// Reduce tasks, one file each.
        reduces: u32,
        /// Memory that sorts the rows without spilling.
        in_memory_bytes: u64,
        /// Sorting a byte of a window, by the rows in it.
        sort_s: Doubling,
        /// Merging a byte out of sorted lists, by their number.
        merge_s: Doubling,
        /// How intermediate data is compressed, if it is.
        codec: Option<Packing>,
    },
    /// TeraValidate, of what TeraSort wrote.
    Teravalidate {
        /// Rows.
        rows: u64,
        /// Files.
        files: u32,
    },
    /// TestDFSIO's writing.
    #[serde(rename = "dfsio-write")]
    DfsioWrite {
        /// Files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
    },
    /// TestDFSIO's reading.
    #[serde(rename = "dfsio-read")]
    DfsioRead {
        /// Files.
        files: u32,
        /// Size of each.
        file_bytes: u64,
    },
}

/// What a codec does to blocks of rows.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packing {
    /// Packing them.
    pub pack_s: f64,
    /// Unpacking them.
    pub unpack_s: f64,
    /// Bytes stored for each byte.
    pub ratio: f64,
}

/// The most rows, files and tasks that a scenario may have: what one machine could hold a thousand times.
const MOST_ROWS: u64 = 1 << 44;
const MOST_TASKS: u32 = 1 << 16;

impl LocalScenario {
    /// Reads a scenario from JSON and checks it; an [`Error::Input`] names the key at fault.
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
        for (at, directory) in self.directories.iter().chain([&self.together]).enumerate() {
            let name = |field| format!("directories[{at}].{field}");
            positive(&name("read_bytes_per_s"), directory.read_bytes_per_s)?;
            positive(&name("write_bytes_per_s"), directory.write_bytes_per_s)?;
            positive(&name("mixed_share"), directory.mixed_share)?;
        }
        whole("pool_bytes", self.pool_bytes, 1, 1 << 50)?;
        whole("map_slots", self.map_slots.into(), 1, MOST_TASKS.into())?;
        whole("reduce_slots", self.reduce_slots.into(), 1, MOST_TASKS.into())?;
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
        whole("workloads.rows", rows, 0, MOST_ROWS)?;
        tasks.iter().try_for_each(|&count| whole("workloads.tasks", count.into(), 1, MOST_TASKS.into()))
    }
}

fn positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::input(name, format!("{value} is not a finite number above 0"), "give the measured value"))
}

fn whole(name: &str, value: u64, least: u64, most: u64) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::input(name, format!("{value} is out of range"), format!("give {least} to {most}")))
}
