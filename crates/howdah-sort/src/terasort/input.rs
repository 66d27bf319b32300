//! The input files as one sequence of rows, divided into map tasks and into windows to read.

use std::ops::Range;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::file::{ALIGN, InputFile};
use crate::record::ROW;

/// Rows that fill whole pages: a window that starts at a multiple of this reads nothing twice.
pub const PAGE_ROWS: u64 = (ALIGN / 4) as u64;

/// A split ends at a file's end if this is within this part of the split's length (Hadoop's SPLIT_SLOP
/// allows a split to grow by as much).
const SLOP: f64 = 0.1;

/// The input files, in order.
pub struct Inputs {
    files: Vec<InputFile>,
    /// The number of rows in the files before each file, and after the last.
    firsts: Vec<u64>,
}

/// Rows of a file, and the aligned bytes to read for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The file's number.
    pub file: usize,
    /// The offset of the read, a multiple of [`ALIGN`].
    pub offset: u64,
    /// The length of the read, a multiple of [`ALIGN`].
    pub len: usize,
    /// Bytes before the first row.
    pub skip: usize,
    /// Number of rows.
    pub rows: usize,
}

impl Inputs {
    /// Opens the files, which must consist of whole rows.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        let mut files = Vec::with_capacity(paths.len());
        let mut firsts = vec![0];
        for path in paths {
            let file = InputFile::open(path)?;
            if file.len() % ROW as u64 != 0 {
                return Err(Error::Input {
                    subject: path.display().to_string(),
                    what: format!("is {} bytes long, not a multiple of {ROW}", file.len()),
                    hint: format!("give files of {ROW}-byte rows, as TeraGen writes them"),
                });
            }
            firsts.push(firsts[files.len()] + file.len() / ROW as u64);
            files.push(file);
        }
        Ok(Self { files, firsts })
    }

    /// The number of rows in all files.
    pub fn rows(&self) -> u64 {
        self.firsts[self.files.len()]
    }

    /// Whether reads of all files bypass the page cache.
    pub fn is_direct(&self) -> bool {
        self.files.iter().all(InputFile::is_direct)
    }

    /// Reads a window into `buffer`, which must be as long, and returns the bytes of its rows.
    pub fn read<'a>(&self, window: &Window, buffer: &'a mut [u8]) -> Result<&'a [u8]> {
        self.files[window.file].read_at(buffer, window.offset)?;
        Ok(&buffer[window.skip..][..window.rows * ROW])
    }

    /// The rows of each of `maps` map tasks, numbered over all files.
    pub fn split(&self, maps: u32) -> Vec<Range<u64>> {
        let ends: Vec<u64> = (1..=maps).map(|task| self.split_end(task, maps)).collect();
        let mut start = 0;
        ends.into_iter().map(|end| std::mem::replace(&mut start, end)..end).collect()
    }

    /// The end of split `task` of `maps`: a file's end if one is near, otherwise the end of a page,
    /// unless splits are so small that this would unbalance them.
    fn split_end(&self, task: u32, maps: u32) -> u64 {
        let end = (u128::from(self.rows()) * u128::from(task) / u128::from(maps)) as u64;
        let slop = (self.rows() as f64 / f64::from(maps) * SLOP) as u64;
        let after = self.firsts.partition_point(|&first| first < end).min(self.files.len());
        let (left, right) = (self.firsts[after.saturating_sub(1)], self.firsts[after]);
        if right - end <= slop {
            right
        } else if end - left <= slop {
            left
        } else if slop >= PAGE_ROWS {
            end - (end - left) % PAGE_ROWS
        } else {
            end
        }
    }

    /// The windows of `rows`, each with at most `most_rows` rows, a multiple of [`PAGE_ROWS`].
    pub fn windows(&self, rows: Range<u64>, most_rows: u64) -> Vec<Window> {
        let mut windows = Vec::new();
        for (file, first) in self.firsts.windows(2).enumerate() {
            let (mut start, end) =
                (rows.start.max(first[0]) - first[0], rows.end.min(first[1]).saturating_sub(first[0]));
            while start < end {
                let cut = (start - start % PAGE_ROWS + most_rows).min(end);
                windows.push(Window::new(file, start..cut));
                start = cut;
            }
        }
        windows
    }
}

impl Window {
    fn new(file: usize, rows: Range<u64>) -> Self {
        let (start, end) = (rows.start * ROW as u64, rows.end * ROW as u64);
        let offset = start - start % ALIGN as u64;
        Self {
            file,
            offset,
            len: (end - offset).next_multiple_of(ALIGN as u64) as usize,
            skip: (start - offset) as usize,
            rows: (rows.end - rows.start) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inputs(dir: &tempfile::TempDir, rows: &[usize]) -> Inputs {
        let paths: Vec<PathBuf> =
            (0..rows.len()).map(|file| dir.path().join(format!("part-m-{file:05}"))).collect();
        for (path, rows) in paths.iter().zip(rows) {
            std::fs::write(path, vec![0; rows * ROW]).unwrap();
        }
        Inputs::open(&paths).unwrap()
    }

    #[test]
    fn splits_end_with_teragens_files() {
        let dir = tempfile::tempdir().unwrap();
        let inputs = inputs(&dir, &[2501, 2500, 2500, 2499]);
        assert_eq!(inputs.split(4), [0..2501, 2501..5001, 5001..7501, 7501..10000]);
        assert_eq!(inputs.split(2), [0..5001, 5001..10000]);
    }

    #[test]
    fn large_splits_end_with_a_page() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(inputs(&dir, &[30_000]).split(2), [0..14 * PAGE_ROWS, 14 * PAGE_ROWS..30_000]);
    }

    #[test]
    fn a_truncated_row_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("part-m-00000");
        std::fs::write(&path, [0; 150]).unwrap();
        let Err(Error::Input { subject, what, .. }) = Inputs::open(std::slice::from_ref(&path)) else {
            panic!("a file of one and a half rows was accepted");
        };
        assert_eq!(subject, path.display().to_string());
        assert_eq!(what, "is 150 bytes long, not a multiple of 100");
    }

    proptest! {
        #[test]
        fn windows_cover_every_row_once(
            sizes in proptest::collection::vec(0..4000usize, 0..5), maps in 1..9u32, pages in 1..3u64
        ) {
            let dir = tempfile::tempdir().unwrap();
            let inputs = inputs(&dir, &sizes);
            let mut next = 0;
            let mut rows_of_file = vec![0; sizes.len()];
            for split in inputs.split(maps) {
                prop_assert_eq!(split.start, next);
                prop_assert!(split.start <= split.end);
                next = split.end;
                for window in inputs.windows(split, pages * PAGE_ROWS) {
                    let first_row = (window.offset as usize + window.skip) / ROW;
                    prop_assert_eq!(first_row, rows_of_file[window.file]);
                    rows_of_file[window.file] += window.rows;
                    prop_assert!(window.rows > 0 && window.rows as u64 <= pages * PAGE_ROWS);
                    prop_assert!(window.skip + window.rows * ROW <= window.len);
                    prop_assert!(window.offset % ALIGN as u64 == 0 && window.len % ALIGN == 0);
                }
            }
            prop_assert_eq!(next, inputs.rows());
            prop_assert_eq!(rows_of_file, sizes);
        }
    }
}
