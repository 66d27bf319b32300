//! Hosts, their division into workers, and what joins them.

use serde::{Deserialize, Serialize};

/// Equal hosts in one rack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostGroup {
    /// How many hosts.
    pub count: u32,
    /// The rack they are in, from 0.
    #[serde(default)]
    pub rack: u32,
    /// CPU sockets of a host.
    pub sockets: u32,
    /// Cores of a socket.
    pub cores_per_socket: u32,
    /// Hardware threads of a core.
    pub threads_per_core: u32,
    /// NUMA nodes of a host.
    pub numa_nodes: u32,
    /// Memory of a host, bytes.
    pub memory_bytes: u64,
    /// Speed of a core relative to the reference core, on which the parameters' CPU costs are stated.
    pub speed: f64,
    /// Data disks in order; workers take theirs from the first on.
    pub disks: Vec<DiskGroup>,
    /// Network interfaces, used together.
    pub nics: Vec<NicGroup>,
    /// What the disks' controller carries, both directions together; null where it is no limit.
    #[serde(default)]
    pub controller_bytes_per_s: Option<f64>,
    /// Whether the workers are virtual machines.
    #[serde(default, rename = "virtual")]
    pub is_virtual: bool,
    /// Workers in order; empty on a host that only carries masters.
    #[serde(default)]
    pub workers: Vec<WorkerGroup>,
}

/// Equal data disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskGroup {
    /// How many disks.
    pub count: u32,
    /// Capacity of each, bytes.
    pub size_bytes: u64,
    /// Sequential rate where it is filled first, bytes per second.
    pub outer_bytes_per_s: f64,
    /// Sequential rate where it is filled last, bytes per second.
    pub inner_bytes_per_s: f64,
    /// Whether it has a head to move.
    pub kind: DiskKind,
}

/// Whether a disk pays for going from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiskKind {
    /// Rotating, of 7,200 turns a minute or so.
    Hdd,
    /// Rotating, of 10,000 turns a minute or more.
    FastHdd,
    /// Without moving parts.
    Ssd,
}

/// Equal network interfaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NicGroup {
    /// How many interfaces.
    pub count: u32,
    /// Nominal speed of each in each direction, bits per second.
    pub bits_per_s: f64,
}

/// Equal workers of a host: the host itself, or virtual machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerGroup {
    /// How many on each host.
    pub count: u32,
    /// Virtual CPUs, or the host's hardware threads where it is the host itself.
    pub vcpus: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Data disks.
    pub disks: u32,
    /// The first of them that carry intermediate data (`yarn.nodemanager.local-dirs`); null: all.
    #[serde(default)]
    pub local_disks: Option<u32>,
    /// NUMA nodes over which its CPUs and memory lie.
    pub numa_nodes: u32,
    /// Maps at once if nothing else runs.
    pub map_slots: u32,
    /// Reduces at once if nothing else runs.
    pub reduce_slots: u32,
}

/// Racks and what joins them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Each rack's uplink in each direction, bits per second; null where it is no limit, empty if none is.
    pub uplinks_bits_per_s: Vec<Option<f64>>,
    /// From host to host and back, seconds.
    pub round_trip_s: f64,
}

impl Default for Network {
    fn default() -> Self {
        Self { uplinks_bits_per_s: Vec::new(), round_trip_s: 1e-4 }
    }
}
