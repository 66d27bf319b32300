//! TeraValidate detects any damage to sorted rows.

use std::cell::RefCell;
use std::fs::{read, write};
use std::path::{Path, PathBuf};

use howdah_sort::{Context, Expected, Fault, KEY, Pool, ROW, fill_rows_summed, teravalidate};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

/// Enough rows that every file is divided into two pieces.
const ROWS: usize = 6_000;
const FILES: usize = 3;
const CASES: u32 = 1_050;

/// Damage to a data set of sorted rows.
#[derive(Clone, Debug)]
enum Damage {
    FlipBits { offset: usize, bits: u8 },
    SwapRows(usize, usize),
    DropRow(usize),
    RepeatRow(usize),
    DropOneAndRepeatAnother { lost: usize, repeated: usize },
    CutOff { file: usize, rows: usize },
    SwapFiles(usize, usize),
}

fn two_of(count: usize) -> impl Strategy<Value = (usize, usize)> {
    (0..count, 1..count).prop_map(move |(first, distance)| (first, (first + distance) % count))
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0..ROWS * ROW, 1u8..).prop_map(|(offset, bits)| Damage::FlipBits { offset, bits }),
        two_of(ROWS).prop_map(|(first, second)| Damage::SwapRows(first, second)),
        (0..ROWS).prop_map(Damage::DropRow),
        (0..ROWS).prop_map(Damage::RepeatRow),
        two_of(ROWS).prop_map(|(lost, repeated)| Damage::DropOneAndRepeatAnother { lost, repeated }),
        (0..FILES, 0..ROWS / FILES).prop_map(|(file, rows)| Damage::CutOff { file, rows }),
        two_of(FILES).prop_map(|(first, second)| Damage::SwapFiles(first, second)),
    ]
}

/// Sorted rows with distinct keys, and TeraGen's record of them.
fn sorted_rows() -> (Vec<Vec<u8>>, Expected) {
    let mut bytes = vec![0; ROWS * ROW];
    let checksum = fill_rows_summed(0, &mut bytes);
    let mut rows: Vec<Vec<u8>> = bytes.chunks(ROW).map(<[u8]>::to_vec).collect();
    rows.sort();
    assert!(rows.windows(2).all(|pair| pair[0][..KEY] < pair[1][..KEY]), "the keys are not unique");
    (rows, (ROWS as u64, checksum))
}

/// The contents of the files after the damage; each file has an equal part of the rows.
fn files_after(damage: &Damage, sound: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let share = ROWS / FILES;
    let mut files: Vec<Vec<Vec<u8>>> = sound.chunks(share).map(<[_]>::to_vec).collect();
    match *damage {
        Damage::FlipBits { offset, bits } => {
            files[offset / ROW / share][offset / ROW % share][offset % ROW] ^= bits
        }
        Damage::SwapRows(first, second) => {
            files[first / share][first % share] = sound[second].clone();
            files[second / share][second % share] = sound[first].clone();
        }
        Damage::DropRow(row) => drop(files[row / share].remove(row % share)),
        Damage::RepeatRow(row) => files[row / share].insert(row % share, sound[row].clone()),
        Damage::DropOneAndRepeatAnother { lost, repeated } => {
            files[repeated / share].insert(repeated % share, sound[repeated].clone());
            let index = files[lost / share].iter().position(|row| *row == sound[lost]).unwrap();
            files[lost / share].remove(index);
        }
        Damage::CutOff { file, rows } => files[file].truncate(rows),
        Damage::SwapFiles(first, second) => files.swap(first, second),
    }
    files.into_iter().map(|rows| rows.concat()).collect()
}

fn validate(pool: &mut Pool, dir: &Path, files: &[PathBuf], expected: Expected) -> Vec<Fault> {
    let output = dir.join("part-r-report");
    let report = teravalidate(pool, files, &output, 2, Some(expected), &Context::default()).unwrap();
    std::fs::remove_file(output).unwrap();
    report.errors
}

#[test]
fn every_damage_is_detected() {
    // A thousand reports are synced to disk, which is faster in memory if possible.
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let (sound, expected) = sorted_rows();
    let pool = RefCell::new(Pool::new(2 << 20, 1).unwrap());
    let validate = |paths: &[PathBuf]| validate(&mut pool.borrow_mut(), dir.path(), paths, expected);
    let paths: Vec<_> = (0..FILES).map(|file| dir.path().join(format!("part-r-{file:05}"))).collect();
    let contents: Vec<_> = sound.chunks(ROWS / FILES).map(<[_]>::concat).collect();
    for (path, bytes) in paths.iter().zip(&contents) {
        write(path, bytes).unwrap();
    }
    assert_eq!(validate(&paths), []);

    TestRunner::new(ProptestConfig::with_cases(CASES))
        .run(&damage(), |damage| {
            let damaged = files_after(&damage, &sound);
            for (file, (path, bytes)) in paths.iter().zip(&damaged).enumerate() {
                if *bytes != contents[file] {
                    write(path, bytes).unwrap();
                }
            }
            let faults = validate(&paths);
            // The next case, or a smaller one of the same fault, starts from undamaged files again.
            for (file, path) in paths.iter().enumerate() {
                if damaged[file] != contents[file] {
                    write(path, &contents[file]).unwrap();
                }
            }
            if faults.is_empty() {
                return Err(TestCaseError::fail("the damage was not detected"));
            }
            Ok(())
        })
        .unwrap();
    let remaining: Vec<_> = paths.iter().map(|path| read(path).unwrap()).collect();
    assert_eq!(validate(&paths), []);
    assert!(remaining == contents);
}
