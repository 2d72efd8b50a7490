//! Facts about the machine, the time and this process. Unknown facts are `None`, never errors.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files::fault;

/// Returns the processor name.
pub fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the number of available cores.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the peak memory of this process.
pub fn peak_memory_bytes() -> Option<u64> {
    status_bytes("self", "VmHWM:")
}

/// Returns the peak memory of a running process so far.
pub fn peak_memory_bytes_of(process: u32) -> Option<u64> {
    status_bytes(&process.to_string(), "VmHWM:")
}

/// Returns the current memory of a running process.
pub fn memory_bytes_of(process: u32) -> Option<u64> {
    status_bytes(&process.to_string(), "VmRSS:")
}

/// Returns the current memory of this process.
pub fn memory_bytes() -> Option<u64> {
    status_bytes("self", "VmRSS:")
}

fn status_bytes(process: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = value.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the processor seconds that the calling thread has used.
pub fn thread_cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 * 1e-9)
}

/// Clock ticks of the times in `/proc/PID/stat`: Linux reports them in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the processor seconds of a running process and of its ended children.
pub fn cpu_seconds_of(process: u32) -> Option<f64> {
    let [own, children] = stat_seconds(&process.to_string())?;
    Some(own + children)
}

/// Returns the processor seconds of the ended children of this process.
pub fn cpu_seconds_of_children() -> Option<f64> {
    let [_, children] = stat_seconds("self")?;
    Some(children)
}

/// Returns the processor seconds of a process and of the children that it has waited for.
fn stat_seconds(process: &str) -> Option<[f64; 2]> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in brackets, may contain anything.
    let (_, rest) = text.rsplit_once(')')?;
    let ticks: Vec<u64> = rest.split_whitespace().skip(11).take(4).map_while(|field| field.parse().ok()).collect();
    let [user, system, children_user, children_system] = ticks[..] else { return None };
    Some([user + system, children_user + children_system].map(|ticks| ticks as f64 / TICKS_PER_SECOND))
}

/// Returns the current time in UTC: `2020-01-20T12:00:00Z`.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    utc(seconds.saturating_sub(fault::clock_offset()))
}

/// Formats a time in seconds since 1970 as UTC.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days are counted from 1 March of year 0: leap days end their year and months follow a rule.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc() {
        // From `date -u -d @SECONDS`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_579_478_400, "2020-01-20T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_reports_memory_and_processor_time() {
        let before = thread_cpu_seconds().unwrap();
        let values: Vec<u64> = (0..3_000_000).collect();
        assert!(values.iter().map(|&x| std::hint::black_box(x)).sum::<u64>() > 0);
        assert!(thread_cpu_seconds().unwrap() >= before);
        assert!(memory_bytes().unwrap() > 20_000_000);
        assert!(peak_memory_bytes().unwrap() >= memory_bytes().unwrap() / 2);
        assert!(peak_memory_bytes_of(std::process::id()).unwrap() > 20_000_000);
        assert_eq!(peak_memory_bytes_of(0), None);
        assert!(cpu_seconds_of(std::process::id()).unwrap() >= cpu_seconds_of_children().unwrap());
        assert_eq!(cpu_seconds_of(0), None);
    }
}
