//! What flows ask of resources.

/// Kinds of use that a resource may tell apart, such as reads and writes of a disk.
pub const CLASSES: usize = 3;

/// One of [`CLASSES`] kinds of use, from 0.
pub type Class = u8;

/// A resource of a network, numbered from 0 in the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub u32);

/// A flow, while it is in the network. The id of a flow that ended never means another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// What a flow takes of one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// The resource.
    pub resource: ResourceId,
    /// Units of the resource for a unit of the flow's work.
    pub weight: f64,
    /// The kind of use.
    pub class: Class,
}

/// What all flows at a resource ask of it together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Uses by class; a flow that uses a resource twice counts twice.
    pub flows: [u32; CLASSES],
    /// Units per second by class that its flows would take if each were alone.
    pub demand: [f64; CLASSES],
}

impl Load {
    /// Uses of every class.
    #[must_use]
    pub fn all_flows(&self) -> u32 {
        self.flows.iter().sum()
    }

    /// Units per second that flows of every class would take if each were alone.
    #[must_use]
    pub fn all_demand(&self) -> f64 {
        self.demand.iter().sum()
    }
}

/// What resources can give.
pub trait Capacities {
    /// Units per second that a resource gives to all that uses it now: finite, not negative, and a function of its
    /// arguments alone.
    ///
    /// The network also asks for a load of one flow, to learn how fast the flow would be alone: demand is then what it
    /// would take at its own cap, which may be infinite.
    fn capacity(&self, resource: ResourceId, load: &Load) -> f64;

    /// Whether a resource gives the same whatever is asked of it; then the network asks once, when it is added.
    fn is_constant(&self, _resource: ResourceId) -> bool {
        false
    }
}
