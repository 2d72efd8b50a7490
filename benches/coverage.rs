//! Time of coverage, candidate generation, split scoring and training: `cargo bench --bench
//! coverage`.
//!
//! One thread, so that figures are per core. `scripts/instructions` counts the instructions of the
//! same cases, which vary less than time.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

#[path = "cases/mod.rs"]
mod cases;

use cases::{CASES, DOMAINS, Prepared, use_one_thread};

fn by_time(criterion: &mut Criterion) {
    use_one_thread();
    for domain in DOMAINS {
        let prepared = Prepared::new(domain, 10);
        for case in CASES {
            let mut group = criterion.benchmark_group(case);
            if case == "train" {
                group.sample_size(10);
            }
            group.bench_function(domain.info().id, |bencher| {
                prepared.run(case, |once| bencher.iter(|| black_box(once())));
            });
        }
    }
}

criterion_group!(benches, by_time);
criterion_main!(benches);
