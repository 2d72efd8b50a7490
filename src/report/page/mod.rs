//! `report.html`: the whole report in one file that needs no network.
//!
//! The template escapes everything it is given. Only our own style, script and drawings go in as they are; each of those is
//! marked where it is made.

mod context;
mod links;
mod models;
mod provenance;
mod table_view;

pub use provenance::program_name;

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};

use super::contents::Report;

const TEMPLATE: &str = include_str!("page.html");

/// The page, to be put into a directory.
///
/// # Errors
/// If the template does not fit, which would be a bug.
pub fn page(report: &Report<'_>, directory: &Path) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template("page.html", TEMPLATE)?;
    environment.get_template("page.html")?.render(Serde(context::context(report, directory)))
}
