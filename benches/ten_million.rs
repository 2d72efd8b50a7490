//! Loading of ten million facts: facts per CPU second, bytes per fact, peak memory.
//!
//! `cargo bench --bench ten_million [-- FACTS]`. Not a criterion benchmark: a single run is long
//! enough for stable figures, and the peak memory of a process never falls. CPU seconds are summed
//! over threads, so that figures are per core and hardly depend on other load.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use lrbm::internal::data::generate::{Domain, DomainSink, GeneratorSettings, Name};
use lrbm::internal::data::load::{LoadOptions, load};

#[path = "cases/process.rs"]
mod process;

use process::{cpu_seconds, memory};

/// Writes facts only; the caller adds one example, because a directory without examples is
/// rejected.
struct Files {
    facts: BufWriter<File>,
    count: u64,
}

impl DomainSink for Files {
    type Error = std::io::Error;

    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> std::io::Result<()> {
        self.count += 1;
        write!(self.facts, "{predicate}(")?;
        for (i, arg) in args.iter().enumerate() {
            write!(self.facts, "{}{arg}", if i > 0 { "," } else { "" })?;
        }
        writeln!(self.facts, ").")
    }

    fn example(&mut self, _: bool, _: &[Name]) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: u64 = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(10_000_000);
    println!("domain      facts       MB  CPU s  wall s  Mfacts/CPU s  bytes/fact  peak/held");
    // The peak of a process never falls, so each domain runs in a process of its own.
    if let Some(id) = std::env::args().skip_while(|arg| arg != "--domain").nth(1) {
        return measure(Domain::find(&id)?, wanted);
    }
    for id in ["movies", "university", "citations"] {
        let child = std::process::Command::new(std::env::current_exe()?)
            .args([&wanted.to_string(), "--domain", id])
            .output()?;
        let text = String::from_utf8_lossy(&child.stdout);
        println!("{}", text.lines().last().unwrap_or("failed"));
        eprint!("{}", String::from_utf8_lossy(&child.stderr));
    }
    Ok(())
}

fn measure(domain: Domain, wanted: u64) -> Result<(), Box<dyn std::error::Error>> {
    let home = std::env::temp_dir().join(format!("lrbm-ten-million-{}", std::process::id()));
    let result = measure_in(&home, domain, wanted);
    fs::remove_dir_all(&home)?;
    result
}

fn measure_in(home: &Path, domain: Domain, wanted: u64) -> Result<(), Box<dyn std::error::Error>> {
    let info = domain.info();
    fs::create_dir_all(home)?;
    let per_scale = lrbm::internal::data::generate::DomainCounts::of(domain, &domain.settings()).facts;
    let settings = GeneratorSettings::new(wanted.div_ceil(per_scale) as u32, info.seed, 0.0)?;
    let mut files = Files { facts: BufWriter::new(File::create(home.join("train_facts.txt"))?), count: 0 };
    domain.generate(&settings, &mut files)?;
    files.facts.flush()?;
    fs::write(home.join("train_bk.txt"), info.modes().collect::<Vec<_>>().join("\n"))?;
    fs::write(home.join("train_pos.txt"), format!("{}(a,b).", info.target))?;
    let megabytes = fs::metadata(home.join("train_facts.txt"))?.len() as f64 / 1e6;
    let (before, start, resident) = (cpu_seconds()?, Instant::now(), memory("VmRSS:")?);
    let loaded = load(home, &LoadOptions::default())?;
    let (cpu, wall) = (cpu_seconds()? - before, start.elapsed().as_secs_f64());
    let facts = loaded.database.facts.len() as f64;
    let held = loaded.database.bytes() as f64;
    let peak = (memory("VmHWM:")? - resident) as f64;
    println!(
        "{:<10} {:>10} {megabytes:>7.0} {cpu:>6.2} {wall:>7.2} {:>13.2} {:>11.1} {:>10.2}",
        info.id,
        facts,
        files.count as f64 / cpu / 1e6,
        held / facts,
        peak / held
    );
    Ok(())
}
