//! The number of reduces that an application master allows to run while maps wait for containers.
//!
//! YARN serves an application's requests by priority, and reduces have a higher one than maps. To leave containers for
//! maps, the application master requests only as many reduces as fit into a part of the pool: the share of ended maps,
//! at most half, or more if the remaining maps leave room. Once no map waits for a container, it requests
//! all reduces (org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator).

/// Largest share of the pool for reduces while maps wait (`yarn.app.mapreduce.am.job.reduce.rampup.limit`).
const LIMIT: f64 = 0.5;

/// A job's maps and the pool of containers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pool {
    /// Maps that fit into the empty pool.
    pub(crate) map_slots: u32,
    /// Reduces that fit into the empty pool.
    pub(crate) reduce_slots: u32,
    /// Maps of the job.
    pub(crate) maps: u32,
    /// Maps that wait for a container.
    pub(crate) waiting: u32,
    /// Maps that have ended.
    pub(crate) ended: u32,
}

impl Pool {
    /// Reduces that may run at the same time.
    pub(crate) fn reduces(&self) -> u32 {
        if self.waiting == 0 {
            return u32::MAX;
        }
        let share = (f64::from(self.ended) / f64::from(self.maps)).min(LIMIT);
        let remaining = self.maps - self.ended;
        let slots = f64::from(self.map_slots);
        let enough_for_maps = (slots * (1.0 - share)).floor() >= f64::from(remaining);
        let share = if enough_for_maps { 1.0 - f64::from(remaining) / slots } else { share };
        (share * f64::from(self.reduce_slots)).floor() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;

    fn reduces(maps: u32, waiting: u32, ended: u32) -> u32 {
        Pool { map_slots: 100, reduce_slots: 50, maps, waiting, ended }.reduces()
    }

    #[test]
    fn reduces_get_the_share_of_ended_maps_up_to_half_of_the_pool() {
        let allowed = [0, 1, 100, 400, 500, 890].map(|ended| reduces(1000, 1000 - ended - 10, ended));
        assert_eq!(allowed, [0, 0, 5, 20, 25, 25]);
    }

    #[test]
    fn reduces_get_the_room_that_the_last_maps_leave_and_all_once_no_map_waits() {
        // Twenty maps remain for a hundred slots.
        assert_eq!(reduces(1000, 15, 980), 40);
        assert_eq!(reduces(1000, 0, 900), u32::MAX);
    }
}
