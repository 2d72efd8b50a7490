//! Trees compared with reference implementations: coverage with the naive evaluator, the candidates
//! of a node with an enumeration of what the modes allow, splits with an exhaustive search, and
//! leaf assignment with an evaluation test by test.

use std::collections::{BTreeMap, BTreeSet};

use lrbm::internal::cover::MAX_GROUNDINGS;
use lrbm::internal::cover::{Audit, Bits, Coverage, DEFAULT_MEMORY_BYTES};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, Mode, Recursion, TimeRule, TimeSource, TypeId, naive};
use lrbm::internal::logic::{Argument, Constant, Literal, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Variable};
use lrbm::internal::tree::{
    Expand, Fit, GrowOptions, Grower, Grown, Language, LanguageOptions, LeafFitter, LookAhead, Node, NodeId, Sample,
    Screening, assign,
};
use proptest::prelude::*;

/// A small random database with examples.
struct World {
    database: Database,
    target: PredicateId,
    examples: Vec<Example>,
    predicates: Vec<PredicateId>,
    constants: Vec<Constant>,
}

#[derive(Clone, Copy)]
struct Size {
    predicates: usize,
    /// Maximum number of arguments of a predicate.
    arity: usize,
    /// Maximum number of arguments of the target.
    target_arity: usize,
    modes: usize,
    timed: bool,
    limited: bool,
    /// Whether modes may use `$`. The literals of a path do not show which variables `$`
    /// introduced, so only the root is compared then.
    once: bool,
    /// Whether positives are evidence for other examples.
    recursive: bool,
}

const TYPES: [&str; 3] = ["person", "film", "number"];

fn draw<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.index(from.len())]
}

impl World {
    fn new(seed: u64, size: Size) -> World {
        let stream = &mut Stream::new(seed, &["world"]);
        let mut builder = DatabaseBuilder::new();
        let mut names = |prefix: &str, builder: &mut DatabaseBuilder| -> Vec<Constant> {
            let name = |i: usize| builder.symbols.intern(&format!("{prefix}{i}")).unwrap();
            (0..2 + stream.index(4)).map(name).collect()
        };
        let mut of_type = vec![names("ann", &mut builder), names("alien", &mut builder)];
        of_type.push((0..3).map(|i| builder.symbols.intern_number(f64::from(i)).unwrap()).collect());

        let arity = 1 + stream.index(size.target_arity);
        let target_types: Vec<usize> = (0..arity).map(|_| stream.index(2)).collect();
        let declare = |builder: &mut DatabaseBuilder, name: &str, types: &[usize], symbols: &[ModeSymbol], max| {
            let arg = |(&t, &symbol): (&usize, &ModeSymbol)| ModeArg::Typed {
                symbol,
                type_name: TYPES[t].to_owned(),
                constant: None,
                limit: None,
            };
            let declaration = ModeDeclaration {
                predicate: name.to_owned(),
                args: types.iter().zip(symbols).map(arg).collect(),
                withdrawn: false,
                max,
                max_per_input: None,
                target: None,
            };
            builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
        };
        declare(&mut builder, "target", &target_types, &vec![ModeSymbol::Input; arity], None);
        let target = builder.predicates.find("target", arity).unwrap();

        let mut predicates = Vec::new();
        for p in 0..size.predicates {
            let arity = 1 + stream.index(size.arity);
            let types: Vec<usize> = (0..arity).map(|_| draw(stream, &[0, 0, 0, 1, 1, 2])).collect();
            let modes = 1 + stream.index(size.modes);
            for _ in 0..modes {
                use ModeSymbol::*;
                let all = [Input, Input, Input, Output, Output, Output, Output, Constant, NotHead, New, InBody];
                let all = if size.once { &[&all[..], &[Once]].concat()[..] } else { &all };
                let symbols: Vec<ModeSymbol> = (0..arity).map(|_| draw(stream, all)).collect();
                // With limits on several modes, the order of literals would matter.
                let max = if size.limited && modes == 1 { draw(stream, &[None, Some(1), Some(2)]) } else { None };
                declare(&mut builder, &format!("p{p}"), &types, &symbols, max);
            }
            let predicate = builder.predicates.find(&format!("p{p}"), arity).unwrap();
            predicates.push(predicate);
            for _ in 0..stream.index(14) {
                let args: Vec<_> = types.iter().map(|&t| draw(stream, &of_type[t])).collect();
                builder.fact(predicate, &args).unwrap();
            }
        }
        let mut rule = None;
        if size.timed {
            let time = builder.predicates.intern("time", 2);
            for &entity in of_type[0].iter().chain(&of_type[1]) {
                if stream.index(4) > 0 {
                    let when = builder.symbols.intern_number(f64::from(stream.index(3) as u32)).unwrap();
                    builder.fact(time, &[entity, when]).unwrap();
                }
            }
            // A time rule needs a fact that it can take times from.
            let when = builder.symbols.intern_number(7.0).unwrap();
            let late = builder.symbols.intern("late").unwrap();
            builder.fact(time, &[late, when]).unwrap();
            let by_argument = if stream.index(2) == 0 { vec!["p0".to_owned()] } else { Vec::new() };
            // The target has a mode, so its types are known.
            let source = match stream.index(3) {
                0 => TimeSource::Ids { type_name: TYPES[target_types[0]].to_owned() },
                _ => TimeSource::Predicate("time".to_owned()),
            };
            rule = Some(TimeRule { source, by_argument });
        }
        let example = |stream: &mut Stream| Example {
            args: target_types.iter().map(|&t| draw(stream, &of_type[t])).collect(),
            positive: stream.index(2) == 0,
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples: Vec<Example> = (0..3 + stream.index(9)).map(|_| example(stream)).collect();
        let mut recursion = None;
        if size.recursive {
            for example in examples.iter().filter(|example| example.positive) {
                builder.fact(target, &example.args).unwrap();
            }
            recursion = Some(Recursion { target, symmetric: stream.index(2) == 0 });
            predicates.push(target);
        }
        builder.schema.add_target(target);
        let (mut database, _) = builder.build(rule.as_ref()).unwrap();
        database.recursion = recursion;
        let constants = of_type.concat();
        World { database, target, examples, predicates, constants }
    }

    fn arity(&self) -> usize {
        self.database.predicates.arity(self.target)
    }

    fn conjunction(&self, stream: &mut Stream) -> Vec<Literal> {
        let variables = self.arity() + 1 + stream.index(3);
        let literal = |stream: &mut Stream| {
            let predicate = draw(stream, &self.predicates);
            // Occasionally one argument is missing, so that no fact matches.
            let cut = usize::from(stream.index(30) == 0);
            let arg = |stream: &mut Stream| match stream.index(5) {
                0 => Argument::Constant(draw(stream, &self.constants)),
                _ => Argument::Variable(Variable(stream.index(variables) as u32)),
            };
            let args = (cut..self.database.predicates.arity(predicate)).map(|_| arg(stream)).collect();
            Literal { negated: stream.index(5) == 0, predicate, args }
        };
        (0..stream.index(6)).map(|_| literal(stream)).collect()
    }

    fn naive(&self, conjunction: &[Literal]) -> Bits {
        let holds = |i: usize| naive::covers(&self.database, conjunction, self.target, &self.examples[i].args);
        Bits::from_fn(self.examples.len(), holds)
    }

    /// Returns the examples with at least this many groundings.
    fn naive_count(&self, conjunction: &[Literal], at_least: u32) -> Bits {
        let count = |i: usize| naive::count(&self.database, conjunction, self.target, &self.examples[i].args);
        Bits::from_fn(self.examples.len(), |i| count(i) >= at_least as usize)
    }

    /// Half of the worlds decide all refinements together, although they are few.
    fn coverage(&self) -> Coverage<'_> {
        let refinements = if self.examples.len().is_multiple_of(2) { 1 } else { 8 };
        Coverage::new(&self.database, self.target, &self.examples, DEFAULT_MEMORY_BYTES)
            .refined_from(refinements)
            .kept_from(0)
    }

    fn language(&self, node_size: usize) -> Language {
        self.language_with(node_size, LookAhead::Anywhere)
    }

    fn language_with(&self, node_size: usize, look_ahead: LookAhead) -> Language {
        let options = LanguageOptions { node_size, look_ahead, ..LanguageOptions::default() };
        Language::new(&self.database, self.target, options)
    }

    /// Returns the language with count tests if `counts` is set.
    fn counting_language(&self, node_size: usize, counts: bool) -> Language {
        let options = LanguageOptions { node_size, counts, ..LanguageOptions::default() };
        Language::new(&self.database, self.target, options)
    }

    fn gradients(&self, seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, &["gradients"]);
        self.examples.iter().map(|_| stream.unit() - 0.5).collect()
    }
}

const NARROW: Size = Size {
    predicates: 3,
    arity: 2,
    target_arity: 2,
    modes: 2,
    timed: false,
    limited: false,
    once: false,
    recursive: false,
};
const WIDE: Size = Size { arity: 4, target_arity: 4, ..NARROW };

/// Memory budgets of the coverage cache in bytes: none, little, or sufficient.
fn memory() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), (0usize..14).prop_flat_map(|bits| 1usize << bits..2 << bits), Just(DEFAULT_MEMORY_BYTES)]
}

fn look_ahead() -> impl Strategy<Value = LookAhead> {
    prop_oneof![Just(LookAhead::Anywhere), Just(LookAhead::Head)]
}

/// Runs a closure in a pool of this many threads.
fn in_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// Fits each leaf by the mean gradient.
struct Mean;

impl LeafFitter for Mean {
    type Leaf = usize;
    fn fit_root(&self, all: Sample<'_>, _: &mut Stream) -> Fit<usize> {
        Fit { leaf: all.gradients.len(), value: all.mean() }
    }
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<usize>, Fit<usize>) {
        (self.fit_root(yes, stream), self.fit_root(no, stream))
    }
    fn screening(&self) -> Screening {
        Screening::Exact
    }
}

/// Fits each leaf by a random fraction of the mean gradient.
struct RandomFraction;

impl LeafFitter for RandomFraction {
    type Leaf = f64;
    fn fit_root(&self, all: Sample<'_>, stream: &mut Stream) -> Fit<f64> {
        let part = stream.unit();
        Fit { leaf: part, value: part * all.mean() }
    }
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<f64>, Fit<f64>) {
        (self.fit_root(yes, stream), self.fit_root(no, stream))
    }
}

/// Shrinks the mean gradient, more for fewer examples; the second side also by the size of the
/// first.
struct Shrunken;

impl LeafFitter for Shrunken {
    type Leaf = ();
    fn fit_root(&self, all: Sample<'_>, _: &mut Stream) -> Fit<()> {
        Fit { leaf: (), value: all.sum() / (all.weight() + 2.0) }
    }
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<()>, Fit<()>) {
        let (first, mut second) = (self.fit_root(yes, stream), self.fit_root(no, stream));
        second.value /= 1.0 + yes.weight();
        (first, second)
    }
}

/// A variable that a mode may reuse.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    variable: Variable,
    type_id: TypeId,
    once: bool,
}

/// Enumerates the tests that the modes allow, directly from the definition of their symbols.
struct ReferenceLanguage<'w> {
    world: &'w World,
    path: Vec<Literal>,
}

impl ReferenceLanguage<'_> {
    /// Returns the variables of the head and of the path.
    fn start(&self) -> Vec<Known> {
        let schema = &self.world.database.schema;
        let types = schema.argument_types(self.world.target).unwrap();
        let known = |(v, &type_id): (usize, &TypeId)| Known { variable: Variable(v as u32), type_id, once: false };
        let mut all: Vec<Known> = types.iter().enumerate().map(known).collect();
        for literal in &self.path {
            for (arg, &type_id) in literal.args.iter().zip(schema.argument_types(literal.predicate).unwrap()) {
                if let Argument::Variable(variable) = *arg
                    && all.iter().all(|known| known.variable != variable)
                {
                    all.push(Known { variable, type_id, once: false });
                }
            }
        }
        all
    }

    /// Returns all arguments that a mode allows, each with the variables they introduce.
    fn fillings(&self, mode: &Mode, known: &[Known], test: &[Literal]) -> Vec<(Vec<Argument>, Vec<Known>)> {
        let next = known.iter().map(|k| k.variable.0 + 1).max().unwrap();
        let mut fillings = vec![(Vec::new(), Vec::new())];
        for (position, slot) in mode.args.iter().enumerate() {
            let mut longer = Vec::new();
            for (args, new) in fillings {
                let mut with = |arg: Argument, fresh: Option<Known>| {
                    let args: Vec<Argument> = [&args[..], &[arg]].concat();
                    longer.push((args, new.iter().copied().chain(fresh).collect::<Vec<Known>>()));
                };
                use ModeSymbol::*;
                for k in known.iter().filter(|k| k.type_id == slot.type_id && !k.once) {
                    let in_head = (k.variable.0 as usize) < self.world.arity();
                    let in_body = self.path.iter().chain(test).any(|l| l.variables().any(|v| v == k.variable));
                    if match slot.symbol {
                        Input | Output => true,
                        NotHead => !in_head,
                        InBody => in_body,
                        _ => false,
                    } {
                        with(Argument::Variable(k.variable), None);
                    }
                }
                if matches!(slot.symbol, Output | New | Once) {
                    let variable = Variable(next + new.len() as u32);
                    let fresh = Known { variable, type_id: slot.type_id, once: slot.symbol == Once };
                    with(Argument::Variable(variable), Some(fresh));
                }
                if slot.symbol == Constant {
                    let facts = self.world.database.facts.relation(mode.predicate);
                    let found: BTreeSet<_> = facts.iter().map(|row| row.get(position)).collect();
                    found.into_iter().for_each(|constant| with(Argument::Constant(constant), None));
                }
            }
            fillings = longer;
        }
        fillings
    }

    /// Collects every test of up to `size` further literals.
    fn tests(&self, size: usize, test: &[Literal], known: &[Known], all: &mut Vec<Vec<Literal>>) {
        if !test.is_empty() {
            all.push(test.to_vec());
        }
        if size == 0 {
            return;
        }
        for mode in self.world.database.schema.modes().iter().filter(|mode| mode.predicate != self.world.target) {
            let used = self.path.iter().chain(test).filter(|literal| literal.predicate == mode.predicate).count();
            if mode.max.is_some_and(|max| used >= max as usize) {
                continue;
            }
            for (args, new) in self.fillings(mode, known, test) {
                let literal = Literal::new(mode.predicate, args);
                if !self.path.contains(&literal) && !test.contains(&literal) {
                    let longer = [test, &[literal]].concat();
                    self.tests(size - 1, &longer, &[known, &new].concat(), all);
                }
            }
        }
    }
}

/// Returns the smallest form of a test over all orders of its literals, with new variables renamed.
fn normal_form(test: &[Literal], next: u32) -> Vec<Literal> {
    let mut orders: Vec<Vec<Literal>> = vec![Vec::new()];
    for literal in test {
        let insert = |order: Vec<Literal>| {
            (0..=order.len()).map(move |at| [&order[..at], std::slice::from_ref(literal), &order[at..]].concat())
        };
        orders = orders.into_iter().flat_map(insert).collect();
    }
    let renamed = |order: Vec<Literal>| {
        let mut names: Vec<Variable> = Vec::new();
        let mut rename = |arg: Argument| match arg {
            Argument::Variable(v) if v.0 >= next => {
                let index = names.iter().position(|&name| name == v).unwrap_or_else(|| {
                    names.push(v);
                    names.len() - 1
                });
                Argument::Variable(Variable(next + index as u32))
            }
            other => other,
        };
        let literal = |l: Literal| Literal { args: l.args.iter().map(|&arg| rename(arg)).collect(), ..l };
        order.into_iter().map(literal).collect::<Vec<Literal>>()
    };
    orders.into_iter().map(renamed).min().unwrap()
}

/// Returns whether the literals of a test are connected by variables from `next` on and use no
/// variable of the path.
fn is_connected_to_head(test: &[Literal], arity: usize, next: u32) -> bool {
    let new = |literal: &Literal| literal.variables().filter(|v| v.0 >= next).collect::<Vec<Variable>>();
    let mut reached = new(&test[0]);
    let mut left: Vec<&Literal> = test[1..].iter().collect();
    while let Some(at) = left.iter().position(|literal| new(literal).iter().any(|v| reached.contains(v))) {
        reached.extend(new(left.remove(at)));
    }
    let of_head = |v: Variable| (v.0 as usize) < arity || v.0 >= next;
    left.is_empty() && test.iter().flat_map(Literal::variables).all(of_head)
}

/// Compares the candidates below a path with all that the modes allow; returns the candidates.
fn check_candidates(
    world: &World,
    grower: &Grower<'_>,
    path: &[Literal],
    node_size: usize,
    look_ahead: LookAhead,
) -> Vec<Vec<Literal>> {
    let reference = ReferenceLanguage { world, path: path.to_vec() };
    let known = reference.start();
    let next = known.iter().map(|k| k.variable.0 + 1).max().unwrap();
    let mut all = Vec::new();
    reference.tests(node_size, &[], &known, &mut all);
    if look_ahead == LookAhead::Head {
        all.retain(|test| test.len() == 1 || is_connected_to_head(test, world.arity(), next));
    }
    let here = world.naive(path);
    let mut expected: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    let mut forms = BTreeSet::new();
    for test in all {
        let form = normal_form(&test, next);
        if !forms.insert(form) {
            continue;
        }
        let covered = world.naive(&[path, &test].concat());
        if covered.any() && covered != here {
            let fewest = expected.entry(covered.words().to_vec()).or_insert(usize::MAX);
            *fewest = test.len().min(*fewest);
        }
    }
    let candidates = grower.candidates(path);
    let mut found: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for (test, _, covered) in &candidates {
        assert_eq!(covered, &world.naive(&[path, test].concat()), "{test:?} below {path:?}");
        assert!(forms.contains(&normal_form(test, next)), "{test:?} is not allowed below {path:?}");
        let before = found.insert(covered.words().to_vec(), test.len());
        assert_eq!(before, None, "two candidates cover the same examples");
    }
    assert_eq!(found, expected, "below {path:?}");
    assert!(candidates.is_sorted_by_key(|(test, ..)| test.len()));
    candidates.into_iter().map(|(test, ..)| test).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn coverage_agrees_with_the_naive_evaluator(
        seed: u64,
        timed: bool,
        recursive: bool,
        predicates in 1usize..=4,
        memory in memory(),
        threads in 1usize..=4,
    ) {
        let world = World::new(seed, Size { timed, recursive, predicates, ..WIDE });
        let mut stream = Stream::new(seed, &["conjunctions"]);
        let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
        let conjunctions: Vec<_> = (0..12).map(|_| world.conjunction(&mut stream)).collect();
        // Shorter ones first: their coverage narrows the search for longer ones.
        for length in 1..6 {
            for conjunction in conjunctions.iter().filter(|c| c.len() >= length) {
                prop_assert_eq!(&*coverage.cover(&conjunction[..length]), &world.naive(&conjunction[..length]));
            }
        }
        let again = Coverage::new(&world.database, world.target, &world.examples, memory);
        let found = in_threads(threads, || again.cover_all(&conjunctions));
        for (bits, conjunction) in found.into_iter().zip(&conjunctions) {
            prop_assert_eq!(&*bits, &world.naive(conjunction), "{:?}", conjunction);
        }
        let counted = in_threads(threads, || again.counts(&conjunctions));
        for (counts, conjunction) in counted.into_iter().zip(&conjunctions) {
            for (i, example) in world.examples.iter().enumerate() {
                let expected = naive::count(&world.database, conjunction, world.target, &example.args);
                prop_assert_eq!(counts.get(i) as usize, expected.min(MAX_GROUNDINGS as usize), "{:?}", conjunction);
            }
        }
    }

    #[test]
    fn refinements_of_a_base_agree_with_the_naive_evaluator(
        seed: u64,
        timed: bool,
        recursive: bool,
        predicates in 1usize..=4,
        arity in 1usize..=8,
        memory in memory(),
        threads in 1usize..=4,
    ) {
        let world = World::new(seed, Size { timed, recursive, predicates, arity, ..WIDE });
        let mut stream = Stream::new(seed, &["refinements"]);
        let mut base = world.conjunction(&mut stream);
        base.truncate(3);
        base.iter_mut().for_each(|literal| literal.negated = false);
        let last = |_| {
            let mut literals = world.conjunction(&mut stream);
            literals.truncate(1);
            // A few are negated, and are searched one by one.
            literals.iter_mut().for_each(|literal| literal.negated &= stream.index(4) == 0);
            [&base[..], &literals].concat()
        };
        let refinements: Vec<Vec<Literal>> = (0..60).map(last).collect();
        let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
        let coverage = coverage.bounded_from(draw(&mut stream, &[0, 4, usize::MAX]));
        if stream.index(2) == 0 {
            // The coverage of the base narrows the search.
            coverage.cover(&base);
        }
        if stream.index(2) == 0 {
            // So does the coverage without another literal.
            let without = |(k, refinement): (usize, &Vec<Literal>)| {
                let mut literals = refinement.clone();
                literals.remove(k % literals.len());
                literals
            };
            let longer = refinements.iter().filter(|refinement| refinement.len() > 1);
            let shorter: Vec<Vec<Literal>> = longer.enumerate().map(without).collect();
            for (bits, conjunction) in coverage.cover_all(&shorter).into_iter().zip(&shorter) {
                prop_assert_eq!(&*bits, &world.naive(conjunction), "{:?}", conjunction);
            }
        }
        let found = in_threads(threads, || coverage.cover_all(&refinements));
        for (bits, conjunction) in found.into_iter().zip(&refinements) {
            prop_assert_eq!(&*bits, &world.naive(conjunction), "{:?}", conjunction);
        }
    }

    #[test]
    fn conjunctions_with_implied_literals_agree_with_the_naive_evaluator(
        seed: u64,
        timed: bool,
        recursive: bool,
        predicates in 1usize..=2,
        arity in 1usize..=5,
        memory in memory(),
        threads in 1usize..=4,
    ) {
        let world = World::new(seed, Size { timed, recursive, predicates, arity, ..WIDE });
        let mut stream = Stream::new(seed, &["implied"]);
        let head = world.arity() as u32;
        let repeated = |_| {
            let mut literals = world.conjunction(&mut stream);
            literals.truncate(3);
            literals.iter_mut().for_each(|literal| literal.negated &= stream.index(4) == 0);
            for k in 0..literals.len() {
                let mut copy = literals[k].clone();
                for arg in &mut copy.args {
                    // With new variables the original implies the copy, with others it may not.
                    match (*arg, stream.index(3)) {
                        (Argument::Variable(v), 0) if v.0 >= head => *arg = Argument::Variable(Variable(v.0 + 10)),
                        (Argument::Variable(_), 1) => {
                            *arg = Argument::Variable(Variable(stream.index(head as usize + 4) as u32));
                        }
                        _ => {}
                    }
                }
                let at = stream.index(literals.len() + 1);
                literals.insert(at, copy);
            }
            literals
        };
        let conjunctions: Vec<Vec<Literal>> = (0..12).map(repeated).collect();
        let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
        let found = in_threads(threads, || coverage.cover_all(&conjunctions));
        let counts = in_threads(threads, || coverage.counts(&conjunctions));
        for ((bits, counts), conjunction) in found.into_iter().zip(counts).zip(&conjunctions) {
            prop_assert_eq!(&*bits, &world.naive(conjunction), "{:?}", conjunction);
            // Counts are of all groundings.
            prop_assert_eq!(&counts.at_least(2), &world.naive_count(conjunction, 2), "{:?}", conjunction);
        }
    }

    #[test]
    fn chains_between_head_variables_agree_with_the_naive_evaluator(
        seed: u64,
        timed: bool,
        predicates in 1usize..=3,
        memory in memory(),
        threads in 1usize..=4,
    ) {
        let world = World::new(seed, Size { timed, predicates, ..WIDE });
        let mut stream = Stream::new(seed, &["chains"]);
        let wide: Vec<PredicateId> =
            world.predicates.iter().copied().filter(|&p| world.database.predicates.arity(p) > 1).collect();
        prop_assume!(world.arity() > 1 && !wide.is_empty());
        let arity = world.arity() as u32;
        let chain = |_| {
            let links = 2 + stream.index(4) as u32;
            let link = |k: u32| {
                let predicate = draw(&mut stream, &wide);
                let mut args: Vec<Argument> = (0..world.database.predicates.arity(predicate))
                    .map(|_| match stream.index(4) {
                        0 => Argument::Constant(draw(&mut stream, &world.constants)),
                        other => Argument::Variable(Variable(arity + links + other as u32)),
                    })
                    .collect();
                let name = |k: u32| Argument::Variable(Variable(match k {
                    0 => 0,
                    k if k == links => 1,
                    k => arity + k,
                }));
                let from = stream.index(args.len());
                let to = (from + 1 + stream.index(args.len() - 1)) % args.len();
                (args[from], args[to]) = (name(k), name(k + 1));
                Literal { negated: false, predicate, args }
            };
            (0..links).map(link).collect::<Vec<Literal>>()
        };
        let chains: Vec<Vec<Literal>> = (0..12).map(chain).collect();
        let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
        let (covered, counted) = in_threads(threads, || (coverage.cover_all(&chains), coverage.counts(&chains)));
        for ((bits, counts), chain) in covered.into_iter().zip(counted).zip(&chains) {
            prop_assert_eq!(&*bits, &world.naive(chain), "{:?}", chain);
            for (i, example) in world.examples.iter().enumerate() {
                let expected = naive::count(&world.database, chain, world.target, &example.args);
                prop_assert_eq!(counts.get(i) as usize, expected.min(MAX_GROUNDINGS as usize), "{:?}", chain);
            }
        }
    }

    #[test]
    fn count_tests_agree_with_the_naive_evaluator(seed: u64, timed: bool, node_size in 1usize..=2) {
        let world = World::new(seed, Size { timed, ..NARROW });
        let coverage = world.coverage();
        let (with, without) = (world.counting_language(node_size, true), world.language(node_size));
        let candidates = |language: &Language, path: &[Literal]| {
            Grower::new(&coverage, language, GrowOptions::default()).candidates(path)
        };
        let first = candidates(&without, &[]).into_iter().map(|(test, ..)| test).next();
        for path in [Vec::new()].into_iter().chain(first) {
            let (here, plain) = (world.naive(&path), candidates(&without, &path));
            let all = candidates(&with, &path);
            // Existential tests come first, the same as without count tests.
            prop_assert_eq!(&all[..plain.len()], &plain[..]);
            let mut seen: BTreeSet<Vec<u64>> = plain.iter().map(|(.., bits)| bits.words().to_vec()).collect();
            for (test, at_least, covered) in &all[plain.len()..] {
                prop_assert!(*at_least > 1);
                prop_assert_eq!(covered, &world.naive_count(test, *at_least).and(&here));
                prop_assert!(covered.any() && *covered != here && seen.insert(covered.words().to_vec()));
            }
        }
    }

    #[test]
    fn audits_find_no_discrepancy(
        seed: u64,
        timed: bool,
        limited: bool,
        counts: bool,
        node_size in 1usize..=2,
        memory in memory(),
        threads in 1usize..=4,
    ) {
        let world = World::new(seed, Size { timed, limited, arity: 3, target_arity: 4, ..NARROW });
        // A few hundred candidates suffice; the naive evaluator is slow.
        let options = LanguageOptions { node_size, max_candidates: 300, counts, ..LanguageOptions::default() };
        let language = Language::new(&world.database, world.target, options);
        let (gradients, all) = (world.gradients(seed), Bits::ones(world.examples.len()));
        let audited = |memory: usize, threads: usize| {
            let audit = Audit::new(150, seed);
            let coverage = Coverage::new(&world.database, world.target, &world.examples, memory).audited(Some(&audit));
            let grower = Grower::new(&coverage, &language, GrowOptions { single: seed % 2 == 0, ..GrowOptions::default() });
            in_threads(threads, || (0..2).for_each(|tree| drop(grower.grow(&Mean, &gradients, &all, seed, tree))));
            audit.check(&world.database, world.target, &world.examples)
        };
        let found = audited(memory, threads);
        prop_assert!(found.as_ref().is_ok_and(|audited| audited.answers >= audited.conjunctions), "{:?}", found);
        // Threads and memory do not change what is audited.
        prop_assert_eq!(&found, &audited(DEFAULT_MEMORY_BYTES, 1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn candidates_are_exactly_those_the_modes_allow(
        seed: u64,
        timed: bool,
        limited: bool,
        once: bool,
        node_size in 1usize..=2,
        look_ahead in look_ahead(),
    ) {
        let world = World::new(seed, Size { timed, limited, once, ..NARROW });
        let (coverage, language) = (world.coverage(), world.language_with(node_size, look_ahead));
        let grower = Grower::new(&coverage, &language, GrowOptions::default());
        let mut path = Vec::new();
        for depth in 0..if once { 1 } else { 3 } {
            let candidates = check_candidates(&world, &grower, &path, node_size, look_ahead);
            let Some(longest) = candidates.len().checked_sub(1) else { break };
            // Long tests introduce new variables, so those at the end are drawn more often.
            let at = Stream::new(seed, &["step", &depth.to_string()]).index(2 * longest + 1).min(longest);
            path.extend(candidates[at].clone());
        }
    }

    #[test]
    fn refinements_decided_together_agree_with_the_naive_evaluator(
        seed: u64,
        timed: bool,
        counts: bool,
        arity in 1usize..=8,
        target_arity in 1usize..=3,
        max_candidates in prop::sample::select(vec![30, 200, 50_000]),
        threads in 1usize..=2,
        look_ahead in look_ahead(),
    ) {
        // Within the budget, the candidates are those evaluated one by one.
        let is_complete = max_candidates == 50_000;
        let arity = if is_complete { arity.min(3) } else { arity };
        let world = World::new(seed, Size { predicates: 2, arity, target_arity, timed, modes: 1, ..NARROW });
        let options = LanguageOptions { look_ahead, max_candidates, counts, ..LanguageOptions::default() };
        let language = Language::new(&world.database, world.target, options);
        let candidates = |refinements: usize, path: &[Literal]| {
            in_threads(threads, || {
                let coverage = Coverage::new(&world.database, world.target, &world.examples, DEFAULT_MEMORY_BYTES);
                let coverage = coverage.refined_from(refinements);
                Grower::new(&coverage, &language, GrowOptions::default()).candidates(path)
            })
        };
        let mut path: Vec<Literal> = Vec::new();
        for depth in 0..2 {
            let together = candidates(1, &path);
            if is_complete {
                prop_assert_eq!(&together, &candidates(usize::MAX, &path));
            }
            let here = world.naive(&path);
            let mut stream = Stream::new(seed, &["checked", &depth.to_string()]);
            for _ in 0..together.len().min(20) {
                let (test, at_least, bits) = &together[stream.index(together.len())];
                let covered = match at_least {
                    1 => world.naive(&[&path[..], test].concat()),
                    _ => world.naive_count(test, *at_least).and(&here),
                };
                prop_assert_eq!(bits, &covered, "{:?}", test);
            }
            let simple = together.iter().rfind(|(test, at_least, _)| *at_least == 1 && test.len() <= 2);
            let Some((test, ..)) = simple else { break };
            path.extend(test.clone());
        }
    }

    #[test]
    fn candidates_of_three_literals_are_complete(seed: u64, limited: bool, look_ahead in look_ahead()) {
        let world = World::new(seed, Size { predicates: 2, modes: 1, limited, ..NARROW });
        let (coverage, language) = (world.coverage(), world.language_with(3, look_ahead));
        let grower = Grower::new(&coverage, &language, GrowOptions::default());
        let candidates = check_candidates(&world, &grower, &[], 3, look_ahead);
        let mut stream = Stream::new(seed, &["step"]);
        let singles: Vec<_> = candidates.into_iter().filter(|test| test.len() == 1).collect();
        if !singles.is_empty() {
            check_candidates(&world, &grower, &singles[stream.index(singles.len())], 3, look_ahead);
        }
    }

    #[test]
    fn growth_splits_the_worst_leaf_by_its_best_candidate(
        seed: u64,
        total: bool,
        counts: bool,
        node_size in 1usize..=2,
        min_leaf in 1usize..=2,
    ) {
        let world = World::new(seed, NARROW);
        let (coverage, language) = (world.coverage(), world.counting_language(node_size, counts));
        let expand = if total { Expand::Total } else { Expand::Mean };
        let options = GrowOptions { max_leaves: Some(4), min_leaf, expand, ..GrowOptions::default() };
        let grower = Grower::new(&coverage, &language, options);
        let gradients = world.gradients(seed);
        let mut stream = Stream::new(seed, &["in use"]);
        let in_use = Bits::from_fn(gradients.len(), |_| stream.index(5) > 0);
        prop_assume!(in_use.any());
        let Grown { tree, reached, .. } = grower.grow(&Mean, &gradients, &in_use, seed, 0);

        // Reference: a leaf is its id, the true literals above it, and its examples.
        let error = |examples: &Bits| {
            let here = examples.pick(&gradients);
            let mean = here.iter().sum::<f64>() / here.len() as f64;
            here.iter().map(|g| (g - mean).powi(2)).sum::<f64>()
        };
        let mut leaves = vec![(NodeId(0), Vec::<Literal>::new(), in_use.clone())];
        let mut splits = BTreeMap::new();
        let mut nodes = 1;
        while splits.len() < 3 && !leaves.is_empty() {
            let key = |leaf: &Bits| if total { error(leaf) } else { error(leaf) / leaf.count() as f64 };
            let worst = (0..leaves.len()).max_by(|&a, &b| {
                key(&leaves[a].2).total_cmp(&key(&leaves[b].2)).then(leaves[b].0.cmp(&leaves[a].0))
            }).unwrap();
            let (id, path, here) = leaves.remove(worst);
            let mut best: Option<(f64, f64, Vec<Literal>, u32, Bits)> = None;
            for (test, at_least, covered) in grower.candidates(&path) {
                let (yes, no) = (here.and(&covered), here.and_not(&covered));
                if yes.count() < min_leaf || no.count() < min_leaf {
                    continue;
                }
                let after = error(&yes) + error(&no);
                // Count tests pay a margin.
                let rated = after + if at_least > 1 { 0.05 * error(&here) } else { 0.0 };
                if best.as_ref().is_none_or(|(lowest, ..)| rated < lowest - 1e-12) {
                    best = Some((rated, after, test, at_least, covered));
                }
            }
            let gains = |after: f64| after < error(&here) * (1.0 - 1e-10);
            let Some((.., test, at_least, covered)) = best.filter(|&(_, after, ..)| gains(after)) else { continue };
            splits.insert(id, (test.clone(), at_least));
            let below = if at_least == 1 { [&path[..], &test].concat() } else { path.clone() };
            leaves.push((NodeId(nodes), below, here.and(&covered)));
            leaves.push((NodeId(nodes + 1), path, here.and_not(&covered)));
            nodes += 2;
        }
        let grown: BTreeMap<NodeId, (Vec<Literal>, u32)> = tree.nodes().iter().enumerate().filter_map(|(i, node)| match node {
            Node::Split(split) => Some((NodeId(i as u32), (split.test.clone(), split.at_least))),
            Node::Leaf(_) => None,
        }).collect();
        prop_assert_eq!(grown, splits);

        // Each leaf has the mean of the examples in use that reach it, whichever way they are
        // assigned.
        prop_assert_eq!(&assign::leaves(&tree, &coverage), &reached);
        let mut ended: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (i, example) in world.examples.iter().enumerate() {
            let expected = assign::leaf_naive(&tree, &world.database, world.target, &example.args);
            prop_assert_eq!(expected, reached[i]);
            if in_use.get(i) {
                ended.entry(expected).or_default().push(i);
            }
        }
        for path in tree.paths() {
            let here = &ended[&path.id];
            let mean = here.iter().map(|&i| gradients[i]).sum::<f64>() / here.len() as f64;
            prop_assert!((path.leaf.value - mean).abs() < 1e-12);
            let positives = here.iter().filter(|&&i| world.examples[i].positive).count();
            prop_assert_eq!((path.leaf.positives as usize, path.leaf.negatives as usize), (positives, here.len() - positives));
            prop_assert_eq!(path.leaf.leaf, here.len());
        }
    }

    #[test]
    fn candidates_skipped_by_rescoring_are_never_better(
        seed: u64,
        node_size in 1usize..=2,
        min_leaf in 1usize..=2,
        look_ahead in look_ahead(),
        look_ahead_margin in prop::sample::select(vec![0.0, 0.05, 0.5]),
    ) {
        let world = World::new(seed, NARROW);
        let (coverage, language) = (world.coverage(), world.language_with(node_size, look_ahead));
        let options =
            GrowOptions { rescore: None, max_leaves: Some(2), min_leaf, look_ahead_margin, ..GrowOptions::default() };
        let grower = Grower::new(&coverage, &language, options);
        let gradients = world.gradients(seed);
        let all = Bits::ones(gradients.len());
        let Grown { tree, statistics, .. } = grower.grow(&Shrunken, &gradients, &all, seed, 0);

        // The reference fits every candidate.
        let mut stream = Stream::new(seed, &["not used"]);
        let error = |fit: &Fit<()>, here: &[f64]| here.iter().map(|g| (fit.value - g).powi(2)).sum::<f64>();
        let root = error(&Shrunken.fit_root(Sample::unweighted(&gradients), &mut stream), &gradients);
        let min_error = Sample::unweighted(&gradients).squared_error(Sample::unweighted(&gradients).mean());
        let mut best: Option<(f64, f64, Vec<Literal>)> = None;
        let mut tests = 0;
        for (test, _, covered) in grower.candidates(&[]) {
            let (yes, no) = (covered.pick(&gradients), all.and_not(&covered).pick(&gradients));
            if yes.len() < min_leaf || no.len() < min_leaf {
                continue;
            }
            tests += 1;
            let (yes_fit, no_fit) = Shrunken.fit(Sample::unweighted(&yes), Sample::unweighted(&no), &mut stream);
            let after = error(&yes_fit, &yes) + error(&no_fit, &no);
            // No margin for literals that share a new variable and connect two variables of the
            // head, nor for a head with one variable.
            let arity = world.arity();
            let of_head = |v: &Variable| (v.0 as usize) < arity;
            let head: BTreeSet<Variable> = test.iter().flat_map(Literal::variables).filter(of_head).collect();
            let connects_head = head.len() > 1 && is_connected_to_head(&test, arity, arity as u32);
            let looks_ahead = test.len() > 1 && arity > 1 && !connects_head;
            let margin = if looks_ahead { look_ahead_margin * min_error } else { 0.0 };
            if best.as_ref().is_none_or(|(before, ..)| after + margin < *before) {
                best = Some((after + margin, after, test));
            }
        }
        prop_assert_eq!(statistics.screened, tests);
        prop_assert!(statistics.rescored <= tests);
        let expected = best.filter(|(_, after, _)| *after < root * (1.0 - 1e-10)).map(|(.., test)| test);
        let grown = match &tree.nodes()[0] {
            Node::Split(split) => Some(split.test.clone()),
            Node::Leaf(_) => None,
        };
        prop_assert_eq!(grown, expected);
    }

    #[test]
    fn a_path_describes_exactly_the_examples_of_its_leaf(seed: u64, counts: bool) {
        let world = World::new(seed, NARROW);
        let (coverage, language) = (world.coverage(), world.counting_language(2, counts));
        let options = GrowOptions { max_leaves: None, ..GrowOptions::default() };
        let grower = Grower::new(&coverage, &language, options);
        let all = Bits::ones(world.examples.len());
        let tree = grower.grow(&Mean, &world.gradients(seed), &all, seed, 0).tree;
        let reached = assign::leaves(&tree, &coverage);
        for path in tree.paths() {
            let owned = |literals: &[&Literal]| literals.iter().map(|&l| l.clone()).collect::<Vec<Literal>>();
            let mut here = world.naive(&owned(&path.literals));
            for count in &path.counts {
                here = here.and(&world.naive_count(count.test, count.at_least));
            }
            for failed in &path.failed {
                here = here.and_not(&match failed.at_least {
                    1 => world.naive(&[&owned(&failed.above)[..], failed.test].concat()),
                    at_least => world.naive_count(failed.test, at_least),
                });
            }
            prop_assert_eq!(here, Bits::from_fn(reached.len(), |i| reached[i] == path.id));
        }
    }

    #[test]
    fn growth_respects_its_limits(seed: u64, max_leaves in 1usize..6, max_depth in 0usize..4, min_leaf in 1usize..4) {
        let world = World::new(seed, NARROW);
        let (coverage, language) = (world.coverage(), world.language(2));
        let options = GrowOptions { max_leaves: Some(max_leaves), max_depth: Some(max_depth), min_leaf, ..GrowOptions::default() };
        let grower = Grower::new(&coverage, &language, options);
        let grown = grower.grow(&Mean, &world.gradients(seed), &Bits::ones(world.examples.len()), seed, 0);
        prop_assert!(grown.tree.leaves() <= max_leaves);
        prop_assert!(grown.tree.depth() <= max_depth);
        if grown.tree.leaves() > 1 {
            prop_assert!(grown.tree.paths().iter().all(|path| path.leaf.leaf >= min_leaf));
        }
    }

    #[test]
    fn threads_and_memory_do_not_change_a_tree(
        seed: u64,
        timed: bool,
        counts: bool,
        target_arity in 1usize..=4,
        threads in 2usize..=8,
        memory in memory(),
    ) {
        let world = World::new(seed, Size { timed, target_arity, ..NARROW });
        let language = world.counting_language(2, counts);
        let all = Bits::ones(world.examples.len());
        let grow = |threads: usize, memory: usize| {
            in_threads(threads, || {
                let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
                let grower = Grower::new(&coverage, &language, GrowOptions { max_leaves: None, ..GrowOptions::default() });
                let gradients = world.gradients(seed);
                let grow = |tree| grower.grow(&RandomFraction, &gradients, &all, seed, tree);
                (0..3).map(grow).map(|grown| (grown.tree, grown.statistics)).collect::<Vec<_>>()
            })
        };
        let one = grow(1, DEFAULT_MEMORY_BYTES);
        prop_assert_eq!(&one, &grow(threads, memory));
        prop_assert_eq!(&one, &grow(1, 2000));
    }

    #[test]
    fn single_tree_mode_grows_the_same_tree(seed: u64, timed: bool, target_arity in 1usize..=3, node_size in 1usize..=2) {
        let world = World::new(seed, Size { timed, target_arity, ..NARROW });
        let (coverage, language) = (world.coverage(), world.language(node_size));
        let all = Bits::ones(world.examples.len());
        let mut stream = Stream::new(seed, &["in use"]);
        let some = Bits::from_fn(all.len(), |_| stream.index(5) > 0);
        for in_use in [all, some] {
            let grow = |single: bool| {
                let options = GrowOptions { max_leaves: None, single, ..GrowOptions::default() };
                let grown = Grower::new(&coverage, &language, options).grow(&Mean, &world.gradients(seed), &in_use, seed, 0);
                (grown.tree, grown.reached)
            };
            prop_assert_eq!(grow(true), grow(false));
        }
    }

    #[test]
    fn inherited_candidates_are_those_generated_again(
        seed: u64,
        timed: bool,
        limited: bool,
        look_ahead in look_ahead(),
        node_size in 1usize..=3,
        max_candidates in prop::sample::select(vec![40, 300, 50_000]),
        look_ahead_margin in prop::sample::select(vec![0.0, 0.05]),
    ) {
        let world = World::new(seed, Size { timed, limited, target_arity: 3, ..NARROW });
        let options = LanguageOptions { node_size, look_ahead, max_candidates, ..LanguageOptions::default() };
        let language = Language::new(&world.database, world.target, options);
        let options = GrowOptions { single: true, max_leaves: None, look_ahead_margin, ..GrowOptions::default() };
        let all = Bits::ones(world.examples.len());
        // Without memory, no node inherits.
        let grown = |memory: usize| {
            let coverage = Coverage::new(&world.database, world.target, &world.examples, memory);
            let grown = Grower::new(&coverage, &language, options).grow(&RandomFraction, &world.gradients(seed), &all, seed, 0);
            (grown.tree, grown.reached, grown.statistics)
        };
        prop_assert_eq!(grown(DEFAULT_MEMORY_BYTES), grown(0));
    }

    #[test]
    fn a_candidate_budget_yields_a_subset(seed: u64, max_candidates in 0usize..40) {
        let world = World::new(seed, NARROW);
        let (coverage, language) = (world.coverage(), world.language(2));
        let grower = Grower::new(&coverage, &language, GrowOptions::default());
        let all: BTreeSet<Vec<u64>> = grower.candidates(&[]).into_iter().map(|(.., bits)| bits.words().to_vec()).collect();
        let options = LanguageOptions { max_candidates, ..LanguageOptions::default() };
        let small = Language::new(&world.database, world.target, options);
        let grower = Grower::new(&coverage, &small, GrowOptions::default());
        let some = grower.candidates(&[]);
        prop_assert!(some.len() <= max_candidates);
        for (test, _, bits) in &some {
            prop_assert_eq!(bits, &world.naive(test));
            prop_assert!(all.contains(bits.words()));
        }
        let statistics = grower.grow(&Mean, &world.gradients(seed), &Bits::ones(world.examples.len()), 0, 0).statistics;
        prop_assert!(some.len() == all.len() || statistics.budget_hits > 0 || small.constants_were_truncated());
    }
}

/// Builds a world from modes, facts such as `movie(m1, ann)`, and pairs of examples.
fn world_from_text(modes: &[(&str, &[&str])], facts: &[&str], positive: &[[&str; 2]], negative: &[[&str; 2]]) -> World {
    let mut builder = DatabaseBuilder::new();
    for (predicate, args) in modes {
        let arg = |text: &&str| ModeArg::Typed {
            symbol: ModeSymbol::from_char(text.chars().next().unwrap()).unwrap(),
            type_name: text[1..].to_owned(),
            constant: None,
            limit: None,
        };
        let declaration = ModeDeclaration {
            predicate: (*predicate).to_owned(),
            args: args.iter().map(arg).collect(),
            withdrawn: false,
            max: None,
            max_per_input: None,
            target: None,
        };
        builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
    }
    for fact in facts {
        let (name, args) = fact.trim_end_matches(')').split_once('(').unwrap();
        let args: Vec<Constant> = args.split(", ").map(|arg| builder.symbols.intern(arg).unwrap()).collect();
        let predicate = builder.predicates.intern(name, args.len());
        builder.fact(predicate, &args).unwrap();
    }
    let target = builder.predicates.find(modes[0].0, modes[0].1.len()).unwrap();
    let mut examples = Vec::new();
    for (pairs, is_positive) in [(positive, true), (negative, false)] {
        for pair in pairs {
            let args = pair.iter().map(|name| builder.symbols.intern(name).unwrap()).collect();
            examples.push(Example { args, positive: is_positive, class: 0, weight: 1.0, line: 0 });
        }
    }
    let (database, _) = builder.build(None).unwrap();
    World { database, target, examples, predicates: Vec::new(), constants: Vec::new() }
}

/// Everyone acts in a film and has a friend, so one literal separates nothing; positives share a
/// film.
fn films() -> World {
    let modes: [(&str, &[&str]); 3] =
        [("together", &["+person", "+person"]), ("film", &["-film", "+person"]), ("friend", &["+person", "-person"])];
    let facts = [
        "film(m1, ann)",
        "film(m1, bob)",
        "film(m2, cid)",
        "film(m2, dot)",
        "film(m3, eve)",
        "film(m3, ann)",
        "friend(ann, u)",
        "friend(bob, v)",
        "friend(cid, w)",
        "friend(dot, x)",
        "friend(eve, y)",
    ];
    let positive = [["ann", "bob"], ["cid", "dot"], ["eve", "ann"], ["dot", "cid"]];
    let negative = [["ann", "cid"], ["bob", "dot"], ["eve", "bob"], ["cid", "eve"], ["bob", "cid"], ["dot", "eve"]];
    world_from_text(&modes, &facts, &positive, &negative)
}

fn initial_gradients(world: &World) -> Vec<f64> {
    world.examples.iter().map(|example| if example.positive { 0.75 } else { -0.25 }).collect()
}

#[test]
fn chains_in_a_larger_graph_agree_with_the_naive_evaluator() {
    // Two parts without a connection, so that the search between them is long and is left to the
    // separator of the chain.
    let stream = &mut Stream::new(1, &["graph"]);
    const NODES: usize = 160;
    let mut facts = Vec::new();
    for from in 0..NODES {
        for _ in 0..5 {
            let to = from % 2 + 2 * stream.index(NODES / 2);
            facts.push(format!("link(n{from}, n{to})"));
        }
        facts.push(format!("kind(n{from}, k{})", stream.index(6)));
    }
    let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
    let names: Vec<[String; 2]> =
        (0..500).map(|_| [stream.index(NODES), stream.index(NODES)].map(|k| format!("n{k}"))).collect();
    let pairs: Vec<[&str; 2]> = names.iter().map(|pair| pair.each_ref().map(String::as_str)).collect();
    let modes: [(&str, &[&str]); 4] =
        [("t", &["+n", "+n"]), ("link", &["+n", "-n"]), ("link", &["-n", "+n"]), ("kind", &["+n", "#k"])];
    let world = world_from_text(&modes, &facts, &pairs[..250], &pairs[250..]);
    let [link, kind] = ["link", "kind"].map(|name| world.database.predicates.find(name, 2).unwrap());
    let literal = |predicate, args: [u32; 2]| Literal {
        negated: false,
        predicate,
        args: args.map(|v| Argument::Variable(Variable(v))).into(),
    };
    let chain =
        |names: &[u32]| -> Vec<Literal> { names.windows(2).map(|pair| literal(link, [pair[0], pair[1]])).collect() };
    let (three, four) = (chain(&[0, 2, 3, 1]), chain(&[0, 2, 3, 4, 1]));
    // A literal on the separator, and two on variables of either side.
    let middle = [&four[..], &[literal(kind, [3, 5])]].concat();
    let sides = [&four[..], &[literal(kind, [2, 5]), literal(link, [4, 6])]].concat();
    let conjunctions = [three, four, middle, sides];
    let coverage = world.coverage();
    for (conjunction, counts) in conjunctions.iter().zip(coverage.counts(&conjunctions)) {
        let covered = coverage.cover(conjunction);
        // The naive evaluator visits hundreds of paths per example.
        for (i, example) in world.examples.iter().enumerate().step_by(16) {
            let expected = naive::count(&world.database, conjunction, world.target, &example.args);
            assert_eq!(covered.get(i), expected > 0, "{conjunction:?}");
            assert_eq!(counts.get(i) as usize, expected.min(MAX_GROUNDINGS as usize), "{conjunction:?}");
        }
    }
}

#[test]
fn wide_literals_are_generated_up_to_the_budget() {
    // Eight or more variables for each of seven arguments would give millions of literals.
    let modes: [(&str, &[&str]); 2] = [("t", &["+a", "+a"]), ("p", &["+a", "-a", "-a", "-a", "-a", "-a", "-a", "-a"])];
    let facts = ["p(a, b, c, a, b, c, a, b)", "p(b, c, a, b, c, a, b, c)", "p(c, a, a, b, b, c, c, a)"];
    let world = world_from_text(&modes, &facts, &[["a", "b"], ["b", "c"]], &[["c", "a"], ["a", "c"]]);
    let coverage = world.coverage();
    let options = LanguageOptions { max_candidates: 2000, ..LanguageOptions::default() };
    let language = Language::new(&world.database, world.target, options);
    let grower = Grower::new(&coverage, &language, GrowOptions::default());
    let candidates = grower.candidates(&[]);
    assert!(candidates.len() <= 2000);
    for (test, _, covered) in &candidates {
        assert_eq!(covered, &world.naive(test), "{test:?}");
    }
    let grown = grower.grow(&Mean, &world.gradients(1), &Bits::ones(4), 1, 0);
    assert!(grown.statistics.budget_hits > 0);
}

#[test]
fn tests_of_two_literals_find_the_shared_film() {
    let world = films();
    let (coverage, gradients, all) = (world.coverage(), initial_gradients(&world), Bits::ones(world.examples.len()));
    for (node_size, leaves) in [(1, 1), (2, 2)] {
        let language = world.language(node_size);
        let grower = Grower::new(&coverage, &language, GrowOptions::default());
        let grown = grower.grow(&Mean, &gradients, &all, 0, 0);
        assert_eq!(grown.tree.leaves(), leaves, "tests of {node_size} literals");
        if node_size == 2 {
            let values: Vec<f64> = grown.tree.paths().iter().map(|path| path.leaf.value).collect();
            assert_eq!(values, [0.75, -0.25]);
            assert_eq!(assign::values(&grown.tree, &coverage), gradients);
            let films = world.database.predicates.find("film", 2).unwrap();
            let test: Vec<Literal> = grown.tree.paths()[0].literals.iter().map(|&l| l.clone()).collect();
            let arg = |v| Argument::Variable(Variable(v));
            let [with_a, with_b] = [0, 1].map(|v| Literal::new(films, vec![arg(2), arg(v)]));
            assert_eq!(test, [with_a, with_b]);
            // Only the root is expanded: both leaves have no error left.
            assert_eq!((grown.statistics.expansions, grown.statistics.closed), (1, 0));
        } else {
            assert_eq!((grown.statistics.expansions, grown.statistics.closed), (1, 1));
        }
    }
}

#[test]
fn given_tests_are_candidates_beside_those_of_the_modes() {
    let world = films();
    let (coverage, gradients, all) = (world.coverage(), initial_gradients(&world), Bits::ones(world.examples.len()));
    let films = world.database.predicates.find("film", 2).unwrap();
    let arg = |v| Argument::Variable(Variable(v));
    let chain = vec![Literal::new(films, vec![arg(9), arg(0)]), Literal::new(films, vec![arg(9), arg(1)])];
    let language = world.language(1).with_tests(vec![chain]);
    let grown = Grower::new(&coverage, &language, GrowOptions::default()).grow(&Mean, &gradients, &all, 0, 0);
    assert_eq!(assign::values(&grown.tree, &coverage), gradients);
    // Its variable is renamed to the first free one.
    assert_eq!(grown.tree.paths()[0].literals[0].args[0], arg(2));
}

#[test]
fn rescoring_can_overrule_screening() {
    /// Favors small sides: the value is the mean for at most two examples and zero otherwise.
    struct Small;
    impl LeafFitter for Small {
        type Leaf = ();
        fn fit_root(&self, all: Sample<'_>, _: &mut Stream) -> Fit<()> {
            Fit { leaf: (), value: if all.gradients.len() <= 2 { all.mean() } else { 0.0 } }
        }
        fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<()>, Fit<()>) {
            (self.fit_root(yes, stream), self.fit_root(no, stream))
        }
    }
    // `most` covers three of four positives, `few` two of them.
    let modes: [(&str, &[&str]); 3] =
        [("likes", &["+person", "+person"]), ("most", &["+person"]), ("few", &["+person"])];
    let facts = ["most(a)", "most(b)", "most(c)", "few(a)", "few(b)"];
    let positive = [["a", "x"], ["b", "x"], ["c", "x"], ["d", "x"]];
    let world = world_from_text(&modes, &facts, &positive, &[["e", "x"], ["f", "x"], ["g", "x"]]);
    let (coverage, language) = (world.coverage(), world.language(1));
    let gradients = initial_gradients(&world);
    let all = Bits::ones(gradients.len());
    for (rescore, differed, predicate) in [(1, 0, None), (8, 1, Some("few"))] {
        let options = GrowOptions { rescore: Some(rescore), max_leaves: Some(2), ..GrowOptions::default() };
        let grown = Grower::new(&coverage, &language, options).grow(&Small, &gradients, &all, 0, 0);
        assert_eq!((grown.statistics.rescored, grown.statistics.differed), (rescore.min(2) as u64, differed));
        let chosen = grown.tree.paths()[0].literals.first().map(|literal| literal.predicate);
        assert_eq!(chosen.map(|id| world.database.predicates.name(id)), predicate);
    }
}

#[test]
fn samples_without_a_useful_test_give_one_leaf() {
    let modes: [(&str, &[&str]); 2] = [("likes", &["+person", "+person"]), ("never", &["+person"])];
    let world = world_from_text(&modes, &[], &[["a", "b"], ["b", "a"]], &[["a", "a"]]);
    let (coverage, language) = (world.coverage(), world.language(2));
    let grower = Grower::new(&coverage, &language, GrowOptions::default());
    let grown = grower.grow(&Mean, &initial_gradients(&world), &Bits::ones(3), 0, 0);
    assert_eq!((grown.tree.leaves(), grown.statistics.screened, grown.statistics.closed), (1, 0, 1));
    let none = grower.grow(&Mean, &initial_gradients(&world), &Bits::zeros(3), 0, 0);
    assert_eq!((none.tree.leaves(), none.statistics.expansions), (1, 0));
    let flat = grower.grow(&Mean, &[0.5; 3], &Bits::ones(3), 0, 0);
    assert_eq!((flat.tree.leaves(), flat.statistics.expansions), (1, 0));
}
