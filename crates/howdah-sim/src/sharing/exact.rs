//! Max-min fair levels by progressive filling: exact, and slow.

/// Computes the level of every flow.
///
/// `demands` has for every flow its resources and the units per second that it would use of each alone.
/// All levels rise together from 0; the flows of a resource stop when it is full, and every flow stops at 1.
pub fn levels(capacities: &[f64], demands: &[Vec<(usize, f64)>]) -> Vec<f64> {
    let mut level = vec![1.0; demands.len()];
    let mut rising: Vec<usize> = (0..demands.len()).collect();
    let mut remaining = capacities.to_vec();
    while !rising.is_empty() {
        let mut wanted = vec![0.0; capacities.len()];
        for &flow in &rising {
            for &(resource, demand) in &demands[flow] {
                wanted[resource] += demand;
            }
        }
        let full_at = |resource: usize| (remaining[resource] / wanted[resource]).max(0.0);
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
                remaining[resource] -= demand * stop;
            }
        }
        rising = risen;
    }
    level
}
