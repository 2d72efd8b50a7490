//! Coverage, candidates, split scoring and whole models by time: `cargo bench --bench coverage`.
//!
//! One thread, so that the figure is per core. `scripts/instructions` counts instructions of the same cases, which are
//! steady where time is not.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

#[path = "cases/mod.rs"]
mod cases;

use cases::{CASES, DOMAINS, Ready, work_in_one_thread};

fn by_time(criterion: &mut Criterion) {
    work_in_one_thread();
    for domain in DOMAINS {
        let ready = Ready::new(domain, 10);
        for case in CASES {
            let mut group = criterion.benchmark_group(case);
            if case == "train" {
                group.sample_size(10);
            }
            group.bench_function(domain.info().id, |bencher| {
                ready.run(case, |once| bencher.iter(|| black_box(once())));
            });
        }
    }
}

criterion_group!(benches, by_time);
criterion_main!(benches);
