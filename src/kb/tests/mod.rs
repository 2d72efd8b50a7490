//! Tests that build databases or relations, kept apart so that no file under test imports its
//! builder.

mod database;
mod relation;
mod time;
mod warnings;
