//! The costs of all steps, and the error for too little memory.

use howdah_sort::{Error, Pool, row_costs};

#[test]
fn every_step_costs_something_and_rows_shrink() {
    let mut pool = Pool::new(16 << 20, 2).unwrap();
    let costs = row_costs(&mut pool, 16 << 20, 2).unwrap();
    assert!(costs.cpu_share > 0.0 && costs.cpu_share < 1.01, "{}", costs.cpu_share);
    assert!(costs.generate > 0.0 && costs.validate > 0.0);
    let windows: Vec<_> = costs.sorts.iter().map(|sort| sort.windows).collect();
    assert_eq!(windows, [16, 256]);
    for sort in &costs.sorts {
        assert!(sort.sort > 0.0 && sort.merge > 0.0, "{sort:?}");
        // Half of the pool for each thread; a row takes 100 bytes and its entry 16.
        let rows = (8 << 20) / 116;
        assert!((rows - 1000..=rows + 256).contains(&(sort.windows * sort.window_rows)), "{sort:?}");
    }
    let names: Vec<_> = costs.codecs.iter().map(|codec| codec.name).collect();
    assert_eq!(names, ["lz4", "snappy", "zstd"]);
    for codec in &costs.codecs {
        assert!(codec.pack > 0.0 && codec.unpack > 0.0 && (0.1..1.0).contains(&codec.ratio), "{codec:?}");
    }
}

#[test]
fn too_little_memory_is_an_error_with_the_memory_needed() {
    let mut pool = Pool::new(2 << 20, 1).unwrap();
    let Err(Error::Memory { needed, .. }) = row_costs(&mut pool, usize::MAX, 64) else {
        panic!("64 threads were given 32 KiB each");
    };
    let mut pool = Pool::new(needed as usize, 1).unwrap();
    assert!(row_costs(&mut pool, needed as usize, 64).is_ok());
    assert!(row_costs(&mut pool, needed as usize / 2, 64).is_err());
}
