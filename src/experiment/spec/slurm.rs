//! `[slurm]` and `--slurm-option`: what tasks of a cluster ask for.
//!
//! None of it can change a result, so the run directory keeps what the file says and forgets what the command line says.

use std::time::Duration;

use super::diagnostic::{Mistake, Place, SpecError};
use super::raw::{Item, Table};
use super::{format, set, shape, units};

/// What tasks ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct SlurmSettings {
    /// The partition; `None` for the default of the cluster.
    pub partition: Option<String>,
    /// The account that pays.
    pub account: Option<String>,
    /// The longest a task may take.
    pub time: Option<Duration>,
    /// The memory of a task.
    pub memory_bytes: Option<u64>,
    /// The processors of a task.
    pub cpus: u64,
    /// A line of shell before the jobs.
    pub prologue: Option<String>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// About how long a task should take.
    pub task_time: Duration,
    /// How often a job is submitted whose task ends without its result.
    pub attempts: u64,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        SlurmSettings {
            partition: None,
            account: None,
            time: None,
            memory_bytes: None,
            cpus: 1,
            prologue: None,
            options: Vec::new(),
            task_time: Duration::from_secs(300),
            attempts: 3,
        }
    }
}

impl SlurmSettings {
    /// With what a table says, which was compared with the format.
    pub(super) fn with(mut self, table: &Table) -> Self {
        let text = |key: &str| table.get(key).and_then(Item::text).map(str::to_owned);
        let time = |key: &str| table.get(key).and_then(Item::scalar).and_then(units::time);
        let whole = |key: &str| table.get(key).and_then(Item::whole);
        self.partition = text("partition").or(self.partition);
        self.account = text("account").or(self.account);
        self.time = time("time").or(self.time);
        self.memory_bytes = table.get("memory").and_then(Item::scalar).and_then(units::memory).or(self.memory_bytes);
        self.cpus = whole("cpus").unwrap_or(self.cpus);
        self.prologue = text("prologue").or(self.prologue);
        let options = table.get("options").map_or(&[][..], Item::items).iter();
        self.options.extend(options.filter_map(|item| item.text().map(str::to_owned)));
        self.task_time = time("task_time").unwrap_or(self.task_time);
        self.attempts = whole("attempts").unwrap_or(self.attempts);
        self
    }

    /// With `KEY=VALUE` of the command line; what it says of a key takes the place of what the spec says, but for
    /// `options`, which come on top.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn with_options(self, options: &[String]) -> Result<SlurmSettings, SpecError> {
        let mut settings = self;
        let mut mistakes = Vec::new();
        for option in options {
            let place = Place::SlurmOption(option.clone());
            let Some((key, value)) = option.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
                let reason = "this is not KEY=VALUE: write it as in `--slurm-option partition=long`";
                mistakes.push(Mistake::new(&place, "", reason));
                continue;
            };
            let value = match format::SLURM.field(key).map(|field| &field.shape) {
                // Taken as they are: a comma or a bracket is nothing special to a shell or to sbatch.
                Some(format::Shape::Line) => set::text(value),
                Some(format::Shape::List(_)) => set::list_of_one(value, &place),
                Some(other) => set::parse(value, other, &place),
                None => set::text(value),
            };
            let table = Table::from_iter([(key.to_owned(), Item { place: place.clone(), value })]);
            settings = settings.with(&shape::check(&table, &format::SLURM, "", &place, &mut mistakes));
        }
        match mistakes.is_empty() {
            true => Ok(settings),
            false => Err(SpecError::Wrong { origin: String::new(), mistakes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(options: &[&str]) -> Result<SlurmSettings, String> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        SlurmSettings::default().with_options(&options).map_err(|error| error.to_string())
    }

    #[test]
    fn options_of_the_command_line() {
        let settings = with(&[
            "partition=long,short",
            "time=90 min",
            "memory=2 GiB",
            "cpus=4",
            "prologue=module load 'gcc/12' && x=\"$HOME\"",
            "options=--qos=long",
            "options=--constraint=a,b",
            "task_time=30",
            "attempts=5",
        ])
        .unwrap();
        let expected = SlurmSettings {
            partition: Some("long,short".into()),
            account: None,
            time: Some(Duration::from_secs(5400)),
            memory_bytes: Some(2 << 30),
            cpus: 4,
            prologue: Some("module load 'gcc/12' && x=\"$HOME\"".into()),
            options: vec!["--qos=long".into(), "--constraint=a,b".into()],
            task_time: Duration::from_secs(30),
            attempts: 5,
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn another_cluster_is_refused() {
        for option in ["--clusters=b", "--cluster=b", "--clusters", "-Mb", "-M b"] {
            let message = with(&[&format!("options={option}")]).unwrap_err();
            assert!(message.contains("must be a long option"), "{option}: {message}");
        }
    }

    #[test]
    fn wrong_options_are_all_named() {
        let message = with(&["partitio=x", "cpus=0", "time", "options=--array=1-2", "prologue=a\nb"]).unwrap_err();
        for part in [
            "--slurm-option partitio=x: partitio: no such key: did you mean `partition`? known here are `partition`",
            "--slurm-option cpus=0: cpus = 0: must be a whole number from 1 to 1024",
            "--slurm-option time: this is not KEY=VALUE",
            "--slurm-option options=--array=1-2: options[0] = \"--array=1-2\": must be a long option",
            "must be text in quotes, on one line",
            "5 mistakes found: nothing was done",
        ] {
            assert!(message.contains(part), "{part}\n{message}");
        }
    }
}
