//! The `README.md` that accompanies committed tables and figures.

use std::fmt::Write;

use super::contents::Report;
use super::markdown::escape;
use super::table::markdown as table_text;
use super::tables::status_notes;
use crate::determinism::IndexSet;

/// Formats the question, the commands, the main tables and the figures.
pub fn markdown(report: &Report<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut text, report);
    text
}

fn write_page(out: &mut String, report: &Report<'_>) -> std::fmt::Result {
    let experiment = &report.results.experiment;
    let name = &experiment.name;
    writeln!(out, "# {}\n", escape(name))?;
    if !experiment.about.is_empty() {
        writeln!(out, "{}\n", escape(&experiment.about))?;
    }
    if experiment.multiverse.is_some() {
        // Several findings, one per line.
        for sentence in &report.answer {
            writeln!(out, "- {}", escape(sentence))?;
        }
        writeln!(out)?;
    } else if !report.answer.is_empty() {
        writeln!(out, "{}\n", escape(&report.answer.join(" ")))?;
    }
    let report_command = format!("lrbm report results/runs/{name} --copy-to results/{name}");
    writeln!(out, "```sh\nlrbm run experiments/{name}.toml\n{report_command}\n```\n")?;
    writeln!(out, "{}\n", provenance(report))?;
    for sentence in status_notes(report.results) {
        writeln!(out, "{}\n", escape(&sentence))?;
    }
    for table in &report.tables[..report.main_tables] {
        writeln!(out, "## {}\n\n{}", escape(&table.title), table_text(table))?;
    }
    if !report.figures.is_empty() {
        writeln!(out, "## Figures\n")?;
    }
    for figure in &report.figures {
        let (title, caption) = (escape(&figure.title), escape(&figure.caption));
        writeln!(out, "![{title}]({}.svg)\n\n{title}. {caption}\n", figure.name)?;
    }
    let others = report.tables[report.main_tables..].iter();
    let links: Vec<String> = others.map(|table| format!("[{}]({}.md)", table.title, table.name)).collect();
    writeln!(out, "More tables: {}.", links.join(", "))
}

/// Describes which program ran the jobs, and when.
fn provenance(report: &Report<'_>) -> String {
    let records = || report.results.stored.iter().map(|stored| &stored.record);
    let programs: IndexSet<String> = records().map(|record| super::page::program_name(&record.program)).collect();
    let programs: Vec<String> = programs.into_iter().collect();
    let from = records().map(|record| record.machine.started.as_str()).min().unwrap_or_default();
    let day = from.split('T').next().unwrap_or_default();
    format!("{} jobs, run on {day} with {}.", report.results.stored.len(), programs.join(" and "))
}
