//! A reduce that sums up what maps tell: its process starts while they run, and it waits for the last of them.

use crate::job::Next;
use crate::world::World;

/// Its next step, with so many maps that have not ended.
pub(crate) fn next(world: &mut World<'_>, attempt: u32, maps_left: u32) -> Next {
    if world.start_process(attempt) {
        Next::Stream
    } else if maps_left > 0 {
        Next::Wait
    } else {
        Next::End
    }
}
