//! Targets for tables: mappings, and tables with any names and values.

use lrbm::internal::data::generate::Domain;
use lrbm::internal::data::import::infer::Answers;
use lrbm::internal::data::import::write::{WriteImportError, write};
use lrbm::internal::data::import::{Mapping, SourceColumn, SourceTable, Values, apply, domain, infer, render};

pub fn mappings_seeds() -> Vec<Vec<u8>> {
    let text = |domain: Domain| render::mapping(&domain::tables(domain, &domain.settings()).1).into_bytes();
    Domain::ALL.map(text).to_vec()
}

pub fn mappings(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    match Mapping::parse(text, "mapping.toml") {
        Ok(mapping) => {
            let again = Mapping::parse(&render::mapping(&mapping), "again.toml").unwrap();
            assert_eq!(again.target, mapping.target);
            assert_eq!(again.predicates.len(), mapping.predicates.len());
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

pub fn imports_seeds() -> Vec<Vec<u8>> {
    [
        "person|id,name,town|1,Ann,rome|2,Ben,oslo|3,Cid,rome\nlikes|person1,person2,label|1,2,true|2,3,false\n",
        "acted|person,movie|a,m|b,m\ndirected|movie,person|m,c\ntarget|person,person2|a,c\n",
        "paper|id,year,date|1,1999,2020-01-31|2,2001,\ncites|paper1,paper2,class|2,1,x|1,2,y|1,1,z\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// Reads a table per line: name, columns and rows separated by `|`.
fn tables(text: &str) -> Vec<SourceTable> {
    let mut tables: Vec<SourceTable> = Vec::new();
    for line in text.lines() {
        let mut parts = line.split('|');
        let (Some(name), Some(columns)) = (parts.next(), parts.next()) else { continue };
        let rows: Vec<Vec<&str>> = parts.map(|row| row.split(',').collect()).collect();
        let mut found: Vec<SourceColumn> = Vec::new();
        for (i, column) in columns.split(',').enumerate() {
            let cell = |row: &Vec<&str>| row.get(i).filter(|cell| !cell.is_empty()).map(|cell| (*cell).to_owned());
            if found.iter().all(|known| known.name != column) {
                let values = Values::of_texts(rows.iter().map(cell).collect());
                found.push(SourceColumn { name: column.to_owned(), values });
            }
        }
        if tables.iter().all(|known| known.name != name) {
            tables.push(SourceTable::new(name, found));
        }
    }
    tables
}

pub fn imports(input: &[u8]) -> bool {
    // Readers reject NUL.
    let Some(text) = std::str::from_utf8(input).ok().filter(|text| !text.contains('\0')) else { return false };
    let tables = tables(text);
    let proposal = infer(&tables, &Answers::default());
    let rendered = render::proposal(&proposal);
    if !proposal.questions.is_empty() {
        return false;
    }
    // Whatever is proposed without a question is a valid mapping.
    assert_eq!(Mapping::parse(&rendered, "proposal.toml").unwrap(), proposal.mapping, "{rendered}");
    match apply(&proposal.mapping, &tables) {
        Ok(imported) => {
            let home = tempfile::tempdir().unwrap();
            match write(&home.path().join("data"), &imported, &proposal.mapping, &tables, &[]) {
                Ok(()) => {}
                // An entity may have two times.
                Err(WriteImportError::Unreadable(_)) if proposal.mapping.time.is_some() => {}
                Err(error) => panic!("{error}"),
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}
