//! The capacities of the cluster's resources: here the fluid network uses the models.

use crate::models::cpu::Processors;
use crate::models::disk::Disk;
use crate::sharing::{Capacities, Load, ResourceId};

/// A resource.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resource {
    /// A host's processors; units are core-seconds.
    Processors(Processors),
    /// A disk; units are bytes.
    Disk(Disk),
    /// Any resource with a constant rate: a link, a controller, a virtual machine's processors.
    Fixed(f64),
}

/// All resources, by their number in the network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine(pub(crate) Vec<Resource>);

impl Machine {
    pub(crate) fn disk(&self, resource: ResourceId) -> &Disk {
        match &self.0[resource.0 as usize] {
            Resource::Disk(disk) => disk,
            resource => unreachable!("{resource:?} is no disk"),
        }
    }

    pub(crate) fn disk_mut(&mut self, resource: ResourceId) -> &mut Disk {
        match &mut self.0[resource.0 as usize] {
            Resource::Disk(disk) => disk,
            resource => unreachable!("{resource:?} is no disk"),
        }
    }
}

impl Capacities for Machine {
    fn capacity(&self, resource: ResourceId, load: &Load) -> f64 {
        match &self.0[resource.0 as usize] {
            Resource::Processors(processors) => processors.capacity(load.total_demand()),
            Resource::Disk(disk) => disk.capacity(load),
            Resource::Fixed(rate) => *rate,
        }
    }

    fn is_constant(&self, resource: ResourceId) -> bool {
        matches!(self.0[resource.0 as usize], Resource::Fixed(_))
    }
}
