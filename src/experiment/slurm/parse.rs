//! Parsers for the output of `squeue` and `scontrol`.

use crate::determinism::HashMap;

/// Format for `squeue -o`: array id, task index, state, reason, name.
pub const QUEUE_FORMAT: &str = "%F|%K|%T|%r|%j";

/// A pending or running task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedTask {
    /// Id of its array.
    pub array: u64,
    /// Index in the array.
    pub task: usize,
    /// Whether it is pending.
    pub is_pending: bool,
    /// Reason for pending.
    pub reason: String,
    /// Name of the array.
    pub name: String,
}

/// Final state of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEnd {
    /// State, such as `TIMEOUT`.
    pub state: String,
    /// Reason given by the cluster; empty if there is none.
    pub reason: String,
    /// Exit code and, after a colon, signal.
    pub exit_code: String,
}

/// Parses the output of `squeue -h -r -o` [`QUEUE_FORMAT`]; skips lines that are not array tasks.
pub fn queue(text: &str) -> Vec<QueuedTask> {
    let line = |line: &str| {
        let mut parts = line.trim().splitn(5, '|');
        let array = parts.next()?.parse().ok()?;
        let task = parts.next()?.parse().ok()?;
        let is_pending = parts.next()? == "PENDING";
        let reason = parts.next()?.to_owned();
        Some(QueuedTask { array, task, is_pending, reason, name: parts.next()?.to_owned() })
    };
    text.lines().filter_map(line).collect()
}

/// Parses the output of `scontrol -o show job ARRAY`: the state of each task by its index.
pub fn task_ends(text: &str) -> HashMap<usize, TaskEnd> {
    let mut found = HashMap::default();
    for line in text.lines() {
        let field = |name: &str| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or_default().to_owned()
        };
        let reason = Some(field("Reason")).filter(|reason| reason != "None").unwrap_or_default();
        let end = TaskEnd { state: field("JobState"), reason, exit_code: field("ExitCode") };
        // A started task has its own line, which is more specific than that of the array.
        let tasks = tasks(&field("ArrayTaskId"));
        let is_own = tasks.len() == 1;
        for task in tasks {
            if is_own || !found.contains_key(&task) {
                found.insert(task, end.clone());
            }
        }
    }
    found
}

/// Parses a task list such as `4-6,8,11-12%3`; skips invalid parts.
fn tasks(text: &str) -> Vec<usize> {
    /// Larger than any cluster's arrays.
    const MAX_INDEX: usize = 10_000_000;
    let text = text.split('%').next().unwrap_or_default();
    let mut tasks = Vec::new();
    for part in text.split(',') {
        let (range, step) = part.split_once(':').unwrap_or((part, "1"));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(from), Ok(to), Ok(step)) = (from.parse::<usize>(), to.parse::<usize>(), step.parse::<usize>())
            && to < MAX_INDEX
            && step > 0
        {
            tasks.extend((from..=to).step_by(step));
        }
    }
    tasks
}

/// Returns the value of a key in the output of `scontrol show config`.
pub fn config(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

/// Parses the output of `sbatch --parsable`: the array id, optionally followed by the cluster name.
pub fn submitted(text: &str) -> Option<u64> {
    // Sites may print messages before it.
    text.lines().rev().find_map(|line| line.split(';').next()?.trim().parse().ok())
}

impl TaskEnd {
    /// Describes the final state.
    pub fn description(&self) -> String {
        let mut description = match self.state.as_str() {
            "TIMEOUT" => "the task exceeded its time limit (TIMEOUT)".to_owned(),
            "OUT_OF_MEMORY" => "the task exceeded its memory (OUT_OF_MEMORY)".to_owned(),
            "NODE_FAIL" => "the node failed (NODE_FAIL)".to_owned(),
            "PREEMPTED" => "the task was preempted (PREEMPTED)".to_owned(),
            "CANCELLED" => "the task was cancelled (CANCELLED)".to_owned(),
            "COMPLETED" => "the task ended without a result (COMPLETED)".to_owned(),
            state => format!("the task ended in state {state}"),
        };
        if !self.reason.is_empty() && !matches!(self.state.as_str(), "CANCELLED" | "COMPLETED") {
            description += &format!(", reason {}", self.reason);
        }
        if !matches!(self.exit_code.as_str(), "" | "0:0") {
            description += &format!(", exit code {}", self.exit_code);
        }
        description
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squeue_output_is_parsed() {
        let text = "2|3|PENDING|Resources|lrbm-x-1\n2|1|RUNNING|None|lrbm-x-1\n\nslurm_load_jobs error\n7|N/A|RUNNING|None|other\n\
                    2|4|COMPLETING|None|a|b\n";
        let queue = queue(text);
        assert_eq!(queue.len(), 3);
        assert_eq!(
            queue[0],
            QueuedTask { array: 2, task: 3, is_pending: true, reason: "Resources".into(), name: "lrbm-x-1".into() }
        );
        assert!(!queue[1].is_pending);
        assert_eq!(queue[2].name, "a|b");
    }

    #[test]
    fn final_states_are_parsed() {
        let text = "JobId=2 ArrayJobId=2 ArrayTaskId=4-6,8,11-12 JobName=x JobState=CANCELLED Reason=Resources Requeue=0 ExitCode=0:0 RunTime=00:00:00\n\
                    JobId=5 ArrayJobId=2 ArrayTaskId=3 JobName=x JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15 WorkDir=/a b=c\n\
                    JobId=6 ArrayJobId=2 ArrayTaskId=8 JobName=x JobState=FAILED Reason=NonZeroExitCode ExitCode=127:0\n\
                    JobId=7 JobName=none JobState=FAILED Reason=None ExitCode=1:0\n";
        let task_ends = task_ends(text);
        let mut known: Vec<usize> = task_ends.keys().copied().collect();
        known.sort_unstable();
        assert_eq!(known, [3, 4, 5, 6, 8, 11, 12]);
        assert_eq!(task_ends[&4].description(), "the task was cancelled (CANCELLED)");
        assert_eq!(
            task_ends[&3].description(),
            "the task exceeded its time limit (TIMEOUT), reason TimeLimit, exit code 0:15"
        );
        // The line of the task takes precedence over that of the array.
        assert_eq!(
            task_ends[&8].description(),
            "the task ended in state FAILED, reason NonZeroExitCode, exit code 127:0"
        );
    }

    #[test]
    fn task_lists_are_parsed() {
        assert_eq!(tasks("4-6,8,11-12%3"), [4, 5, 6, 8, 11, 12]);
        assert_eq!(tasks("1-9:4"), [1, 5, 9]);
        assert_eq!(tasks("7"), [7]);
        assert!(tasks("").is_empty() && tasks("N/A").is_empty() && tasks("1-99999999999").is_empty());
        assert_eq!(tasks("1,3-4,..."), [1, 3, 4]);
    }

    #[test]
    fn configuration_and_array_ids_are_parsed() {
        let text = "Configuration data\nMaxArraySize            = 1001\nMaxArraySizeX=3\n";
        assert_eq!(config(text, "MaxArraySize").as_deref(), Some("1001"));
        assert_eq!(config(text, "MaxJobCount"), None);
        assert_eq!(submitted("17\n"), Some(17));
        assert_eq!(submitted("welcome to the cluster\n18;alpha\n"), Some(18));
        assert_eq!(submitted("no"), None);
    }
}
