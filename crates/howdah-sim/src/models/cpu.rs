//! Processors: cores, hardware threads, over-subscription, and the cost of work in a worker.
//!
//! A host has *C* cores of speed *s* and *T* hardware threads. Its capacity for *n* threads that want to run is
//!
//! *s·n* for n ≤ C; then *s·C·(1 + g·(n − C)/(T − C))* for C < n ≤ T, with *g* the gain of hardware threads
//! (20–30 %, D. Marr et al., *Hyper-Threading Technology Architecture and Microarchitecture*, 2002).
//!
//! Work of *w* core-seconds takes *w·f·(1 + o·max(0, n/v − 1))* in a worker that runs *n* tasks on its *v* CPUs, because
//! switching between more tasks than CPUs costs cycles and cache. Streaming work, such as generating rows or checksums
//! of packets, has *f = 1 + c* with the hypervisor's cost *c*, which is 0 natively. Work with random access to memory,
//! such as sorting, merging and the objects of a map, has
//!
//! *f = (1 + σ·(v − 1))·(1 + ρ·r)·(1 + c + w·r)*, r = 1 − 1/k
//!
//! for *v* CPUs of one operating system on *k* NUMA nodes. Locks, allocation and run queues grow with its CPUs
//! (N. Gunther's universal scalability law, first term); a share *r* of memory is remote if nothing keeps it local
//! (cost ρ); and a virtual machine then walks two page tables through remote memory (cost *w*; vSphere 6 study, "Native
//! and 1 VM").

use crate::parameters::Parameters;
use crate::scenario::{HostGroup, WorkerGroup};

/// A host's processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Processors {
    /// Core-seconds per second without hardware threads: cores × speed.
    cores: f64,
    /// Hardware threads times speed.
    threads: f64,
    /// Relative gain when all hardware threads are busy.
    gain: f64,
    /// Hardware threads.
    count: f64,
}

impl Processors {
    pub(crate) fn new(host: &HostGroup, speed: f64, capacity_factor: f64, parameters: &Parameters) -> Self {
        let cores = f64::from(host.sockets) * f64::from(host.cores_per_socket) * capacity_factor;
        let threads = cores * f64::from(host.threads_per_core);
        Self {
            cores: cores * speed,
            threads: threads * speed,
            count: threads,
            gain: if host.threads_per_core > 1 { parameters.thread_gain } else { 0.0 },
        }
    }

    /// Core-seconds per second for a demand, to which each thread contributes the speed of a core.
    pub(crate) fn capacity(&self, demand: f64) -> f64 {
        let second = (self.threads - self.cores).max(f64::MIN_POSITIVE);
        let shared = ((demand - self.cores) / second).clamp(0.0, 1.0);
        self.cores * (1.0 + self.gain * shared)
    }

    /// Hardware threads.
    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// Busy hardware threads at a use in core-seconds per second, with a demand as for the capacity.
    pub(crate) fn busy(&self, used_per_s: f64, demand: f64) -> f64 {
        let speed = self.threads / self.count;
        let running = demand.clamp(speed, self.threads);
        let capacity = self.capacity(running).min(running);
        (used_per_s / speed * running / capacity).min(self.count)
    }
}

/// Kinds of work whose costs differ between workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Reads or writes data once, sequentially.
    Stream,
    /// Accesses memory randomly.
    Memory,
}

/// Cost of a second of work on the reference core, in a worker with a core of the same speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    stream: f64,
    memory: f64,
}

impl Factors {
    pub(crate) fn new(worker: &WorkerGroup, is_virtual: bool, parameters: &Parameters) -> Self {
        let remote = 1.0 - 1.0 / f64::from(worker.numa_nodes);
        let scale = 1.0 + parameters.scale_up_cost * f64::from(worker.vcpus - 1);
        let far = 1.0 + parameters.remote_memory_cost * remote;
        let hypervisor = if is_virtual { parameters.virtual_cpu_cost } else { 0.0 };
        let walks = if is_virtual { parameters.page_walk_cost * remote } else { 0.0 };
        Self { stream: 1.0 + hypervisor, memory: scale * far * (1.0 + hypervisor + walks) }
    }

    pub(crate) fn of(&self, work: Work) -> f64 {
        match work {
            Work::Stream => self.stream,
            Work::Memory => self.memory,
        }
    }
}

/// Relative cost of work if `tasks` tasks share `cpus` CPUs.
pub(crate) fn switching(tasks: u32, cpus: u32, parameters: &Parameters) -> f64 {
    1.0 + parameters.oversubscription_cost * (f64::from(tasks) / f64::from(cpus) - 1.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Factors, Processors, Work, switching};
    use crate::parameters::Parameters;
    use crate::scenario::{HostGroup, WorkerGroup};

    fn host() -> HostGroup {
        HostGroup {
            count: 1,
            rack: 0,
            sockets: 2,
            cores_per_socket: 10,
            threads_per_core: 2,
            numa_nodes: 2,
            memory_bytes: 1 << 38,
            speed: 1.0,
            disks: Vec::new(),
            nics: Vec::new(),
            controller_bytes_per_s: None,
            is_virtual: false,
            workers: Vec::new(),
        }
    }

    fn worker(vcpus: u32, numa_nodes: u32) -> WorkerGroup {
        WorkerGroup {
            count: 1,
            vcpus,
            memory_bytes: 1 << 36,
            disks: 1,
            local_disks: None,
            numa_nodes,
            map_slots: 1,
            reduce_slots: 1,
        }
    }

    #[test]
    fn threads_fill_cores_first_and_share_them_then() {
        let parameters = Parameters { thread_gain: 0.25, ..Parameters::default() };
        let processors = Processors::new(&host(), 1.0, 1.0, &parameters);
        assert_eq!(
            [5.0, 20.0, 30.0, 40.0, 80.0].map(|n| processors.capacity(n)),
            [20.0, 20.0, 22.5, 25.0, 25.0]
        );
    }

    #[test]
    fn a_full_host_has_all_threads_busy_and_an_idle_one_its_running_threads() {
        let processors = Processors::new(&host(), 1.0, 1.0, &Parameters::default());
        assert_eq!(processors.busy(processors.capacity(60.0), 60.0), 40.0);
        assert_eq!(processors.busy(5.0, 5.0), 5.0);
    }

    #[test]
    fn only_work_in_memory_costs_more_in_large_and_remote_workers() {
        let parameters = Parameters::default();
        let far = Factors::new(&worker(40, 2), true, &parameters);
        let near = Factors::new(&worker(10, 1), true, &parameters);
        assert!(far.of(Work::Memory) > near.of(Work::Memory));
        assert_eq!(far.of(Work::Stream), near.of(Work::Stream));
        assert_eq!(Factors::new(&worker(1, 1), false, &parameters).of(Work::Memory), 1.0);
    }

    #[test]
    fn switching_costs_nothing_while_every_task_has_a_cpu() {
        let parameters = Parameters { oversubscription_cost: 0.1, ..Parameters::default() };
        assert_eq!(switching(2, 2, &parameters), 1.0);
        assert_eq!(switching(6, 4, &parameters), 1.05);
    }
}
