//! Cuts many sorted lists so that a given number of entries is before the cut.
//!
//! Cutting by rank instead of by sampled keys makes balanced partitions for all keys: sorted,
//! skewed, or equal (multisequence selection; Varman et al., "Merging multiple lists on
//! hierarchical-memory multiprocessors", 1991).

use super::entry::Entry;

/// For each list the number of its entries among the `rank` smallest of all lists.
///
/// Entries are distinct and `rank` is at most the number of entries.
pub fn cut_at_rank(lists: &[&[Entry]], rank: usize) -> Vec<usize> {
    // Entries before `low` are certainly among the smallest, those from `high` on certainly not.
    let mut low = vec![0; lists.len()];
    let mut high: Vec<usize> = lists.iter().map(|list| list.len()).collect();
    let mut missing = rank;
    while missing > 0 {
        let pivot = median_of_medians(lists, &low, &high);
        let cut: Vec<usize> = lists
            .iter()
            .zip(low.iter().zip(&high))
            .map(|(list, (&low, &high))| low + list[low..high].partition_point(|&entry| entry <= pivot))
            .collect();
        let below: usize = cut.iter().zip(&low).map(|(cut, low)| cut - low).sum();
        if below <= missing {
            missing -= below;
            low = cut;
        } else {
            // The pivot is the largest of more entries than are missing, so it is not among them.
            for ((list, high), cut) in lists.iter().zip(&mut high).zip(cut) {
                *high = cut - usize::from(cut > 0 && list[cut - 1] == pivot);
            }
        }
    }
    low
}

/// The median of the open ranges' middle entries, each weighted with its range's length.
///
/// At least a quarter of all open entries are on either side of it.
fn median_of_medians(lists: &[&[Entry]], low: &[usize], high: &[usize]) -> Entry {
    let mut middles: Vec<(Entry, usize)> = lists
        .iter()
        .zip(low.iter().zip(high))
        .filter(|(_, (low, high))| low < high)
        .map(|(list, (&low, &high))| (list[low + (high - low) / 2], high - low))
        .collect();
    middles.sort_unstable();
    let half = middles.iter().map(|(_, weight)| weight).sum::<usize>().div_ceil(2);
    let mut before = 0;
    middles
        .into_iter()
        .find(|(_, weight)| {
            before += weight;
            before >= half
        })
        .expect("a rank within the entries leaves a range open")
        .0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_entries_before_the_cut_are_the_smallest(
            keys in proptest::collection::vec((0..9usize, 0..5 as Entry), 0..200), share in 0.0..=1.0f64
        ) {
            let mut lists = vec![Vec::new(); 9];
            for (position, (list, key)) in keys.iter().enumerate() {
                lists[*list].push((key << 48) | position as Entry);
            }
            lists.iter_mut().for_each(|list| list.sort_unstable());
            let lists: Vec<&[Entry]> = lists.iter().map(Vec::as_slice).collect();
            let rank = (keys.len() as f64 * share) as usize;
            let cut = cut_at_rank(&lists, rank);
            prop_assert_eq!(cut.iter().sum::<usize>(), rank);
            let last_before = lists.iter().zip(&cut).filter_map(|(list, &cut)| list[..cut].last()).max();
            let first_after = lists.iter().zip(&cut).filter_map(|(list, &cut)| list[cut..].first()).min();
            if let (Some(before), Some(after)) = (last_before, first_after) {
                prop_assert!(before < after);
            }
        }
    }
}
