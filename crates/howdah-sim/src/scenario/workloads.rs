//! Programs and their parameters.

use serde::{Deserialize, Serialize};

/// A program. If no earlier workload writes its input, the input exists, as the program before it would write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
pub enum Workload {
    /// Writes rows of 100 bytes, one file for each map.
    Teragen {
        /// Rows.
        rows: u64,
        /// Map tasks, and so files.
        maps: u32,
        /// Replicas of its files; null: HDFS's default.
        #[serde(default)]
        replication: Option<u32>,
    },
    /// Sorts TeraGen's rows.
    Terasort {
        /// Rows.
        rows: u64,
        /// Reduce tasks, and so files.
        reduces: u32,
        /// Replicas of its output; null: 1, TeraSort's own default.
        #[serde(default)]
        replication: Option<u32>,
    },
    /// Reads TeraSort's output, a whole file in each map, and checks its order.
    Teravalidate {
        /// Rows.
        rows: u64,
    },
    /// TestDFSIO, write.
    DfsioWrite {
        /// Files, and so map tasks.
        files: u32,
        /// Bytes of each.
        file_bytes: u64,
    },
    /// TestDFSIO, read of the written files.
    DfsioRead {
        /// Files, and so map tasks.
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
