//! Random networks for the laws of sharing.

use howdah_sim::random::Random;
use howdah_sim::sharing::{Capacities, FlowId, Load, Network, ResourceId, Use};
use howdah_sim::time::Time;
use proptest::prelude::*;

/// Listed capacities, reduced by a part for every flow beyond the first.
#[derive(Clone, Debug)]
pub struct FixedCapacities {
    pub units_per_s: Vec<f64>,
    pub loss: f64,
}

impl Capacities for FixedCapacities {
    fn capacity(&self, resource: ResourceId, load: &Load) -> f64 {
        let others = f64::from(load.total_flows().saturating_sub(1));
        self.units_per_s[resource.0 as usize] / (1.0 + self.loss * others.min(8.0))
    }
}

/// A flow to be started.
#[derive(Clone, Debug)]
pub struct Work {
    pub work: f64,
    pub uses: Vec<Use>,
    pub max_per_s: f64,
}

/// A network and its flows: for each stream the flows to run one after another.
#[derive(Clone, Debug)]
pub struct Course {
    pub capacities: FixedCapacities,
    pub softness: f64,
    pub streams: Vec<Vec<Work>>,
}

/// The result of a course.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The time and the stream of each finished flow.
    pub finished: Vec<(Time, u64)>,
    /// Units used of each resource, by class.
    pub used: Vec<[f64; 2]>,
}

pub fn network(capacities: &FixedCapacities, softness: f64, exact: bool) -> Network<FixedCapacities> {
    let capacities = capacities.clone();
    let count = capacities.units_per_s.len();
    let mut network =
        if exact { Network::exact(capacities, softness) } else { Network::new(capacities, softness) };
    for _ in 0..count {
        network.add_resource();
    }
    network
}

pub fn uses_of(weights: &[(u32, f64)]) -> Vec<Use> {
    let with_weight = |&(resource, weight)| Use { resource: ResourceId(resource), weight, class: 0 };
    weights.iter().map(with_weight).collect()
}

impl Course {
    /// Runs every stream to its end, and calls `observe` with the network and its flows after every change.
    pub fn run(
        &self,
        exact: bool,
        mut observe: impl FnMut(&mut Network<FixedCapacities>, &[(FlowId, &Work)]),
    ) -> Outcome {
        let mut network = network(&self.capacities, self.softness, exact);
        let mut running: Vec<(FlowId, &Work)> = Vec::new();
        let mut next = vec![0; self.streams.len()];
        let mut outcome = Outcome { finished: Vec::new(), used: Vec::new() };
        let mut now = Time::ZERO;
        let mut free: Vec<u64> = (0..self.streams.len() as u64).collect();
        loop {
            for stream in free.drain(..) {
                let index = stream as usize;
                let Some(work) = self.streams[index].get(next[index]) else { continue };
                next[index] += 1;
                let flow = network.start(now, work.work, &work.uses, work.max_per_s, stream);
                running.push((flow, work));
            }
            observe(&mut network, &running);
            let Some(finished) = network.finish() else { break };
            now = finished.time;
            running.retain(|(flow, _)| *flow != finished.flow);
            outcome.finished.push((now, finished.tag));
            free.push(finished.tag);
        }
        assert!(running.is_empty(), "flows make no progress");

        let resources = 0..self.capacities.units_per_s.len() as u32;
        outcome.used = resources
            .map(|resource| [0, 1].map(|class| network.used(now, ResourceId(resource), class)))
            .collect();
        outcome
    }
}

/// Courses over up to a dozen resources, hard and soft.
pub fn courses() -> impl Strategy<Value = Course> {
    (any::<u64>(), 1_u64..12, 1_u64..24, 1_u64..6, prop_oneof![Just(f64::INFINITY), 1.0..12.0], 0.0..0.1)
        .prop_map(|(seed, resources, streams, length, softness, loss)| {
            let mut random = Random::new(seed, "course", 0);
            let units_per_s = (0..resources).map(|_| 10.0 + 990.0 * random.unit()).collect();
            let streams =
                (0..streams).map(|_| (0..length).map(|_| work(&mut random, resources)).collect()).collect();
            Course { capacities: FixedCapacities { units_per_s, loss }, softness, streams }
        })
}

fn work(random: &mut Random, resources: u64) -> Work {
    let uses: Vec<Use> = (0..1 + random.below(4))
        .map(|_| Use {
            resource: ResourceId(random.below(resources) as u32),
            weight: 0.1 + random.unit(),
            class: random.below(2) as u8,
        })
        .collect();
    let max_per_s = if random.below(2) == 0 { f64::INFINITY } else { 1.0 + 200.0 * random.unit() };
    Work { work: 1000.0 * random.unit(), uses, max_per_s }
}
