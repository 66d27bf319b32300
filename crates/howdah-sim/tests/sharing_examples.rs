//! Sharing in cases with a known solution.

use crate::support::{FixedCapacities, network, uses_of};
use howdah_sim::sharing::{FlowId, Network, ResourceId};
use howdah_sim::time::Time;

const HARD: f64 = f64::INFINITY;
const UNCAPPED: f64 = f64::INFINITY;

/// A flow: its resources with their weights, and its cap.
type FlowSpec<'a> = (&'a [(u32, f64)], f64);

fn resources(units_per_s: &[f64], softness: f64) -> Network<FixedCapacities> {
    network(&FixedCapacities { units_per_s: units_per_s.to_vec(), loss: 0.0 }, softness, true)
}

/// Compares the rates of the exact solver, and those of the quick one with a tolerance of 1 %.
fn expect(units_per_s: &[f64], softness: f64, flows: &[FlowSpec], rates: &[f64]) {
    for (exact, tolerance) in [(true, 1e-4), (false, 1e-2)] {
        let listed = FixedCapacities { units_per_s: units_per_s.to_vec(), loss: 0.0 };
        let mut network = network(&listed, softness, exact);
        let started: Vec<FlowId> =
            flows.iter().map(|(uses, max_per_s)| start(&mut network, uses, *max_per_s)).collect();
        let actual: Vec<f64> = started.iter().map(|flow| network.per_s(*flow)).collect();
        let equal = actual.iter().zip(rates).all(|(actual, rate)| (actual / rate - 1.0).abs() < tolerance);
        assert!(equal && actual.len() == rates.len(), "{actual:?} instead of {rates:?}");
    }
}

fn start(network: &mut Network<FixedCapacities>, uses: &[(u32, f64)], max_per_s: f64) -> FlowId {
    network.start(Time::ZERO, 1000.0, &uses_of(uses), max_per_s, 0)
}

#[test]
fn a_single_flow_has_all_of_its_scarcest_resource() {
    expect(&[100.0, 40.0], HARD, &[(&[(0, 1.0), (1, 0.5)], UNCAPPED)], &[80.0]);
}

#[test]
fn contending_flows_with_caps_are_slowed_by_the_same_factor() {
    // Without the others, the first would have 10 and the others 100.
    let uses: &[(u32, f64)] = &[(0, 1.0)];
    let flows: [FlowSpec; 3] = [(uses, 10.0), (uses, UNCAPPED), (uses, UNCAPPED)];
    expect(&[100.0], HARD, &flows, &[4.7619, 47.619, 47.619]);
}

#[test]
fn contending_flows_are_slowed_by_the_same_factor_whatever_their_units() {
    // One flow counts bytes and takes 10 ns of a core for each; the other counts core-seconds.
    expect(&[1.0], HARD, &[(&[(0, 1e-8)], UNCAPPED), (&[(0, 1.0)], UNCAPPED)], &[50e6, 0.5]);
}

#[test]
fn capacity_that_a_flow_cannot_use_goes_to_another() {
    // One flow over both links, one over each.
    let flows: [FlowSpec; 3] =
        [(&[(0, 1.0), (1, 1.0)], UNCAPPED), (&[(0, 1.0)], UNCAPPED), (&[(1, 1.0)], UNCAPPED)];
    expect(&[100.0, 300.0], HARD, &flows, &[50.0, 50.0, 250.0]);
}

#[test]
fn two_full_resources_slow_a_flow_more_than_one() {
    let both: FlowSpec = (&[(0, 1.0), (1, 1.0)], UNCAPPED);
    expect(&[100.0, 100.0], 4.0, &[both], &[84.0896]); // 100 · 2^(-1/4)
    expect(&[100.0, 200.0], 4.0, &[both], &[98.4958]); // 100 · (1 + 1/16)^(-1/4)
}

#[test]
fn a_cap_counts_as_a_separate_resource() {
    expect(&[100.0], 2.0, &[(&[(0, 1.0)], 100.0)], &[70.7107]);
}

#[test]
fn a_flow_that_ends_leaves_its_share_to_the_other() {
    let mut network = resources(&[100.0], HARD);
    let short = network.start(Time::ZERO, 500.0, &uses_of(&[(0, 1.0)]), UNCAPPED, 7);
    network.start(Time::ZERO, 1000.0, &uses_of(&[(0, 1.0)]), UNCAPPED, 8);
    let first = network.finish().expect("the short flow ends");
    assert_eq!((first.flow, first.tag), (short, 7));
    assert!((first.time.seconds() - 10.0).abs() < 1e-6);
    let second = network.finish().expect("the long flow ends");
    assert_eq!(second.tag, 8);
    assert!((second.time.seconds() - 15.0).abs() < 1e-6);
    assert_eq!(network.finish(), None);
}

#[test]
fn use_is_counted_up_to_the_given_time() {
    let mut network = resources(&[100.0, 100.0], HARD);
    let flow = network.start(Time::ZERO, 1000.0, &uses_of(&[(0, 1.0), (1, 0.5)]), UNCAPPED, 0);
    let second = Time::from_seconds(2.0);
    assert!((network.used(second, ResourceId(1), 0) - 100.0).abs() < 1e-6);
    assert_eq!(network.used(second, ResourceId(1), 1), 0.0);
    assert!((network.cancel(Time::from_seconds(4.0), flow) - 600.0).abs() < 1e-6);
    assert!((network.used(Time::from_seconds(9.0), ResourceId(0), 0) - 400.0).abs() < 1e-6);
    assert_eq!(network.flows(), 0);
}

#[test]
fn a_flow_without_uses_is_a_delay_and_one_without_work_ends_at_once() {
    let mut network = resources(&[100.0], 3.0);
    network.start(Time::from_seconds(1.0), 4.0, &[], 2.0, 0);
    network.start(Time::from_seconds(1.0), 0.0, &uses_of(&[(0, 1.0)]), UNCAPPED, 1);
    let ends =
        [network.finish(), network.finish()].map(|end| end.map(|end| (end.tag, end.time.seconds().round())));
    assert_eq!(ends, [Some((1, 1.0)), Some((0, 3.0))]);
}

#[test]
fn a_flow_without_capacity_makes_no_progress() {
    let mut network = resources(&[100.0], HARD);
    start(&mut network, &[(0, 1.0)], 1e-300);
    assert_eq!(network.due(), None);
}

#[test]
#[should_panic(expected = "a flow of inf units of work")]
fn infinite_work_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, f64::INFINITY, &uses_of(&[(0, 1.0)]), 1.0, 0);
}

#[test]
#[should_panic(expected = "a flow of at most NaN units per second")]
fn a_cap_that_is_nan_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &[], f64::NAN, 0);
}

#[test]
#[should_panic(expected = "a use of weight 0")]
fn a_use_without_weight_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &uses_of(&[(0, 0.0)]), 1.0, 0);
}

#[test]
#[should_panic(expected = "a flow that would do inf units per second alone")]
fn a_flow_without_a_limit_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &[], UNCAPPED, 0);
}

#[test]
#[should_panic(expected = "a softness of NaN")]
fn a_softness_that_is_nan_is_refused() {
    resources(&[1.0], f64::NAN);
}

#[test]
#[should_panic(expected = "comes after a flow is due")]
fn no_flow_is_skipped() {
    let mut network = resources(&[100.0], HARD);
    start(&mut network, &[(0, 1.0)], UNCAPPED);
    network.start(Time::from_seconds(60.0), 1.0, &[], 1.0, 1);
}

#[test]
#[should_panic(expected = "has ended")]
fn a_flow_ends_once() {
    let mut network = resources(&[100.0], HARD);
    let flow = start(&mut network, &[(0, 1.0)], UNCAPPED);
    network.cancel(Time::ZERO, flow);
    start(&mut network, &[(0, 1.0)], UNCAPPED);
    network.cancel(Time::ZERO, flow);
}
