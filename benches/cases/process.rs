//! Resources used by this process so far, from Linux's `/proc`.

use std::error::Error;
use std::fs;

/// Returns the CPU seconds of this process.
pub fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: Vec<f64> = after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse().ok()).collect();
    // Clock ticks are hundredths of a second on all supported Linux systems.
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

/// Returns a memory figure of this process in bytes, by its key in `/proc/self/status`.
pub fn memory(key: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    let kibibytes: u64 = line.split_whitespace().nth(1).unwrap_or("0").parse()?;
    Ok(kibibytes * 1024)
}
