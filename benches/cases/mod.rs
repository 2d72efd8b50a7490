//! Cases shared by the benchmarks of time (`coverage`) and of instructions (`instructions`).

use lrbm::internal::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::determinism::Stream;
use lrbm::internal::learn::{Kind, Params, Stored, train};
use lrbm::internal::logic::Literal;
use lrbm::internal::tree::{Fit, GrowOptions, Grower, Language, LanguageOptions, LeafFitter, Sample, Screening};

/// The generated domains; `citations` has time limits.
pub const DOMAINS: [Domain; 3] = [Domain::Movies, Domain::University, Domain::Citations];

/// Names of the cases.
pub const CASES: [&str; 4] = ["coverage", "candidates", "scoring", "train"];

/// A generated domain with the inputs of all cases.
pub struct Prepared {
    data: Dataset,
    language: Language,
    /// Candidate tests of the root.
    tests: Vec<Vec<Literal>>,
    gradients: Vec<f64>,
}

/// Fits each leaf by the mean gradient, so that candidates are scored without descent.
struct Mean;

impl LeafFitter for Mean {
    type Leaf = ();
    fn fit_root(&self, all: Sample<'_>, _: &mut Stream) -> Fit<()> {
        Fit { leaf: (), value: all.mean() }
    }
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<()>, Fit<()>) {
        (self.fit_root(yes, stream), self.fit_root(no, stream))
    }
    fn screening(&self) -> Screening {
        Screening::Exact
    }
}

/// Restricts all work to this thread, so that figures are per core and every instruction is
/// counted.
pub fn use_one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("no earlier thread pool");
}

impl Prepared {
    /// Generates a domain of this scale, with label noise, so that trees do not stop early.
    pub fn new(domain: Domain, scale: u32) -> Self {
        let settings = GeneratorSettings::new(scale, domain.info().seed, 0.1).expect("a scale in range");
        let data = load_domain(domain, &settings).expect("a domain that fits in memory");
        let language = Language::new(&data.database, data.target, LanguageOptions::default());
        let gradients = data.examples.iter().map(|example| if example.positive { 0.75 } else { -0.25 }).collect();
        let mut prepared = Prepared { data, language, tests: Vec::new(), gradients };
        prepared.tests = prepared.candidates();
        prepared
    }

    fn new_coverage(&self) -> Coverage<'_> {
        Coverage::new(&self.data.database, self.data.target, &self.data.examples, DEFAULT_MEMORY_BYTES)
    }

    /// Computes the coverage of each test of the root with an empty cache.
    pub fn coverage(&self) -> usize {
        self.new_coverage().cover_all(&self.tests).iter().map(|bits| bits.count()).sum()
    }

    /// Generates the candidates of the root with an empty cache.
    pub fn candidates(&self) -> Vec<Vec<Literal>> {
        let coverage = self.new_coverage();
        let grower = Grower::new(&coverage, &self.language, GrowOptions::default());
        grower.candidates(&[]).into_iter().map(|(test, ..)| test).collect()
    }

    /// Passes `measure` a closure that grows a tree whose coverage is already cached.
    pub fn scoring(&self, measure: impl FnOnce(&mut dyn FnMut() -> usize)) {
        let coverage = self.new_coverage();
        let grower = Grower::new(&coverage, &self.language, GrowOptions::default());
        let all = Bits::ones(self.gradients.len());
        let mut grow = || grower.grow(&Mean, &self.gradients, &all, 1, 0).tree.leaves();
        grow();
        measure(&mut grow);
    }

    /// Trains LRBM-Boost with the defaults.
    pub fn train(&self) -> usize {
        let Dataset { database, target, examples, .. } = &self.data;
        let params = Params::new(Kind::LrbmBoost);
        let trained = train(Kind::LrbmBoost, database, *target, examples, &params, 1, &mut |_| {});
        trained.expect("examples of both classes").model.size().trees
    }

    /// Runs a case; setup is outside of `measure`.
    pub fn run(&self, case: &str, measure: impl FnOnce(&mut dyn FnMut() -> usize)) {
        match case {
            "coverage" => measure(&mut || self.coverage()),
            "candidates" => measure(&mut || self.candidates().len()),
            "scoring" => self.scoring(measure),
            "train" => measure(&mut || self.train()),
            other => panic!("unknown case {other}; expected one of {CASES:?}"),
        }
    }
}
