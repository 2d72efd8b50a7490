//! Regions of the book that are generated: `SNAPSHOTS=overwrite` writes them.
//!
//! A region is between `<!-- generated: NAME -->` and `<!-- end -->`.

use std::fmt::Write;
use std::fs;

use clap::{Arg, ArgAction, Command};
use lrbm::Preset;
use lrbm::internal::cli;
use lrbm::internal::learn::{Kind, ListedParameter, Params, parameters};
use lrbm::params::Unchecked;

use super::root;
use crate::common::snapshot::compare;

/// Compares the regions of a page with what they should be.
fn check(page: &str, regions: &[(&str, String)]) {
    let path = root().join(page);
    let mut text = fs::read_to_string(&path).unwrap();
    for (name, region) in regions {
        let begin = format!("<!-- generated: {name} -->\n");
        let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page}: no region {name}"));
        let (_, after) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{page}: no end of region {name}"));
        text = format!("{before}{begin}\n{}\n\n<!-- end -->{after}", region.trim());
    }
    compare(&path, &text).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Escapes text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "–" }
}

#[test]
fn the_page_of_kinds_is_that_of_the_registry() {
    check("docs/src/kinds.md", &[("kinds", kinds()), ("presets", presets()), ("parameters", parameters_by_kind())]);
}

fn kinds() -> String {
    let mut table =
        String::from("| kind | model | presets | example weights | several classes |\n|---|---|---|---|---|\n");
    for kind in Kind::ALL {
        let info = kind.info();
        let (presets, weights, classes) = (kind.has_presets(), info.uses_weights, info.multi_class);
        let row = [kind.name(), info.about, yes(presets), yes(weights), yes(classes)];
        writeln!(table, "| `{}` | {} |", row[0], row[1..].join(" | ")).unwrap();
    }
    table
}

/// Returns the default of a parameter; if it differs between kinds, that of most kinds first.
fn defaults(parameter: &ListedParameter) -> String {
    let mut by_value: Vec<(String, Vec<&str>)> = Vec::new();
    for kind in &parameter.kinds {
        let value = Params::new(*kind).get(parameter.entry.name).unwrap().to_string();
        match by_value.iter_mut().find(|(known, _)| *known == value) {
            Some((_, kinds)) => kinds.push(kind.name()),
            None => by_value.push((value, vec![kind.name()])),
        }
    }
    by_value.sort_by_key(|(_, kinds)| std::cmp::Reverse(kinds.len()));
    let shown = by_value.iter().enumerate().map(|(rank, (value, kinds))| match rank {
        0 => format!("`{value}`"),
        _ => format!("`{value}` for {}", kinds.join(", ")),
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn parameters_by_kind() -> String {
    let mut groups: Vec<(&[Kind], Vec<&ListedParameter>)> = Vec::new();
    for parameter in parameters() {
        match groups.iter_mut().find(|(kinds, _)| *kinds == parameter.kinds) {
            Some((_, listed)) => listed.push(parameter),
            None => groups.push((&parameter.kinds, vec![parameter])),
        }
    }
    let mut text = String::new();
    for (kinds, listed) in groups {
        let names: Vec<String> = kinds.iter().map(|kind| format!("`{}`", kind.name())).collect();
        let of = if kinds.len() == Kind::ALL.len() { "all kinds".to_owned() } else { names.join(", ") };
        writeln!(text, "### Parameters of {of}\n\n| parameter | meaning | values | default |\n|---|---|---|---|")
            .unwrap();
        for parameter in listed {
            let entry = parameter.entry;
            let (help, shape) = (cell(entry.help), cell(&entry.shape.to_string()));
            writeln!(text, "| `{}` | {help} | {shape} | {} |", entry.name, cell(&defaults(parameter))).unwrap();
        }
        text.push('\n');
    }
    text
}

fn presets() -> String {
    // `auto` chooses one of the others.
    let presets = Preset::ALL.iter().filter(|(_, preset)| *preset != Preset::Auto);
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.has_presets()).collect();
    let of = |kind: Kind, preset: Preset, name: &str| {
        let params = Unchecked::new(kind).preset(preset).check().unwrap();
        params.get(name).map(|value| value.to_string())
    };
    // Kinds with the same values share a row.
    let mut rows: Vec<(&str, Vec<String>, Vec<String>)> = Vec::new();
    for parameter in parameters() {
        let name = parameter.entry.name;
        for kind in kinds.iter().filter(|kind| parameter.kinds.contains(kind)) {
            let values: Vec<String> = presets.clone().filter_map(|(_, preset)| of(*kind, *preset, name)).collect();
            if values.iter().all(|value| *value == values[0]) {
                continue;
            }
            match rows.iter_mut().find(|(known, same, _)| *known == name && *same == values) {
                Some((.., listed)) => listed.push(kind.name().to_owned()),
                None => rows.push((name, values, vec![kind.name().to_owned()])),
            }
        }
    }
    let names: Vec<String> = presets.map(|(name, _)| format!("`{name}`")).collect();
    let mut table = format!("| parameter | {} | kinds |\n|---|{}---|\n", names.join(" | "), "---|".repeat(names.len()));
    for (name, values, listed) in rows {
        writeln!(table, "| `{name}` | {} | {} |", values.join(" | "), listed.join(", ")).unwrap();
    }
    table
}

/// Returns how an argument is written.
fn written(arg: &Arg) -> String {
    let values: Vec<String> = arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    if arg.is_positional() {
        return values.join(" ");
    }
    let mut names: Vec<String> = arg.get_short().map(|short| format!("-{short}")).into_iter().collect();
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    if takes_value { format!("{} {}", names.join(", "), values.join(" ")) } else { names.join(", ") }
}

fn described(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = help.split("\n\n").map(|part| part.replace('\n', " ")).collect::<Vec<_>>().join(" ");
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let defaults: Vec<_> = arg.get_default_values().iter().filter_map(|value| value.to_str()).collect();
    if takes_value && !defaults.is_empty() && !arg.is_hide_default_value_set() && !text.contains("[default") {
        write!(text, " [default: {}]", defaults.join(" ")).unwrap();
    }
    let values = arg.get_value_parser().possible_values().into_iter().flatten();
    let values: Vec<String> =
        values.filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect();
    if takes_value && !values.is_empty() && !arg.is_hide_possible_values_set() {
        write!(text, " [possible values: {}]", values.join(", ")).unwrap();
    }
    text
}

/// Breaks paragraphs, which the program wraps at the width of the terminal.
fn in_lines(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = if line.starts_with(' ') { vec![line] } else { line.split(' ').collect() };
        lines.push(String::new());
        for word in words {
            let last = lines.last_mut().unwrap();
            match last.chars().count() + 1 + word.chars().count() <= 110 || last.is_empty() {
                true => *last = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") },
                false => lines.push(word.to_owned()),
            }
        }
    }
    lines.join("\n")
}

fn reference(command: &mut Command, full: &str, depth: usize, out: &mut String) {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    if !command.has_subcommands() {
        let usage = command.render_usage().to_string();
        writeln!(out, "{} {full}\n\n{about}\n\n`{}`\n", "#".repeat(depth), usage.trim_start_matches("Usage: "))
            .unwrap();
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if !arg.is_global_set() && !["help", "version"].contains(&arg.get_id().as_str()) {
                writeln!(out, "- `{}`: {}", written(arg), described(arg)).unwrap();
            }
        }
        out.push('\n');
        // The list of parameters is a page of its own.
        let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
        if let Some(after) = after.filter(|_| full != "lrbm train") {
            writeln!(
                out,
                "```text no-run: printed below the options by `{full} --help`\n{}\n```\n",
                in_lines(after.trim())
            )
            .unwrap();
        }
    }
    for subcommand in command.get_subcommands_mut().filter(|subcommand| !subcommand.is_hide_set()) {
        if subcommand.get_name() != "help" {
            let name = format!("{full} {}", subcommand.get_name());
            reference(subcommand, &name, depth, out);
        }
    }
}

#[test]
fn the_commands_are_those_of_the_program() {
    let mut command = cli::command();
    command.build();
    let mut text = String::new();
    reference(&mut command, "lrbm", 2, &mut text);
    assert!(text.matches("\n## lrbm ").count() > 15);
    check("docs/src/commands.md", &[("commands", text)]);
}
