//! A reduce that sums up the maps' results: its process starts while they run, and it waits for the last of them.

use crate::job::Next;
use crate::world::World;

/// The next step of such a reduce.
pub(crate) fn next(world: &mut World<'_>, attempt: u32, maps_left: u32) -> Next {
    if world.start_process(attempt) {
        Next::Stream
    } else if maps_left > 0 {
        Next::Wait
    } else {
        Next::End
    }
}
