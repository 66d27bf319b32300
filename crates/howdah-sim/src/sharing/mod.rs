//! How flows share resources: a fluid network.
//!
//! A *resource* gives units per second: a disk's bytes, a link's bytes, a host's core-seconds. A *flow* is work that
//! uses several resources at the same time, each with its own weight: a replica pipeline uses a disk, two links and some
//! processor time for every byte, then the next disk.
//!
//! **Hard sharing.** Without others, flow *f* has the rate φ(f): its own cap or the rate that its scarcest resource
//! allows. With others, its rate is a(f)·φ(f) with a level a(f). Levels are max-min fair: none can rise without lowering
//! one that is as low or lower. So contending flows are slowed by the same factor, whatever the units of their work.
//! (D. Bertsekas and R. Gallager, *Data Networks*, 1992, section 6.5.2, with φ as weights.)
//!
//! **Soft sharing.** Stages of a pipeline wait for one another, so two nearly full resources slow a flow more than one.
//! With softness *p*, and *u* the utilisation in the hard solution of each of the flow's resources and of its cap,
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
