//! Modes written in the program, or in a manifest, rather than read from a file of a dataset.

use std::path::Path;

use crate::kb::DatabaseBuilder;
use crate::logic::parser::parse_sentence;
use crate::logic::{Diagnostic, Diagnostics, Notation, Sentence};

/// Adds the mode of a line to the schema, or an error to the diagnostics.
pub(super) fn add_mode(builder: &mut DatabaseBuilder, line: &str, diagnostics: &mut Diagnostics) {
    let added = match parse_sentence(line, 0, true, Notation::Prolog, false).map(|parsed| parsed.sentence) {
        Ok(Sentence::Mode(mode)) => builder.schema.add(&mode, &mut builder.predicates, &mut builder.symbols),
        other => {
            Err(Diagnostic::error("mode", format!("`{line}` is not a mode: {other:?}"), "").in_file(Path::new("modes")))
        }
    };
    if let Err(diagnostic) = added {
        diagnostics.push(diagnostic);
    }
}
