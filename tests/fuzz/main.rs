//! Seeded mutation fuzzing of every parser of foreign input: no panic, no hang, bounded memory, and
//! consistency checks on what is accepted.
//!
//! `LRBM_FUZZ_INPUTS` sets the total number of inputs, `LRBM_FUZZ_SEED` another seed. A failing
//! input is saved in `target/tmp/fuzz`; after the fix it belongs in `tests/fuzz/corpus/TARGET`,
//! with which every run starts.
#![cfg(feature = "harness")]

mod mutate;
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lrbm::internal::experiment::run::machine;
use mutate::Mutator;
use targets::{TARGETS, Target};

/// Default total number of inputs.
const INPUTS: u64 = 110_000;
/// Time limit per input; the slowest take a hundredth of that on an idle machine.
const MAX_TIME: Duration = Duration::from_secs(20);
/// Memory limit of the process; inputs have at most 1 MiB.
const MAX_MEMORY: u64 = 2 << 30;

fn env_number(variable: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not an integer"))
}

/// The input under test and its start time.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Aborts and saves the input if it exceeds the time or memory limit.
fn watch(target: &'static str, current: &Current) {
    let current = Arc::clone(current);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let held = current.lock().unwrap();
            let Some((began, input)) = held.as_ref() else { continue };
            let memory = machine::memory_bytes().unwrap_or(0);
            let reason = match (began.elapsed() > MAX_TIME, memory > MAX_MEMORY) {
                (true, _) => format!("took longer than {MAX_TIME:?}"),
                (_, true) => format!("ran at {memory} bytes of memory"),
                _ => continue,
            };
            eprintln!("{target}: an input {reason}: {}", save(target, input).display());
            std::process::abort();
        }
    });
}

fn save(target: &str, input: &[u8]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(target);
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(lrbm::internal::files::digest::sha256(input).get(..16).unwrap());
    fs::write(&path, input).unwrap();
    path
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn fuzz(name: &str) {
    let target: &'static Target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let share = TARGETS.iter().map(|target| target.share).sum::<u64>();
    let inputs = (env_number("LRBM_FUZZ_INPUTS", INPUTS) * target.share).div_ceil(share);
    let seed = env_number("LRBM_FUZZ_SEED", 20_200_120);
    let current: Current = Arc::default();
    watch(target.name, &current);
    let seeds = (target.seeds)();
    let kept = corpus(target.name);
    // Long inputs are tried unchanged but not mutated, since they are slow.
    let short = kept.iter().filter(|input| input.len() < 4096);
    let known = seeds.iter().chain(short).cloned().collect();
    let mutator = Mutator::new(known, target.max_len);
    let (mut accepted, mut slowest) = (0u64, Duration::ZERO);
    let mut attempt = |input: Vec<u8>| {
        let began = Instant::now();
        *current.lock().unwrap() = Some((began, input.clone()));
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        *current.lock().unwrap() = None;
        let took = began.elapsed();
        if took > slowest.max(Duration::from_secs(1)) {
            println!("slow: {took:?}: {}", save(name, &input).display());
        }
        slowest = slowest.max(took);
        match result {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(_) => panic!("{name}: an input caused a panic: {}", save(name, &input).display()),
        }
        result.unwrap_or_default()
    };
    for seed in &seeds {
        assert!(attempt(seed.clone()), "{name}: a valid input was rejected:\n{}", String::from_utf8_lossy(seed));
    }
    for input in kept {
        attempt(input);
    }
    for number in 0..inputs {
        attempt(mutator.input(seed, target.name, number));
    }
    let tried = inputs + seeds.len() as u64;
    println!("figure: inputs to {name}: {tried} ({accepted} taken, the slowest {:.3} s)", slowest.as_secs_f64());
    // A target that rejects nearly everything is not exercised.
    assert!(accepted * 200 >= tried, "{name}: only {accepted} of {tried} inputs were accepted");
}

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { fuzz(&stringify!($name).replace('_', "-")); })*

        #[test]
        fn all_targets_are_tested() {
            let tried = [$(stringify!($name).replace('_', "-")),*];
            let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(all, tried);
        }
    };
}

tests![
    facts,
    background,
    rules,
    queries,
    tables,
    specs,
    manifests,
    mappings,
    imports,
    models,
    networks,
    directories,
    runs,
    reports,
    archives,
];
