//! The C library's allocator, with huge pages behind what is large.
//!
//! The simulator goes through tens of megabytes in no order. In pages of 4 KiB these are more than a processor keeps
//! addresses of, so that nearly every step would wait for another look into the page table.

use std::alloc::{GlobalAlloc, Layout, System};

/// Size of a huge page where it matters most (x86-64, and 64-bit ARM with small pages).
const HUGE: usize = 2 << 20;

/// Where advice may begin and end.
const PAGE: usize = 64 << 10;

/// Allocates as [`System`] does.
pub struct Allocator;

// SAFETY: every call is handed on to `System` as it is; advice changes neither contents nor addresses.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the same.
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

/// Asks for huge pages behind the whole pages of a large piece of memory. It is only advice: where the system has none
/// to give, small ones do.
fn advise(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= HUGE && !memory.is_null() {
        let before = memory.align_offset(PAGE);
        let length = (size - before) / PAGE * PAGE;
        // SAFETY: these are whole pages of a piece of memory that was allocated just now.
        unsafe { libc::madvise(memory.add(before).cast(), length, libc::MADV_HUGEPAGE) };
    }
    memory
}
