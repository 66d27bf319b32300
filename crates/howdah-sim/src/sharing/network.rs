//! The network of resources and the flows in it.

use super::exact;
use super::load::{CLASSES, Capacities, Class, FlowId, Load, ResourceId, Use};
use crate::time::Time;

/// Resources, and the flows that share them.
#[derive(Debug)]
pub struct Network<C> {
    capacities: C,
    softness: f64,
    finished: Vec<[f64; CLASSES]>,
    loads: Vec<Load>,
    flows: Vec<Flow>,
    free: Vec<u32>,
    now: Time,
    changed: bool,
}

#[derive(Debug, Default)]
struct Flow {
    generation: u32,
    active: bool,
    tag: u64,
    work: f64,
    left: f64,
    most_per_s: f64,
    alone_per_s: f64,
    per_s: f64,
    since: Time,
    uses: Vec<Use>,
}

/// A flow whose work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// When it was done.
    pub time: Time,
    /// The flow, which has left the network.
    pub flow: FlowId,
    /// What the flow was started with.
    pub tag: u64,
}

impl<C: Capacities> Network<C> {
    /// A network without resources and flows.
    ///
    /// # Panics
    /// If the softness is not at least 1; infinity is hard sharing.
    #[must_use]
    pub fn new(capacities: C, softness: f64) -> Self {
        assert!(softness >= 1.0, "a softness of {softness}");
        Network {
            capacities,
            softness,
            finished: Vec::new(),
            loads: Vec::new(),
            flows: Vec::new(),
            free: Vec::new(),
            now: Time::ZERO,
            changed: false,
        }
    }

    /// What gives resources their capacity.
    pub fn capacities(&self) -> &C {
        &self.capacities
    }

    /// Adds a resource.
    pub fn add_resource(&mut self) -> ResourceId {
        self.finished.push([0.0; CLASSES]);
        self.loads.push(Load::default());
        ResourceId(u32::try_from(self.loads.len() - 1).expect("resources are numbered in 32 bits"))
    }

    /// Starts a flow of `work` units that uses resources at once and makes `most_per_s` units per second at most.
    ///
    /// Without uses it is a delay. The tag comes back when it is finished.
    ///
    /// # Panics
    /// If the work is negative or not finite, a weight not positive or not finite, the cap not positive, or infinite for
    /// a flow without uses, a resource or a class unknown, or the time before that of an earlier call.
    pub fn start(&mut self, now: Time, work: f64, uses: &[Use], most_per_s: f64, tag: u64) -> FlowId {
        self.advance(now);
        assert!(work.is_finite() && work >= 0.0, "a flow of {work} units of work");
        assert!(most_per_s > 0.0, "a flow of at most {most_per_s} units per second");
        let mut alone_per_s = most_per_s;
        for each in uses {
            assert!(each.weight.is_finite() && each.weight > 0.0, "a use of weight {}", each.weight);
            let mut load = Load::default();
            load.flows[usize::from(each.class)] = 1;
            load.demand[usize::from(each.class)] = each.weight * most_per_s;
            let capacity = capacity(&self.capacities, each.resource, &load);
            alone_per_s = alone_per_s.min(capacity / each.weight);
        }
        assert!(alone_per_s.is_finite(), "a flow that nothing limits");
        for each in uses {
            let load = &mut self.loads[each.resource.0 as usize];
            load.flows[usize::from(each.class)] += 1;
            load.demand[usize::from(each.class)] += each.weight * alone_per_s;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            u32::try_from(self.flows.len() - 1).expect("flows are numbered in 32 bits")
        });
        let flow = &mut self.flows[slot as usize];
        *flow = Flow {
            generation: flow.generation,
            active: true,
            tag,
            work,
            left: work,
            most_per_s,
            alone_per_s,
            per_s: 0.0,
            since: now,
            uses: uses.to_vec(),
        };
        self.changed = true;
        FlowId { slot, generation: flow.generation }
    }

    /// Takes a flow out before it is finished. Returns the work that is left.
    ///
    /// # Panics
    /// If the flow has ended before, or the time is before that of an earlier call.
    pub fn cancel(&mut self, now: Time, flow: FlowId) -> f64 {
        self.renew();
        self.advance(now);
        let left = self.flow(flow).left_at(now);
        self.remove(flow.slot, left);
        left
    }

    /// When the next flow is finished, if no other starts before; nothing if no flow will.
    pub fn due(&mut self) -> Option<Time> {
        self.earliest().map(|(time, _)| time)
    }

    /// Takes out the flow that is finished next, if no other starts before. Of those finished at the same time, the one
    /// in the lowest slot.
    pub fn finish(&mut self) -> Option<Finished> {
        let (time, slot) = self.earliest()?;
        self.advance(time);
        let flow = &self.flows[slot as usize];
        let finished = Finished { time, flow: FlowId { slot, generation: flow.generation }, tag: flow.tag };
        self.remove(slot, 0.0);
        Some(finished)
    }

    /// Units of a resource that flows have used since the start, by class.
    ///
    /// # Panics
    /// If a flow is due before, or the time is before that of an earlier call.
    pub fn used(&mut self, now: Time, resource: ResourceId, class: Class) -> f64 {
        assert!(self.due().is_none_or(|due| now <= due), "a look at {now:?}, after a flow is due");
        self.advance(now);
        let under_way = self.flows.iter().filter(|flow| flow.active).map(|flow| {
            let done = flow.work - flow.left_at(now);
            let uses = flow.uses.iter().filter(|each| each.resource == resource && each.class == class);
            uses.map(|each| each.weight * done).sum::<f64>()
        });
        self.finished[resource.0 as usize][usize::from(class)] + under_way.sum::<f64>()
    }

    /// Flows in the network.
    pub fn flows(&self) -> usize {
        self.flows.len() - self.free.len()
    }

    fn flow(&self, id: FlowId) -> &Flow {
        let flow = &self.flows[id.slot as usize];
        assert!(flow.active && flow.generation == id.generation, "{id:?} has ended");
        flow
    }

    fn advance(&mut self, now: Time) {
        assert!(now >= self.now, "time runs back from {:?} to {now:?}", self.now);
        if now > self.now {
            // Whatever changed until now changed at the time that is being left.
            self.renew();
        }
        self.now = now;
    }

    fn remove(&mut self, slot: u32, left: f64) {
        let flow = &mut self.flows[slot as usize];
        for each in &flow.uses {
            let class = usize::from(each.class);
            self.finished[each.resource.0 as usize][class] += each.weight * (flow.work - left);
            let load = &mut self.loads[each.resource.0 as usize];
            load.flows[class] -= 1;
            load.demand[class] = if load.flows[class] == 0 {
                0.0
            } else {
                load.demand[class] - each.weight * flow.alone_per_s
            };
        }
        flow.active = false;
        flow.generation += 1;
        self.free.push(slot);
        self.changed = true;
    }

    fn earliest(&mut self) -> Option<(Time, u32)> {
        self.renew();
        let active = (0_u32..).zip(&self.flows).filter(|(_, flow)| flow.active);
        active.filter_map(|(slot, flow)| Some((flow.due()?, slot))).min()
    }

    fn renew(&mut self) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        let capacities: Vec<f64> = (0..)
            .zip(&self.loads)
            .map(|(resource, load)| capacity(&self.capacities, ResourceId(resource), load))
            .collect();
        let active: Vec<usize> = (0..self.flows.len()).filter(|&slot| self.flows[slot].active).collect();
        let demands: Vec<Vec<(usize, f64)>> = active.iter().map(|&slot| self.flows[slot].demands()).collect();
        let levels = exact::levels(&capacities, &demands);
        let mut used = vec![0.0; capacities.len()];
        for (demands, level) in demands.iter().zip(&levels) {
            for &(resource, demand) in demands {
                used[resource] += demand * level;
            }
        }
        for (used, capacity) in used.iter().zip(&capacities) {
            assert!(*used <= capacity * (1.0 + 1e-9), "{used} units per second of {capacity}");
        }
        for ((slot, demands), level) in active.iter().zip(&demands).zip(&levels) {
            let flow = &mut self.flows[*slot];
            let hard = level * flow.alone_per_s;
            let mut full = (hard / flow.most_per_s).powf(self.softness);
            for &(resource, _) in demands {
                full += (used[resource] / capacities[resource]).min(1.0).powf(self.softness);
            }
            let soft = if self.softness.is_finite() { full.max(1.0).powf(-1.0 / self.softness) } else { 1.0 };
            flow.left = flow.left_at(self.now);
            flow.since = self.now;
            flow.per_s = hard * soft;
        }
    }
}

impl Flow {
    fn demands(&self) -> Vec<(usize, f64)> {
        self.uses.iter().map(|each| (each.resource.0 as usize, each.weight * self.alone_per_s)).collect()
    }

    fn left_at(&self, now: Time) -> f64 {
        (self.left - self.per_s * now.since(self.since)).max(0.0)
    }

    fn due(&self) -> Option<Time> {
        if self.left == 0.0 {
            return Some(self.since);
        }
        (self.per_s > 0.0).then(|| self.since.after((self.left / self.per_s).min(1e9)))
    }
}

fn capacity<C: Capacities>(capacities: &C, resource: ResourceId, load: &Load) -> f64 {
    let capacity = capacities.capacity(resource, load);
    assert!(capacity.is_finite() && capacity >= 0.0, "a capacity of {capacity} units per second");
    capacity
}
