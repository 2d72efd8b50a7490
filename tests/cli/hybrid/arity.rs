//! Predicates and targets of one to six arguments, compared with the reference evaluator.

use lrbm::internal::cover::{Bits, Coverage};
use lrbm::internal::determinism::Stream;
use lrbm::internal::kb::{Database, DatabaseBuilder, Example, naive};
use lrbm::internal::learn::{Kind, Model, Unchecked, train};
use lrbm::internal::logic::{Argument, Constant, Literal, ModeArg, ModeDeclaration, ModeSymbol, PredicateId, Variable};
use lrbm::internal::tree::{assign, path};
use proptest::prelude::*;

const MAX_ARITY: usize = 6;

struct World {
    database: Database,
    target: PredicateId,
    predicates: Vec<PredicateId>,
    constants: Vec<Constant>,
    examples: Vec<Example>,
}

fn declare(builder: &mut DatabaseBuilder, name: &str, args: Vec<(ModeSymbol, usize)>) -> PredicateId {
    let arg = |(symbol, kind): (ModeSymbol, usize)| ModeArg::Typed {
        symbol,
        type_name: ["person", "thing"][kind].to_owned(),
        constant: None,
        limit: None,
    };
    let arity = args.len();
    let declaration = ModeDeclaration {
        predicate: name.to_owned(),
        args: args.into_iter().map(arg).collect(),
        withdrawn: false,
        max: None,
        max_per_input: None,
        target: None,
    };
    builder.schema.add(&declaration, &mut builder.predicates, &mut builder.symbols).unwrap();
    builder.predicates.find(name, arity).unwrap()
}

impl World {
    /// Creates a target of this arity, and one predicate of each arity from one to six.
    fn new(seed: u64, arity: usize) -> World {
        use ModeSymbol::{Input, Output};
        let mut stream = Stream::new(seed, &["arity"]);
        let mut builder = DatabaseBuilder::new();
        let constants: Vec<Constant> = (0..6).map(|i| builder.symbols.intern(&format!("c{i}")).unwrap()).collect();
        // Three constants of each type.
        let of = |kind: usize, stream: &mut Stream| constants[3 * kind + stream.index(3)];
        let kinds: Vec<usize> = (0..arity).map(|_| stream.index(2)).collect();
        let target = declare(&mut builder, "target", kinds.iter().map(|&kind| (Input, kind)).collect());
        let mut predicates = Vec::new();
        for arity in 1..=MAX_ARITY {
            let kinds: Vec<usize> = (0..arity).map(|_| stream.index(2)).collect();
            let name = format!("p{arity}");
            for _ in 0..2 {
                let symbol = |stream: &mut Stream| [Input, Output, Output, ModeSymbol::Constant][stream.index(4)];
                let args = kinds.iter().map(|&kind| (symbol(&mut stream), kind)).collect();
                declare(&mut builder, &name, args);
            }
            let predicate = builder.predicates.find(&name, arity).unwrap();
            predicates.push(predicate);
            for _ in 0..4 + stream.index(10) {
                let args: Vec<Constant> = kinds.iter().map(|&kind| of(kind, &mut stream)).collect();
                builder.fact(predicate, &args).unwrap();
            }
        }
        let example = |stream: &mut Stream, i: usize| Example {
            args: kinds.iter().map(|&kind| of(kind, stream)).collect(),
            positive: i.is_multiple_of(2),
            class: 0,
            weight: 1.0,
            line: 0,
        };
        let examples = (0..14).map(|i| example(&mut stream, i)).collect();
        builder.schema.add_target(target);
        let (database, _) = builder.build(None).unwrap();
        World { database, target, predicates, constants, examples }
    }

    fn conjunction(&self, arity: usize, stream: &mut Stream) -> Vec<Literal> {
        let variables = arity + 3;
        let literal = |stream: &mut Stream| {
            let k = stream.index(MAX_ARITY);
            let arg = |stream: &mut Stream| match stream.index(7) {
                0 => Argument::Constant(self.constants[stream.index(self.constants.len())]),
                _ => Argument::Variable(Variable(stream.index(variables) as u32)),
            };
            let args = (0..=k).map(|_| arg(stream)).collect();
            Literal { negated: stream.index(6) == 0, ..Literal::new(self.predicates[k], args) }
        };
        (0..1 + stream.index(3)).map(|_| literal(stream)).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn conjunctions_of_any_arity_match_the_reference_evaluator(seed: u64, arity in 1..=MAX_ARITY) {
        let world = World::new(seed, arity);
        let coverage = Coverage::new(&world.database, world.target, &world.examples, 1 << 20);
        let mut stream = Stream::new(seed, &["conjunctions"]);
        for _ in 0..15 {
            let asked = world.conjunction(arity, &mut stream);
            let holds = |i: usize| naive::covers(&world.database, &asked, world.target, &world.examples[i].args);
            prop_assert_eq!(&*coverage.cover(&asked), &Bits::from_fn(world.examples.len(), holds), "{:?}", asked);
        }
    }

    #[test]
    fn models_of_any_arity_match_the_reference_evaluator(seed: u64, arity in 1..=MAX_ARITY) {
        let world = World::new(seed, arity);
        let World { database, target, examples, .. } = &world;
        for kind in [Kind::LrbmBoost, Kind::LrbmNoBoost] {
            let mut unchecked = Unchecked::new(kind).set("max_candidates=2000").unwrap().set("path_length=2").unwrap();
            if kind == Kind::LrbmBoost {
                unchecked = unchecked.set("trees=2").unwrap();
            }
            let params = unchecked.check().unwrap();
            let model = train(kind, database, *target, examples, &params, 1, &mut |_| {}).unwrap().into_trees().unwrap().model;
            let coverage = Coverage::new(database, *target, examples, 1 << 20);
            for tree in model.bind(database) {
                let reached = assign::leaves(&tree, &coverage);
                for (example, id) in examples.iter().zip(reached) {
                    prop_assert_eq!(assign::leaf_naive(&tree, database, *target, &example.args), id);
                }
            }
            let again = lrbm::internal::learn::TreeModel::from_json(&model.to_json()).unwrap();
            let score = |model: &lrbm::internal::learn::TreeModel| model.score(database, *target, examples).unwrap().scores;
            prop_assert_eq!(score(&again), score(&model));
        }
    }

    #[test]
    fn chains_of_any_arity_cover_some_positive(seed: u64, arity in 1..=MAX_ARITY) {
        let world = World::new(seed, arity);
        let World { database, target, examples, .. } = &world;
        let options = path::PathOptions { max_length: 2, ..path::PathOptions::default() };
        for chain in path::chains(database, *target, examples, &options).into_iter().take(40) {
            let holds = |example: &&Example| naive::covers(database, &chain, *target, &example.args);
            prop_assert!(examples.iter().filter(|example| example.positive).any(|e| holds(&e)), "{:?}", chain);
        }
    }
}
