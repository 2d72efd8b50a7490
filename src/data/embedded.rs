//! Loads the generated domains as databases in memory.

use std::fmt::Write;

use super::examples::RawExamples;
use super::generate::{Domain, DomainSink, GeneratorSettings, Name};
use super::load::{self, Dataset, LoadCounts, LoadError, LoadOptions};
use super::modes::add_mode;
use crate::kb::{DatabaseBuilder, TimeRule, TimeSource};
use crate::logic::{CapacityError, Constant, Diagnostics, ReadError};

impl Dataset {
    /// Generates a domain with its default settings.
    ///
    /// # Errors
    /// If the domain exceeds the limits of the symbol table, which its default size does not.
    pub fn generate(domain: Domain) -> Result<Dataset, LoadError> {
        load_domain(domain, &domain.settings())
    }
}

/// Generates a domain and indexes it.
///
/// # Errors
/// If the scale is so large that its symbols exceed the limits of the symbol table.
pub fn load_domain(domain: Domain, settings: &GeneratorSettings) -> Result<Dataset, LoadError> {
    let info = domain.info();
    let mut sink = DatabaseSink::new(info.target);
    let mut diagnostics = Diagnostics::default();
    for line in info.modes() {
        add_mode(&mut sink.builder, line, &mut diagnostics);
    }
    domain.generate(settings, &mut sink).map_err(|error| full(info.id, error))?;
    let target = sink
        .examples
        .choose_target(&sink.builder.predicates, None)
        .map_err(|error| full(info.id, CapacityError(error.to_string())))?;
    let selected = sink.examples.into_target_examples(&sink.builder, target);
    let counts = LoadCounts { facts_read: sink.builder.facts() as u64, ..LoadCounts::default() };
    let time = info
        .time
        .map(|predicate| TimeRule { source: TimeSource::Predicate(predicate.to_owned()), by_argument: Vec::new() });
    let options = LoadOptions { time, ..LoadOptions::default() };
    load::build(sink.builder, target, selected.examples, &options, counts, diagnostics)
}

fn full(id: &str, error: CapacityError) -> LoadError {
    LoadError::Read(ReadError::Full { file: format!("generated domain {id}"), error })
}

/// A sink that builds a database.
struct DatabaseSink {
    builder: DatabaseBuilder,
    examples: RawExamples,
    target: &'static str,
    /// Buffers reused for every fact.
    args: Vec<Constant>,
    text: String,
}

impl DatabaseSink {
    fn new(target: &'static str) -> Self {
        let builder = DatabaseBuilder::new();
        DatabaseSink { builder, examples: RawExamples::default(), target, args: Vec::new(), text: String::new() }
    }

    fn intern(&mut self, args: &[Name]) -> Result<(), CapacityError> {
        self.args.clear();
        for arg in args {
            let constant = match arg {
                Name::Number(value) => self.builder.symbols.intern_number(f64::from(*value))?,
                Name::Word(word) => self.builder.symbols.intern(word)?,
                Name::Entity(..) => {
                    self.text.clear();
                    // Writing to a string cannot fail.
                    let _ = write!(self.text, "{arg}");
                    self.builder.symbols.intern(&self.text)?
                }
            };
            self.args.push(constant);
        }
        Ok(())
    }
}

impl DomainSink for DatabaseSink {
    type Error = CapacityError;

    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), CapacityError> {
        self.intern(args)?;
        let id = self.builder.predicates.intern(predicate, args.len());
        self.builder.fact(id, &self.args).map_err(|error| CapacityError(error.to_string()))
    }

    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), CapacityError> {
        self.intern(args)?;
        let target = self.builder.predicates.intern(self.target, args.len());
        self.examples.push(target, &self.args, positive, 1.0, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::{DomainCounts, write_directory};

    /// A domain is the same whether generated in memory or loaded from its files.
    #[test]
    fn files_and_memory_agree() {
        for domain in Domain::ALL {
            let settings = GeneratorSettings::new(2, 5, 0.1).unwrap();
            let directory = tempfile::tempdir().unwrap();
            write_directory(domain, &settings, directory.path()).unwrap();
            let memory = load_domain(domain, &settings).unwrap();
            let options = LoadOptions { target: Some(domain.info().target.into()), ..LoadOptions::default() };
            let files = load::load(directory.path(), &options).unwrap();
            assert_eq!(print(&memory), print(&files));
            let counts = DomainCounts::of(domain, &settings);
            assert_eq!(memory.database.facts.len() as u64, counts.facts);
            assert_eq!(memory.examples.len() as u64, counts.positives + counts.negatives);
            assert!(!memory.warnings.has_errors());
        }
    }

    fn print(loaded: &Dataset) -> Vec<String> {
        let db = &loaded.database;
        let atom = |id, args: &[Constant]| {
            let args: Vec<String> = args.iter().map(|&c| db.symbols.show(c).to_string()).collect();
            format!("{}({})", db.predicates.name(id), args.join(", "))
        };
        let mut facts = Vec::new();
        for id in db.predicates.iter() {
            facts.extend(db.facts.relation(id).iter().map(|row| atom(id, &row.to_vec())));
        }
        facts.sort();
        facts.extend(loaded.examples.iter().map(|e| format!("{} {}", e.positive, atom(loaded.target, &e.args))));
        facts
    }
}
