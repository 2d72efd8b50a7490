//! The summary table of a run, and suggested next commands.

use std::io::{self, Write};
use std::path::Path;

use crate::cli::output::{indented, shown};
use crate::determinism::IndexSet;
use crate::experiment::frame::{Group, JobFrame, RowKey, StoredJob};
use crate::experiment::run::Tally;
use crate::files::visible::ShownPath;
use crate::logic::quantity::counted;
use crate::metric::{Average, Column};
use crate::report::table::{Grid, format_mean};

/// Metrics of the table.
const SHOWN: [Column; 2] = [Column::AucRoc, Column::AucPr];

/// A row of the summary table.
struct SummaryRow {
    key: RowKey,
    /// Number of splits with a result.
    folds: usize,
    refused: usize,
    failed: usize,
    averages: [Option<Average>; SHOWN.len()],
}

impl SummaryRow {
    fn of(group: &Group<'_>) -> Self {
        SummaryRow {
            key: group.key.clone(),
            folds: group.done().map(StoredJob::split).collect::<IndexSet<_>>().len(),
            refused: group.refused().count(),
            failed: group.failed().count(),
            averages: SHOWN.map(|column| group.average(column)),
        }
    }
}

/// Prints one row per dataset and model, with marks for datasets that have a footnote.
pub fn table(out: &mut impl Write, jobs: &JobFrame) -> io::Result<()> {
    let rows: Vec<SummaryRow> = jobs.groups().iter().map(SummaryRow::of).collect();
    write_table(out, &rows, &jobs.footnotes())
}

fn write_table(out: &mut impl Write, rows: &[SummaryRow], footnotes: &[(&str, &str)]) -> io::Result<()> {
    let has = |get: fn(&SummaryRow) -> bool| rows.iter().any(get);
    let (preset, case) = (has(|row| !row.key.preset.is_empty()), has(|row| !row.key.case.is_empty()));
    let (refused, failed) = (has(|row| row.refused > 0), has(|row| row.failed > 0));
    let mut headings = vec!["dataset", "model"];
    headings.extend(preset.then_some("preset"));
    headings.extend(case.then_some("case"));
    headings.extend([">AUC-ROC", ">AUC-PR", ">folds"]);
    headings.extend(refused.then_some(">refused"));
    headings.extend(failed.then_some(">failed"));
    let mut lines = Grid::new(&headings);
    for SummaryRow { key, folds, refused: of_refused, failed: of_failed, averages } in rows {
        let mark = footnotes.iter().position(|(name, _)| *name == key.dataset);
        let mut cells = vec![format!("{}{}", key.dataset, mark.map_or_else(String::new, note)), key.model.clone()];
        cells.extend(preset.then(|| key.preset.clone()));
        cells.extend(case.then(|| key.case.clone()));
        cells.extend(averages.iter().map(|average| average.as_ref().map_or_else(|| "-".to_owned(), format_mean)));
        cells.push(folds.to_string());
        cells.extend(refused.then(|| of_refused.to_string()));
        cells.extend(failed.then(|| of_failed.to_string()));
        lines.row(cells);
    }
    write!(out, "{}", shown(&lines))?;
    let averaged = "mean ± standard deviation over folds; seeds of given folds are averaged first";
    write!(out, "{}", indented(averaged))?;
    for (i, (dataset, text)) in footnotes.iter().enumerate() {
        write!(out, "{}", indented(&format!("{} {dataset}: {text}", note(i).trim())))?;
    }
    Ok(())
}

fn note(position: usize) -> String {
    format!(" [{}]", position + 1)
}

/// Prints job counts, the location of the results, and suggested next commands.
pub fn tally(
    out: &mut impl Write,
    tally: &Tally,
    run: &Path,
    model: Option<&Path>,
    is_reported: bool,
) -> io::Result<()> {
    let jobs = |n: usize| counted(n, "job");
    if tally.ran == 0 && tally.not_run == 0 && tally.left == 0 {
        let mut before = format!("{} done before", jobs(tally.done));
        for (count, what) in [(tally.refused, "refused"), (tally.failed, "failed")] {
            if count > 0 {
                before += &format!(", {count} {what}");
            }
        }
        writeln!(out, "\nnothing to do: {before}")?;
    } else {
        write!(out, "\n{} run in {:.1} s", jobs(tally.ran), tally.wall_seconds)?;
        match tally.share_outside_learning {
            Some(share) => {
                let stopped = if tally.stopped_seconds > 0.0 { ", without jobs stopped at a limit" } else { "" };
                writeln!(out, ", {:.0}% of the time outside learning{stopped}", 100.0 * share)?;
            }
            None => writeln!(out)?,
        }
    }
    if tally.refused > 0 {
        writeln!(
            out,
            "{} refused: the model kind does not support the dataset; metrics.csv gives the reason",
            jobs(tally.refused)
        )?;
    }
    if tally.failed > 0 {
        writeln!(
            out,
            "{} failed: metrics.csv and log.txt of the job give the reason; --retry-failed runs failed jobs again",
            jobs(tally.failed)
        )?;
    }
    if tally.failed_trials > 0 {
        writeln!(
            out,
            "{} of trials failed and were not chosen: metrics.csv gives the reason; --retry-failed runs them again",
            jobs(tally.failed_trials)
        )?;
    }
    if tally.not_run > 0 {
        let why = if tally.failed > 0 { ", because one failed: run the same command without --fail-fast" } else { "" };
        writeln!(out, "{} not run{why}", jobs(tally.not_run))?;
    }
    if tally.left > 0 {
        writeln!(out, "{} left on the cluster: run the same command to watch again", jobs(tally.left))?;
    }
    writeln!(out, "results are in {}: metrics.csv, metrics.parquet, jobs/", run.shown())?;
    if let Some(model) = model {
        if !is_reported {
            writeln!(out, "next: lrbm report {}", run.shown())?;
        }
        writeln!(out, "{} lrbm explain --model {}", if is_reported { "next:" } else { "  or:" }, model.shown())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_columns_are_omitted() {
        let average = Average { mean: 0.98765, deviation: Some(0.01234), n: 5 };
        let row = |dataset: &str| SummaryRow {
            key: RowKey {
                dataset: dataset.into(),
                model: "LRBM-Boost".into(),
                preset: String::new(),
                case: String::new(),
            },
            folds: 5,
            refused: 0,
            failed: 0,
            averages: [Some(average), None],
        };
        let mut rows = vec![row("imdb"), row("sports")];
        let print = |rows: &[SummaryRow], footnotes: &[(&str, &str)]| {
            let mut out = Vec::new();
            write_table(&mut out, rows, footnotes).unwrap();
            String::from_utf8(out).unwrap()
        };
        let note = "  mean ± standard deviation over folds; seeds of given folds are averaged first\n";
        let text = "  dataset  model             AUC-ROC  AUC-PR  folds\n\
                    \x20 imdb     LRBM-Boost  0.988 ± 0.012       -      5\n\
                    \x20 sports   LRBM-Boost  0.988 ± 0.012       -      5\n";
        assert_eq!(print(&rows, &[]), format!("{text}{note}"));
        rows[0].key.preset = "paper".into();
        rows[0].failed = 2;
        rows[0].averages[0] = Some(Average { mean: 0.5, deviation: None, n: 1 });
        let text = "  dataset     model       preset        AUC-ROC  AUC-PR  folds  failed\n\
                    \x20 imdb        LRBM-Boost  paper           0.500       -      5       2\n\
                    \x20 sports [1]  LRBM-Boost          0.988 ± 0.012       -      5       0\n";
        let footnote = print(&rows, &[("sports", "not the authors' data")]);
        assert_eq!(footnote, format!("{text}{note}  [1] sports: not the authors' data\n"));
    }
}
