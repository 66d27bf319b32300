//! Valid and invalid scenarios.

use howdah_sim::{Error, Scenario};

const EXAMPLE: &str = include_str!("data/vsphere6-4vm.json");

fn refused(change: impl Fn(&mut serde_json::Value)) -> (String, String) {
    let mut value: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    change(&mut value);
    match Scenario::from_json(&value.to_string()) {
        Err(Error::Input { subject, what, .. }) => (subject, what),
        result => panic!("not refused: {result:?}"),
    }
}

#[test]
fn reads_the_example() {
    let scenario = Scenario::from_json(EXAMPLE).unwrap();
    let workers: u32 =
        scenario.hosts.iter().map(|h| h.count * h.workers.iter().map(|w| w.count).sum::<u32>()).sum();
    assert_eq!(workers, 126);
}

#[test]
fn refuses_a_billion_hosts_before_allocating_memory() {
    let (subject, what) = refused(|s| s["hosts"][0]["count"] = 1_000_000_000.into());
    assert_eq!(subject, "hosts");
    assert!(what.contains("too many"), "{what}");
}

#[test]
fn refuses_a_misspelt_key() {
    let (_, what) = refused(|s| s["hdfs"]["replicas"] = 3.into());
    assert!(what.contains("replicas"), "{what}");
}

#[test]
fn reports_the_parameter_out_of_range() {
    let (subject, _) = refused(|s| s["parameters"] = serde_json::json!({"thread_gain": -1.0}));
    assert_eq!(subject, "parameters.thread_gain");
}

#[test]
fn reports_the_disk_without_a_size() {
    let (subject, _) = refused(|s| s["hosts"][3]["disks"][0]["size_bytes"] = 0.into());
    assert_eq!(subject, "hosts[3].disks[0].size_bytes");
}
