//! Laws of sharing, on networks drawn at random.

use crate::support::{Course, Listed, Work, courses};
use howdah_sim::sharing::Capacities;
use howdah_sim::sharing::{FlowId, Load, Network, ResourceId};
use proptest::prelude::*;

/// Units per second that flows take of each resource now.
fn taken(network: &mut Network<Listed>, flows: &[(FlowId, &Work)]) -> Vec<f64> {
    let mut taken = vec![0.0; network.capacities().units_per_s.len()];
    for (flow, work) in flows {
        let per_s = network.per_s(*flow);
        for each in &work.uses {
            taken[each.resource.0 as usize] += each.weight * per_s;
        }
    }
    taken
}

/// What each resource gives now.
fn given(network: &Network<Listed>, flows: &[(FlowId, &Work)]) -> Vec<f64> {
    let count = network.capacities().units_per_s.len() as u32;
    let load = |resource: u32| {
        let uses = flows.iter().flat_map(|(_, work)| &work.uses);
        Load {
            flows: [uses.filter(|each| each.resource.0 == resource).count() as u32, 0, 0],
            demand: [0.0; 3],
        }
    };
    (0..count).map(|resource| network.capacities().capacity(ResourceId(resource), &load(resource))).collect()
}

/// Units of work per second that a flow would do alone.
fn alone_per_s(capacities: &Listed, work: &Work) -> f64 {
    let limits = work.uses.iter().map(|each| capacities.units_per_s[each.resource.0 as usize] / each.weight);
    limits.fold(work.most_per_s, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_resource_and_no_flow_is_over_what_it_can(course in courses(), exact: bool) {
        course.run(exact, |network, flows| {
            let (taken, given) = (taken(network, flows), given(network, flows));
            for (taken, given) in taken.iter().zip(given) {
                assert!(*taken <= given * (1.0 + 1e-6), "{taken} of {given}");
            }
            for (flow, work) in flows {
                assert!(network.per_s(*flow) <= work.most_per_s * (1.0 + 1e-9));
            }
        });
    }

    #[test]
    fn what_is_used_is_what_the_work_takes(course in courses(), exact: bool) {
        let outcome = course.run(exact, |_, _| {});
        let mut expected = vec![[0.0; 2]; course.capacities.units_per_s.len()];
        for work in course.streams.iter().flatten() {
            for each in &work.uses {
                expected[each.resource.0 as usize][usize::from(each.class)] += each.weight * work.work;
            }
        }
        for (used, expected) in outcome.used.iter().flatten().zip(expected.iter().flatten()) {
            prop_assert!((used - expected).abs() <= 1e-9 * expected, "{used} instead of {expected}");
        }
        prop_assert_eq!(outcome.finished.len(), course.streams.iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn time_runs_forwards_and_the_same_course_has_the_same_outcome(course in courses(), exact: bool) {
        let outcome = course.run(exact, |_, _| {});
        prop_assert!(outcome.finished.is_sorted_by_key(|(time, _)| *time));
        prop_assert_eq!(&outcome, &course.run(exact, |_, _| {}));
    }

    /// Max-min fairness: a flow below its own limit has a full resource where no other has a higher level.
    #[test]
    fn every_flow_has_a_bottleneck_in_the_exact_hard_solution(course in courses()) {
        let course = Course { softness: f64::INFINITY, ..course };
        course.run(true, |network, flows| {
            let (taken, given) = (taken(network, flows), given(network, flows));
            let levels: Vec<f64> = flows
                .iter()
                .map(|(flow, work)| network.per_s(*flow) / alone_per_s(network.capacities(), work))
                .collect();
            for ((_, work), level) in flows.iter().zip(&levels) {
                let limits = |resource: ResourceId| {
                    let index = resource.0 as usize;
                    let shares = |other: &Work| other.uses.iter().any(|each| each.resource == resource);
                    let others = flows.iter().zip(&levels).filter(|((_, other), _)| shares(other));
                    taken[index] >= given[index] * (1.0 - 1e-6)
                        && others.fold(true, |all, (_, other)| all && *other <= level * (1.0 + 1e-6))
                };
                let limited = *level >= 1.0 - 1e-9 || work.uses.iter().any(|each| limits(each.resource));
                assert!(limited, "a flow at level {level} has no bottleneck");
            }
        });
    }

    /// Renewing only where enough has changed leaves no resource idle that flows wait for.
    #[test]
    fn every_flow_nearly_has_a_bottleneck_in_the_hard_solution(course in courses()) {
        let course = Course { softness: f64::INFINITY, ..course };
        course.run(false, |network, flows| {
            let (taken, given) = (taken(network, flows), given(network, flows));
            for (flow, work) in flows {
                let level = network.per_s(*flow) / alone_per_s(network.capacities(), work);
                let full = |resource: ResourceId| taken[resource.0 as usize] >= given[resource.0 as usize] * 0.95;
                assert!(level >= 0.95 || work.uses.iter().any(|each| full(each.resource)), "level {level}");
            }
        });
    }

    #[test]
    fn the_order_of_flows_that_start_together_does_not_matter(course in courses()) {
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
        for (one, other) in first.iter().zip(&last) {
            prop_assert!((one - other).abs() <= 1e-9 * one, "{one} and {other}");
        }
    }

    #[test]
    fn everything_twice_as_fast_takes_half_as_long(course in courses()) {
        let mut faster = course.clone();
        faster.capacities.units_per_s.iter_mut().for_each(|units| *units *= 2.0);
        faster.streams.iter_mut().flatten().for_each(|work| work.most_per_s *= 2.0);
        let end = |course: &Course| course.run(true, |_, _| {}).finished.last().map_or(0.0, |(time, _)| time.seconds());
        prop_assert!((end(&course) / end(&faster) - 2.0).abs() < 1e-6);
    }
}
