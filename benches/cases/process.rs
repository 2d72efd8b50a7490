//! What a process took so far, as Linux tells it.

use std::error::Error;
use std::fs;

/// Processor time of this process so far.
pub fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: Vec<f64> = behind_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse().ok()).collect();
    // A tick is a hundredth of a second on every Linux this runs on.
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

/// A memory figure of this process in bytes.
pub fn memory(key: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    let kibibytes: u64 = line.split_whitespace().nth(1).unwrap_or("0").parse()?;
    Ok(kibibytes * 1024)
}
