//! The rows of each spilled run.

use std::ops::Range;

use super::input::{Inputs, Window};
use super::plan::window_rows;
use crate::record::ROW;

/// A sorted run: consecutive rows of the input, read, sorted and spilled by one map slot.
///
/// Because the rows are consecutive, a row's position in the stable order follows from its run and its
/// position in the run, so only the row itself is spilled.
#[derive(Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// The number of the first row in all files.
    pub first_row: u64,
    /// The windows to read.
    pub windows: Vec<Window>,
    /// The map tasks of these rows, in order.
    pub parts: Vec<Part>,
}

/// A map task's part of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The map task.
    pub task: u32,
    /// Rows of the task in this run.
    pub rows: u64,
    /// Whether they are its last.
    pub last: bool,
}

impl RunPlan {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.windows.iter().map(|window| window.rows).sum()
    }

    fn bytes(&self) -> usize {
        self.windows.iter().map(|window| window.len).sum()
    }
}

/// Packs the map tasks' rows into runs with windows of at most `run_bytes` bytes.
///
/// Each element of the result is for one slot: either one run of several small tasks, or one
/// large task's runs in order. Two consecutive elements of the first kind are larger than one run
/// together, so runs are at least a third full on average.
pub fn pack(inputs: &Inputs, splits: &[Range<u64>], run_bytes: usize) -> Vec<Vec<RunPlan>> {
    let most_rows = window_rows((run_bytes / ROW) as u64);
    let mut items = Vec::new();
    let mut shared: Option<RunPlan> = None;
    for (task, split) in (0..).zip(splits) {
        let windows = inputs.windows(split.clone(), most_rows);
        let bytes: usize = windows.iter().map(|window| window.len).sum();
        if shared.as_ref().is_some_and(|run| run.bytes() + bytes > run_bytes) {
            items.extend(shared.take().map(|run| vec![run]));
        }
        if bytes > run_bytes {
            items.push(cut(windows, split.start, task, run_bytes));
        } else {
            let run = shared.get_or_insert_with(|| RunPlan {
                first_row: split.start,
                windows: Vec::new(),
                parts: Vec::new(),
            });
            run.windows.extend(windows);
            run.parts.push(Part { task, rows: split.end - split.start, last: true });
        }
    }
    items.extend(shared.map(|run| vec![run]));
    items
}

/// Cuts one task's windows into runs.
fn cut(windows: Vec<Window>, first_row: u64, task: u32, run_bytes: usize) -> Vec<RunPlan> {
    let mut runs: Vec<RunPlan> = Vec::new();
    let mut next_row = first_row;
    for window in windows {
        let rows = window.rows as u64;
        match runs.last_mut() {
            Some(run) if run.bytes() + window.len <= run_bytes => {
                run.parts[0].rows += rows;
                run.windows.push(window);
            }
            _ => runs.push(RunPlan {
                first_row: next_row,
                windows: vec![window],
                parts: vec![Part { task, rows, last: false }],
            }),
        }
        next_row += rows;
    }
    if let Some(run) = runs.last_mut() {
        run.parts[0].last = true;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_contain_every_row_once_and_are_a_third_full(
            sizes in proptest::collection::vec(0..20_000usize, 1..4), maps in 1..40u32, kib in 108..800usize
        ) {
            let dir = tempfile::tempdir().unwrap();
            let paths: Vec<_> = (0..sizes.len()).map(|file| dir.path().join(file.to_string())).collect();
            for (path, rows) in paths.iter().zip(&sizes) {
                std::fs::write(path, vec![0; rows * ROW]).unwrap();
            }
            let inputs = Inputs::open(&paths).unwrap();
            let run_bytes = kib << 10;
            let splits = inputs.split(maps);
            let items = pack(&inputs, &splits, run_bytes);
            let mut rows_of_task = vec![0; maps as usize];
            let mut next_row = 0;
            let mut runs = 0;
            for run in items.iter().flatten() {
                prop_assert!(run.bytes() <= run_bytes);
                prop_assert_eq!(run.first_row, next_row);
                prop_assert_eq!(run.rows() as u64, run.parts.iter().map(|part| part.rows).sum::<u64>());
                next_row += run.rows() as u64;
                for part in &run.parts {
                    rows_of_task[part.task as usize] += part.rows;
                    let total = splits[part.task as usize].end - splits[part.task as usize].start;
                    prop_assert_eq!(part.last, rows_of_task[part.task as usize] == total);
                }
                runs += 1;
            }
            prop_assert_eq!(next_row, inputs.rows());
            prop_assert!(runs <= 3 * (inputs.rows() as usize * ROW).div_ceil(run_bytes) + 1);
        }
    }
}
