//! Output shared by `info` and `lint`.

use std::io::{self, Write};

use crate::cli::output::shown;
use crate::data::summary::DatasetSummary;
use crate::logic::quantity::thousands;
use crate::report::table::Grid;

/// Prints the counts of a dataset.
pub fn summary(out: &mut impl Write, summary: &DatasetSummary) -> io::Result<()> {
    writeln!(out, "target     {}", summary.target)?;
    let (positives, negatives) = (summary.positives, summary.negatives);
    let ratio = if positives > 0 { format!(" (1:{:.2})", negatives as f64 / positives as f64) } else { String::new() };
    let duplicates = match summary.duplicate_examples {
        0 => String::new(),
        n => format!("; {} duplicates dropped", thousands(n)),
    };
    writeln!(
        out,
        "examples   {} positives, {} negatives{ratio}{duplicates}",
        thousands(positives),
        thousands(negatives)
    )?;
    for (name, positives, negatives) in &summary.other_examples {
        writeln!(out, "skipped    {name}: {} positives, {} negatives", thousands(*positives), thousands(*negatives))?;
    }
    let duplicates = match summary.duplicate_facts {
        0 => String::new(),
        n => format!("; {} duplicates dropped", thousands(n)),
    };
    writeln!(out, "facts      {}{duplicates}", thousands(summary.facts))?;
    let (names, numbers) = summary.constants;
    writeln!(out, "constants  {} names, {} numbers", thousands(names), thousands(numbers))?;
    if let Some((first, last)) = summary.times {
        writeln!(out, "times      examples from {first} to {last}")?;
    }
    writeln!(out)?;
    let mut table = Grid::new(&["predicate", "types", ">modes", ">facts", ">duplicates", "distinct constants"]);
    for row in &summary.predicates {
        let types = if row.types.is_empty() { "(no mode)".into() } else { row.types.join(", ") };
        let constants: Vec<String> = row.constants.iter().map(|&n| thousands(n)).collect();
        table.row([
            row.predicate.clone(),
            types,
            row.modes.to_string(),
            thousands(row.facts),
            thousands(row.duplicates),
            constants.join(" × "),
        ]);
    }
    write!(out, "{}", shown(&table))
}

/// Prints the positives and negatives of each test fold.
pub fn folds(out: &mut impl Write, sizes: &[(usize, usize)]) -> io::Result<()> {
    let mut table = Grid::new(&[">fold", ">positives", ">negatives"]);
    for (fold, &(positives, negatives)) in sizes.iter().enumerate() {
        table.row([(fold + 1).to_string(), thousands(positives), thousands(negatives)]);
    }
    write!(out, "{}", shown(&table))
}

/// Prints text wrapped to lines of at most 100 characters, indented by two.
pub fn paragraph(out: &mut impl Write, text: &str) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 98 {
            writeln!(out, "  {line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.is_empty() { Ok(()) } else { writeln!(out, "  {line}") }
}
