//! Modes and types over interned names.

use std::collections::BTreeSet;
use std::fmt;

use super::mode::{Mode, ModeSlot, TypeId};
use super::ordering::{self, BindingPattern};
use super::renumbering::Renumbering;
use crate::determinism::{HashMap, IndexSet};
use crate::logic::natural;
use crate::logic::reader::intern_term;
use crate::logic::{
    Comparison, Constant, Diagnostic, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Predicates, SymbolTableFull,
    Symbols, Term, ValueLimit,
};

/// The modes and types of a database, and the other declarations of its background.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: IndexSet<String>,
    modes: Vec<Mode>,
    /// Taken from the first mode of each predicate.
    argument_types: HashMap<PredicateId, Vec<TypeId>>,
    /// The distinct argument types of all modes, including withdrawn ones.
    declared_types: IndexSet<(PredicateId, Vec<TypeId>)>,
    /// Modes withdrawn by `noMode:`, whatever the order of the declarations.
    withdrawn: Vec<(PredicateId, Vec<ModeSlot>)>,
    /// Modes whose argument types differ from those of the predicate's first mode.
    type_conflicts: Vec<TypeConflict>,
    targets: Vec<PredicateId>,
    ranges: Vec<(TypeId, Vec<Constant>)>,
    bridgers: Vec<PredicateId>,
    parameters: Vec<(String, Term)>,
}

/// An argument whose type differs from that in the predicate's first mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeConflict {
    pub predicate: PredicateId,
    /// Argument position, from 0.
    pub position: usize,
    pub first: TypeId,
    pub later: TypeId,
}

impl Schema {
    /// Creates an empty schema.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mode, or withdraws one for `noMode:`; a withdrawn mode still defines types, and stays
    /// withdrawn if it is declared again.
    ///
    /// # Errors
    /// The diagnostic that prevents using the mode; only names are kept then. Nested terms
    /// (`nested-mode`) and a `noMode:` without a matching mode (`no-mode-to-withdraw`) are
    /// warnings.
    pub fn add(
        &mut self,
        declaration: &ModeDeclaration,
        predicates: &mut Predicates,
        symbols: &mut Symbols,
    ) -> Result<(), Diagnostic> {
        let args = declaration.args.iter().map(|arg| self.slot(arg, declaration, symbols)).collect::<Result<_, _>>()?;
        let mode = Mode {
            predicate: predicates.intern(&declaration.predicate, declaration.args.len()),
            args,
            max: declaration.max,
            max_per_input: declaration.max_per_input,
            target: declaration.target.as_ref().map(|(name, arity)| predicates.intern(name, *arity as usize)),
        };
        check_comparison(&mode, declaration)?;
        self.record_types(&mode);
        if declaration.withdrawn {
            return self.withdraw(&mode, declaration);
        }
        let is_withdrawn = |known: &(PredicateId, Vec<ModeSlot>)| known.0 == mode.predicate && known.1 == mode.args;
        if !self.modes.contains(&mode) && !self.withdrawn.iter().any(is_withdrawn) {
            self.modes.push(mode);
        }
        Ok(())
    }

    fn slot(
        &mut self,
        arg: &ModeArg,
        declaration: &ModeDeclaration,
        symbols: &mut Symbols,
    ) -> Result<ModeSlot, Diagnostic> {
        let ModeArg::Typed { symbol, type_name, constant, limit } = arg else {
            return Err(Diagnostic::warning(
                "nested-mode",
                format!(
                    "the mode of `{}` is ignored because its argument `{arg}` is a nested term",
                    declaration.predicate
                ),
                "give every argument a symbol and a type, such as `+person`",
            ));
        };
        let constant = match constant {
            Some(term) if !term.is_ground() => {
                return Err(Diagnostic::error(
                    "variable-in-mode",
                    format!(
                        "the mode of `{}` has the variable {term} where a constant is required",
                        declaration.predicate
                    ),
                    format!("quote it to mean a constant: `{}{type_name}:\"{term}\"`", symbol.as_char()),
                ));
            }
            Some(term) => Some(intern_term(symbols, term).map_err(full)?),
            None if *symbol == ModeSymbol::ThisConstant => {
                return Err(Diagnostic::error(
                    "mode-without-constant",
                    format!("`{arg}` in the mode of `{}` lacks a constant", declaration.predicate),
                    format!("add it after the type, as in `@{type_name}:red`, or use `#{type_name}` for any constant"),
                ));
            }
            None => None,
        };
        Ok(ModeSlot { symbol: *symbol, type_id: self.intern_type(type_name)?, constant, limit: *limit })
    }

    fn record_types(&mut self, mode: &Mode) {
        // A comparison applies to numbers of any type.
        if mode.predicate.comparison().is_some() {
            return;
        }
        let types: Vec<TypeId> = mode.args.iter().map(|slot| slot.type_id).collect();
        self.compare_types(mode.predicate, &types);
        self.declared_types.insert((mode.predicate, types));
    }

    /// Makes these the argument types of a predicate if it has none, or records how they differ.
    fn compare_types(&mut self, predicate: PredicateId, types: &[TypeId]) {
        let first = self.argument_types.entry(predicate).or_insert_with(|| types.to_vec());
        for (position, (&first, &later)) in first.iter().zip(types).enumerate() {
            if first != later {
                self.type_conflicts.push(TypeConflict { predicate, position, first, later });
            }
        }
    }

    /// Numbers types by name, and orders modes and all other declarations by predicate, types and
    /// constants. Parameters keep their order, since the last one takes effect.
    ///
    /// If modes disagree on types, those of the first mode in this order are used.
    pub(super) fn canonicalize(&mut self, ids: &Renumbering) {
        let mut order: Vec<TypeId> = self.types().collect();
        order.sort_by(|&a, &b| natural::compare(self.type_name(a).as_bytes(), self.type_name(b).as_bytes()));
        let mut ranks = vec![TypeId(0); order.len()];
        for (rank, old) in order.iter().enumerate() {
            ranks[usize::from(old.0)] = TypeId(rank as u16);
        }
        self.types = order.iter().map(|&old| self.type_name(old).to_owned()).collect();
        let rank = |type_id: TypeId| ranks[usize::from(type_id.0)];
        let renumber_slot = |slot: &mut ModeSlot| {
            slot.type_id = rank(slot.type_id);
            slot.constant = slot.constant.map(|constant| ids.constant(constant));
        };
        for mode in &mut self.modes {
            mode.predicate = ids.predicate(mode.predicate);
            mode.target = mode.target.map(|id| ids.predicate(id));
            mode.args.iter_mut().for_each(renumber_slot);
        }
        self.modes.sort_by_cached_key(Mode::sort_key);
        for (predicate, slots) in &mut self.withdrawn {
            *predicate = ids.predicate(*predicate);
            slots.iter_mut().for_each(renumber_slot);
        }
        let renumbered = |(predicate, types): (PredicateId, Vec<TypeId>)| {
            (ids.predicate(predicate), types.into_iter().map(rank).collect::<Vec<TypeId>>())
        };
        self.declared_types = std::mem::take(&mut self.declared_types).into_iter().map(renumbered).collect();
        self.declared_types.sort();
        self.argument_types.clear();
        self.type_conflicts.clear();
        for (predicate, types) in self.declared_types.clone() {
            self.compare_types(predicate, &types);
        }
        for predicate in self.targets.iter_mut().chain(&mut self.bridgers) {
            *predicate = ids.predicate(*predicate);
        }
        self.targets.sort_unstable();
        self.bridgers.sort_unstable();
        for (type_id, constants) in &mut self.ranges {
            *type_id = rank(*type_id);
            constants.iter_mut().for_each(|constant| *constant = ids.constant(*constant));
            constants.sort_unstable();
        }
        self.ranges.sort();
    }

    fn withdraw(&mut self, mode: &Mode, declaration: &ModeDeclaration) -> Result<(), Diagnostic> {
        let before = self.modes.len();
        self.withdrawn.push((mode.predicate, mode.args.clone()));
        self.modes.retain(|known| (known.predicate, &known.args) != (mode.predicate, &mode.args));
        if self.modes.len() < before {
            return Ok(());
        }
        Err(Diagnostic::warning(
            "no-mode-to-withdraw",
            format!("`{declaration}` withdraws a mode that was not declared before it"),
            "repeat the mode exactly, after its declaration",
        ))
    }

    /// Returns the id of a type, adding it if it is new.
    ///
    /// # Errors
    /// If there are already 65,535 types.
    pub fn intern_type(&mut self, name: &str) -> Result<TypeId, Diagnostic> {
        if let Some(id) = self.find_type(name) {
            return Ok(id);
        }
        // The last id is reserved as a "no type" marker.
        if self.types.len() >= usize::from(u16::MAX) {
            return Err(Diagnostic::error(
                "too-many-types",
                format!("type `{name}` exceeds the maximum of 65535 types"),
                "use fewer types in the modes and ranges",
            ));
        }
        Ok(TypeId(self.types.insert_full(name.to_owned()).0 as u16))
    }

    /// Returns the id of a known type.
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        self.types.get_index_of(name).map(|i| TypeId(i as u16))
    }

    /// Returns the name of a type.
    pub fn type_name(&self, id: TypeId) -> &str {
        &self.types[usize::from(id.0)]
    }

    /// Iterates over all types: by name once the database is loaded.
    pub fn types(&self) -> impl ExactSizeIterator<Item = TypeId> + use<> {
        (0..self.types.len() as u16).map(TypeId)
    }

    /// Returns the argument types of a predicate, as given by its first mode in canonical order.
    pub fn argument_types(&self, predicate: PredicateId) -> Option<&[TypeId]> {
        self.argument_types.get(&predicate).map(Vec::as_slice)
    }

    /// Returns all modes: in canonical order once the database is loaded.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// Iterates over the modes of one predicate in the order of [`Schema::modes`].
    pub fn modes_of(&self, predicate: PredicateId) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(move |mode| mode.predicate == predicate)
    }

    /// Declares a predicate as a target, which has examples and needs no facts.
    pub fn add_target(&mut self, predicate: PredicateId) {
        if !self.targets.contains(&predicate) {
            self.targets.push(predicate);
        }
    }

    /// Returns the target predicates.
    pub fn targets(&self) -> &[PredicateId] {
        &self.targets
    }

    /// Removes the class argument, the last one, of a target.
    ///
    /// Its modes become modes of `to`, which has one argument less; `from` keeps no mode. With
    /// `as_constants`, modes with a `+` argument of the class type are duplicated with `#`.
    pub fn drop_class_argument(&mut self, from: PredicateId, to: PredicateId, as_constants: bool) {
        let target_modes: Vec<Mode> = self.modes_of(from).cloned().collect();
        self.modes.retain(|mode| mode.predicate != from);
        for mode in &mut self.modes {
            if mode.target == Some(from) {
                mode.target = Some(to);
            }
        }
        let class = self.argument_types(from).and_then(|types| types.last().copied());
        for mut mode in target_modes {
            mode.predicate = to;
            mode.args.pop();
            self.record_types(&mode);
            if !self.modes.contains(&mode) {
                self.modes.push(mode);
            }
        }
        let is_class = |slot: &ModeSlot| slot.symbol == ModeSymbol::Input && Some(slot.type_id) == class;
        let before = if as_constants { self.modes.clone() } else { Vec::new() };
        for mut mode in before {
            if mode.predicate != to && mode.predicate.comparison().is_none() && mode.args.iter().any(is_class) {
                mode.args.iter_mut().filter(|slot| is_class(slot)).for_each(|slot| slot.symbol = ModeSymbol::Constant);
                if !self.modes.contains(&mode) {
                    self.modes.push(mode);
                }
            }
        }
        for target in &mut self.targets {
            if *target == from {
                *target = to;
            }
        }
    }

    /// Adds constants that belong to a type even if no fact mentions them (`range:`).
    ///
    /// # Errors
    /// If there are too many types; see [`Schema::intern_type`].
    pub fn add_range(&mut self, type_name: &str, constants: Vec<Constant>) -> Result<TypeId, Diagnostic> {
        let id = self.intern_type(type_name)?;
        self.ranges.push((id, constants));
        Ok(id)
    }

    /// Returns the ranges; a type may have several.
    pub fn ranges(&self) -> &[(TypeId, Vec<Constant>)] {
        &self.ranges
    }

    /// Adds a predicate that may connect literals without separating examples itself (`bridger:`).
    pub fn add_bridger(&mut self, predicate: PredicateId) {
        if !self.bridgers.contains(&predicate) {
            self.bridgers.push(predicate);
        }
    }

    /// Returns the bridgers.
    pub fn bridgers(&self) -> &[PredicateId] {
        &self.bridgers
    }

    /// Adds a parameter of the background (`setParam:`).
    pub fn add_parameter(&mut self, key: impl Into<String>, value: Term) {
        self.parameters.push((key.into(), value));
    }

    /// Returns the parameters in order; the last one with a given key takes effect.
    pub fn parameters(&self) -> &[(String, Term)] {
        &self.parameters
    }

    pub(crate) fn type_conflicts(&self) -> &[TypeConflict] {
        &self.type_conflicts
    }

    /// Returns all binding patterns with which the modes can look up facts of a predicate.
    pub fn patterns(&self, predicate: PredicateId) -> BTreeSet<BindingPattern> {
        let mut patterns = BTreeSet::new();
        for mode in self.modes_of(predicate) {
            ordering::add_patterns_of(mode, &mut patterns);
        }
        patterns
    }

    /// Displays a mode as it is written in a file, without its options.
    pub fn show<'a>(
        &'a self,
        mode: &'a Mode,
        predicates: &'a Predicates,
        symbols: &'a Symbols,
    ) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            f.write_str(predicates.name(mode.predicate))?;
            for (k, slot) in mode.args.iter().enumerate() {
                f.write_str(if k == 0 { "(" } else { "," })?;
                write!(f, "{}{}", slot.symbol.as_char(), self.type_name(slot.type_id))?;
                if let Some(constant) = slot.constant {
                    write!(f, ":{}", symbols.show(constant))?;
                }
                match slot.limit {
                    Some(ValueLimit::Exactly(n)) => write!(f, "!{n}")?,
                    Some(ValueLimit::AtMost(n)) => write!(f, "${n}")?,
                    None => {}
                }
            }
            if mode.args.is_empty() { Ok(()) } else { f.write_str(")") }
        })
    }

    /// Returns the approximate size of modes and names in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let slots: usize = self.modes.iter().map(|mode| mode.args.capacity()).sum();
        let ranges: usize = self.ranges.iter().map(|(_, constants)| constants.capacity()).sum();
        self.modes.capacity() * size_of::<Mode>()
            + slots * size_of::<ModeSlot>()
            + ranges * size_of::<Constant>()
            + self.types.iter().map(|name| name.capacity() + 2 * size_of::<String>()).sum::<usize>()
    }
}

/// Checks the mode of a comparison: the first argument is bound, the second is bound or a constant,
/// and both have the same type.
fn check_comparison(mode: &Mode, declaration: &ModeDeclaration) -> Result<(), Diagnostic> {
    let name = declaration.predicate.as_str();
    if Comparison::ALL.iter().all(|known| known.name() != name) {
        return Ok(());
    }
    let symbols: Vec<ModeSymbol> = mode.args.iter().map(|slot| slot.symbol).collect();
    let valid = matches!(symbols[..], [ModeSymbol::Input, ModeSymbol::Input | ModeSymbol::Constant]);
    if valid && mode.args[0].type_id == mode.args[1].type_id && mode.args[1].constant.is_none() {
        return Ok(());
    }
    Err(Diagnostic::error(
        "bad-comparison",
        format!("`{declaration}` is not a valid mode for comparing two numbers"),
        format!("write `mode: {name}(+year,+year).` for two variables of one type, or `mode: {name}(+year,#year).`"),
    ))
}

fn full(error: SymbolTableFull) -> Diagnostic {
    Diagnostic::error("symbols-full", error.to_string(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a mode from arguments such as `+person`, or `@type:name` for a constant.
    pub(crate) fn declaration(predicate: &str, args: &[&str]) -> ModeDeclaration {
        let arg = |text: &&str| {
            let (symbol, rest) = text.split_at(1);
            let (type_name, constant) = rest.split_once(':').map_or((rest, None), |(t, c)| (t, Some(c)));
            ModeArg::Typed {
                symbol: symbol.chars().next().and_then(ModeSymbol::from_char).unwrap(),
                type_name: type_name.into(),
                constant: constant.map(|c| Term::Name(c.into())),
                limit: None,
            }
        };
        ModeDeclaration {
            predicate: predicate.into(),
            args: args.iter().map(arg).collect(),
            withdrawn: false,
            max: None,
            max_per_input: None,
            target: None,
        }
    }

    #[derive(Default)]
    struct Fixture {
        schema: Schema,
        predicates: Predicates,
        symbols: Symbols,
    }

    impl Fixture {
        fn add(&mut self, declaration: &ModeDeclaration) -> Result<(), &'static str> {
            self.schema.add(declaration, &mut self.predicates, &mut self.symbols).map_err(|d| d.code)
        }

        fn patterns(&self, name: &str, arity: usize) -> Vec<BindingPattern> {
            self.schema.patterns(self.predicates.find(name, arity).unwrap()).into_iter().collect()
        }
    }

    #[test]
    fn patterns_follow_the_symbols() {
        let mut fixture = Fixture::default();
        fixture.add(&declaration("friends", &["+person", "-person"])).unwrap();
        assert_eq!(fixture.patterns("friends", 2), [0b01, 0b11]);
        fixture.add(&declaration("friends", &["-person", "+person"])).unwrap();
        assert_eq!(fixture.patterns("friends", 2), [0b01, 0b10, 0b11]);
        fixture.add(&declaration("colour", &["+thing", "@colour:red", "^thing"])).unwrap();
        assert_eq!(fixture.patterns("colour", 3), [0b011]);
        fixture.add(&declaration("rain", &[])).unwrap();
        assert_eq!(fixture.patterns("rain", 0), [0]);
    }

    #[test]
    fn many_free_arguments_are_indexed_singly() {
        let mut fixture = Fixture::default();
        fixture.add(&declaration("all_free", &["-t"; 40])).unwrap();
        assert_eq!(
            fixture.patterns("all_free", 40),
            [0].into_iter().chain((0..40).map(|k| 1 << k)).collect::<Vec<_>>()
        );
        let one_bound = [vec!["+t"], vec!["-t"; 39]].concat();
        fixture.add(&declaration("one_bound", &one_bound)).unwrap();
        assert_eq!(fixture.patterns("one_bound", 40), [1]);
    }

    #[test]
    fn withdrawn_modes_still_define_types() {
        let mut fixture = Fixture::default();
        let mut mode = declaration("time", &["+paper", "#year"]);
        fixture.add(&mode).unwrap();
        fixture.add(&mode).unwrap();
        assert_eq!(fixture.schema.modes().len(), 1);
        mode.withdrawn = true;
        fixture.add(&mode).unwrap();
        assert_eq!(fixture.schema.modes(), []);
        assert_eq!(fixture.add(&mode), Err("no-mode-to-withdraw"));
        let time = fixture.predicates.find("time", 2).unwrap();
        let types = fixture.schema.argument_types(time).unwrap();
        assert_eq!(types.iter().map(|&t| fixture.schema.type_name(t)).collect::<Vec<_>>(), ["paper", "year"]);
    }

    #[test]
    fn the_first_mode_defines_the_types() {
        let mut fixture = Fixture::default();
        fixture.add(&declaration("p", &["+a", "-b"])).unwrap();
        fixture.add(&declaration("p", &["-a", "+c"])).unwrap();
        let p = fixture.predicates.find("p", 2).unwrap();
        assert_eq!(fixture.schema.argument_types(p), Some(&[TypeId(0), TypeId(1)][..]));
        let [only] = fixture.schema.type_conflicts() else { panic!("{:?}", fixture.schema.type_conflicts()) };
        assert_eq!((only.position, only.first, only.later), (1, TypeId(1), TypeId(2)));
        assert_eq!(fixture.schema.modes_of(p).count(), 2);
    }

    #[test]
    fn invalid_modes_are_rejected() {
        let mut fixture = Fixture::default();
        let mut nested = declaration("p", &["+a"]);
        nested.args.push(ModeArg::Nested("f".into(), vec![]));
        assert_eq!(fixture.add(&nested), Err("nested-mode"));
        assert_eq!(fixture.add(&declaration("p", &["@colour"])), Err("mode-without-constant"));
        let mut variable = declaration("p", &["@colour:red"]);
        let ModeArg::Typed { constant, .. } = &mut variable.args[0] else { unreachable!() };
        *constant = Some(Term::Variable("X".into()));
        assert_eq!(fixture.add(&variable), Err("variable-in-mode"));
        assert!(fixture.schema.modes().is_empty());
    }

    #[test]
    fn modes_print_as_they_are_written() {
        let mut fixture = Fixture::default();
        fixture.add(&declaration("p", &["+a", "@b:red", "#c"])).unwrap();
        let mode = &fixture.schema.modes()[0];
        assert_eq!(fixture.schema.show(mode, &fixture.predicates, &fixture.symbols).to_string(), "p(+a,@b:red,#c)");
    }
}
