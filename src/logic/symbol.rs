//! Interned constants, the only form in which data is stored and compared.

use hashbrown::HashTable;
use std::fmt;
use std::hash::BuildHasher;

use rayon::prelude::*;

use super::natural;
use crate::determinism::HashMap;
use crate::parallel;

/// Approximate cost of sorting a name, in steps of a simple loop.
const STEPS_PER_NAME: usize = 64;

/// A constant of the domain (name, number or ground compound term) as a dense 32-bit id.
///
/// The top bit distinguishes numbers from names, so a column of constants needs no array of kinds.
/// Ids follow the order of first appearance until [`Symbols::sort`] orders them by name, so that
/// those of a loaded database do not depend on the order of its files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant(u32);

const NUMBER_BIT: u32 = 1 << 31;

impl Constant {
    /// Returns whether this constant is a number.
    pub fn is_number(self) -> bool {
        self.0 & NUMBER_BIT != 0
    }

    /// Returns the raw id: names count from 0, numbers from 2³¹.
    #[inline]
    pub fn id(self) -> u32 {
        self.0
    }

    /// Returns the constant with a raw id obtained from [`Constant::id`].
    #[inline]
    pub fn from_id(id: u32) -> Self {
        Constant(id)
    }

    /// Returns the index among the names, or `None` for a number.
    pub fn name_index(self) -> Option<usize> {
        (!self.is_number()).then_some(self.0 as usize)
    }

    /// Returns the index among the numbers, or `None` for a name.
    pub fn number_index(self) -> Option<usize> {
        self.is_number().then_some((self.0 & !NUMBER_BIT) as usize)
    }
}

impl fmt::Debug for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_number() { write!(f, "n{}", self.0 & !NUMBER_BIT) } else { write!(f, "c{}", self.0) }
    }
}

/// The symbol table is full: ids or text no longer fit in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {limit} {what}: split the data, or remove predicates that no mode uses")]
pub struct SymbolTableFull {
    what: &'static str,
    limit: u64,
}

/// The symbol table: all constants of a database with their canonical form.
///
/// The text of a name is its canonical form (quoted where necessary, see [`crate::logic::term`]).
/// Names and compound terms therefore share one table without a tag: the name `"f(a)"` keeps its
/// quotes and the term `f(a)` has none.
#[derive(Clone, Default)]
pub struct Symbols {
    text: Vec<u8>,
    /// End of each name in `text`; a name starts where the previous one ends.
    ends: Vec<u32>,
    names: HashTable<u32>,
    numbers: Vec<f64>,
    number_ids: HashMap<u64, u32>,
}

/// A name by its encoded prefix, with its id.
type SortKey = ((u128, bool), u32);

/// The new ids of constants after [`Symbols::sort`].
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    /// The new id of each name; `None` if they keep theirs.
    names: Option<Vec<u32>>,
    /// The new index of each number; `None` if they keep theirs.
    numbers: Option<Vec<u32>>,
}

impl Ranks {
    /// Returns whether all constants keep their ids.
    pub fn is_identity(&self) -> bool {
        self.names.is_none() && self.numbers.is_none()
    }

    /// Returns the new id of a raw id.
    #[inline]
    pub fn id(&self, id: u32) -> u32 {
        let (ranks, bit) = if id & NUMBER_BIT == 0 { (&self.names, 0) } else { (&self.numbers, NUMBER_BIT) };
        ranks.as_ref().map_or(id, |ranks| ranks[(id & !NUMBER_BIT) as usize] | bit)
    }

    /// Returns the new form of a constant.
    pub fn constant(&self, constant: Constant) -> Constant {
        Constant(self.id(constant.0))
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbols({} names, {} numbers)", self.ends.len(), self.numbers.len())
    }
}

fn hash(text: &[u8]) -> u64 {
    rustc_hash::FxBuildHasher.hash_one(text)
}

fn slice<'a>(text: &'a [u8], ends: &[u32], index: usize) -> &'a [u8] {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &text[start..ends[index] as usize]
}

impl Symbols {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the constant with the canonical form `text`, adding it if it is new.
    pub fn intern(&mut self, text: &str) -> Result<Constant, SymbolTableFull> {
        let (bytes, key) = (text.as_bytes(), hash(text.as_bytes()));
        let found = self.names.find(key, |&id| slice(&self.text, &self.ends, id as usize) == bytes);
        if let Some(&id) = found {
            return Ok(Constant(id));
        }
        let end = self.text.len() + bytes.len();
        if end > u32::MAX as usize {
            return Err(SymbolTableFull { what: "bytes of distinct names", limit: u64::from(u32::MAX) });
        }
        if self.ends.len() >= NUMBER_BIT as usize {
            return Err(SymbolTableFull { what: "distinct names", limit: u64::from(NUMBER_BIT) });
        }
        let id = self.ends.len() as u32;
        self.text.extend_from_slice(bytes);
        self.ends.push(end as u32);
        let (text, ends) = (&self.text, &self.ends);
        self.names.insert_unique(key, id, |&id| hash(slice(text, ends, id as usize)));
        Ok(Constant(id))
    }

    /// Returns the constant for a number, adding it if it is new; −0 is normalized to 0.
    pub fn intern_number(&mut self, value: f64) -> Result<Constant, SymbolTableFull> {
        let value = if value == 0.0 { 0.0 } else { value };
        let next = self.numbers.len() as u32;
        if next >= NUMBER_BIT {
            return Err(SymbolTableFull { what: "distinct numbers", limit: u64::from(NUMBER_BIT) });
        }
        let id = *self.number_ids.entry(value.to_bits()).or_insert(next);
        if id == next {
            self.numbers.push(value);
        }
        Ok(Constant(id | NUMBER_BIT))
    }

    /// Returns the constant with this canonical form, if it occurs.
    pub fn find(&self, text: &str) -> Option<Constant> {
        let bytes = text.as_bytes();
        self.names.find(hash(bytes), |&id| slice(&self.text, &self.ends, id as usize) == bytes).map(|&id| Constant(id))
    }

    /// Returns the constant for this number, if it occurs.
    pub fn find_number(&self, value: f64) -> Option<Constant> {
        let value = if value == 0.0 { 0.0 } else { value };
        self.number_ids.get(&value.to_bits()).map(|&id| Constant(id | NUMBER_BIT))
    }

    /// Returns the value of a number, or `None` for a name.
    pub fn number(&self, constant: Constant) -> Option<f64> {
        constant.is_number().then(|| self.numbers[(constant.0 & !NUMBER_BIT) as usize])
    }

    /// Returns the canonical form of a name, or `None` for a number.
    pub fn name(&self, constant: Constant) -> Option<&str> {
        let index = constant.name_index()?;
        // Only complete strings are appended, so every slice is valid UTF-8.
        Some(std::str::from_utf8(slice(&self.text, &self.ends, index)).unwrap_or("\u{fffd}"))
    }

    /// Displays a constant in its canonical form, which parses to the same constant.
    pub fn show(&self, constant: Constant) -> impl fmt::Display + '_ {
        std::fmt::from_fn(move |f| match self.number(constant) {
            Some(value) => super::term::write_number(f, value),
            None => f.write_str(self.name(constant).unwrap_or_default()),
        })
    }

    /// Returns the number of names; their ids are `0..names()`.
    pub fn names(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of distinct numbers.
    pub fn numbers(&self) -> usize {
        self.numbers.len()
    }

    /// Numbers the names in [canonical order](natural) and the numbers by value.
    pub fn sort(&mut self) -> Ranks {
        Ranks { names: self.sort_names(), numbers: self.sort_numbers() }
    }

    fn sort_names(&mut self) -> Option<Vec<u32>> {
        let (text, ends) = (&self.text, &self.ends);
        let key = |id: u32| (natural::prefix(slice(text, ends, id as usize)), id);
        // Names with different prefixes are compared by these alone.
        let compare = |a: &SortKey, b: &SortKey| {
            let ((x, x_ends), (y, y_ends)) = (a.0, b.0);
            x.cmp(&y).then_with(|| match x_ends && y_ends {
                true => std::cmp::Ordering::Equal,
                false => natural::compare(slice(text, ends, a.1 as usize), slice(text, ends, b.1 as usize)),
            })
        };
        let mut keys: Vec<SortKey> = (0..ends.len() as u32).map(key).collect();
        if keys.is_sorted_by(|a, b| compare(a, b).is_le()) {
            return None;
        }
        if parallel::is_worthwhile(keys.len().saturating_mul(STEPS_PER_NAME)) {
            keys.par_sort_unstable_by(compare);
        } else {
            keys.sort_unstable_by(compare);
        }
        let mut ranks = vec![0; keys.len()];
        let (mut sorted_text, mut sorted_ends) = (Vec::with_capacity(text.len()), Vec::with_capacity(keys.len()));
        for (rank, &(_, id)) in keys.iter().enumerate() {
            ranks[id as usize] = rank as u32;
            sorted_text.extend_from_slice(slice(text, ends, id as usize));
            sorted_ends.push(sorted_text.len() as u32);
        }
        (self.text, self.ends) = (sorted_text, sorted_ends);
        // The hash of a name does not depend on its id, so entries keep their place.
        self.names.iter_mut().for_each(|id| *id = ranks[*id as usize]);
        Some(ranks)
    }

    fn sort_numbers(&mut self) -> Option<Vec<u32>> {
        let numbers = &self.numbers;
        if numbers.is_sorted_by(|a, b| a.total_cmp(b).is_le()) {
            return None;
        }
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, &id) in order.iter().enumerate() {
            ranks[id as usize] = rank as u32;
        }
        self.numbers = order.iter().map(|&id| numbers[id as usize]).collect();
        self.number_ids.values_mut().for_each(|id| *id = ranks[*id as usize]);
        Some(ranks)
    }

    /// Releases spare capacity.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        let (text, ends) = (&self.text, &self.ends);
        self.names.shrink_to_fit(|&id| hash(slice(text, ends, id as usize)));
        self.numbers.shrink_to_fit();
        self.number_ids.shrink_to_fit();
    }

    /// Returns the allocated bytes, including spare capacity.
    pub fn bytes(&self) -> usize {
        self.text.capacity()
            + 4 * self.ends.capacity()
            + self.names.allocation_size()
            + 8 * self.numbers.capacity()
            + self.number_ids.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_distinct() {
        let mut symbols = Symbols::new();
        let a = symbols.intern("a").unwrap();
        let five = symbols.intern_number(5.0).unwrap();
        let quoted_five = symbols.intern("\"5\"").unwrap();
        assert_ne!(five, quoted_five);
        assert_eq!(symbols.intern("a").unwrap(), a);
        assert_eq!(symbols.find("\"5\""), Some(quoted_five));
        assert_eq!(symbols.find("b"), None);
        assert_eq!(symbols.number(five), Some(5.0));
        assert_eq!(symbols.number(a), None);
        assert_eq!(symbols.show(five).to_string(), "5");
        assert_eq!(symbols.show(a).to_string(), "a");
        assert_eq!(symbols.intern_number(-0.0).unwrap(), symbols.intern_number(0.0).unwrap());
    }

    #[test]
    fn text_beyond_32_bits_is_an_error() {
        // Untouched zero pages take no memory.
        let mut symbols = Symbols { text: vec![0; u32::MAX as usize - 2], ..Symbols::default() };
        let error = symbols.intern("abc").unwrap_err().to_string();
        assert_eq!(
            error,
            "more than 4294967295 bytes of distinct names: split the data, or remove predicates that no mode uses"
        );
        assert_eq!((symbols.names(), symbols.find("abc")), (0, None));
    }

    #[test]
    fn sorting_renumbers_names_and_numbers() {
        let mut symbols = Symbols::new();
        let long = "a name of more than sixteen bytes ";
        let names = ["x10", "b", "x9", &format!("{long}2"), "x", &format!("{long}10"), &format!("{long}1")];
        let before: Vec<Constant> = names.iter().map(|name| symbols.intern(name).unwrap()).collect();
        let numbers: Vec<Constant> = [7.0, -1.5, 3.0].map(|value| symbols.intern_number(value).unwrap()).to_vec();
        let ranks = symbols.sort();
        assert!(!ranks.is_identity());
        for (name, &constant) in names.iter().zip(&before) {
            assert_eq!(symbols.find(name), Some(ranks.constant(constant)));
            assert_eq!(symbols.name(ranks.constant(constant)), Some(*name));
        }
        let sorted: Vec<&str> = (0..7).filter_map(|id| symbols.name(Constant::from_id(id))).collect();
        let long = |n: u32| format!("{long}{n}");
        assert_eq!(sorted, [&long(1), &long(2), &long(10), "b", "x", "x9", "x10"]);
        let values: Vec<f64> = numbers.iter().filter_map(|&n| symbols.number(ranks.constant(n))).collect();
        assert_eq!(values, [7.0, -1.5, 3.0]);
        assert_eq!(symbols.find_number(-1.5), Some(Constant::from_id(NUMBER_BIT)));
        assert!(symbols.sort().is_identity());
    }

    #[test]
    fn names_are_stable_while_the_table_grows() {
        let mut symbols = Symbols::new();
        let ids: Vec<Constant> = (0..10_000).map(|i| symbols.intern(&format!("x{i}")).unwrap()).collect();
        symbols.shrink();
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!(symbols.name(id), Some(format!("x{i}").as_str()));
            assert_eq!(symbols.find(&format!("x{i}")), Some(id));
        }
        assert_eq!(symbols.names(), 10_000);
    }
}
