//! Translation of constants between databases.

use crate::determinism::HashMap;
use crate::kb::Database;
use crate::logic::Constant;

/// A translation of constants between symbol tables, by name or number.
pub(super) struct Translation<'a> {
    from: &'a Database,
    to: &'a Database,
    known: HashMap<Constant, Option<Constant>>,
}

impl<'a> Translation<'a> {
    pub(super) fn new(from: &'a Database, to: &'a Database) -> Self {
        Translation { from, to, known: HashMap::default() }
    }

    fn constant(&mut self, constant: Constant) -> Option<Constant> {
        let (from, to) = (&self.from.symbols, &self.to.symbols);
        *self.known.entry(constant).or_insert_with(|| match from.number(constant) {
            Some(value) => to.find_number(value),
            None => to.find(from.name(constant)?),
        })
    }

    /// Returns the arguments in the other table, or `None` if it lacks one.
    pub(super) fn args(&mut self, args: &[Constant]) -> Option<Box<[Constant]>> {
        args.iter().map(|&constant| self.constant(constant)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::load::{LoadOptions, load};

    fn database(facts: &str) -> Database {
        let directory = tempfile::tempdir().unwrap();
        let files =
            [("bk.txt", "mode: p(+x,-x). mode: t(+x)."), ("facts.txt", facts), ("pos.txt", "t(a)."), ("neg.txt", "")];
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        load(directory.path(), &LoadOptions::default()).unwrap().database
    }

    #[test]
    fn constants_are_translated_by_name() {
        let (from, to) = (database("p(a,b). p(b,c)."), database("p(b,a). p(aa,b)."));
        let args = |database: &Database, names: [&str; 2]| names.map(|name| database.symbols.find(name).unwrap());
        assert_ne!(args(&from, ["a", "b"]), args(&to, ["a", "b"]));
        let mut translation = Translation::new(&from, &to);
        assert_eq!(translation.args(&args(&from, ["a", "b"])).unwrap()[..], args(&to, ["a", "b"]));
        assert_eq!(translation.args(&args(&from, ["a", "c"])), None);
    }
}
