//! LaTeX writer, with the rules of the package booktabs.

use std::fmt::Write;

use super::model::Table;
use super::text::{Grid, GridCell};

/// Formats the table as a float with caption and notes.
pub fn latex(table: &Table) -> String {
    let grid = table.aligned_grid();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_latex(&mut text, table, &grid);
    text
}

fn write_latex(out: &mut String, table: &Table, grid: &Grid) -> std::fmt::Result {
    writeln!(out, "% \\usepackage{{booktabs}}")?;
    let (short, details) = split_caption(&table.caption);
    if !details.is_empty() {
        writeln!(out, "% {}", details.replace(['\n', '\r'], " "))?;
    }
    writeln!(out, "\\begin{{table*}}[t]")?;
    writeln!(out, "  \\centering\\small")?;
    writeln!(out, "  \\caption{{{}}}", escaped(format!("{}. {short}", table.title).trim()))?;
    writeln!(out, "  \\label{{tab:{}}}", table.name)?;
    let columns: String = grid.is_number.iter().map(|&is_number| if is_number { 'r' } else { 'l' }).collect();
    writeln!(out, "  \\begin{{tabular}}{{{columns}}}")?;
    writeln!(out, "    \\toprule")?;
    line(out, grid.headings.iter().map(|heading| escaped(heading)))?;
    writeln!(out, "    \\midrule")?;
    for (index, row) in grid.rows.iter().enumerate() {
        if row.line_above {
            writeln!(out, "    \\midrule")?;
        } else if table.style.stacked && index > 0 && row.is_first {
            writeln!(out, "    \\addlinespace")?;
        }
        line(out, row.cells.iter().map(shown))?;
    }
    writeln!(out, "    \\bottomrule")?;
    writeln!(out, "  \\end{{tabular}}")?;
    // At most two footnotes: one about datasets, one about the rest.
    let notes = table.marked_notes();
    let (about_datasets, others): (Vec<_>, Vec<_>) = notes.into_iter().partition(|(mark, _)| mark.is_some());
    let about = about_datasets.into_iter().filter_map(|(mark, note)| {
        Some(format!("[{}] {}: {}", mark?, escaped(note.about.as_deref()?), escaped(&note.text)))
    });
    let others = others.into_iter().map(|(_, note)| escaped(&note.text));
    for footnote in [about.collect::<Vec<_>>().join("; "), others.collect::<Vec<_>>().join(" ")] {
        if !footnote.is_empty() {
            writeln!(out, "  \\par\\smallskip\\footnotesize {footnote}")?;
        }
    }
    writeln!(out, "\\end{{table*}}")
}

/// Splits a caption into what the numbers are, and the rest, which a paper states in its text.
fn split_caption(caption: &str) -> (String, String) {
    const NUMBERS: &str = "Mean ±";
    let sentences: Vec<&str> = caption.split_inclusive(". ").map(str::trim).collect();
    let Some(at) = sentences.iter().position(|sentence| sentence.starts_with(NUMBERS)) else {
        let (first, rest) = sentences.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        return (first.to_owned(), rest.join(" "));
    };
    // What follows a semicolon explains.
    let (short, explained) = sentences[at].split_once("; ").unwrap_or((sentences[at], ""));
    let others = sentences.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, sentence)| *sentence);
    let rest: Vec<&str> = others.chain([explained].into_iter().filter(|text| !text.is_empty())).collect();
    (format!("{}.", short.trim_end_matches('.')), rest.join(" "))
}

fn line(out: &mut String, cells: impl Iterator<Item = String>) -> std::fmt::Result {
    let cells: Vec<String> = cells.collect();
    writeln!(out, "    {} \\\\", cells.join(" & "))
}

fn shown(cell: &GridCell) -> String {
    let strong = if cell.strong.is_empty() { String::new() } else { format!("\\textbf{{{}}}", escaped(&cell.strong)) };
    format!("{strong}{}", escaped(&cell.rest))
}

/// Escapes LaTeX special characters, and maps our symbols to commands.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_quoted = false;
    for c in text.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                escaped.push_str(if is_quoted { "``" } else { "''" });
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '[' => escaped.push_str("{[}"),
            ']' => escaped.push_str("{]}"),
            '±' => escaped.push_str("$\\pm$"),
            '−' => escaped.push_str("$-$"),
            '–' => escaped.push_str("--"),
            '½' => escaped.push_str("$\\frac12$"),
            '²' => escaped.push_str("$^2$"),
            '≥' => escaped.push_str("$\\geq$"),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use super::*;

    #[test]
    fn example_table_is_formatted() {
        let expected = "\
% \\usepackage{booktabs}
\\begin{table*}[t]
  \\centering\\small
  \\caption{An example. Mean \\& deviation.}
  \\label{tab:example}
  \\begin{tabular}{llrr}
    \\toprule
    model &  & imdb & yeast2 {[}1{]} \\\\
    \\midrule
    A\\_B & ours & \\textbf{0.945} $\\pm$ 0.050 & -- (5 of 5 failed) \\\\
     & paper & 0.95 $\\pm$ 0.05 & 0.77 $\\pm$ 0.02 \\\\
     & difference & $-$0.005, within both sd & -- \\\\
    \\midrule
    C\\textbar{}D & ours & 0.700 $\\pm$ 0.010 (1 of 5 failed) & 0.500 \\\\
     & paper & 0.75 $\\pm$ 0.01 & -- \\\\
     & difference & $-$0.050, outside & -- \\\\
    \\bottomrule
  \\end{tabular}
  \\par\\smallskip\\footnotesize [1] yeast2: A substitute.
  \\par\\smallskip\\footnotesize Of 100\\% of folds.
\\end{table*}
";
        assert_eq!(latex(&example()), expected);
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escaped("\\input{x} #1"), "\\textbackslash{}input\\{x\\} \\#1");
        assert_eq!(escaped("a \"b c\" d"), "a ``b c'' d");
    }

    #[test]
    fn captions_are_short() {
        let caption = "Two models. Mean ± standard deviation over folds. Best in bold.";
        assert_eq!(
            split_caption(caption),
            ("Mean ± standard deviation over folds.".to_owned(), "Two models. Best in bold.".to_owned())
        );
        assert_eq!(split_caption("Mean ± sd; seeds too.").0, "Mean ± sd.");
        assert_eq!(split_caption("Counts. More."), ("Counts.".to_owned(), "More.".to_owned()));
        assert_eq!(split_caption(""), (String::new(), String::new()));
    }
}
