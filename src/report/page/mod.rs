//! `report.html`: the complete report in one self-contained file.
//!
//! The template escapes all values. Only our own style sheet, script and drawings are inserted
//! unescaped; each is marked where it is created.

mod context;
mod links;
mod models;
mod provenance;
mod table_view;

pub use provenance::program_name;

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value};

use super::contents::Report;
use crate::report::html::{format_visible, with_code};

const TEMPLATE: &str = include_str!("page.html");

/// Renders the page for a directory.
///
/// # Errors
/// If the template is invalid, which would be a bug.
pub fn page(report: &Report<'_>, directory: &Path) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_formatter(format_visible);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_filter("prose", |text: &str| Value::from_safe_string(with_code(text)));
    environment.add_template("page.html", TEMPLATE)?;
    environment.get_template("page.html")?.render(Serde(context::context(report, directory)))
}
