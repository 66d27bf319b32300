//! Hosts, their division into workers, and their network.

use serde::{Deserialize, Serialize};

/// Identical hosts in one rack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostGroup {
    /// How many hosts.
    pub count: u32,
    /// Their rack, from 0.
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
    /// Data disks in order; workers take them from the first on.
    pub disks: Vec<DiskGroup>,
    /// Network interfaces, used together.
    pub nics: Vec<NicGroup>,
    /// Rate of the disks' controller, both directions together; null if it is no limit.
    #[serde(default)]
    pub controller_bytes_per_s: Option<f64>,
    /// Whether the workers are virtual machines.
    #[serde(default, rename = "virtual")]
    pub is_virtual: bool,
    /// Workers in order; empty on a host that has only masters.
    #[serde(default)]
    pub workers: Vec<WorkerGroup>,
}

/// Identical data disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskGroup {
    /// How many disks.
    pub count: u32,
    /// Capacity of each, bytes.
    pub size_bytes: u64,
    /// Sequential rate at the outer edge, which is filled first, bytes per second.
    pub outer_bytes_per_s: f64,
    /// Sequential rate at the inner edge, bytes per second.
    pub inner_bytes_per_s: f64,
    /// The kind of disk.
    pub kind: DiskKind,
}

/// Kinds of disks, by the cost of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiskKind {
    /// Rotating, about 7,200 rotations a minute.
    Hdd,
    /// Rotating, 10,000 rotations a minute or more.
    FastHdd,
    /// Without moving parts.
    Ssd,
}

/// Identical network interfaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NicGroup {
    /// How many interfaces.
    pub count: u32,
    /// Nominal speed of each in each direction, bits per second.
    pub bits_per_s: f64,
}

/// Identical workers of a host: the host itself, or virtual machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerGroup {
    /// How many on each host.
    pub count: u32,
    /// Virtual CPUs; the host's hardware threads if the worker is the host itself.
    pub vcpus: u32,
    /// Memory, bytes.
    pub memory_bytes: u64,
    /// Data disks.
    pub disks: u32,
    /// The number of them, from the first on, with intermediate data (`yarn.nodemanager.local-dirs`); null: all.
    #[serde(default)]
    pub local_disks: Option<u32>,
    /// NUMA nodes of its CPUs and memory.
    pub numa_nodes: u32,
    /// Concurrent maps if nothing else runs.
    pub map_slots: u32,
    /// Concurrent reduces if nothing else runs.
    pub reduce_slots: u32,
}

/// The network between hosts and between racks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Each rack's uplink in each direction, bits per second; null if it is no limit, empty if none is.
    pub uplinks_bits_per_s: Vec<Option<f64>>,
    /// Round trip between two hosts, seconds.
    pub round_trip_s: f64,
}

impl Default for Network {
    fn default() -> Self {
        Self { uplinks_bits_per_s: Vec::new(), round_trip_s: 1e-4 }
    }
}
