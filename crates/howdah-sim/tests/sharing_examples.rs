//! Sharing where one can say the answer.

use crate::support::{Listed, network, uses};
use howdah_sim::sharing::{FlowId, Network, ResourceId};
use howdah_sim::time::Time;

const HARD: f64 = f64::INFINITY;
const UNCAPPED: f64 = f64::INFINITY;

/// A flow: each resource that it uses with the weight, and its cap.
type Asked<'a> = (&'a [(u32, f64)], f64);

fn resources(units_per_s: &[f64], softness: f64) -> Network<Listed> {
    network(&Listed { units_per_s: units_per_s.to_vec(), loss: 0.0 }, softness, true)
}

/// Holds the exact solver to the rates, and the quick one to within a hundredth of them.
fn expect(units_per_s: &[f64], softness: f64, flows: &[Asked], rates: &[f64]) {
    for (exact, tolerance) in [(true, 1e-4), (false, 1e-2)] {
        let listed = Listed { units_per_s: units_per_s.to_vec(), loss: 0.0 };
        let mut network = network(&listed, softness, exact);
        let started: Vec<FlowId> = flows.iter().map(|(of, most)| start(&mut network, of, *most)).collect();
        let found: Vec<f64> = started.iter().map(|flow| network.per_s(*flow)).collect();
        let right = found.iter().zip(rates).all(|(found, rate)| (found / rate - 1.0).abs() < tolerance);
        assert!(right && found.len() == rates.len(), "{found:?} instead of {rates:?}");
    }
}

fn start(network: &mut Network<Listed>, of: &[(u32, f64)], most_per_s: f64) -> FlowId {
    network.start(Time::ZERO, 1000.0, &uses(of), most_per_s, 0)
}

#[test]
fn a_flow_alone_has_all_of_its_scarcest_resource() {
    expect(&[100.0, 40.0], HARD, &[(&[(0, 1.0), (1, 0.5)], UNCAPPED)], &[80.0]);
}

#[test]
fn capped_flows_that_contend_are_slowed_alike() {
    // Alone, the first would have 10 and the others 100.
    let one: &[(u32, f64)] = &[(0, 1.0)];
    let flows: [Asked; 3] = [(one, 10.0), (one, UNCAPPED), (one, UNCAPPED)];
    expect(&[100.0], HARD, &flows, &[4.7619, 47.619, 47.619]);
}

#[test]
fn flows_that_contend_are_slowed_alike_whatever_their_units() {
    // One flow counts bytes and takes 10 ns of a core for each; the other counts core-seconds.
    expect(&[1.0], HARD, &[(&[(0, 1e-8)], UNCAPPED), (&[(0, 1.0)], UNCAPPED)], &[50e6, 0.5]);
}

#[test]
fn what_one_flow_cannot_take_goes_to_another() {
    // One flow over both links, one over each.
    let flows: [Asked; 3] =
        [(&[(0, 1.0), (1, 1.0)], UNCAPPED), (&[(0, 1.0)], UNCAPPED), (&[(1, 1.0)], UNCAPPED)];
    expect(&[100.0, 300.0], HARD, &flows, &[50.0, 50.0, 250.0]);
}

#[test]
fn two_full_resources_slow_a_flow_more_than_one() {
    let both: Asked = (&[(0, 1.0), (1, 1.0)], UNCAPPED);
    expect(&[100.0, 100.0], 4.0, &[both], &[84.0896]); // 100 · 2^(-1/4)
    expect(&[100.0, 200.0], 4.0, &[both], &[98.4958]); // 100 · (1 + 1/16)^(-1/4)
}

#[test]
fn a_cap_counts_as_a_resource_of_ones_own() {
    expect(&[100.0], 2.0, &[(&[(0, 1.0)], 100.0)], &[70.7107]);
}

#[test]
fn a_flow_that_ends_leaves_its_share_to_the_other() {
    let mut network = resources(&[100.0], HARD);
    let short = network.start(Time::ZERO, 500.0, &uses(&[(0, 1.0)]), UNCAPPED, 7);
    network.start(Time::ZERO, 1000.0, &uses(&[(0, 1.0)]), UNCAPPED, 8);
    let first = network.finish().expect("the short flow ends");
    assert_eq!((first.flow, first.tag), (short, 7));
    assert!((first.time.seconds() - 10.0).abs() < 1e-6);
    let second = network.finish().expect("the long flow ends");
    assert_eq!(second.tag, 8);
    assert!((second.time.seconds() - 15.0).abs() < 1e-6);
    assert_eq!(network.finish(), None);
}

#[test]
fn what_is_used_counts_up_to_the_time_asked() {
    let mut network = resources(&[100.0, 100.0], HARD);
    let flow = network.start(Time::ZERO, 1000.0, &uses(&[(0, 1.0), (1, 0.5)]), UNCAPPED, 0);
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
    network.start(Time::from_seconds(1.0), 0.0, &uses(&[(0, 1.0)]), UNCAPPED, 1);
    let ends =
        [network.finish(), network.finish()].map(|end| end.map(|end| (end.tag, end.time.seconds().round())));
    assert_eq!(ends, [Some((1, 1.0)), Some((0, 3.0))]);
}

#[test]
fn a_flow_that_gets_nothing_stands_still() {
    let mut network = resources(&[100.0], HARD);
    start(&mut network, &[(0, 1.0)], 1e-300);
    assert_eq!(network.due(), None);
}

#[test]
#[should_panic(expected = "a flow of inf units of work")]
fn infinite_work_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, f64::INFINITY, &uses(&[(0, 1.0)]), 1.0, 0);
}

#[test]
#[should_panic(expected = "a flow of at most NaN units per second")]
fn a_cap_that_is_no_number_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &[], f64::NAN, 0);
}

#[test]
#[should_panic(expected = "a use of weight 0")]
fn a_use_without_weight_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &uses(&[(0, 0.0)]), 1.0, 0);
}

#[test]
#[should_panic(expected = "a flow that would do inf units per second alone")]
fn a_flow_that_nothing_limits_is_refused() {
    resources(&[1.0], HARD).start(Time::ZERO, 1.0, &[], UNCAPPED, 0);
}

#[test]
#[should_panic(expected = "a softness of NaN")]
fn a_softness_that_is_no_number_is_refused() {
    resources(&[1.0], f64::NAN);
}

#[test]
#[should_panic(expected = "comes after a flow is due")]
fn no_flow_is_passed_over() {
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
