//! Checks that a scenario's data and replicas fit on its disks.

use super::{Placement, Scenario, Workload};
use crate::error::{Error, Result};

impl Scenario {
    /// Returns an error if replicas or data do not fit.
    pub(super) fn check_capacity(&self) -> Result<()> {
        let free = self.disk_bytes() * (1.0 - self.hdfs.filled);
        let max_replicas = self.max_replicas();
        let mut stored = 0.0;
        for (number, workload) in self.workloads.iter().enumerate() {
            let path = format!("workloads[{number}]");
            let Written { replicas, bytes, temporary_bytes } = self.written(workload);
            if let Some(coding) = self.hdfs.coding.filter(|coding| u64::from(coding.units()) > max_replicas) {
                return Err(Error::input(
                    path,
                    format!(
                        "{} units of a coded group, but {max_replicas} DataNodes for them",
                        coding.units()
                    ),
                    "give a policy with fewer units, or more workers",
                ));
            }
            if self.hdfs.coding.is_none() && (replicas == 0 || u64::from(replicas) > max_replicas) {
                return Err(Error::input(
                    path,
                    format!("{replicas} replicas of a block, but {max_replicas} hosts for them"),
                    "give at least one replica, and as many hosts with workers as replicas",
                ));
            }
            stored += bytes * self.stored(replicas);
            let needed = stored + temporary_bytes;
            if needed > free {
                return Err(Error::input(
                    path,
                    format!(
                        "it needs {needed:.4e} bytes of disk, earlier data included; {free:.4e} are free"
                    ),
                    format!("give at most {:.3} of the data, fewer replicas or more disks", free / needed),
                ));
            }
        }
        Ok(())
    }

    /// Bytes of files that a workload reads and writes, replicas included; the unit of progress.
    pub(crate) fn moved_bytes(&self, workload: &Workload) -> u64 {
        let Written { replicas, bytes, .. } = self.written(workload);
        let read = match *workload {
            Workload::Terasort { rows, .. } | Workload::Teravalidate { rows } => rows as f64 * 100.0,
            Workload::DfsioRead { files, file_bytes } => f64::from(files) * file_bytes as f64,
            _ => 0.0,
        };
        (read + bytes * self.stored(replicas)) as u64
    }

    /// Bytes on disks for each byte of files with replicas or with erasure coding.
    fn stored(&self, replicas: u32) -> f64 {
        match &self.hdfs.coding {
            Some(coding) => f64::from(coding.units()) / f64::from(coding.data),
            None => f64::from(replicas),
        }
    }

    fn written(&self, workload: &Workload) -> Written {
        let default = self.hdfs.replication;
        match *workload {
            Workload::Teragen { rows, replication, .. } => Written {
                replicas: replication.unwrap_or(default),
                bytes: rows as f64 * 100.0,
                temporary_bytes: 0.0,
            },
            Workload::Terasort { rows, replication, .. } => {
                let bytes = rows as f64 * 100.0;
                // Spilled by maps, and again by reduces.
                let temporary_bytes = 2.0 * bytes / self.job.compression_ratio;
                Written { replicas: replication.unwrap_or(1), bytes, temporary_bytes }
            }
            Workload::DfsioWrite { files, file_bytes } => Written {
                replicas: default,
                bytes: f64::from(files) * file_bytes as f64,
                temporary_bytes: 0.0,
            },
            Workload::Teravalidate { .. } | Workload::DfsioRead { .. } | Workload::Pi { .. } => {
                Written { replicas: 1, bytes: 0.0, temporary_bytes: 0.0 }
            }
        }
    }

    /// Bytes of all workers' disks.
    fn disk_bytes(&self) -> f64 {
        let groups = self.hosts.iter().map(|group| {
            let used: u32 = group.workers.iter().map(|workers| workers.count * workers.disks).sum();
            let disks =
                group.disks.iter().flat_map(|disks| (0..disks.count).map(|_| disks.size_bytes as f64));
            disks.take(used as usize).sum::<f64>() * f64::from(group.count)
        });
        groups.sum()
    }

    /// The largest number of a block's replicas: workers, or hosts if no two replicas may share one.
    fn max_replicas(&self) -> u64 {
        let groups = self.hosts.iter().map(|group| {
            let workers: u64 = group.workers.iter().map(|workers| u64::from(workers.count)).sum();
            let by_worker = self.hdfs.placement == Placement::Default || self.hdfs.coding.is_some();
            let per_host = if by_worker { workers } else { workers.min(1) };
            u64::from(group.count) * per_host
        });
        groups.sum()
    }
}

/// The data that a workload writes.
struct Written {
    replicas: u32,
    /// Bytes of one replica of its output.
    bytes: f64,
    /// Bytes of intermediate data.
    temporary_bytes: f64,
}
