//! A great many inputs, made from good ones by a seeded hand, for everything that reads what others wrote. Whatever they are: no
//! panic, no hang, no memory without bounds, and what is taken says so in a way that can be checked.
//!
//! `LRBM_FUZZ_INPUTS` sets how many inputs there are in all, and `LRBM_FUZZ_SEED` others than those of every day. An input that breaks something is
//! written to `target/tmp/fuzz`; mended, it is kept in `tests/fuzz/corpus/TARGET`, which every run begins with.

mod mutate;
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lrbm::experiment::run::machine;
use mutate::Mutator;
use targets::{TARGETS, Target};

/// How many inputs there are in all, unless somebody says.
const INPUTS: u64 = 110_000;
/// No input may take longer. The slowest take a hundredth of that on a quiet machine.
const LONGEST: Duration = Duration::from_secs(20);
/// No input, of at most a mebibyte, may need more, with all that run beside it.
const MOST_MEMORY: u64 = 2 << 30;

fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a whole number"))
}

/// The input that is being tried.
type Current = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

/// Ends everything if an input takes too long or too much, and keeps the input.
fn watch(target: &'static str, current: &Current) {
    let current = Arc::clone(current);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let held = current.lock().unwrap();
            let Some((began, input)) = held.as_ref() else { continue };
            let memory = machine::memory_bytes().unwrap_or(0);
            let what = match (began.elapsed() > LONGEST, memory > MOST_MEMORY) {
                (true, _) => format!("took longer than {LONGEST:?}"),
                (_, true) => format!("is one of those at {memory} bytes of memory"),
                _ => continue,
            };
            eprintln!("{target}: an input {what}: {}", keep(target, input).display());
            std::process::abort();
        }
    });
}

fn keep(target: &str, input: &[u8]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(target);
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join(lrbm::files::digest::sha256(input).get(..16).unwrap());
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

fn try_all(name: &str) {
    let target: &'static Target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let share = TARGETS.iter().map(|target| target.share).sum::<u64>();
    let inputs = (number("LRBM_FUZZ_INPUTS", INPUTS) * target.share).div_ceil(share);
    let seed = number("LRBM_FUZZ_SEED", 20_200_120);
    let current: Current = Arc::default();
    watch(target.name, &current);
    let seeds = (target.seeds)();
    let kept = corpus(target.name);
    // What is slow to read is tried as it is, but not a thousand times.
    let short = kept.iter().filter(|input| input.len() < 4096);
    let known = seeds.iter().chain(short).cloned().collect();
    let mutator = Mutator::new(known, target.largest);
    let (mut taken, mut slowest) = (0u64, Duration::ZERO);
    let mut attempt = |input: Vec<u8>| {
        let began = Instant::now();
        *current.lock().unwrap() = Some((began, input.clone()));
        let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        *current.lock().unwrap() = None;
        let took = began.elapsed();
        if took > slowest.max(Duration::from_secs(1)) {
            println!("slow: {took:?}: {}", keep(name, &input).display());
        }
        slowest = slowest.max(took);
        match result {
            Ok(is_taken) => taken += u64::from(is_taken),
            Err(_) => panic!("{name}: an input broke something: {}", keep(name, &input).display()),
        }
        result.unwrap_or_default()
    };
    for seed in &seeds {
        assert!(attempt(seed.clone()), "{name}: a good input was refused:\n{}", String::from_utf8_lossy(seed));
    }
    for input in kept {
        attempt(input);
    }
    for place in 0..inputs {
        attempt(mutator.input(seed, target.name, place));
    }
    let tried = inputs + seeds.len() as u64;
    println!("figure: inputs to {name}: {tried} ({taken} taken, the slowest {:.3} s)", slowest.as_secs_f64());
    // A target that takes nothing is knocked at, not tried.
    assert!(taken * 200 >= tried, "{name}: only {taken} of {tried} inputs were taken");
}

macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { try_all(&stringify!($name).replace('_', "-")); })*

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
    models,
    networks,
    directories,
    runs,
    reports,
    archives,
];
