//! One case of the benchmark `coverage`, run once under a tool that counts instructions: see
//! `scripts/instructions`.
//!
//! `cargo bench --bench instructions -- CASE DOMAIN`; without arguments it lists cases and domains.

use lrbm::internal::data::generate::Domain;

#[path = "cases/mod.rs"]
mod cases;

use cases::{CASES, DOMAINS, Prepared, use_one_thread};

/// The counted function; the script selects it by this name.
#[inline(never)]
fn counted_by_valgrind(once: &mut dyn FnMut() -> usize) -> usize {
    std::hint::black_box(once())
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let [case, domain] = &args[..] else {
        for domain in DOMAINS {
            CASES.iter().for_each(|case| println!("{case} {}", domain.info().id));
        }
        return;
    };
    let domain = Domain::find(domain).expect("a generated domain");
    use_one_thread();
    Prepared::new(domain, 2).run(case, |once| println!("{case}: {}", counted_by_valgrind(once)));
}
