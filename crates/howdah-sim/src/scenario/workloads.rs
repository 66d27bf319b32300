//! The programs and their parameters.

use serde::{Deserialize, Serialize};

/// One program. Input that no earlier workload wrote is there already, as the program before it would have left it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum Workload {
    /// Writes rows of 100 bytes, one file for each map.
    Teragen {
        /// Rows.
        rows: u64,
        /// Map tasks, thus files.
        maps: u32,
        /// Replicas of its files; null: HDFS's own.
        #[serde(default)]
        replication: Option<u32>,
    },
    /// Sorts what TeraGen wrote.
    Terasort {
        /// Rows.
        rows: u64,
        /// Reduce tasks, thus files.
        reduces: u32,
        /// Replicas of its output; null: 1, as TeraSort's own default is.
        #[serde(default)]
        replication: Option<u32>,
    },
    /// Reads what TeraSort wrote, a whole file in each map, and checks its order.
    Teravalidate {
        /// Rows.
        rows: u64,
    },
    /// TestDFSIO, writing.
    DfsioWrite {
        /// Files, thus map tasks.
        files: u32,
        /// Bytes of each.
        file_bytes: u64,
    },
    /// TestDFSIO, reading what it wrote.
    DfsioRead {
        /// Files, thus map tasks.
        files: u32,
        /// Bytes of each.
        file_bytes: u64,
    },
    /// Hadoop's pi: points of a Halton sequence in the unit square.
    Pi {
        /// Map tasks.
        maps: u32,
        /// Points of each.
        samples: u64,
    },
}

impl Workload {
    /// The program's name on howdah's command line.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Teragen { .. } => "teragen",
            Self::Terasort { .. } => "terasort",
            Self::Teravalidate { .. } => "teravalidate",
            Self::DfsioWrite { .. } => "dfsio-write",
            Self::DfsioRead { .. } => "dfsio-read",
            Self::Pi { .. } => "pi",
        }
    }
}
