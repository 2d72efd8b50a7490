//! The summary table of a run, and suggested next commands.

use std::io::{self, Write};
use std::path::Path;

use super::super::table::TextTable;
use crate::experiment::run::{Cell, Summary, Tally};

/// Prints one row per dataset and model, with marks for datasets that have a footnote.
pub fn table(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let has = |get: fn(&crate::experiment::run::SummaryRow) -> bool| summary.rows.iter().any(get);
    let (preset, case) = (has(|row| !row.preset.is_empty()), has(|row| !row.case.is_empty()));
    let (refused, failed) = (has(|row| row.refused > 0), has(|row| row.failed > 0));
    let mut headings = vec!["dataset", "model"];
    headings.extend(preset.then_some("preset"));
    headings.extend(case.then_some("case"));
    headings.extend([">AUC-ROC", ">AUC-PR", ">folds"]);
    headings.extend(refused.then_some(">refused"));
    headings.extend(failed.then_some(">failed"));
    let mut lines = TextTable::new(&headings);
    for row in &summary.rows {
        let mark = summary.footnotes.iter().position(|(name, _)| *name == row.dataset);
        let mut cells = vec![format!("{}{}", row.dataset, mark.map_or_else(String::new, note)), row.model.clone()];
        cells.extend(preset.then(|| row.preset.clone()));
        cells.extend(case.then(|| row.case.clone()));
        cells.extend(row.cells.iter().map(shown));
        cells.push(row.folds.to_string());
        cells.extend(refused.then(|| row.refused.to_string()));
        cells.extend(failed.then(|| row.failed.to_string()));
        lines.row(cells);
    }
    lines.print(out)?;
    writeln!(out, "  mean ± standard deviation over folds; seeds of a fold are averaged first")?;
    for (i, (dataset, text)) in summary.footnotes.iter().enumerate() {
        writeln!(out, "  {} {dataset}: {text}", note(i).trim())?;
    }
    Ok(())
}

fn note(position: usize) -> String {
    format!(" [{}]", position + 1)
}

fn shown(cell: &Option<Cell>) -> String {
    match cell {
        None => "-".to_owned(),
        Some(Cell { mean, deviation: None }) => format!("{mean:.3}"),
        Some(Cell { mean, deviation: Some(deviation) }) => format!("{mean:.3} ± {deviation:.3}"),
    }
}

/// Prints job counts, the location of the results, and suggested next commands.
pub fn tally(out: &mut impl Write, tally: &Tally, run: &Path, model: Option<&Path>) -> io::Result<()> {
    let jobs = |n: usize| format!("{n} {}", if n == 1 { "job" } else { "jobs" });
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
            Some(share) => writeln!(out, ", {:.0}% of the time outside learning", 100.0 * share)?,
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
    if tally.not_run > 0 {
        let why = if tally.failed > 0 { ", because one failed: run the same command without --fail-fast" } else { "" };
        writeln!(out, "{} not run{why}", jobs(tally.not_run))?;
    }
    if tally.left > 0 {
        writeln!(out, "{} left on the cluster: run the same command to watch again", jobs(tally.left))?;
    }
    writeln!(out, "results are in {}: metrics.csv, metrics.parquet, jobs/", run.display())?;
    if let Some(model) = model {
        writeln!(out, "next: lrbm report {}", run.display())?;
        writeln!(out, "  or: lrbm explain --model {}", model.display())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::run::SummaryRow;

    #[test]
    fn empty_columns_are_omitted() {
        let cell = Cell { mean: 0.98765, deviation: Some(0.01234) };
        let row = |dataset: &str| SummaryRow {
            dataset: dataset.into(),
            model: "LRBM-Boost".into(),
            preset: String::new(),
            case: String::new(),
            folds: 5,
            refused: 0,
            failed: 0,
            cells: [Some(cell), None],
        };
        let mut summary = Summary { rows: vec![row("imdb"), row("sports")], footnotes: Vec::new() };
        let print = |summary: &Summary| {
            let mut out = Vec::new();
            table(&mut out, summary).unwrap();
            String::from_utf8(out).unwrap()
        };
        let note = "  mean ± standard deviation over folds; seeds of a fold are averaged first\n";
        let text = "  dataset  model             AUC-ROC  AUC-PR  folds\n\
                    \x20 imdb     LRBM-Boost  0.988 ± 0.012       -      5\n\
                    \x20 sports   LRBM-Boost  0.988 ± 0.012       -      5\n";
        assert_eq!(print(&summary), format!("{text}{note}"));
        summary.footnotes.push(("sports".into(), "not the authors' data".into()));
        summary.rows[0].preset = "paper".into();
        summary.rows[0].failed = 2;
        summary.rows[0].cells[0] = Some(Cell { mean: 0.5, deviation: None });
        let text = "  dataset     model       preset        AUC-ROC  AUC-PR  folds  failed\n\
                    \x20 imdb        LRBM-Boost  paper           0.500       -      5       2\n\
                    \x20 sports [1]  LRBM-Boost          0.988 ± 0.012       -      5       0\n";
        assert_eq!(print(&summary), format!("{text}{note}  [1] sports: not the authors' data\n"));
    }
}
