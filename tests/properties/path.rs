//! Relational pathfinding compared with an enumeration of all chains that the modes allow in some
//! order and that cover a positive example.

use std::collections::{BTreeMap, BTreeSet};

use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, Mode, TimeRule, TimeSource, TypeId, naive};
use lrbm::internal::learn::{Kind, Model, Unchecked, train};
use lrbm::internal::logic::clause::show_conjunction;
use lrbm::internal::logic::{Argument, Constant, Literal, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Variable};
use lrbm::internal::tree::path::{PathOptions, chains};
use proptest::prelude::*;

/// A small random database with examples.
struct World {
    database: Database,
    target: PredicateId,
    examples: Vec<Example>,
}

const TYPES: [&str; 2] = ["person", "film"];

fn draw<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[stream.index(from.len())]
}

fn declare(
    builder: &mut DatabaseBuilder,
    name: &str,
    types: &[usize],
    symbols: &[ModeSymbol],
    limits: (Option<u32>, Option<u32>),
) {
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
        max: limits.0,
        max_per_input: limits.1,
        target: None,
    };
    builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
}

impl World {
    fn new(seed: u64) -> World {
        let stream = &mut Stream::new(seed, &["world"]);
        let mut builder = DatabaseBuilder::new();
        let mut names = |prefix: &str| -> Vec<Constant> {
            (0..3).map(|i| builder.symbols.intern(&format!("{prefix}{i}")).unwrap()).collect()
        };
        let of_type = [names("ann"), names("alien")];
        let arity = draw(stream, &[1, 2, 2, 2, 3]);
        let target_types: Vec<usize> = (0..arity).map(|_| stream.index(2)).collect();
        declare(&mut builder, "target", &target_types, &vec![ModeSymbol::Input; arity], (None, None));
        let target = builder.predicates.find("target", arity).unwrap();
        let limited = stream.index(3) == 0;
        for p in 0..3 {
            let (name, arity) = (format!("p{p}"), draw(stream, &[1, 2, 2, 2, 3]));
            let types: Vec<usize> = (0..arity).map(|_| stream.index(2)).collect();
            let modes = 1 + stream.index(3);
            for _ in 0..modes {
                use ModeSymbol::*;
                let all = [
                    Input,
                    Input,
                    Input,
                    Output,
                    Output,
                    Output,
                    Constant,
                    NotHead,
                    New,
                    InBody,
                    Once,
                    OutputOrConstant,
                ];
                let symbols: Vec<ModeSymbol> = (0..arity).map(|_| draw(stream, &all)).collect();
                // Occasionally another mode has other types. Limits are exact only for a single
                // mode.
                let other: Vec<usize> = types.iter().map(|&t| if stream.index(12) == 0 { 1 - t } else { t }).collect();
                let limit = |stream: &mut Stream| (limited && modes == 1).then(|| 1 + stream.index(2) as u32);
                let limits = (limit(stream), limit(stream));
                declare(&mut builder, &name, &other, &symbols, limits);
            }
            let predicate = builder.predicates.find(&name, arity).unwrap();
            for _ in 0..stream.index(9) {
                let args: Vec<_> = types.iter().map(|&t| draw(stream, &of_type[t])).collect();
                builder.fact(predicate, &args).unwrap();
            }
        }
        // Positives are also facts of the target; no chain may use them.
        let example = |stream: &mut Stream| Example {
            args: target_types.iter().map(|&t| draw(stream, &of_type[t])).collect(),
            positive: stream.index(3) > 0,
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples: Vec<Example> = (0..1 + stream.index(5)).map(|_| example(stream)).collect();
        for example in examples.iter().filter(|example| example.positive) {
            builder.fact(target, &example.args).unwrap();
        }
        let mut rule = None;
        if stream.index(3) == 0 {
            let time = builder.predicates.intern("time", 2);
            for &entity in of_type[0].iter().chain(&of_type[1][1..]) {
                let when = builder.symbols.intern_number(f64::from(stream.index(3) as u32)).unwrap();
                builder.fact(time, &[entity, when]).unwrap();
            }
            let by_argument = if stream.index(2) == 0 { vec!["p0".to_owned()] } else { Vec::new() };
            rule = Some(TimeRule { source: TimeSource::Predicate("time".to_owned()), by_argument });
        }
        builder.schema.add_target(target);
        let (database, _) = builder.build(rule.as_ref()).unwrap();
        World { database, target, examples }
    }

    fn arity(&self) -> usize {
        self.database.predicates.arity(self.target)
    }

    fn chains(&self, max_length: usize, change: impl Fn(&mut PathOptions)) -> Vec<Vec<Literal>> {
        let mut options =
            PathOptions { max_length, max_chains: 100_000, constant_share: 0.0, ..PathOptions::default() };
        change(&mut options);
        chains(&self.database, self.target, &self.examples, &options)
    }

    /// Returns the number of positives that a conjunction covers.
    fn support(&self, conjunction: &[Literal]) -> usize {
        let holds = |e: &&Example| naive::covers(&self.database, conjunction, self.target, &e.args);
        self.examples.iter().filter(|e| e.positive).filter(holds).count()
    }

    fn text(&self, conjunction: &[Literal]) -> String {
        show_conjunction(conjunction, &self.database.predicates, &self.database.symbols).to_string()
    }

    /// Renames the variables beyond the head in order of occurrence.
    fn renamed(&self, conjunction: &[Literal]) -> Vec<Literal> {
        let mut names = Vec::new();
        let mut rename = |arg: &Argument| match *arg {
            Argument::Variable(v) if v.0 as usize >= self.arity() => {
                let index = names.iter().position(|&name| name == v).unwrap_or_else(|| {
                    names.push(v);
                    names.len() - 1
                });
                Argument::Variable(Variable((self.arity() + index) as u32))
            }
            other => other,
        };
        let literal = |l: &Literal| Literal::new(l.predicate, l.args.iter().map(&mut rename).collect());
        conjunction.iter().map(literal).collect()
    }

    /// Returns a normal form that does not depend on the order of literals.
    fn normal(&self, conjunction: &[Literal]) -> Vec<Literal> {
        let orders = permutations(conjunction.len());
        let in_order = |order: &Vec<usize>| order.iter().map(|&i| conjunction[i].clone()).collect::<Vec<_>>();
        orders.iter().map(|order| self.renamed(&in_order(order))).min().unwrap()
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let with = |shorter: Vec<usize>| {
        (0..n).map(move |at| {
            let mut order = shorter.clone();
            order.insert(at, n - 1);
            order
        })
    };
    permutations(n - 1).into_iter().flat_map(with).collect()
}

/// A variable, its type, and whether `$` introduced it.
type Known = (Variable, TypeId, bool);

/// Returns the known variables after adding a literal by a mode, or `None` if the mode forbids it.
fn add(world: &World, mode: &Mode, literal: &Literal, added: &[Literal], known: &[Known]) -> Option<Vec<Known>> {
    use ModeSymbol::*;
    if mode.predicate != literal.predicate {
        return None;
    }
    let mut after = known.to_vec();
    for (slot, arg) in mode.args.iter().zip(&literal.args) {
        let allowed = match *arg {
            Argument::Constant(_) => matches!(slot.symbol, Constant | OutputOrConstant),
            Argument::Number(_) => false,
            Argument::Variable(v) => match known.iter().find(|known| known.0 == v) {
                Some(&(_, type_id, once)) => {
                    let in_body = || added.iter().any(|other| other.variables().any(|w| w == v));
                    let reuse = match slot.symbol {
                        Input | Output | OutputOrConstant => true,
                        NotHead => v.0 as usize >= world.arity(),
                        InBody => in_body(),
                        _ => false,
                    };
                    reuse && !once && type_id == slot.type_id
                }
                None => {
                    after.push((v, slot.type_id, slot.symbol == Once));
                    matches!(slot.symbol, Output | OutputOrConstant | New | Once)
                }
            },
        };
        if !allowed {
            return None;
        }
    }
    let same = || added.iter().filter(|other| other.predicate == literal.predicate);
    let inputs: Vec<usize> = (0..mode.args.len()).filter(|&k| mode.args[k].symbol == Input).collect();
    let same_input = |other: &&Literal| inputs.iter().all(|&k| other.args[k] == literal.args[k]);
    let within = mode.max.is_none_or(|max| same().count() < max as usize)
        && mode.max_per_input.is_none_or(|max| same().filter(same_input).count() < max as usize);
    within.then_some(after)
}

/// Returns whether the literals can be added one by one, in some order and by some modes.
fn addable(world: &World, rest: &[Literal], added: &[Literal], known: &[Known]) -> bool {
    rest.is_empty()
        || (0..rest.len()).any(|i| {
            let others: Vec<Literal> =
                rest.iter().enumerate().filter(|&(k, _)| k != i).map(|(_, l)| l.clone()).collect();
            let now: Vec<Literal> = added.iter().chain([&rest[i]]).cloned().collect();
            let after = |mode: &Mode| add(world, mode, &rest[i], added, known);
            world.database.schema.modes().iter().filter_map(after).any(|known| addable(world, &others, &now, &known))
        })
}

fn is_allowed(world: &World, chain: &[Literal]) -> bool {
    let types = world.database.schema.argument_types(world.target).unwrap();
    let known: Vec<Known> = types.iter().enumerate().map(|(v, &t)| (Variable(v as u32), t, false)).collect();
    chain.iter().all(|literal| literal.predicate != world.target) && addable(world, chain, &[], &known)
}

/// Returns the variables of the head at both ends, the second `None` for a constant; `None` if the
/// literals are not a chain.
fn ends(world: &World, chain: &[Literal]) -> Option<(u32, Option<u32>)> {
    let arity = world.arity() as u32;
    let of = |l: &Literal| l.variables().collect::<Vec<_>>();
    let heads = |l: &Literal| of(l).into_iter().filter(|v| v.0 < arity).collect::<Vec<_>>();
    let mut uses: Vec<Variable> = chain.iter().flat_map(of).filter(|v| v.0 >= arity).collect();
    uses.sort();
    let shared = |pair: &[Literal]| of(&pair[0]).iter().filter(|v| of(&pair[1]).contains(v)).count();
    let linked = chain.windows(2).all(|pair| shared(pair) == 1);
    let links = uses.windows(2).filter(|pair| pair[0] == pair[1]).count();
    let all_heads: Vec<Variable> = chain.iter().flat_map(heads).collect();
    if !linked || links + 1 != chain.len() {
        return None;
    }
    let (first, last) = (chain.first()?, chain.last()?);
    match all_heads[..] {
        // A single literal has both, in any order.
        [a, b] if chain.len() == 1 => Some((a.min(b).0, Some(a.max(b).0))),
        [a, b] if heads(first).first() == Some(&a) && heads(last).last() == Some(&b) => Some((a.0, Some(b.0))),
        [a] if arity == 1 && heads(first) == [a] => {
            last.args.iter().any(|arg| matches!(arg, Argument::Constant(_))).then_some((a.0, None))
        }
        _ => None,
    }
}

/// Enumerates the chains that cover a positive example, and keeps those the modes allow.
struct Enumeration<'w> {
    world: &'w World,
    max_length: usize,
    found: BTreeSet<Vec<Literal>>,
}

impl Enumeration<'_> {
    /// Adds all chains that extend these literals through the variable `link`.
    fn extend(&mut self, chain: &[Literal], first: u32, link: Variable) {
        if chain.len() == self.max_length {
            return;
        }
        let arity = self.world.arity() as u32;
        let used = chain.iter().flat_map(Literal::variables).map(|v| v.0 + 1).max().unwrap_or(0).max(arity);
        let database = &self.world.database;
        let has_mode = |&p: &PredicateId| p != self.world.target && database.schema.modes_of(p).next().is_some();
        for predicate in database.predicates.iter().filter(has_mode) {
            let arguments = database.predicates.arity(predicate);
            for from in 0..arguments {
                let mut fillings: Vec<Vec<Argument>> = vec![Vec::new()];
                for k in 0..arguments {
                    let mut choices = vec![Argument::Variable(Variable(used + k as u32))];
                    choices.extend(database.facts.relation(predicate).values(k).into_iter().map(Argument::Constant));
                    choices.extend((first + 1..arity).map(|v| Argument::Variable(Variable(v))));
                    if k == from {
                        choices = vec![Argument::Variable(link)];
                    }
                    let longer =
                        |args: &Vec<Argument>| choices.iter().map(|c| [&args[..], &[*c]].concat()).collect::<Vec<_>>();
                    fillings = fillings.iter().flat_map(longer).collect();
                }
                for args in fillings {
                    let literal = Literal::new(predicate, args);
                    let longer: Vec<Literal> = chain.iter().cloned().chain([literal.clone()]).collect();
                    // Coverage is anti-monotone.
                    if self.world.support(&longer) == 0 {
                        continue;
                    }
                    if ends(self.world, &longer).is_some() && is_allowed(self.world, &longer) {
                        self.found.insert(self.world.renamed(&longer));
                    }
                    let links = literal.variables().filter(|&v| v.0 >= used);
                    links.for_each(|link| self.extend(&longer, first, link));
                }
            }
        }
    }
}

/// Guards against vacuous properties.
#[test]
fn random_worlds_have_chains_of_every_kind() {
    let mut kinds: BTreeMap<(usize, usize, bool), usize> = BTreeMap::new();
    for seed in 0..300 {
        let world = World::new(seed);
        for chain in world.chains(3, |_| {}) {
            let constants = chain.iter().any(|l| l.args.iter().any(|arg| matches!(arg, Argument::Constant(_))));
            *kinds.entry((world.arity(), chain.len(), constants)).or_default() += 1;
        }
    }
    for arity in 1..=3 {
        for length in 1..=3 {
            // With one variable, chains end in a constant; otherwise they may or may not contain
            // one.
            for constants in if arity == 1 { &[true][..] } else { &[false, true] } {
                let found = kinds.get(&(arity, length, *constants)).copied().unwrap_or(0);
                assert!(found >= 5, "{found} of {:?} in {kinds:?}", (arity, length, constants));
            }
        }
    }
}

/// Builds a database from modes such as `+paper -venue` and facts such as `p1 v1`.
fn database(modes: &[(&str, &str)], facts: &[(&str, String)]) -> DatabaseBuilder {
    let mut builder = DatabaseBuilder::new();
    for (name, args) in modes {
        let arg = |word: &str| ModeArg::Typed {
            symbol: word.chars().next().and_then(ModeSymbol::from_char).unwrap(),
            type_name: word[1..].to_owned(),
            constant: None,
            limit: None,
        };
        let declaration = ModeDeclaration {
            predicate: (*name).to_owned(),
            args: args.split(' ').map(arg).collect(),
            withdrawn: false,
            max: None,
            max_per_input: None,
            target: None,
        };
        builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
    }
    for (name, args) in facts {
        let args: Vec<Constant> = args.split(' ').map(|word| builder.symbols.intern(word).unwrap()).collect();
        let predicate = builder.predicates.intern(name, args.len());
        builder.fact(predicate, &args).unwrap();
    }
    builder
}

fn example(builder: &mut DatabaseBuilder, args: &str, positive: bool) -> Example {
    let args = args.split(' ').map(|word| builder.symbols.intern(word).unwrap()).collect();
    Example { args, positive, class: 0, weight: 1.0, line: 0 }
}

/// Venues are the same if papers in them are: each even venue equals the next one only.
fn venues() -> World {
    let modes = [
        ("samevenue", "+venue +venue"),
        ("venue", "+paper -venue"),
        ("venue", "-paper +venue"),
        ("samebib", "+paper -paper"),
    ];
    let mut facts = Vec::new();
    for i in 0..20 {
        facts.push(("venue", format!("p{i} v{i}")));
        if i % 2 == 0 {
            facts.push(("samebib", format!("p{i} p{}", i + 1)));
        }
    }
    let mut builder = database(&modes, &facts);
    let mut examples = Vec::new();
    for i in (0..20).step_by(2) {
        for other in [1, 3, 5] {
            examples.push(example(&mut builder, &format!("v{i} v{}", (i + other) % 20), other == 1));
        }
    }
    let target = builder.predicates.find("samevenue", 2).unwrap();
    World { database: builder.build(None).unwrap().0, target, examples }
}

#[test]
fn a_chain_of_three_connects_venues() {
    let world = venues();
    let texts = |max_length| world.chains(max_length, |_| {}).iter().map(|c| world.text(c)).collect::<Vec<_>>();
    assert_eq!(texts(2), [""; 0]);
    assert_eq!(texts(3), ["venue(C, A), samebib(C, D), venue(D, B)"]);
    // Length five: a detour through a venue, before or after. A detour through papers needs a paper
    // that no mode introduces.
    let five = [
        "venue(C, A), venue(C, D), venue(E, D), samebib(E, F), venue(F, B)",
        "venue(C, A), samebib(C, D), venue(D, E), venue(F, E), venue(F, B)",
    ];
    assert_eq!(texts(5)[1..], five);
    assert_eq!(texts(0), [""; 0]);
}

#[test]
fn chains_of_three_separate_the_examples() {
    let world = venues();
    let scores = |path_length: i64| {
        let params = Unchecked::new(Kind::LrbmBoost).spec("path_length", path_length).check().unwrap();
        let World { database, target, examples } = &world;
        let trained = train(Kind::LrbmBoost, database, *target, examples, &params, 1, &mut |_| {}).unwrap();
        trained.model.score(database, *target, examples).unwrap().scores
    };
    let separates = |scores: &[f64]| {
        let of = |label| {
            let both = world.examples.iter().zip(scores);
            both.filter(move |(example, _)| example.positive == label).map(|(_, &score)| score)
        };
        of(true).fold(f64::INFINITY, f64::min) > of(false).fold(f64::NEG_INFINITY, f64::max)
    };
    assert!(separates(&scores(3)));
    assert!(!separates(&scores(2)));
    assert!(!separates(&scores(0)));
}

#[test]
fn chains_lead_from_one_variable_to_frequent_constants() {
    let modes = [("active", "+mol"), ("atom", "+mol -atom"), ("element", "+atom #el"), ("bond", "+atom -atom #kind")];
    let facts = [
        ("atom", "m1 a"),
        ("atom", "m2 b"),
        ("element", "a carbon"),
        ("element", "b carbon"),
        ("bond", "a c double"),
        ("element", "c iron"),
    ];
    let facts: Vec<(&str, String)> = facts.map(|(name, args)| (name, args.to_owned())).into();
    let mut builder = database(&modes, &facts);
    let examples = ["m1", "m2"].map(|name| example(&mut builder, name, true)).into();
    let target = builder.predicates.find("active", 1).unwrap();
    let world = World { database: builder.build(None).unwrap().0, target, examples };
    let texts = |share| -> Vec<String> {
        world.chains(3, |options| options.constant_share = share).iter().map(|chain| world.text(chain)).collect()
    };
    let carbon = "atom(A, B), element(B, carbon)";
    let all = [carbon, "atom(A, B), bond(B, C, double)", "atom(A, B), bond(B, C, double), element(C, iron)"];
    assert_eq!(texts(0.0), all);
    assert_eq!(texts(0.5), all);
    assert_eq!(texts(0.6), [carbon]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn chains_are_connected_allowed_supported_and_distinct(seed in any::<u64>(), max_length in 1usize..=4) {
        let world = World::new(seed);
        let found = world.chains(max_length, |_| {});
        let mut seen = BTreeSet::new();
        for chain in &found {
            let text = world.text(chain);
            prop_assert!((1..=max_length).contains(&chain.len()), "{text}");
            let ends = ends(&world, chain);
            prop_assert!(ends.is_some_and(|(a, b)| b.is_none_or(|b| a < b)), "{text}");
            prop_assert!(is_allowed(&world, chain), "{text}");
            prop_assert!(world.support(chain) > 0, "{text}");
            prop_assert!(seen.insert(world.normal(chain)), "duplicate: {text}");
        }
        let rank = |chain: &Vec<Literal>| {
            (chain.len(), std::cmp::Reverse(world.support(chain)), world.text(chain))
        };
        // Around an example with thousands of longer chains the search is incomplete.
        let complete = &found[..found.partition_point(|chain| chain.len() < 4)];
        prop_assert!(complete.is_sorted_by_key(rank));
    }

    #[test]
    fn threads_change_nothing_and_caps_keep_the_first_chains(seed in any::<u64>(), max_length in 1usize..=3, max_chains in 0usize..12) {
        let world = World::new(seed);
        let all = world.chains(max_length, |_| {});
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            prop_assert_eq!(&pool.install(|| world.chains(max_length, |_| {})), &all);
        }
        let few = world.chains(max_length, |options| options.max_chains = max_chains);
        prop_assert_eq!(few.len(), max_chains.min(all.len()));
        for length in 1..=max_length {
            // Of each length the first ones are kept, at least its share.
            let of = |chains: &[Vec<Literal>]| -> Vec<Vec<Literal>> {
                chains.iter().filter(|chain| chain.len() == length).cloned().collect()
            };
            let (kept, all) = (of(&few), of(&all));
            prop_assert_eq!(&kept[..], &all[..kept.len()]);
            prop_assert!(kept.len() >= all.len().min(max_chains / max_length));
        }
        let one = world.chains(max_length, |options| options.sample = 1);
        prop_assert!(one.iter().all(|chain| all.contains(chain)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chains_equal_the_enumeration(seed in any::<u64>()) {
        let world = World::new(seed);
        let mut reference = Enumeration { world: &world, max_length: 3, found: BTreeSet::new() };
        for first in 0..world.arity() as u32 {
            reference.extend(&[], first, Variable(first));
        }
        let found: BTreeSet<Vec<Literal>> = world.chains(3, |_| {}).iter().map(|chain| world.renamed(chain)).collect();
        let missing: Vec<String> = reference.found.difference(&found).map(|chain| world.text(chain)).collect();
        let wrong: Vec<String> = found.difference(&reference.found).map(|chain| world.text(chain)).collect();
        prop_assert!(missing.is_empty() && wrong.is_empty(), "missing {missing:?}, wrong {wrong:?}");
    }
}
