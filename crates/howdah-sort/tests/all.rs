//! All tests of the kernels in one program, so they are linked only once.

mod corruption;
mod costs;
mod dfsio;
mod limit;
mod pi;
mod teragen;
mod terasort;
mod terasort_memory;
mod teravalidate;
