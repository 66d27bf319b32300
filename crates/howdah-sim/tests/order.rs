//! The order of events, and the streams of random numbers.

use howdah_sim::queue::Queue;
use howdah_sim::random::Random;
use howdah_sim::time::Time;
use proptest::prelude::*;

proptest! {
    #[test]
    fn events_are_returned_by_time_and_then_by_arrival(times in prop::collection::vec(0_i64..9, 0..60)) {
        let mut queue = Queue::new();
        for (event, &time) in times.iter().enumerate() {
            queue.push(Time(time), event);
        }
        let mut expected: Vec<(Time, usize)> =
            times.iter().enumerate().map(|(event, &time)| (Time(time), event)).collect();
        expected.sort();
        prop_assert_eq!(queue.due(), expected.first().map(|(time, _)| *time));
        let events: Vec<(Time, usize)> = std::iter::from_fn(|| queue.pop()).collect();
        prop_assert_eq!(events, expected);
    }

    #[test]
    fn choices_are_below_their_end(seed: u64, end in 1_u64..) {
        let mut random = Random::new(seed, "choice", 0);
        prop_assert!((0..64).all(|_| random.below(end) < end));
        prop_assert!((0..64).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn shuffling_loses_nothing(seed: u64, count in 0_usize..50) {
        let mut items: Vec<usize> = (0..count).collect();
        Random::new(seed, "shuffle", 0).shuffle(&mut items);
        items.sort_unstable();
        prop_assert_eq!(items, (0..count).collect::<Vec<_>>());
    }
}

#[test]
#[should_panic(expected = "comes after one")]
fn no_event_is_pushed_before_the_last_returned_one() {
    let mut queue = Queue::new();
    queue.push(Time(5), ());
    queue.pop();
    queue.push(Time(4), ());
}

#[test]
fn streams_of_different_seeds_purposes_and_indices_differ() {
    let streams =
        [(1, "placement", 0), (2, "placement", 0), (1, "placements", 0), (1, "placement", 1), (1, "", 0)];
    let mut first: Vec<u64> =
        streams.iter().map(|&(seed, purpose, index)| Random::new(seed, purpose, index).bits()).collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!(first.len(), streams.len());
    assert_eq!(Random::new(1, "placement", 0).bits(), Random::new(1, "placement", 0).bits());
}

#[test]
fn the_generator_is_xoshiro256_plus_plus() {
    // First numbers from the state 1, 2, 3, 4 by the authors' program.
    let mut random = Random::from_state([1, 2, 3, 4]);
    assert_eq!([0; 3].map(|_| random.bits()), [41_943_041, 58_720_359, 3_588_806_011_781_223]);
}

#[test]
fn normal_numbers_have_mean_0_and_deviation_1() {
    let mut random = Random::new(7, "normal", 0);
    let numbers: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "mean {mean}, variance {variance}");
}

#[test]
fn spans_of_time_are_rounded_to_the_nanosecond() {
    assert_eq!(Time::from_seconds(1.5e-9), Time(2));
    assert_eq!(Time::from_seconds(2.0).after(0.25), Time(2_250_000_000));
    assert_eq!(Time(2_250_000_000).since(Time(250_000_000)), 2.0);
}

#[test]
#[should_panic(expected = "a span of -1 s")]
fn no_time_is_before_the_start() {
    let _ = Time::from_seconds(-1.0);
}

#[test]
#[should_panic(expected = "a span of NaN s")]
fn a_time_must_be_a_number() {
    let _ = Time::ZERO.after(f64::NAN);
}
