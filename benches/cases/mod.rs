//! What is measured of coverage and split scoring, once by time (`coverage`) and once by instructions (`instructions`).

use lrbm::internal::cover::{Bits, Coverage, DEFAULT_MEMORY_BYTES};
use lrbm::internal::data::embedded::load_domain;
use lrbm::internal::data::generate::{Domain, GeneratorSettings};
use lrbm::internal::data::load::Dataset;
use lrbm::internal::determinism::Stream;
use lrbm::internal::learn::{Kind, Params, Stored, train};
use lrbm::internal::logic::Literal;
use lrbm::internal::tree::{Fit, GrowOptions, Grower, Language, LanguageOptions, LeafFitter, Sample, Screening};

/// The domains, one of them with time limits.
pub const DOMAINS: [Domain; 3] = [Domain::Movies, Domain::University, Domain::Citations];

/// The cases, by name.
pub const CASES: [&str; 4] = ["coverage", "candidates", "scoring", "train"];

/// A generated domain with what the cases need.
pub struct Ready {
    data: Dataset,
    language: Language,
    /// The tests that the root may ask.
    tests: Vec<Vec<Literal>>,
    gradients: Vec<f64>,
}

/// A leaf that is the mean gradient, so that candidates are scored and nothing is fitted.
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

/// Makes this thread the only one that works, so that figures are per core and all is counted.
pub fn work_in_one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("no pool of threads before this one");
}

impl Ready {
    /// A domain of this scale, with some labels wrong, so that trees do not end early.
    pub fn new(domain: Domain, scale: u32) -> Self {
        let settings = GeneratorSettings::new(scale, domain.info().seed, 0.1).expect("a scale in range");
        let data = load_domain(domain, &settings).expect("a domain that fits in memory");
        let language = Language::new(&data.database, data.target, LanguageOptions::default());
        let gradients = data.examples.iter().map(|example| if example.positive { 0.75 } else { -0.25 }).collect();
        let mut ready = Ready { data, language, tests: Vec::new(), gradients };
        ready.tests = ready.candidates();
        ready
    }

    fn new_coverage(&self) -> Coverage<'_> {
        Coverage::new(&self.data.database, self.data.target, &self.data.examples, DEFAULT_MEMORY_BYTES)
    }

    /// Which examples satisfy each test of the root, with nothing known before.
    pub fn coverage(&self) -> usize {
        self.new_coverage().cover_all(&self.tests).iter().map(|bits| bits.count()).sum()
    }

    /// All tests of the root, with nothing known before.
    pub fn candidates(&self) -> Vec<Vec<Literal>> {
        let coverage = self.new_coverage();
        let grower = Grower::new(&coverage, &self.language, GrowOptions::default());
        grower.candidates(&[]).into_iter().map(|(test, ..)| test).collect()
    }

    /// Hands `measure` something that grows one more tree, where every test it asks for is known already.
    pub fn scoring(&self, measure: impl FnOnce(&mut dyn FnMut() -> usize)) {
        let coverage = self.new_coverage();
        let grower = Grower::new(&coverage, &self.language, GrowOptions::default());
        let all = Bits::ones(self.gradients.len());
        let mut grow = || grower.grow(&Mean, &self.gradients, &all, 1, 0).tree.leaves();
        grow();
        measure(&mut grow);
    }

    /// A whole LRBM-Boost model with the defaults.
    pub fn train(&self) -> usize {
        let Dataset { database, target, examples, .. } = &self.data;
        let params = Params::new(Kind::LrbmBoost);
        let trained = train(Kind::LrbmBoost, database, *target, examples, &params, 1, &mut |_| {});
        trained.expect("examples of both classes").model.size().trees
    }

    /// Runs a case; what it does beside what is measured is outside `measure`.
    pub fn run(&self, case: &str, measure: impl FnOnce(&mut dyn FnMut() -> usize)) {
        match case {
            "coverage" => measure(&mut || self.coverage()),
            "candidates" => measure(&mut || self.candidates().len()),
            "scoring" => self.scoring(measure),
            "train" => measure(&mut || self.train()),
            other => panic!("there is no case {other}: {CASES:?}"),
        }
    }
}
