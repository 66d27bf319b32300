//! The system's allocator, with huge pages for large allocations.
//!
//! The simulator accesses tens of megabytes randomly. In pages of 4 KiB these exceed a processor's cache of addresses
//! (TLB), so nearly every access would wait for a page-table walk.

use std::alloc::{GlobalAlloc, Layout, System};

/// Size of a huge page on the usual processors (x86-64, and 64-bit ARM with small pages).
const HUGE: usize = 2 << 20;

/// Alignment of the advised memory.
const PAGE: usize = 64 << 10;

/// Allocates like [`System`].
pub struct Allocator;

// SAFETY: every call is forwarded to `System` unchanged; advice changes neither contents nor addresses.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller satisfies the contract, which is the same.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        advise(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Advises the system to use huge pages for the whole pages of a large allocation. It uses small ones if it has no huge
/// pages.
fn advise(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= HUGE && !memory.is_null() {
        let before = memory.align_offset(PAGE);
        let length = (size - before) / PAGE * PAGE;
        // SAFETY: these are whole pages of memory that was allocated just now.
        unsafe { libc::madvise(memory.add(before).cast(), length, libc::MADV_HUGEPAGE) };
    }
    memory
}
