//! The tests of the kernels in one program, which is linked once.

mod corruption;
mod costs;
mod dfsio;
mod limit;
mod pi;
mod teragen;
mod terasort;
mod terasort_memory;
mod teravalidate;
