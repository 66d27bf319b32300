//! How flows share resources: a fluid network.
//!
//! A *resource* gives units per second: a disk's bytes, a link's bytes, a host's core-seconds. A *flow* is work that
//! uses several resources at once, each by its own weight: a replica pipeline takes a disk, two links and some
//! processor time for every byte, then the next disk.
//!
//! **Hard sharing.** Flow *f* alone would run at φ(f), its own cap or what its scarcest resource gives one flow.
//! Among others it runs at level a(f)·φ(f). Levels are max-min fair: none can rise without lowering one that is as low
//! or lower. So flows that contend are slowed alike, whatever units their work is counted in. (D. Bertsekas and
//! R. Gallager, *Data Networks*, 1992, section 6.5.2, with φ as weights.)
//!
//! **Soft sharing.** Stages of a pipeline wait for one another, so two nearly full resources slow a flow more than one.
//! With softness *p*, and *u* the utilisation in the hard solution of each resource that the flow uses, and of its cap,
//! its rate is a·φ·(Σ uᵖ)^(−1/p). The bottleneck has u = 1, so a rate is never above the hard one and no resource
//! is ever over its capacity. An infinite softness is hard sharing.

mod calendar;
mod exact;
mod fair;
mod flows;
mod lists;
mod load;
mod network;
mod resources;
mod soft;
mod softness;
mod state;

pub use load::{CLASSES, Capacities, Class, FlowId, Load, ResourceId, Use};
pub use network::{Finished, Network};
