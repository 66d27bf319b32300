//! Max-min fair levels by progressive filling: exact, and slow.

/// Finds the level of every flow.
///
/// `demands` has, for every flow, each resource that it uses and the units per second it would take of it alone.
/// All levels rise together from 0; where a resource is full, its flows stop; a flow stops at 1 in any case.
pub fn levels(capacities: &[f64], demands: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let mut level = vec![1.0; demands.len()];
    let mut rising: Vec<usize> = (0..demands.len()).collect();
    let mut left = capacities.to_vec();
    while !rising.is_empty() {
        let mut wanted = vec![0.0; capacities.len()];
        for &flow in &rising {
            for &(resource, demand) in &demands[flow] {
                wanted[resource] += demand;
            }
        }
        let full_at = |resource: usize| (left[resource] / wanted[resource]).max(0.0);
        let stop =
            (0..capacities.len()).filter(|&resource| wanted[resource] > 0.0).map(full_at).fold(1.0, f64::min);
        if stop >= 1.0 {
            break;
        }
        let (stopped, risen): (Vec<_>, Vec<_>) = rising
            .iter()
            .partition(|&&flow| demands[flow].iter().any(|&(resource, _)| full_at(resource) <= stop));
        for &flow in &stopped {
            level[flow] = stop;
            for &(resource, demand) in &demands[flow] {
                left[resource] -= demand * stop;
            }
        }
        rising = risen;
    }
    level
}
