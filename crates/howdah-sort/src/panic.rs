//! Panics of a kernel as values.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work` to its end and returns its result, or the message of its panic.
pub fn catch_panic<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    // The data that `work` owned are dropped by the unwinding, so nothing can observe an inconsistent state.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_passes_and_a_panic_becomes_its_message() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        assert_eq!(catch_panic::<()>(|| panic!("plain")), Err("plain".to_owned()));
        let number = std::hint::black_box(7);
        assert_eq!(catch_panic::<()>(|| panic!("number {number}")), Err("number 7".to_owned()));
        assert_eq!(catch_panic::<()>(|| std::panic::panic_any(number)), Err("no message".to_owned()));
    }
}
