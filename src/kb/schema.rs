//! Modes and types over interned names: what may be asked of a relation, and which constants fit where.

use std::collections::BTreeSet;
use std::fmt;

use super::ordering::{self, Pattern};
use crate::determinism::{HashMap, IndexSet};
use crate::logic::reader::intern_term;
use crate::logic::{
    Comparison, Constant, Diagnostic, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Predicates, SymbolTableFull,
    Symbols, Term, ValueLimit,
};

/// A type of constants, such as `person`, as an index into the types of a [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u16);

/// What a mode says of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeSlot {
    /// How the argument may be filled.
    pub symbol: ModeSymbol,
    /// The type of what fills it.
    pub type_id: TypeId,
    /// The one constant it may be (`@colour:red`).
    pub constant: Option<Constant>,
    /// For how many values of this argument the predicate can hold.
    pub limit: Option<ValueLimit>,
}

/// One way in which a predicate may enter a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The predicate.
    pub predicate: PredicateId,
    /// One entry for each argument.
    pub args: Vec<ModeSlot>,
    /// How often the predicate may occur in a clause.
    pub max: Option<u32>,
    /// The same for each binding of the input variables.
    pub max_per_input: Option<u32>,
    /// The only target this mode is for; `None` means every target.
    pub target: Option<PredicateId>,
}

/// The modes of a database with the types they give, and what else its background says.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: IndexSet<String>,
    modes: Vec<Mode>,
    /// By the first mode of each predicate.
    argument_types: HashMap<PredicateId, Vec<TypeId>>,
    /// Modes that give an argument another type than the first mode of the predicate does.
    disagreements: Vec<Disagreement>,
    targets: Vec<PredicateId>,
    ranges: Vec<(TypeId, Vec<Constant>)>,
    bridgers: Vec<PredicateId>,
    parameters: Vec<(String, Term)>,
}

/// A mode whose types are not those of the predicate's first mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disagreement {
    pub predicate: PredicateId,
    /// The position, from 0.
    pub position: usize,
    pub first: TypeId,
    pub later: TypeId,
}

impl Schema {
    /// No modes, no types.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mode, or takes one back for `noMode:`. The types of a mode that is taken back are still believed.
    ///
    /// # Errors
    /// What forbids using the mode, as the diagnostic to report; nothing but names is kept then. A mode of nested terms gives only
    /// a warning (`nested-mode`), as does a `noMode:` for a mode that was never given (`no-mode-to-withdraw`).
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
        self.note_types(&mode);
        if declaration.withdrawn {
            return self.withdraw(&mode, declaration);
        }
        if !self.modes.contains(&mode) {
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
                    "the mode of `{}` has the term `{arg}` as an argument, so it is left out",
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
                        "the mode of `{}` names the variable {term} where a constant must stand",
                        declaration.predicate
                    ),
                    format!("quote it if it is a constant: `{}{type_name}:\"{term}\"`", symbol.as_char()),
                ));
            }
            Some(term) => Some(intern_term(symbols, term).map_err(full)?),
            None if *symbol == ModeSymbol::ThisConstant => {
                return Err(Diagnostic::error(
                    "mode-without-constant",
                    format!("`{arg}` in the mode of `{}` does not say which constant", declaration.predicate),
                    format!("name it behind the type, such as `@{type_name}:red`, or use `#{type_name}` for any"),
                ));
            }
            None => None,
        };
        Ok(ModeSlot { symbol: *symbol, type_id: self.intern_type(type_name)?, constant, limit: *limit })
    }

    fn note_types(&mut self, mode: &Mode) {
        // A comparison is for numbers of any type.
        if mode.predicate.comparison().is_some() {
            return;
        }
        let types = || mode.args.iter().map(|slot| slot.type_id);
        let first = self.argument_types.entry(mode.predicate).or_insert_with(|| types().collect());
        for (position, (&first, later)) in first.iter().zip(types()).enumerate() {
            if first != later {
                self.disagreements.push(Disagreement { predicate: mode.predicate, position, first, later });
            }
        }
    }

    fn withdraw(&mut self, mode: &Mode, declaration: &ModeDeclaration) -> Result<(), Diagnostic> {
        let before = self.modes.len();
        self.modes.retain(|known| (known.predicate, &known.args) != (mode.predicate, &mode.args));
        if self.modes.len() < before {
            return Ok(());
        }
        Err(Diagnostic::warning(
            "no-mode-to-withdraw",
            format!("`{declaration}` takes back a mode that was not given before it"),
            "write the mode exactly as it was given, after it",
        ))
    }

    /// The id of a type, new if it was not known.
    ///
    /// # Errors
    /// When 65,535 types are known already.
    pub fn intern_type(&mut self, name: &str) -> Result<TypeId, Diagnostic> {
        if let Some(id) = self.find_type(name) {
            return Ok(id);
        }
        // The last id stays free, for tables that need a mark for "no type".
        if self.types.len() >= usize::from(u16::MAX) {
            return Err(Diagnostic::error(
                "too-many-types",
                format!("the type `{name}` is one more than the 65535 that there can be"),
                "use fewer types in the modes and ranges",
            ));
        }
        Ok(TypeId(self.types.insert_full(name.to_owned()).0 as u16))
    }

    /// The id of a type, if it is known.
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        self.types.get_index_of(name).map(|i| TypeId(i as u16))
    }

    /// The name of a type.
    pub fn type_name(&self, id: TypeId) -> &str {
        &self.types[usize::from(id.0)]
    }

    /// Every type, in order of first appearance.
    pub fn types(&self) -> impl ExactSizeIterator<Item = TypeId> + use<> {
        (0..self.types.len() as u16).map(TypeId)
    }

    /// The types of the arguments of a predicate, by its first mode.
    pub fn argument_types(&self, predicate: PredicateId) -> Option<&[TypeId]> {
        self.argument_types.get(&predicate).map(Vec::as_slice)
    }

    /// Every mode, in the order given.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// The modes of one predicate, in the order given.
    pub fn modes_of(&self, predicate: PredicateId) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(move |mode| mode.predicate == predicate)
    }

    /// Says that a predicate is learned, so that its examples stand beside the facts and need not be among them.
    pub fn add_target(&mut self, predicate: PredicateId) {
        if !self.targets.contains(&predicate) {
            self.targets.push(predicate);
        }
    }

    /// The predicates that are learned.
    pub fn targets(&self) -> &[PredicateId] {
        &self.targets
    }

    /// Takes the last argument of a target away: its modes become modes of `to`, a predicate with one argument less, and no mode asks for
    /// facts of `from` any more. With `as_constants`, modes that take a value of that argument's type as bound take any constant as well.
    pub fn take_class(&mut self, from: PredicateId, to: PredicateId, as_constants: bool) {
        let own: Vec<Mode> = self.modes_of(from).cloned().collect();
        self.modes.retain(|mode| mode.predicate != from);
        for mode in &mut self.modes {
            if mode.target == Some(from) {
                mode.target = Some(to);
            }
        }
        let class = self.argument_types(from).and_then(|types| types.last().copied());
        for mut mode in own {
            mode.predicate = to;
            mode.args.pop();
            self.note_types(&mode);
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

    /// Adds constants that belong to a type even where no fact mentions them (`range:`).
    ///
    /// # Errors
    /// When there are too many types; see [`Schema::intern_type`].
    pub fn add_range(&mut self, type_name: &str, constants: Vec<Constant>) -> Result<TypeId, Diagnostic> {
        let id = self.intern_type(type_name)?;
        self.ranges.push((id, constants));
        Ok(id)
    }

    /// The ranges, in the order given; a type may have several.
    pub fn ranges(&self) -> &[(TypeId, Vec<Constant>)] {
        &self.ranges
    }

    /// Adds a predicate that may stand between others although it does not separate examples itself (`bridger:`).
    pub fn add_bridger(&mut self, predicate: PredicateId) {
        if !self.bridgers.contains(&predicate) {
            self.bridgers.push(predicate);
        }
    }

    /// The bridgers, in the order given.
    pub fn bridgers(&self) -> &[PredicateId] {
        &self.bridgers
    }

    /// Keeps a parameter of the background (`setParam:`).
    pub fn add_parameter(&mut self, key: impl Into<String>, value: Term) {
        self.parameters.push((key.into(), value));
    }

    /// The parameters, in the order given; the last of one key counts.
    pub fn parameters(&self) -> &[(String, Term)] {
        &self.parameters
    }

    pub(crate) fn disagreements(&self) -> &[Disagreement] {
        &self.disagreements
    }

    /// Every set of bound arguments with which the modes can ask for facts of a predicate.
    pub fn patterns(&self, predicate: PredicateId) -> BTreeSet<Pattern> {
        let mut patterns = BTreeSet::new();
        for mode in self.modes_of(predicate) {
            ordering::patterns_of(mode, &mut patterns);
        }
        patterns
    }

    /// Prints a mode as it is written in a file, without the options behind it.
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

    /// Bytes held by the modes and names, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let slots: usize = self.modes.iter().map(|mode| mode.args.capacity()).sum();
        let ranges: usize = self.ranges.iter().map(|(_, constants)| constants.capacity()).sum();
        self.modes.capacity() * size_of::<Mode>()
            + slots * size_of::<ModeSlot>()
            + ranges * size_of::<Constant>()
            + self.types.iter().map(|name| name.capacity() + 2 * size_of::<String>()).sum::<usize>()
    }
}

/// Numbers that are compared are bound before, the second may also be one of the data, and both are of one type.
fn check_comparison(mode: &Mode, declaration: &ModeDeclaration) -> Result<(), Diagnostic> {
    let name = declaration.predicate.as_str();
    if Comparison::ALL.iter().all(|known| known.name() != name) {
        return Ok(());
    }
    let symbols: Vec<ModeSymbol> = mode.args.iter().map(|slot| slot.symbol).collect();
    let sound = matches!(symbols[..], [ModeSymbol::Input, ModeSymbol::Input | ModeSymbol::Constant]);
    if sound && mode.args[0].type_id == mode.args[1].type_id && mode.args[1].constant.is_none() {
        return Ok(());
    }
    Err(Diagnostic::error(
        "bad-comparison",
        format!("`{declaration}` is no way to compare two numbers"),
        format!("write `mode: {name}(+year,+year).` for two variables of one type, or `mode: {name}(+year,#year).`"),
    ))
}

fn full(error: SymbolTableFull) -> Diagnostic {
    Diagnostic::error("symbols-full", error.to_string(), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mode from words such as `+person`, with `@type:name` for a constant.
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
    struct World {
        schema: Schema,
        predicates: Predicates,
        symbols: Symbols,
    }

    impl World {
        fn add(&mut self, declaration: &ModeDeclaration) -> Result<(), &'static str> {
            self.schema.add(declaration, &mut self.predicates, &mut self.symbols).map_err(|d| d.code)
        }

        fn patterns(&self, name: &str, arity: usize) -> Vec<Pattern> {
            self.schema.patterns(self.predicates.find(name, arity).unwrap()).into_iter().collect()
        }
    }

    #[test]
    fn patterns_follow_the_symbols() {
        let mut world = World::default();
        world.add(&declaration("friends", &["+person", "-person"])).unwrap();
        assert_eq!(world.patterns("friends", 2), [0b01, 0b11]);
        world.add(&declaration("friends", &["-person", "+person"])).unwrap();
        assert_eq!(world.patterns("friends", 2), [0b01, 0b10, 0b11]);
        world.add(&declaration("colour", &["+thing", "@colour:red", "^thing"])).unwrap();
        assert_eq!(world.patterns("colour", 3), [0b011]);
        world.add(&declaration("rain", &[])).unwrap();
        assert_eq!(world.patterns("rain", 0), [0]);
    }

    #[test]
    fn many_free_arguments_do_not_explode() {
        let mut world = World::default();
        world.add(&declaration("all_free", &["-t"; 40])).unwrap();
        assert_eq!(world.patterns("all_free", 40), [0].into_iter().chain((0..40).map(|k| 1 << k)).collect::<Vec<_>>());
        let one_bound = [vec!["+t"], vec!["-t"; 39]].concat();
        world.add(&declaration("one_bound", &one_bound)).unwrap();
        assert_eq!(world.patterns("one_bound", 40), [1]);
    }

    #[test]
    fn modes_can_be_taken_back_but_their_types_stay() {
        let mut world = World::default();
        let mut mode = declaration("time", &["+paper", "#year"]);
        world.add(&mode).unwrap();
        world.add(&mode).unwrap();
        assert_eq!(world.schema.modes().len(), 1);
        mode.withdrawn = true;
        world.add(&mode).unwrap();
        assert_eq!(world.schema.modes(), []);
        assert_eq!(world.add(&mode), Err("no-mode-to-withdraw"));
        let time = world.predicates.find("time", 2).unwrap();
        let types = world.schema.argument_types(time).unwrap();
        assert_eq!(types.iter().map(|&t| world.schema.type_name(t)).collect::<Vec<_>>(), ["paper", "year"]);
    }

    #[test]
    fn the_first_mode_gives_the_types() {
        let mut world = World::default();
        world.add(&declaration("p", &["+a", "-b"])).unwrap();
        world.add(&declaration("p", &["-a", "+c"])).unwrap();
        let p = world.predicates.find("p", 2).unwrap();
        assert_eq!(world.schema.argument_types(p), Some(&[TypeId(0), TypeId(1)][..]));
        let [only] = world.schema.disagreements() else { panic!("{:?}", world.schema.disagreements()) };
        assert_eq!((only.position, only.first, only.later), (1, TypeId(1), TypeId(2)));
        assert_eq!(world.schema.modes_of(p).count(), 2);
    }

    #[test]
    fn unusable_modes_are_left_out() {
        let mut world = World::default();
        let mut nested = declaration("p", &["+a"]);
        nested.args.push(ModeArg::Nested("f".into(), vec![]));
        assert_eq!(world.add(&nested), Err("nested-mode"));
        assert_eq!(world.add(&declaration("p", &["@colour"])), Err("mode-without-constant"));
        let mut variable = declaration("p", &["@colour:red"]);
        let ModeArg::Typed { constant, .. } = &mut variable.args[0] else { unreachable!() };
        *constant = Some(Term::Variable("X".into()));
        assert_eq!(world.add(&variable), Err("variable-in-mode"));
        assert!(world.schema.modes().is_empty());
    }

    #[test]
    fn modes_print_as_they_are_written() {
        let mut world = World::default();
        world.add(&declaration("p", &["+a", "@b:red", "#c"])).unwrap();
        let mode = &world.schema.modes()[0];
        assert_eq!(world.schema.show(mode, &world.predicates, &world.symbols).to_string(), "p(+a,@b:red,#c)");
    }
}
