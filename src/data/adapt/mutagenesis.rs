//! Adaptor for Mutagenesis: molecules, atoms, bonds and rings, without the target.
//!
//! The published facts name the molecule in every atom, bond and ring, which is the relation to
//! predict, so the molecule is removed. Instead, half of each molecule's atoms are known members;
//! the other half are the examples. Codes of atom types and bonds are categories and not
//! quantities, so they are written as names, `t22` and `k7`.

use std::fmt::Write;

use super::error::AdaptError;
use super::input::AdaptorInput;
use super::output::{ALL, ConvertedFiles, ExampleFiles};
use super::sfu;
use super::text::{read_facts, write_fact};
use crate::determinism::{HashMap, IndexMap, IndexSet, Stream};
use crate::logic::parser::parse_sentence;
use crate::logic::{Constant, Notation, Sentence, Term};

const NAME: &str = "mutagenesis";
/// The variant in which half of the atoms are known members.
pub const KNOWN_HALF: &str = "known-half";
/// The variant converted from the relational dump.
const SFU: &str = "sfu";
/// The seed of the known half, fixed so that every experiment predicts the same atoms.
const SEED: u64 = 188;

pub(super) fn convert(input: &AdaptorInput<'_>) -> Result<ConvertedFiles, AdaptError> {
    let mut converted = ConvertedFiles::default();
    let known_half = Molecules::read(input)?.write(input, &mut converted)?;
    let dump = sfu::read(input, NAME, &mut converted)?;
    let texts = match input.evidence.name.as_str() {
        KNOWN_HALF => known_half,
        SFU => dump,
        variant => {
            return Err(AdaptError::UnknownVariant {
                id: input.id().to_owned(),
                adaptor: NAME,
                variant: variant.to_owned(),
                known: "known-half and sfu",
            });
        }
    };
    converted.add_directory(ALL, texts, &input.background());
    Ok(converted)
}

/// The selected molecules with their atoms, all as written in the output.
struct Molecules {
    /// Whether each molecule is active, in the order of the files.
    active: HashMap<String, bool>,
    atoms: IndexMap<String, Vec<String>>,
    facts: String,
    bonds: u64,
}

impl Molecules {
    fn read(input: &AdaptorInput<'_>) -> Result<Self, AdaptError> {
        let mut all =
            Molecules { active: HashMap::default(), atoms: IndexMap::default(), facts: String::new(), bonds: 0 };
        let lists: Vec<&str> = input.files().filter(|path| path.contains("lp/188/")).collect();
        for list in &lists {
            let goals = read_facts(input, &input.path_of(list), |symbols, predicate, args| {
                if let ("active", [molecule]) = (predicate, args) {
                    all.active.insert(symbols.show(*molecule).to_string(), true);
                }
            })?;
            for goal in goals {
                // `:- active(d38).` states that d38 is inactive.
                if let Some(Term::Name(molecule)) = first_argument(&format!("{goal}.")) {
                    all.active.insert(Term::Name(molecule).to_string(), false);
                }
            }
        }
        if all.active.is_empty() {
            return Err(input.missing(NAME, "list of molecules in lp/188/"));
        }
        all.read_atoms(input)?;
        all.read_rings(input)?;
        all.read_values(input)?;
        Ok(all)
    }

    fn read_atoms(&mut self, input: &AdaptorInput<'_>) -> Result<(), AdaptError> {
        let Molecules { active, atoms, facts, bonds } = self;
        read_facts(input, &input.file("data/atom_bond.pl", NAME)?, |symbols, predicate, args| {
            let show = |constant: Constant| symbols.show(constant).to_string();
            let Some(&molecule) = args.first() else { return };
            let molecule = show(molecule);
            if !active.contains_key(&molecule) {
                return;
            }
            // Writing to a string cannot fail.
            match (predicate, args) {
                ("atm", [_, atom, element, kind, charge]) => {
                    let [atom, element, kind, charge] = [*atom, *element, *kind, *charge].map(show);
                    let _ = write!(facts, "element({atom},{element}).\natomtype({atom},t{kind}).\n");
                    let _ = writeln!(facts, "charge({atom},{charge}).");
                    atoms.entry(molecule).or_default().push(atom);
                }
                ("bond", [_, a, b, kind]) => {
                    let [a, b, kind] = [*a, *b, *kind].map(show);
                    let _ = write!(facts, "bond({a},{b},k{kind}).\nbond({b},{a},k{kind}).\n");
                    *bonds += 1;
                }
                _ => {}
            }
        })?;
        Ok(())
    }

    /// Reads rings and other groups of atoms: each gets a name, a kind, and its atoms from the
    /// nested lists.
    fn read_rings(&mut self, input: &AdaptorInput<'_>) -> Result<(), AdaptError> {
        let Molecules { active, facts, .. } = self;
        let mut rings: HashMap<String, usize> = HashMap::default();
        read_facts(input, &input.file("data/ring_struc.pl", NAME)?, |symbols, kind, args| {
            let &[molecule, atoms] = args else { return };
            let molecule = symbols.show(molecule).to_string();
            if !active.contains_key(&molecule) {
                return;
            }
            let mut members = IndexSet::default();
            if let Some(list) = first_argument(&format!("x({}).", symbols.show(atoms))) {
                flatten(&list, &mut members);
            }
            let number = rings.entry(molecule.clone()).or_default();
            *number += 1;
            let ring = format!("{molecule}_r{number}");
            let _ = writeln!(facts, "ringkind({ring},{kind}).");
            for atom in &members {
                let _ = writeln!(facts, "inring({atom},{ring}).");
            }
        })?;
        Ok(())
    }

    /// Reads the properties of whole molecules.
    fn read_values(&mut self, input: &AdaptorInput<'_>) -> Result<(), AdaptError> {
        let Molecules { active, facts, atoms, .. } = self;
        for file in ["logp", "lumo", "ind1", "inda"] {
            let path = input.file(&format!("data/{file}.pl"), NAME)?;
            read_facts(input, &path, |symbols, predicate, args| {
                let &[molecule, value] = args else { return };
                if !active.contains_key(&symbols.show(molecule).to_string()) {
                    return;
                }
                match predicate {
                    "ind1" | "inda" if symbols.number(value) == Some(1.0) => {
                        write_fact(facts, symbols, predicate, &[molecule]);
                    }
                    "ind1" | "inda" => {}
                    _ => write_fact(facts, symbols, predicate, args),
                }
            })?;
        }
        for molecule in atoms.keys().filter(|&molecule| active[molecule]) {
            let _ = writeln!(facts, "active({molecule}).");
        }
        Ok(())
    }

    fn write(mut self, input: &AdaptorInput<'_>, converted: &mut ConvertedFiles) -> Result<ExampleFiles, AdaptError> {
        let target = input.manifest.target.predicate.as_str();
        let mut texts = ExampleFiles::default();
        for (molecule, atoms) in &self.atoms {
            let mut order: Vec<usize> = (0..atoms.len()).collect();
            Stream::new(SEED, &[NAME, molecule, "known atoms"]).shuffle(&mut order);
            let known: IndexSet<usize> = order[..atoms.len() / 2].iter().copied().collect();
            for (i, atom) in atoms.iter().enumerate() {
                if known.contains(&i) {
                    let _ = writeln!(self.facts, "contains({molecule},{atom}).");
                } else {
                    let _ = writeln!(texts.positives, "{target}({molecule},{atom}).");
                    converted.count("positives", 1);
                }
            }
            converted.count("memberships", atoms.len() as u64);
        }
        converted.count("molecules", self.atoms.len() as u64);
        converted.count("atoms", self.atoms.values().flatten().collect::<IndexSet<_>>().len() as u64);
        converted.count("bonds", self.bonds);
        texts.facts = self.facts;
        Ok(texts)
    }
}

/// Returns the first argument of a fact, using the parser of facts.
fn first_argument(fact: &str) -> Option<Term> {
    match parse_sentence(fact, 0, true, Notation::Prolog, false).ok()?.sentence {
        Sentence::Fact { atom, .. } => atom.args.into_iter().next(),
        _ => None,
    }
}

/// Collects the distinct names in nested lists, in order.
fn flatten(term: &Term, names: &mut IndexSet<String>) {
    match term {
        Term::List(terms) => terms.iter().for_each(|term| flatten(term, names)),
        _ => {
            names.insert(term.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lists_become_one_list_of_names() {
        let list = first_argument("phenanthrene([[a,b],[b,[c]],d]).").unwrap();
        let mut names = IndexSet::default();
        flatten(&list, &mut names);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(first_argument("active(d38)."), Some(Term::Name("d38".into())));
    }
}
