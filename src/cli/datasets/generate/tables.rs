//! Writes tables as CSV files or as a SQLite file.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::cli::error::CommandError;
use crate::cli::output::unwritable;
use crate::data::import::write::check_vacant;
use crate::data::import::{Mapping, SourceTable, Values, render};
use crate::files;

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// One CSV file per table.
    Csv,
    /// One SQLite file.
    Sqlite,
}

/// Writes tables with their mapping into a directory, which appears complete or not at all.
pub fn write(
    directory: &Path,
    id: &str,
    format: TableFormat,
    (tables, mapping): (&[SourceTable], &Mapping),
) -> Result<(), CommandError> {
    check_vacant(directory).map_err(CommandError::input)?;
    let mut contents: Vec<(String, Vec<u8>)> = vec![("mapping.toml".into(), render::mapping(mapping).into_bytes())];
    match format {
        TableFormat::Csv => {
            for table in tables {
                contents.push((format!("{}.csv", table.name), csv(table).map_err(CommandError::internal)?));
            }
        }
        TableFormat::Sqlite => {
            contents.push((format!("{id}.sqlite"), sqlite(tables).map_err(CommandError::internal)?));
        }
    }
    let write = || {
        let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty());
        let staging = files::temporary_dir_in(parent.unwrap_or(Path::new(".")))?;
        for (name, bytes) in &contents {
            files::write_in_place(&staging.path().join(name), bytes)?;
        }
        files::sync_all(staging.path())?;
        files::rename(staging.path(), directory)
    };
    write().map_err(unwritable(directory))
}

fn csv(table: &SourceTable) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| &column.name))?;
    for row in 0..table.rows() {
        let fields = table.columns.iter().map(|column| column.values.text(row).unwrap_or_default());
        writer.write_record(fields.map(|field| field.into_owned()))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// Builds the database in memory, so that files are written in one place only.
fn sqlite(tables: &[SourceTable]) -> rusqlite::Result<Vec<u8>> {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut connection = Connection::open_in_memory()?;
    let transaction = connection.transaction()?;
    for table in tables {
        let kind = |values: &Values| match values {
            Values::Integer(_) => "INTEGER",
            Values::Real(_) | Values::Date(_) => "REAL",
            Values::Boolean(_) => "BOOLEAN",
            Values::Text(_) | Values::Unsupported { .. } => "TEXT",
        };
        let columns: Vec<String> =
            table.columns.iter().map(|column| format!("{} {}", quoted(&column.name), kind(&column.values))).collect();
        let name = quoted(&table.name);
        transaction.execute(&format!("CREATE TABLE {name} ({})", columns.join(", ")), [])?;
        let marks = vec!["?"; columns.len()].join(", ");
        let mut insert = transaction.prepare(&format!("INSERT INTO {name} VALUES ({marks})"))?;
        for row in 0..table.rows() {
            insert.execute(params_from_iter(table.columns.iter().map(|column| value(&column.values, row))))?;
        }
    }
    transaction.commit()?;
    Ok(connection.serialize("main")?.to_vec())
}

fn value(values: &Values, row: usize) -> Value {
    let found = match values {
        Values::Integer(values) => values[row].map(Value::Integer),
        Values::Real(values) | Values::Date(values) => values[row].map(Value::Real),
        Values::Boolean(values) => values[row].map(|value| Value::Integer(i64::from(value))),
        Values::Text(values) => values[row].clone().map(Value::Text),
        Values::Unsupported { .. } => None,
    };
    found.unwrap_or(Value::Null)
}
