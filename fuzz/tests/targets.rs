//! One coverage-guided fuzz target for each of `tests/fuzz/targets`.

#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

use targets::TARGETS;

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name).replace('_', "-");
                let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
                // Valid inputs first: fuzzers keep inputs that reach new code.
                for seed in (target.seeds)() {
                    assert!((target.run)(&seed));
                }
                bolero::check!().with_max_len(target.max_len).for_each(|input: &[u8]| {
                    (target.run)(input);
                });
            }
        )*
    };
}

tests![
    facts, background, rules, queries, tables, specs, manifests, mappings, imports, models, networks, directories, runs, reports, 
    archives,
];
