//! The toy model of the race with SimGrid: tasks that read, compute and write three replicas.
//!
//! `toy TASKS IN_FLIGHT [exact]` prints the activities, the simulated end and the seconds that the simulation took, as
//! JSON. `benches/peers/simgrid_toy.cpp` is the same model: equal hosts, equal choices, equal sharing.

use std::time::Instant;

use howdah_sim::sharing::{Capacities, Load, Network, ResourceId, Use};
use howdah_sim::time::Time;

const HOSTS: u64 = 32;
const DISKS: u64 = 20;
const CORES: f64 = 20.0;
const DISK_BYTES_PER_S: f64 = 180e6;
const LINK_BYTES_PER_S: f64 = 2.2e9;
const BLOCK_BYTES: f64 = 268_435_456.0;
const COMPUTE_S: f64 = 4.0;

/// Resources of a host, in this order: its disks, its processor, its outgoing link, its incoming link.
const PER_HOST: u64 = DISKS + 3;

/// Activities of a task: a read, a computation, three writes to disks and two transfers.
const ACTIVITIES: u64 = 7;

struct Hosts;

impl Capacities for Hosts {
    fn capacity(&self, resource: ResourceId, _: &Load) -> f64 {
        match u64::from(resource.0) % PER_HOST {
            disk if disk < DISKS => DISK_BYTES_PER_S,
            DISKS => CORES,
            _ => LINK_BYTES_PER_S,
        }
    }
}

/// A slot, in which tasks run one after another.
#[derive(Clone, Copy)]
struct Slot {
    host: u64,
    task: u64,
    step: Step,
    pending: u32,
}

#[derive(Clone, Copy)]
enum Step {
    Read,
    Compute,
    Write,
}

struct Toy {
    network: Network<Hosts>,
    slots: Vec<Slot>,
    tasks: u64,
    started: u64,
}

impl Toy {
    fn new(tasks: u64, in_flight: u64, exact: bool) -> Self {
        let mut network =
            if exact { Network::exact(Hosts, f64::INFINITY) } else { Network::new(Hosts, f64::INFINITY) };
        for _ in 0..HOSTS * PER_HOST {
            network.add_resource();
        }
        let slot = |slot: u64| Slot { host: slot % HOSTS, task: 0, step: Step::Write, pending: 0 };
        Toy { network, slots: (0..in_flight).map(slot).collect(), tasks, started: 0 }
    }

    fn run(&mut self) -> Time {
        let mut now = Time::ZERO;
        for slot in 0..self.slots.len() {
            self.proceed(now, slot);
        }
        while let Some(finished) = self.network.finish() {
            now = finished.time;
            let slot = finished.tag as usize;
            self.slots[slot].pending -= 1;
            if self.slots[slot].pending == 0 {
                self.proceed(now, slot);
            }
        }
        assert_eq!(self.started, self.tasks, "every task ran");
        now
    }

    /// Starts the next step of a slot's task, or its next task.
    fn proceed(&mut self, now: Time, slot: usize) {
        let Slot { host, task, step, .. } = self.slots[slot];
        match step {
            Step::Read => {
                self.start(now, slot, COMPUTE_S, 1.0, &[host * PER_HOST + DISKS]);
                self.slots[slot].step = Step::Compute;
            }
            Step::Compute => {
                let second = (host + 1 + choice(task, 1) % (HOSTS - 1)) % HOSTS;
                let third = (host + 1 + choice(task, 2) % (HOSTS - 1)) % HOSTS;
                for (purpose, target) in (3..).zip([host, second, third]) {
                    self.transfer(now, slot, &[target * PER_HOST + choice(task, purpose) % DISKS]);
                }
                self.transfer(now, slot, &[out(host), into(second)]);
                self.transfer(now, slot, &[out(second), into(third)]);
                self.slots[slot].step = Step::Write;
            }
            Step::Write if self.started < self.tasks => {
                let task = self.started;
                self.started += 1;
                self.transfer(now, slot, &[host * PER_HOST + choice(task, 0) % DISKS]);
                self.slots[slot].task = task;
                self.slots[slot].step = Step::Read;
            }
            Step::Write => {}
        }
    }

    fn transfer(&mut self, now: Time, slot: usize, resources: &[u64]) {
        self.start(now, slot, BLOCK_BYTES, f64::INFINITY, resources);
    }

    fn start(&mut self, now: Time, slot: usize, work: f64, max_per_s: f64, resources: &[u64]) {
        let mut uses = [Use { resource: ResourceId(0), weight: 1.0, class: 0 }; 2];
        for (usage, &resource) in uses.iter_mut().zip(resources) {
            usage.resource = ResourceId(resource as u32);
        }
        self.network.start(now, work, &uses[..resources.len()], max_per_s, slot as u64);
        self.slots[slot].pending += 1;
    }
}

fn out(host: u64) -> u64 {
    host * PER_HOST + DISKS + 1
}

fn into(host: u64) -> u64 {
    host * PER_HOST + DISKS + 2
}

/// A task's random choice for a purpose: SplitMix64 of both, the same as in the peer.
fn choice(task: u64, purpose: u64) -> u64 {
    let mut mixed = (task * 8 + purpose).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) >> 16
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments[index].parse().expect("toy TASKS IN_FLIGHT [exact]");
    let (tasks, in_flight): (u64, u64) = (number(0), number(1));
    let exact = arguments.get(2).is_some_and(|word| word == "exact");
    let start = Instant::now();
    let end = Toy::new(tasks, in_flight, exact).run();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"activities\": {}, \"end_s\": {:.3}, \"seconds\": {seconds:.6}}}",
        tasks * ACTIVITIES,
        end.seconds()
    );
}
