//! Asking for memory before it is needed.

/// Asks for the cache line at `address`, which may be any address at all.
#[inline]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is only a hint; it reads nothing and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    // Elsewhere stable Rust has no prefetch; the merge is merely slower.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
