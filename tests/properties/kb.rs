//! The knowledge base against reference implementations: lookups against scans, visibility against
//! the time rule, and the naive evaluator against enumeration of substitutions.

use std::collections::BTreeSet;

use lrbm::internal::kb::{Database, DatabaseBuilder, TimeRule, TimeSource, binding_pattern, naive};
use lrbm::internal::logic::{
    Argument, Constant, Literal, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Severity, Variable,
};
use proptest::prelude::*;
use proptest::sample::Index;

const NAMES: usize = 6;
const NUMBERS: usize = 4;

fn mode(predicate: &str, args: &[(ModeSymbol, &str)]) -> ModeDeclaration {
    let typed = |&(symbol, type_name): &(ModeSymbol, &str)| ModeArg::Typed {
        symbol,
        type_name: type_name.to_owned(),
        constant: None,
        limit: None,
    };
    ModeDeclaration {
        predicate: predicate.to_owned(),
        args: args.iter().map(typed).collect(),
        withdrawn: false,
        max: None,
        max_per_input: None,
        target: None,
    }
}

fn add_mode(builder: &mut DatabaseBuilder, declaration: &ModeDeclaration) {
    builder.schema.add(declaration, &mut builder.predicates, &mut builder.symbols).expect("the mode is valid");
}

/// Interns six names and four numbers; the last of each occurs in no fact.
fn constants(builder: &mut DatabaseBuilder) -> Vec<Constant> {
    let names = (0..NAMES).map(|i| format!("c{i}"));
    let mut all: Vec<Constant> = names.map(|name| builder.symbols.intern(&name).unwrap()).collect();
    all.extend((0..NUMBERS).map(|i| builder.symbols.intern_number(i as f64).unwrap()));
    all
}

/// The constants of a column; the distance between their ids decides how rows are sorted.
#[derive(Clone, Copy, Debug)]
enum ColumnKind {
    Names,
    Numbers,
    Both,
    One,
}

impl ColumnKind {
    fn pick(self, index: Index, all: &[Constant]) -> Constant {
        let (names, numbers) = all.split_at(NAMES);
        let (names, numbers) = (&names[..NAMES - 1], &numbers[..NUMBERS - 1]);
        match self {
            ColumnKind::Names => *index.get(names),
            ColumnKind::Numbers => *index.get(numbers),
            ColumnKind::Both => *index.get(&[names, numbers].concat()),
            ColumnKind::One => names[0],
        }
    }
}

#[derive(Clone, Debug)]
struct RandomTable {
    kinds: Vec<ColumnKind>,
    modes: Vec<Vec<ModeSymbol>>,
    rows: Vec<Vec<Index>>,
    probes: Vec<Vec<Option<Index>>>,
}

fn symbol() -> impl Strategy<Value = ModeSymbol> {
    // `@` needs a constant, which these modes do not have.
    let all: Vec<_> = ModeSymbol::ALL.iter().map(|&(_, s)| s).filter(|&s| s != ModeSymbol::ThisConstant).collect();
    prop_oneof![Just(ModeSymbol::Input), Just(ModeSymbol::Output), prop::sample::select(all)]
}

fn table() -> impl Strategy<Value = RandomTable> {
    let kind = prop::sample::select(vec![
        ColumnKind::Names,
        ColumnKind::Numbers,
        ColumnKind::Both,
        ColumnKind::Both,
        ColumnKind::One,
    ]);
    prop::collection::vec(kind, 0..6).prop_flat_map(|kinds| {
        let arity = kinds.len();
        let modes = prop::collection::vec(prop::collection::vec(symbol(), arity), 0..4);
        let rows = prop::collection::vec(prop::collection::vec(any::<Index>(), arity), 0..60);
        let probes = prop::collection::vec(prop::collection::vec(any::<Option<Index>>(), arity), 0..12);
        (Just(kinds), modes, rows, probes).prop_map(|(kinds, modes, rows, probes)| RandomTable {
            kinds,
            modes,
            rows,
            probes,
        })
    })
}

/// Builds the database of a table; also returns its rows in insertion order.
fn build(table: &RandomTable, reversed: bool) -> (Database, PredicateId, Vec<Constant>, Vec<Vec<Constant>>) {
    let mut builder = DatabaseBuilder::new();
    let all = constants(&mut builder);
    for symbols in &table.modes {
        let args: Vec<_> = symbols.iter().map(|&symbol| (symbol, "thing")).collect();
        add_mode(&mut builder, &mode("p", &args));
    }
    let predicate = builder.predicates.intern("p", table.kinds.len());
    let row = |row: &Vec<Index>| row.iter().zip(&table.kinds).map(|(index, kind)| kind.pick(*index, &all)).collect();
    let mut rows: Vec<Vec<Constant>> = table.rows.iter().map(row).collect();
    if reversed {
        rows.reverse();
    }
    for row in &rows {
        builder.fact(predicate, row).unwrap();
    }
    let (database, warnings) = builder.build(None).unwrap();
    assert!(warnings.iter().all(|w| w.severity == Severity::Warning));
    (database, predicate, all, rows)
}

proptest! {
    #[test]
    fn lookups_agree_with_a_scan(table in table()) {
        let (database, predicate, all, rows) = build(&table, false);
        let relation = database.facts.relation(predicate);
        let distinct: BTreeSet<Vec<Constant>> = rows.iter().cloned().collect();
        prop_assert_eq!(relation.len(), distinct.len());
        prop_assert_eq!(relation.duplicates() as usize, rows.len() - distinct.len());
        let listed: Vec<_> = relation.iter().map(|row| row.to_vec()).collect();
        prop_assert_eq!(listed.len(), distinct.len());
        prop_assert_eq!(&listed.into_iter().collect::<BTreeSet<_>>(), &distinct);

        let (arity, patterns) = (table.kinds.len(), database.schema.patterns(predicate));
        for position in 0..arity {
            let expected: BTreeSet<Constant> = distinct.iter().map(|row| row[position]).collect();
            prop_assert_eq!(relation.values(position), expected.into_iter().collect::<Vec<_>>());
        }
        for probe in &table.probes {
            let values: Vec<Constant> = probe.iter().map(|v| v.map_or(all[0], |v| *v.get(&all))).collect();
            prop_assert_eq!(relation.contains(&values), distinct.contains(&values));
            // All binding patterns of these values, not only the generated one.
            for bits in 0..1u64 << arity {
                let bound: Vec<_> = (0..arity).map(|k| (bits >> k & 1 == 1).then_some(values[k])).collect();
                let matches = |row: &&Vec<Constant>| row.iter().zip(&bound).all(|(c, b)| b.is_none_or(|b| b == *c));
                let expected: Vec<&Vec<Constant>> = distinct.iter().filter(matches).collect();
                let found: Vec<Vec<Constant>> = relation.lookup(&bound).map(|row| row.to_vec()).collect();
                prop_assert_eq!(found.len(), expected.len(), "{:?}", bound);
                prop_assert!(expected.iter().all(|row| found.contains(row)), "{:?}", bound);
                if patterns.contains(&bits) {
                    prop_assert_eq!(relation.lookup(&bound).range().len(), found.len(), "rows are skipped: {:?}", bound);
                }
            }
        }
        for row in &distinct {
            prop_assert!(relation.contains(row));
        }
    }

    #[test]
    fn indexes_are_sufficient_and_necessary_for_the_modes(table in table()) {
        let (database, predicate, ..) = build(&table, false);
        let relation = database.facts.relation(predicate);
        let arity = table.kinds.len();
        let patterns = database.schema.patterns(predicate);
        for &bound in &patterns {
            let Some(id) = relation.index_for(bound) else { return Err(TestCaseError::fail(format!("{bound:b}"))) };
            let width = bound.count_ones() as usize;
            prop_assert_eq!(binding_pattern(relation.index(id).order()[..width].iter().map(|&k| k as usize)), bound);
        }
        // Each index is the only one that serves some pattern.
        let all = binding_pattern(0..arity);
        let serves = |order: &[u32], p: u64| binding_pattern(order[..p.count_ones() as usize].iter().map(|&k| k as usize)) == p;
        let partial: Vec<u64> = patterns.into_iter().filter(|&p| p != 0 && p != all).collect();
        if relation.indexes().len() > 1 {
            for index in relation.indexes() {
                let needed = partial.iter().any(|&p| {
                    serves(index.order(), p) && relation.indexes().iter().filter(|i| serves(i.order(), p)).count() == 1
                });
                prop_assert!(needed, "{:?} is redundant", index.order());
            }
        }
        for index in relation.indexes() {
            let sorted: BTreeSet<u32> = index.order().iter().copied().collect();
            prop_assert_eq!(sorted.len(), arity);
        }
    }

    #[test]
    fn insertion_order_is_irrelevant(table in table()) {
        let (one, ..) = build(&table, false);
        let (other, ..) = build(&table, true);
        prop_assert_eq!(one.facts, other.facts);
    }
}

/// Facts about papers and authors; some papers have a year.
#[derive(Clone, Debug)]
struct TimedFacts {
    years: Vec<Option<i8>>,
    facts: Vec<(usize, [usize; 2])>,
    from_ids: bool,
    body: Vec<(bool, usize, [BodyArgument; 2])>,
}

#[derive(Clone, Copy, Debug)]
enum BodyArgument {
    Variable(u32),
    Constant(usize),
}

const PREDICATES: [&str; 3] = ["cites", "similar", "author"];
/// The papers come first, then as many authors.
const PAPERS: usize = 4;

fn timed() -> impl Strategy<Value = TimedFacts> {
    let slot = prop_oneof![4 => (0..4u32).prop_map(BodyArgument::Variable), 1 => (0..2 * PAPERS).prop_map(BodyArgument::Constant)];
    (
        prop::collection::vec(prop::option::weighted(0.8, 0..4i8), PAPERS),
        prop::collection::vec((0..PREDICATES.len(), [0..2 * PAPERS, 0..2 * PAPERS]), 0..14),
        any::<bool>(),
        prop::collection::vec((prop::bool::weighted(0.3), 0..PREDICATES.len(), [slot.clone(), slot]), 0..4),
    )
        .prop_map(|(years, facts, from_ids, body)| TimedFacts { years, facts, from_ids, body })
}

struct TimedDatabase {
    database: Database,
    target: PredicateId,
    predicates: [PredicateId; 3],
    constants: Vec<Constant>,
}

impl TimedFacts {
    fn build(&self) -> Option<TimedDatabase> {
        let mut builder = DatabaseBuilder::new();
        let (plus, minus) = (ModeSymbol::Input, ModeSymbol::Output);
        for name in ["cites", "similar", "target"] {
            add_mode(&mut builder, &mode(name, &[(plus, "paper"), (minus, "paper")]));
        }
        add_mode(&mut builder, &mode("author", &[(plus, "paper"), (minus, "person")]));
        let paper = |i: usize| match self.years[i] {
            Some(year) if self.from_ids => format!("p{i}_", i = ["a", "b", "c", "d"][i]) + &year.to_string(),
            _ => format!("p{}", ["a", "b", "c", "d"][i]),
        };
        let person = |i: usize| format!("x{}", ["a", "b", "c", "d"][i]);
        let names = (0..PAPERS).map(paper).chain((0..PAPERS).map(person));
        let constants: Vec<Constant> = names.map(|name| builder.symbols.intern(&name).unwrap()).collect();
        let predicates = PREDICATES.map(|name| builder.predicates.intern(name, 2));
        for (which, args) in &self.facts {
            builder.fact(predicates[*which], &args.map(|i| constants[i])).unwrap();
        }
        let source = if self.from_ids {
            TimeSource::Ids { type_name: "paper".into() }
        } else {
            let year = builder.predicates.intern("year", 2);
            for (i, known) in self.years.iter().enumerate().filter_map(|(i, year)| Some((i, (*year)?))) {
                let number = builder.symbols.intern_number(f64::from(known)).unwrap();
                builder.fact(year, &[constants[i], number]).unwrap();
            }
            // A rule without any year is an error.
            self.years.iter().flatten().next()?;
            TimeSource::Predicate("year".into())
        };
        let target = builder.predicates.find("target", 2).unwrap();
        let rule = TimeRule { source, by_argument: vec!["cites".into()] };
        let (database, _) = builder.build(Some(&rule)).unwrap();
        Some(TimedDatabase { database, target, predicates, constants })
    }

    /// Returns the time of a constant at an argument position, by the definition of the rule.
    fn time(&self, which: Option<usize>, position: usize, constant: usize) -> Option<i8> {
        let is_paper_position = which.is_none_or(|which| PREDICATES[which] != "author" || position == 0);
        if constant >= PAPERS || (self.from_ids && !is_paper_position) { None } else { self.years[constant] }
    }

    fn visible(&self, which: usize, args: [usize; 2], limit: Option<i8>) -> bool {
        let Some(limit) = limit else { return true };
        if PREDICATES[which] == "cites" {
            return self.time(Some(which), 0, args[0]).is_none_or(|time| time < limit);
        }
        (0..2).filter_map(|k| self.time(Some(which), k, args[k])).all(|time| time <= limit)
    }

    fn limit(&self, head: [usize; 2]) -> Option<i8> {
        (0..2).find_map(|k| self.time(None, k, head[k]))
    }

    /// Whether some substitution satisfies all literals, by enumeration.
    fn covers(&self, head: [usize; 2]) -> bool {
        let limit = self.limit(head);
        let is_fact =
            |which: usize, args: [usize; 2]| self.facts.contains(&(which, args)) && self.visible(which, args, limit);
        let positive = |v: u32| {
            let mentions =
                |slots: &[BodyArgument; 2]| slots.iter().any(|s| matches!(s, BodyArgument::Variable(w) if *w == v));
            v < 2 || self.body.iter().any(|(negated, _, slots)| !negated && mentions(slots))
        };
        let all = 0..2 * PAPERS;
        let pairs = || all.clone().flat_map(|a| all.clone().map(move |b| [a, b]));
        let value = |slot: BodyArgument, values: [usize; 4]| match slot {
            BodyArgument::Variable(v) => values[v as usize],
            BodyArgument::Constant(c) => c,
        };
        pairs().any(|[c, d]| {
            let values = [head[0], head[1], c, d];
            self.body.iter().all(|(negated, which, slots)| {
                if !negated {
                    return is_fact(*which, slots.map(|s| value(s, values)));
                }
                // Unbound variables range over all constants, independently in each literal.
                !pairs().any(|[e, f]| {
                    let free = |v: u32, bound: usize, own: usize| if positive(v) { bound } else { own };
                    let values = [head[0], head[1], free(2, c, e), free(3, d, f)];
                    is_fact(*which, slots.map(|s| value(s, values)))
                })
            })
        })
    }
}

proptest! {
    #[test]
    fn visibility_follows_the_time_rule(timed in timed()) {
        let Some(built) = timed.build() else { return Ok(()) };
        let times = built.database.times.as_ref().unwrap();
        for a in 0..2 * PAPERS {
            for b in 0..2 * PAPERS {
                let args = [built.constants[a], built.constants[b]];
                let limit = timed.limit([a, b]).map(f64::from);
                prop_assert_eq!(times.of_example(built.target, &args), limit);
                for (which, name) in PREDICATES.iter().enumerate() {
                    for limit in [None, Some(-1), Some(0), Some(1), Some(2), Some(3), Some(4)] {
                        let found = times.visible(built.predicates[which], &args, limit.map(f64::from));
                        let expected = timed.visible(which, [a, b], limit);
                        prop_assert_eq!(found, expected, "{} {} {} {:?}", name, a, b, limit);
                    }
                }
            }
        }
    }

    #[test]
    fn the_naive_evaluator_agrees_with_enumeration(timed in timed(), heads in prop::collection::vec([0..2 * PAPERS, 0..2 * PAPERS], 6)) {
        let Some(built) = timed.build() else { return Ok(()) };
        let argument = |slot: BodyArgument| match slot {
            BodyArgument::Variable(v) => Argument::Variable(Variable(v)),
            BodyArgument::Constant(c) => Argument::Constant(built.constants[c]),
        };
        let literal = |&(negated, which, slots): &(bool, usize, [BodyArgument; 2])| Literal {
            negated,
            predicate: built.predicates[which],
            args: slots.map(argument).to_vec(),
        };
        let body: Vec<Literal> = timed.body.iter().map(literal).collect();
        for head in heads {
            let args = head.map(|i| built.constants[i]);
            let found = naive::covers(&built.database, &body, built.target, &args);
            prop_assert_eq!(found, timed.covers(head), "{:?}", head);
        }
    }
}
