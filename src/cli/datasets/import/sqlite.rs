//! SQLite files as typed columns, with their declared keys.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::checks::{INFINITE, SourceError, check_column_count, check_text, column_names};
use crate::data::import::{ForeignKey, SourceColumn, SourceTable, Values, date};
use crate::files::visible::ShownPath;

/// Reads all tables of a database, which is never changed.
pub fn read(path: &Path) -> Result<Vec<SourceTable>, SourceError> {
    // The file is opened as immutable, so that nothing is created beside it; changes that are not
    // in it yet would be missed.
    for suffix in ["-wal", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        if std::fs::metadata(&beside).is_ok_and(|file| file.len() > 0) {
            let problem = format!(
                "there are unfinished changes in {}: close the program that writes the database, then run `PRAGMA \
                 wal_checkpoint(TRUNCATE)`",
                Path::new(&beside).shown()
            );
            return Err(SourceError::in_file(path, problem));
        }
    }
    let damaged = |error: rusqlite::Error| {
        let problem = format!(
            "cannot be read as a SQLite database: {error}: it may be damaged or encrypted; restore it, or export its \
             tables with `sqlite3 -header -csv`"
        );
        SourceError::in_file(path, problem)
    };
    let connection = open(path).map_err(damaged)?;
    let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(damaged)?;
    if check != "ok" {
        let problem = format!("the database is damaged: {}; restore it from a copy", check.replace('\n', " "));
        return Err(SourceError::in_file(path, problem));
    }
    let names = table_names(&connection).map_err(damaged)?;
    if names.is_empty() {
        return Err(SourceError::in_file(path, "the database has no tables"));
    }
    let mut tables = Vec::new();
    for name in names {
        let place = format!("{}: table `{name}`", path.shown());
        tables.push(read_table(&connection, name, &place)?);
    }
    Ok(tables)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    // Everything but unreserved characters is escaped, so that `?` and `#` in a name have no
    // meaning.
    for byte in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    // A foreign schema may not call functions with side effects.
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;")?;
    Ok(connection)
}

/// Returns the names of ordinary tables, sorted. Views are queries, not data.
fn table_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                 AND sql NOT LIKE 'create virtual%' ORDER BY name";
    connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

/// Quotes an identifier.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A column as declared.
struct Declared {
    name: String,
    kind: String,
    /// Position in the primary key, from 1; 0 if it is not part of it.
    key: i64,
}

fn read_table(connection: &Connection, name: String, place: &str) -> Result<SourceTable, SourceError> {
    let fail = |error: rusqlite::Error| {
        SourceError::new(place, format!("cannot be read: {error}: the database may be damaged"))
    };
    let columns = || -> rusqlite::Result<Vec<Declared>> {
        let mut statement = connection.prepare(&format!("PRAGMA table_info({})", quoted(&name)))?;
        let column = |row: &rusqlite::Row| Ok(Declared { name: row.get(1)?, kind: row.get(2)?, key: row.get(5)? });
        statement.query_map([], column)?.collect()
    };
    let declared = columns().map_err(fail)?;
    check_column_count(place, declared.len())?;
    let names = column_names(place, declared.iter().map(|column| column.name.clone()).collect())?;
    let foreign = || -> rusqlite::Result<Vec<(i64, ForeignKey)>> {
        let mut statement = connection.prepare(&format!("PRAGMA foreign_key_list({})", quoted(&name)))?;
        let key = |row: &rusqlite::Row| {
            Ok((row.get(0)?, ForeignKey { table: row.get(2)?, column: row.get(3)?, references: row.get(4)? }))
        };
        statement.query_map([], key)?.collect()
    };
    let mut foreign_keys = foreign().map_err(fail)?;
    // A key of several columns refers to no single entity.
    let ids: Vec<i64> = foreign_keys.iter().map(|(id, _)| *id).collect();
    foreign_keys.retain(|(id, _)| ids.iter().filter(|other| *other == id).count() == 1);
    let cells = read_cells(connection, &name, &declared, place)?;
    let columns = names.into_iter().zip(cells).map(|(name, cells)| SourceColumn { name, values: cells.finish() });
    let mut primary: Vec<(i64, String)> =
        declared.iter().filter(|column| column.key > 0).map(|column| (column.key, column.name.clone())).collect();
    primary.sort();
    Ok(SourceTable {
        columns: columns.collect(),
        primary_key: primary.into_iter().map(|(_, name)| name).collect(),
        foreign_keys: foreign_keys.into_iter().map(|(_, key)| key).collect(),
        name,
    })
}

fn read_cells(
    connection: &Connection,
    name: &str,
    declared: &[Declared],
    place: &str,
) -> Result<Vec<Cells>, SourceError> {
    let fail = |error: rusqlite::Error| {
        SourceError::new(place, format!("cannot be read: {error}: the database may be damaged"))
    };
    let list: Vec<String> = declared.iter().map(|column| quoted(&column.name)).collect();
    // An index would give the rows in its own order.
    let query = format!("SELECT {} FROM {} NOT INDEXED", list.join(", "), quoted(name));
    let mut cells: Vec<Cells> = declared.iter().map(|column| Cells::new(&column.kind)).collect();
    let mut statement = connection.prepare(&query).map_err(fail)?;
    let mut rows = statement.query([]).map_err(fail)?;
    let mut number = 0_usize;
    while let Some(row) = rows.next().map_err(fail)? {
        number += 1;
        for (i, cells) in cells.iter_mut().enumerate() {
            let value = row.get_ref(i).map_err(fail)?;
            cells.push(value).map_err(|problem| {
                SourceError::new(format!("{place}, row {number}, column `{}`", declared[i].name), problem)
            })?;
        }
    }
    Ok(cells)
}

/// The values of a column; SQLite types values, not columns.
struct Cells {
    declared: String,
    values: Vec<Cell>,
    has_blob: bool,
}

enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

impl Cells {
    fn new(declared: &str) -> Self {
        Cells { declared: declared.to_ascii_uppercase(), values: Vec::new(), has_blob: false }
    }

    fn push(&mut self, value: ValueRef) -> Result<(), String> {
        self.values.push(match value {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(value) => Cell::Integer(value),
            // SQLite stores NaN as NULL.
            ValueRef::Real(value) if value.is_nan() => Cell::Null,
            ValueRef::Real(value) if value.is_infinite() => return Err(INFINITE.into()),
            ValueRef::Real(value) => Cell::Real(value),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => {
                    check_text(text)?;
                    Cell::Text(text.to_owned())
                }
                Err(_) => return Err("the text is not UTF-8: correct it, or leave the column out".into()),
            },
            ValueRef::Blob(_) => {
                self.has_blob = true;
                Cell::Null
            }
        });
        Ok(())
    }

    /// Types the column by its values, and by its declared type where SQLite has none: booleans
    /// and dates.
    fn finish(self) -> Values {
        let Cells { declared, values, has_blob } = self;
        if has_blob {
            return Values::Unsupported { kind: "BLOB".into(), rows: values.len() };
        }
        let integer = |cell: &Cell| if let Cell::Integer(value) = cell { Some(*value) } else { None };
        let all = |accepted: fn(&Cell) -> bool| values.iter().all(|cell| matches!(cell, Cell::Null) || accepted(cell));
        let has_values = values.iter().any(|cell| !matches!(cell, Cell::Null));
        if has_values && declared.starts_with("BOOL") && all(|cell| matches!(cell, Cell::Integer(0 | 1))) {
            return Values::Boolean(values.iter().map(|cell| integer(cell).map(|value| value == 1)).collect());
        }
        if has_values && all(|cell| matches!(cell, Cell::Integer(_))) {
            return Values::Integer(values.iter().map(integer).collect());
        }
        if has_values && all(|cell| matches!(cell, Cell::Integer(_) | Cell::Real(_))) {
            let real = |cell: &Cell| match cell {
                Cell::Integer(value) => Some(*value as f64),
                Cell::Real(value) => Some(*value),
                _ => None,
            };
            return Values::Real(values.iter().map(real).collect());
        }
        let text = |cell: Cell| match cell {
            Cell::Null => None,
            Cell::Integer(value) => Some(value.to_string()),
            Cell::Real(value) => Some(value.to_string()),
            Cell::Text(text) => Some(text),
        };
        let texts: Vec<Option<String>> = values.into_iter().map(text).collect();
        let is_dated = declared.starts_with("DATE") || declared.starts_with("TIMESTAMP");
        let dates: Option<Vec<Option<f64>>> =
            texts.iter().map(|text| text.as_deref().map(|text| date::parse(text).ok_or(())).transpose().ok()).collect();
        match dates {
            Some(dates) if is_dated && has_values => Values::Date(dates),
            _ => Values::Text(texts),
        }
    }
}
