//! The output of `info` for a published dataset or a directory.

use std::io::{self, Write};

use super::print::paragraph;
use crate::cli::output::shown;
use crate::data::report::{DatasetReport, PublishedReport};
use crate::logic::quantity::{counted, thousands};
use crate::report::table::Grid;

/// Prints the report.
pub fn print(out: &mut impl Write, report: &DatasetReport) -> io::Result<()> {
    writeln!(out, "{}: {}", report.id, report.title)?;
    if let Some(published) = &report.published {
        about(out, published)?;
    }
    writeln!(out)?;
    writeln!(out, "target     {}", report.target)?;
    let duplicates = match report.duplicate_examples {
        0 => String::new(),
        n => format!("; {} duplicates dropped", thousands(n)),
    };
    let (positives, listed) = (thousands(report.positives), thousands(report.listed_negatives));
    writeln!(out, "examples   {positives} positives, {listed} listed negatives{duplicates}")?;
    let scheme = serde_json::to_value(report.negative_scheme).unwrap_or_default();
    writeln!(out, "negatives  {}", scheme.as_str().unwrap_or_default())?;
    writeln!(out, "facts      {}", thousands(report.facts))?;
    writeln!(out, "checksum   {}\n", report.checksum)?;
    predicates(out, report)?;
    folds(out, report)?;
    if !report.binary.is_empty() {
        writeln!(out, "\nWith --arity binary:")?;
        report.binary.lines().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    match &report.published {
        Some(published) => sources(out, published),
        None => Ok(()),
    }
}

fn about(out: &mut impl Write, published: &PublishedReport) -> io::Result<()> {
    paragraph(out, &published.about)?;
    if let Some(footnote) = &published.footnote {
        writeln!(out, "\nSubstitute: {footnote}")?;
    }
    writeln!(out)?;
    writeln!(out, "cite       {}", published.citation)?;
    writeln!(out, "licence    {}", published.licence)?;
    published.origins.iter().try_for_each(|text| writeln!(out, "from       {text}"))?;
    writeln!(out, "folds      {}", published.folds_about)?;
    for (name, text, default) in &published.evidence {
        writeln!(out, "evidence   {name}{}: {text}", if *default { " (default)" } else { "" })?;
    }
    published.restrictions.iter().try_for_each(|text| writeln!(out, "negatives  {text}"))?;
    published.time.iter().try_for_each(|text| writeln!(out, "time       {text}"))?;
    let mut caveats = published.caveats.iter().chain(&published.notes);
    caveats.try_for_each(|text| writeln!(out, "caveat     {text}"))?;
    for count in &published.expected {
        let found = count.found.map_or("none".to_owned(), thousands);
        let verdict = if count.found == Some(count.expected) { "as expected" } else { "NOT as expected" };
        let name = count.name.replace('_', " ");
        writeln!(out, "counted    {name}: {found} in the published files, {verdict} ({})", thousands(count.expected))?;
    }
    Ok(())
}

fn predicates(out: &mut impl Write, report: &DatasetReport) -> io::Result<()> {
    let mut table = Grid::new(&["predicate", "types", ">facts", ">duplicates"]);
    for row in &report.predicates {
        let types = if row.types.is_empty() { "(no mode)".into() } else { row.types.join(", ") };
        table.row([row.predicate.clone(), types, thousands(row.facts), thousands(row.duplicates)]);
    }
    write!(out, "{}", shown(&table))
}

fn folds(out: &mut impl Write, report: &DatasetReport) -> io::Result<()> {
    writeln!(
        out,
        "\n{}, {} negatives per positive, drawn with seed {}:",
        counted(report.folds.len(), "fold"),
        report.negatives_per_positive,
        report.seed
    )?;
    let mut table = Grid::new(&[
        ">fold",
        ">train facts",
        ">train +",
        ">train −",
        ">test facts",
        ">test +",
        ">test −",
        ">drawn in test",
        ">shared +",
        ">test (a,a)",
        ">future +",
    ]);
    for row in &report.folds {
        let (train, test) = (&row.counts.train, &row.counts.test);
        table.row([
            row.fold.to_string(),
            thousands(row.train_facts),
            thousands(train.positives),
            thousands(train.negatives()),
            thousands(row.test_facts),
            thousands(test.positives),
            thousands(test.negatives()),
            format!("{:.0}%", 100.0 * test.drawn_share()),
            thousands(row.counts.shared_positives),
            thousands(test.reflexive_positives),
            thousands(test.positives_to_the_future),
        ]);
    }
    write!(out, "{}", shown(&table))?;
    let lacking: usize = report.folds.iter().map(|row| row.counts.train.lacking + row.counts.test.lacking).sum();
    if lacking > 0 {
        writeln!(out, "  {} negatives are missing: no more pairs can be drawn", thousands(lacking))?;
    }
    writeln!(
        out,
        "  shared +: test positives that are also in the training files; drawn: not listed, from the closed world"
    )
}

fn sources(out: &mut impl Write, published: &PublishedReport) -> io::Result<()> {
    writeln!(out, "\n{} published files, checksum of all {}:", published.files.len(), published.raw_checksum)?;
    for file in &published.files {
        let state = if file.present { "" } else { "  (not fetched)" };
        writeln!(out, "  {}  {}{state}", file.checksum, file.address)?;
    }
    Ok(())
}
