//! Processors: cores, hardware threads, over-subscription, and what work costs in which worker.
//!
//! A host with *C* cores of speed *s* and *T* hardware threads gives, to *n* threads that want to run,
//!
//! *s·n* for n ≤ C; then *s·C·(1 + g·(n − C)/(T − C))* for C < n ≤ T, with *g* the gain of hardware threads
//! (20–30 %, D. Marr et al., *Hyper-Threading Technology Architecture and Microarchitecture*, 2002).
//!
//! Work of *w* core-seconds takes *w·f·(1 + o·max(0, n/v − 1))* in a worker that runs *n* tasks on its *v* CPUs, because
//! switching between more tasks than CPUs costs cycles and cache, with
//! *f = (1 + σ·(v − 1))·(1 + ρ·(1 − 1/k))·(1 + virtual cost + page walks·(1 − 1/k))*
//! for *v* CPUs of one operating system over *k* NUMA nodes: locks and run queues grow with its CPUs
//! (N. Gunther's universal scalability law, first term), a share 1 − 1/k of memory is remote where nothing keeps it
//! local, and a virtual machine walks two page tables (vSphere 6 study, "Native and 1 VM").

use crate::parameters::Parameters;
use crate::scenario::{HostGroup, WorkerGroup};

/// A host's processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Processors {
    /// Core-seconds per second without hardware threads: cores × speed.
    cores: f64,
    /// Hardware threads times speed.
    threads: f64,
    /// Share that hardware threads add when all are busy.
    gain: f64,
    /// Hardware threads.
    count: f64,
}

impl Processors {
    pub(crate) fn new(host: &HostGroup, speed: f64, parameters: &Parameters) -> Self {
        let cores = f64::from(host.sockets) * f64::from(host.cores_per_socket);
        let threads = cores * f64::from(host.threads_per_core);
        Self {
            cores: cores * speed,
            threads: threads * speed,
            count: threads,
            gain: if host.threads_per_core > 1 { parameters.thread_gain } else { 0.0 },
        }
    }

    /// Core-seconds per second for a demand of so many, each thread asking for one at the core's speed.
    pub(crate) fn capacity(&self, demand: f64) -> f64 {
        let second = (self.threads - self.cores).max(f64::MIN_POSITIVE);
        let shared = ((demand - self.cores) / second).clamp(0.0, 1.0);
        self.cores * (1.0 + self.gain * shared)
    }

    /// Hardware threads.
    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// The share of hardware threads that an operating system would show as busy at this use.
    pub(crate) fn busy(&self, used_per_s: f64) -> f64 {
        let alone = used_per_s.min(self.cores);
        let beyond = if self.gain > 0.0 {
            (used_per_s - self.cores).max(0.0) / (self.cores * self.gain) * (self.threads - self.cores)
        } else {
            0.0
        };
        ((alone + beyond) / self.threads).min(1.0)
    }
}

/// What a second of work on the reference core takes in a worker, without the core's speed.
pub(crate) fn work_factor(worker: &WorkerGroup, is_virtual: bool, parameters: &Parameters) -> f64 {
    let remote = 1.0 - 1.0 / f64::from(worker.numa_nodes);
    let scale = 1.0 + parameters.scale_up_cost * f64::from(worker.vcpus - 1);
    let memory = 1.0 + parameters.remote_memory_cost * remote;
    let hypervisor =
        if is_virtual { 1.0 + parameters.virtual_cpu_cost + parameters.page_walk_cost * remote } else { 1.0 };
    scale * memory * hypervisor
}

/// What work takes more where so many tasks share so many CPUs.
pub(crate) fn switching(tasks: u32, cpus: u32, parameters: &Parameters) -> f64 {
    1.0 + parameters.oversubscription_cost * (f64::from(tasks) / f64::from(cpus) - 1.0).max(0.0)
}
