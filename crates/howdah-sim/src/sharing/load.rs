//! The load of flows on resources.

/// Kinds of use that a resource may distinguish, such as reads and writes of a disk.
pub const CLASSES: usize = 3;

/// One of [`CLASSES`] kinds of use, from 0.
pub type Class = u8;

/// A resource of a network, numbered from 0 in the order of addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub u32);

/// A flow in a network. The id of an ended flow is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// A flow's use of a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// The resource.
    pub resource: ResourceId,
    /// Units of the resource for a unit of the flow's work.
    pub weight: f64,
    /// The kind of use.
    pub class: Class,
}

/// The load of all flows on a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Uses by class; a flow that uses a resource twice counts twice.
    pub flows: [u32; CLASSES],
    /// Units per second by class that its flows would use if each were alone.
    pub demand: [f64; CLASSES],
}

impl Load {
    /// Number of uses of all classes.
    #[must_use]
    pub fn total_flows(&self) -> u32 {
        self.flows.iter().sum()
    }

    /// Units per second of all classes that flows would use if each were alone.
    #[must_use]
    pub fn total_demand(&self) -> f64 {
        self.demand.iter().sum()
    }
}

/// The capacities of resources.
pub trait Capacities {
    /// Units per second of a resource under a load: finite, not negative, and a function of its arguments alone.
    ///
    /// The network also passes a load of a single flow to compute the flow's rate without others. Its demand is then
    /// at the flow's own cap, which may be infinite.
    fn capacity(&self, resource: ResourceId, load: &Load) -> f64;

    /// Whether the capacity never depends on the load; then the network calls `capacity` once, when the resource is added.
    fn is_constant(&self, _resource: ResourceId) -> bool {
        false
    }
}
