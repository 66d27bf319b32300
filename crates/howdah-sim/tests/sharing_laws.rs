//! Laws of sharing, on random networks.

use crate::support::{Course, FixedCapacities, Work, courses};
use howdah_sim::sharing::Capacities;
use howdah_sim::sharing::{FlowId, Load, Network, ResourceId};
use proptest::prelude::*;

/// Units per second of each resource that flows use now.
fn used(network: &mut Network<FixedCapacities>, flows: &[(FlowId, &Work)]) -> Vec<f64> {
    let mut used = vec![0.0; network.capacities().units_per_s.len()];
    for (flow, work) in flows {
        let per_s = network.per_s(*flow);
        for usage in &work.uses {
            used[usage.resource.0 as usize] += usage.weight * per_s;
        }
    }
    used
}

/// The capacity of each resource now.
fn capacity(network: &Network<FixedCapacities>, flows: &[(FlowId, &Work)]) -> Vec<f64> {
    let count = network.capacities().units_per_s.len() as u32;
    let load = |resource: u32| {
        let uses = flows.iter().flat_map(|(_, work)| &work.uses);
        Load {
            flows: [uses.filter(|usage| usage.resource.0 == resource).count() as u32, 0, 0],
            demand: [0.0; 3],
        }
    };
    (0..count).map(|resource| network.capacities().capacity(ResourceId(resource), &load(resource))).collect()
}

/// Units of work per second of a flow without others.
fn alone_per_s(capacities: &FixedCapacities, work: &Work) -> f64 {
    let limits =
        work.uses.iter().map(|usage| capacities.units_per_s[usage.resource.0 as usize] / usage.weight);
    limits.fold(work.max_per_s, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_resource_and_no_flow_exceeds_its_limit(course in courses(), exact: bool) {
        course.run(exact, |network, flows| {
            let (used, capacity) = (used(network, flows), capacity(network, flows));
            for (used, capacity) in used.iter().zip(capacity) {
                assert!(*used <= capacity * (1.0 + 1e-6), "{used} of {capacity}");
            }
            for (flow, work) in flows {
                assert!(network.per_s(*flow) <= work.max_per_s * (1.0 + 1e-9));
            }
        });
    }

    #[test]
    fn total_use_is_work_times_weight(course in courses(), exact: bool) {
        let outcome = course.run(exact, |_, _| {});
        let mut expected = vec![[0.0; 2]; course.capacities.units_per_s.len()];
        for work in course.streams.iter().flatten() {
            for usage in &work.uses {
                expected[usage.resource.0 as usize][usize::from(usage.class)] += usage.weight * work.work;
            }
        }
        for (used, expected) in outcome.used.iter().flatten().zip(expected.iter().flatten()) {
            prop_assert!((used - expected).abs() <= 1e-9 * expected, "{used} instead of {expected}");
        }
        prop_assert_eq!(outcome.finished.len(), course.streams.iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn time_never_runs_back_and_the_same_course_has_the_same_outcome(course in courses(), exact: bool) {
        let outcome = course.run(exact, |_, _| {});
        prop_assert!(outcome.finished.is_sorted_by_key(|(time, _)| *time));
        prop_assert_eq!(&outcome, &course.run(exact, |_, _| {}));
    }

    /// Max-min fairness: a flow below its own limit has a full resource at which no flow has a higher level.
    #[test]
    fn every_flow_has_a_bottleneck_in_the_exact_hard_solution(course in courses()) {
        let course = Course { softness: f64::INFINITY, ..course };
        course.run(true, |network, flows| {
            let (used, capacity) = (used(network, flows), capacity(network, flows));
            let levels: Vec<f64> = flows
                .iter()
                .map(|(flow, work)| network.per_s(*flow) / alone_per_s(network.capacities(), work))
                .collect();
            for ((_, work), level) in flows.iter().zip(&levels) {
                let limits = |resource: ResourceId| {
                    let index = resource.0 as usize;
                    let uses = |work: &Work| work.uses.iter().any(|usage| usage.resource == resource);
                    let mut sharing = flows.iter().zip(&levels).filter(|((_, work), _)| uses(work));
                    used[index] >= capacity[index] * (1.0 - 1e-6)
                        && sharing.all(|(_, highest)| *highest <= level * (1.0 + 1e-6))
                };
                let limited = *level >= 1.0 - 1e-9 || work.uses.iter().any(|usage| limits(usage.resource));
                assert!(limited, "a flow at level {level} has no bottleneck");
            }
        });
    }

    /// Updates of only large changes leave no resource idle for which flows wait.
    #[test]
    fn every_flow_nearly_has_a_bottleneck_in_the_hard_solution(course in courses()) {
        let course = Course { softness: f64::INFINITY, ..course };
        course.run(false, |network, flows| {
            let (used, capacity) = (used(network, flows), capacity(network, flows));
            for (flow, work) in flows {
                let level = network.per_s(*flow) / alone_per_s(network.capacities(), work);
                let full = |resource: ResourceId| used[resource.0 as usize] >= capacity[resource.0 as usize] * 0.95;
                assert!(level >= 0.95 || work.uses.iter().any(|usage| full(usage.resource)), "level {level}");
            }
        });
    }

    #[test]
    fn the_order_of_flows_that_start_at_the_same_time_does_not_matter(course in courses()) {
        let mut first = Vec::new();
        course.run(true, |network, flows| {
            if first.is_empty() {
                first = flows.iter().map(|(flow, _)| network.per_s(*flow)).collect();
            }
        });
        let reversed = Course { streams: course.streams.iter().rev().cloned().collect(), ..course };
        let mut last = Vec::new();
        reversed.run(true, |network, flows| {
            if last.is_empty() {
                last = flows.iter().rev().map(|(flow, _)| network.per_s(*flow)).collect();
            }
        });
        for (forward, backward) in first.iter().zip(&last) {
            prop_assert!((forward - backward).abs() <= 1e-9 * forward, "{forward} and {backward}");
        }
    }

    #[test]
    fn twice_the_speed_takes_half_the_time(course in courses()) {
        let mut faster = course.clone();
        faster.capacities.units_per_s.iter_mut().for_each(|units| *units *= 2.0);
        faster.streams.iter_mut().flatten().for_each(|work| work.max_per_s *= 2.0);
        let end = |course: &Course| course.run(true, |_, _| {}).finished.last().map_or(0.0, |(time, _)| time.seconds());
        prop_assert!((end(&course) / end(&faster) - 2.0).abs() < 1e-6);
    }
}
