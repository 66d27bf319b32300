//! Prints the summary of a scenario, for work on the models.

use howdah_sim::{Scenario, Unwatched, simulate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give the file of a scenario")?;
    let scenario = Scenario::from_json(&std::fs::read_to_string(path)?)?;
    let outcome = simulate(&scenario, &Unwatched)?;
    println!("{}", serde_json::to_string_pretty(&outcome.summary)?);
    Ok(())
}
