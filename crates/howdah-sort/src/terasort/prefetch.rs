//! Prefetching of memory.

/// Prefetches the cache line at `address`, which may be any address.
#[inline]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is only a hint; it reads nothing and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    // Stable Rust has no prefetch for other processors; there the merge is slower.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
