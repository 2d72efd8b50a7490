//! What `squeue` and `scontrol` print, read.

use crate::determinism::HashMap;

/// What `squeue -o` is asked for: the array, the task in it, the state, why it waits, the name.
pub const QUEUE_FORMAT: &str = "%F|%K|%T|%r|%j";

/// A task that is queued or at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The id of its array.
    pub array: u64,
    /// Its number in the array.
    pub task: usize,
    /// Whether it waits.
    pub is_pending: bool,
    /// Why it waits.
    pub reason: String,
    /// The name of the array.
    pub name: String,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The state, such as `TIMEOUT`.
    pub state: String,
    /// What the cluster says of why; empty if it says nothing.
    pub reason: String,
    /// The exit code and, after a colon, the signal.
    pub exit_code: String,
}

/// Reads what `squeue -h -r -o` [`QUEUE_FORMAT`] prints. Lines of anything but tasks of arrays are left out.
pub fn queue(text: &str) -> Vec<Queued> {
    let line = |line: &str| {
        let mut parts = line.trim().splitn(5, '|');
        let array = parts.next()?.parse().ok()?;
        let task = parts.next()?.parse().ok()?;
        let is_pending = parts.next()? == "PENDING";
        let reason = parts.next()?.to_owned();
        Some(Queued { array, task, is_pending, reason, name: parts.next()?.to_owned() })
    };
    text.lines().filter_map(line).collect()
}

/// Reads what `scontrol -o show job ARRAY` prints: how each task stands, by its number.
pub fn endings(text: &str) -> HashMap<usize, Ending> {
    let mut found = HashMap::default();
    for line in text.lines() {
        let field = |name: &str| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default().to_owned()
        };
        let reason = Some(field("Reason")).filter(|reason| reason != "None").unwrap_or_default();
        let ending = Ending { state: field("JobState"), reason, exit_code: field("ExitCode") };
        // A task that began has a line of its own, which says more than that of the array.
        let tasks = tasks(&field("ArrayTaskId"));
        let is_own = tasks.len() == 1;
        for task in tasks {
            if is_own || !found.contains_key(&task) {
                found.insert(task, ending.clone());
            }
        }
    }
    found
}

/// The tasks of a list such as `4-6,8,11-12%3`; what cannot be read is left out.
fn tasks(text: &str) -> Vec<usize> {
    /// No cluster has arrays as large.
    const MOST: usize = 10_000_000;
    let text = text.split('%').next().unwrap_or_default();
    let mut tasks = Vec::new();
    for part in text.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(from), Ok(to), Ok(step)) = (from.parse::<usize>(), to.parse::<usize>(), step.parse::<usize>())
            && to < MOST
            && step > 0
        {
            tasks.extend((from..=to).step_by(step));
        }
    }
    tasks
}

/// The value of a key in what `scontrol show config` prints.
pub fn config(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

/// The id that `sbatch --parsable` prints: alone, or before the name of the cluster.
pub fn submitted(text: &str) -> Option<u64> {
    // A site may print words of its own before.
    text.lines().rev().find_map(|line| line.split(';').next()?.trim().parse().ok())
}

impl Ending {
    /// In words.
    pub fn words(&self) -> String {
        let mut words = match self.state.as_str() {
            "TIMEOUT" => "it ran into the time limit of its task (TIMEOUT)".to_owned(),
            "OUT_OF_MEMORY" => "it used more memory than its task has (OUT_OF_MEMORY)".to_owned(),
            "NODE_FAIL" => "its node failed (NODE_FAIL)".to_owned(),
            "PREEMPTED" => "its task had to make room for others (PREEMPTED)".to_owned(),
            "CANCELLED" => "its task was cancelled (CANCELLED)".to_owned(),
            "COMPLETED" => "its task ended without its result (COMPLETED)".to_owned(),
            state => format!("its task ended as {state}"),
        };
        if !self.reason.is_empty() && !matches!(self.state.as_str(), "CANCELLED" | "COMPLETED") {
            words += &format!(", reason {}", self.reason);
        }
        if !matches!(self.exit_code.as_str(), "" | "0:0") {
            words += &format!(", exit code {}", self.exit_code);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_read() {
        let text = "2|3|PENDING|Resources|lrbm-x-1\n2|1|RUNNING|None|lrbm-x-1\n\nslurm_load_jobs error\n7|N/A|RUNNING|None|other\n\
                    2|4|COMPLETING|None|a|b\n";
        let queue = queue(text);
        assert_eq!(queue.len(), 3);
        assert_eq!(
            queue[0],
            Queued { array: 2, task: 3, is_pending: true, reason: "Resources".into(), name: "lrbm-x-1".into() }
        );
        assert!(!queue[1].is_pending);
        assert_eq!(queue[2].name, "a|b");
    }

    #[test]
    fn endings_are_read() {
        let text = "JobId=2 ArrayJobId=2 ArrayTaskId=4-6,8,11-12 JobName=x JobState=CANCELLED Reason=Resources Requeue=0 ExitCode=0:0 RunTime=00:00:00\n\
                    JobId=5 ArrayJobId=2 ArrayTaskId=3 JobName=x JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15 WorkDir=/a b=c\n\
                    JobId=6 ArrayJobId=2 ArrayTaskId=8 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=127:0\n\
                    JobId=7 JobName=none JobState=FAILED Reason=None ExitCode=1:0\n";
        let endings = endings(text);
        let mut known: Vec<usize> = endings.keys().copied().collect();
        known.sort_unstable();
        assert_eq!(known, [3, 4, 5, 6, 8, 11, 12]);
        assert_eq!(endings[&4].words(), "its task was cancelled (CANCELLED)");
        assert_eq!(
            endings[&3].words(),
            "it ran into the time limit of its task (TIMEOUT), reason TimeLimit, exit code 0:15"
        );
        // Its own line, not that of the rest of the array.
        assert_eq!(endings[&8].words(), "its task ended as FAILED, reason NonZeroExitCode, exit code 127:0");
    }

    #[test]
    fn lists_of_tasks_are_read() {
        assert_eq!(tasks("4-6,8,11-12%3"), [4, 5, 6, 8, 11, 12]);
        assert_eq!(tasks("1-9:4"), [1, 5, 9]);
        assert_eq!(tasks("7"), [7]);
        assert!(tasks("").is_empty() && tasks("N/A").is_empty() && tasks("1-99999999999").is_empty());
        assert_eq!(tasks("1,3-4,..."), [1, 3, 4]);
    }

    #[test]
    fn other_answers_are_read() {
        let text = "Configuration data\nMaxArraySize            = 1001\nMaxArraySizeX=3\n";
        assert_eq!(config(text, "MaxArraySize").as_deref(), Some("1001"));
        assert_eq!(config(text, "MaxJobCount"), None);
        assert_eq!(submitted("17\n"), Some(17));
        assert_eq!(submitted("welcome to the cluster\n18;alpha\n"), Some(18));
        assert_eq!(submitted("no"), None);
    }
}
