//! Facts parsed and indexed per second: `cargo bench --bench load`.
//!
//! One thread, so that figures are per core. `ten_million` measures memory.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lrbm::internal::data::generate::{Domain, DomainCounts, GeneratorSettings, write_directory};
use lrbm::internal::data::load::{LoadOptions, load};

const FACTS: u64 = 1_000_000;

fn read_and_index(criterion: &mut Criterion) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    let mut group = criterion.benchmark_group("read and index");
    group.sample_size(10);
    for domain in [Domain::Movies, Domain::University, Domain::Citations] {
        let scale = FACTS / DomainCounts::of(domain, &domain.settings()).facts;
        let settings = GeneratorSettings::new(scale as u32, domain.info().seed, 0.0).expect("a scale in range");
        let home = tempfile::tempdir().expect("a temporary directory");
        let counts = write_directory(domain, &settings, home.path()).expect("enough disk space");
        // Examples are not measured: one per label suffices.
        for label in ["pos", "neg"] {
            keep_first_line(&home.path().join(format!("train_{label}.txt")));
        }
        group.throughput(Throughput::Elements(counts.facts));
        group.bench_function(domain.info().id, |bencher| {
            bencher.iter(|| one.install(|| black_box(load(home.path(), &LoadOptions::default()).expect("valid data"))));
        });
    }
    group.finish();
}

fn keep_first_line(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a file just written");
    std::fs::write(path, text.lines().next().unwrap_or_default()).expect("enough disk space");
}

criterion_group!(benches, read_and_index);
criterion_main!(benches);
