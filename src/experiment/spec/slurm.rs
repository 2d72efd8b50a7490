//! `[slurm]` and `--slurm-option`: resources and options of cluster tasks.
//!
//! They change no result, so the run directory stores those of the spec but not those of the
//! command line.

use std::time::Duration;

use super::diagnostic::{SpecDiagnostic, SpecError, SpecLocation};
use super::raw::{Item, RawTable};
use super::{format, shape, units, value};

/// Resources and options of cluster tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct SlurmSettings {
    /// Partition; `None` for the default of the cluster.
    pub partition: Option<String>,
    /// Account to charge.
    pub account: Option<String>,
    /// Time limit of a task.
    pub time: Option<Duration>,
    /// Memory of a task.
    pub memory_bytes: Option<u64>,
    /// Processors of a task.
    pub cpus: u64,
    /// Shell line that precedes the jobs.
    pub prologue: Option<String>,
    /// Further options of `sbatch`.
    pub options: Vec<String>,
    /// Target duration of a task.
    pub task_time: Duration,
    /// Maximum number of submissions of a job whose task ends without a result.
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
    /// Overrides settings with those of a table that matches the format.
    pub(super) fn with(mut self, table: &RawTable) -> Self {
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

    /// Overrides settings with `KEY=VALUE` options of the command line; `options` are appended.
    ///
    /// # Errors
    /// With all diagnostics.
    pub fn with_options(self, options: &[String]) -> Result<SlurmSettings, SpecError> {
        let mut settings = self;
        let mut diagnostics = Vec::new();
        for option in options {
            let place = SpecLocation::SlurmOption(option.clone());
            let Some((key, value)) = option.split_once('=').map(|(key, value)| (key.trim(), value.trim())) else {
                let reason = "expected KEY=VALUE, such as `--slurm-option partition=long`";
                diagnostics.push(SpecDiagnostic::new(&place, "", reason));
                continue;
            };
            let value = match format::SLURM.field(key).map(|field| &field.shape) {
                // Taken literally: commas and brackets are ordinary characters for the shell and
                // sbatch.
                Some(format::FieldShape::Line) => value::literal(value),
                Some(format::FieldShape::List(_)) => value::literal_list(value, &place),
                Some(other) => value::parse(value, other, &place),
                None => value::literal(value),
            };
            let table = RawTable::from_iter([(key.to_owned(), Item { place: place.clone(), value })]);
            settings = settings.with(&shape::check(&table, &format::SLURM, ("", &place), &[], &mut diagnostics));
        }
        match diagnostics.is_empty() {
            true => Ok(settings),
            false => Err(SpecError::Invalid { origin: String::new(), diagnostics }),
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
    fn command_line_options_override_settings() {
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
    fn other_clusters_are_rejected() {
        for option in ["--clusters=b", "--cluster=b", "--clusters", "-Mb", "-M b"] {
            let message = with(&[&format!("options={option}")]).unwrap_err();
            assert!(message.contains("must be a long option"), "{option}: {message}");
        }
    }

    #[test]
    fn all_invalid_options_are_reported() {
        let message = with(&["partitio=x", "cpus=0", "time", "options=--array=1-2", "prologue=a\nb"]).unwrap_err();
        for part in [
            "--slurm-option partitio=x: partitio: unknown key: did you mean `partition`? expected one of `partition`",
            "--slurm-option cpus=0: cpus = 0: must be a whole number from 1 to 1024",
            "--slurm-option time: expected KEY=VALUE",
            "--slurm-option options=--array=1-2: options[0] = \"--array=1-2\": must be a long option",
            "must be text in quotes, on one line",
            "5 errors found: nothing was done",
        ] {
            assert!(message.contains(part), "{part}\n{message}");
        }
    }
}
