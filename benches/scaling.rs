//! Growth of time and memory with the data: LRBM-Boost on generated domains of 10⁴ to 10⁷ facts.
//!
//! `cargo bench --bench scaling [-- [MAX_FACTS] [--domain ID]]`. Writes `results/bench/scaling.csv`
//! and `scaling.md`; with `--domain`, the rows of other domains stay as they are. Not a criterion
//! benchmark: see `ten_million`. Examples come from the generator, so their number grows with the
//! facts.
//!
//! Each size runs in a process of its own, which reads the files and trains with the defaults.
//! Exponents are slopes of least-squares lines through the logarithms. They are computed from CPU
//! seconds, summed over threads, which hardly depend on other load.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use lrbm::internal::data::generate::{Domain, DomainCounts, GeneratorSettings, write_directory};
use lrbm::internal::data::load::{LoadOptions, load};
use lrbm::internal::kb::{TimeRule, TimeSource};
use lrbm::internal::learn::{Kind, Params, train};

#[path = "cases/process.rs"]
mod process;

use process::{cpu_seconds, memory};

/// The domains, with their maximum number of facts.
const DOMAINS: [(Domain, u64); 7] = [
    (Domain::Movies, 10_000_000),
    (Domain::University, 10_000_000),
    (Domain::Citations, 10_000_000),
    (Domain::Documents, 1_000_000),
    (Domain::Interests, 1_000_000),
    (Domain::Binding, 1_000_000),
    (Domain::Relations, 1_000_000),
];
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const MAX_EXPONENT: f64 = 1.1;
const MAX_GIB: f64 = 4.0;

/// Measurements of one process, in the order of the columns of the table.
struct Row {
    domain: &'static str,
    facts: f64,
    examples: f64,
    load_cpu: f64,
    train_cpu: f64,
    wall: f64,
    peak_mib: f64,
    /// The peak before training.
    data_mib: f64,
    screened: f64,
    fitted: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let after = |flag: &str| args.iter().skip_while(|arg| *arg != flag).nth(1);
    let only = after("--domain").map(|id| Domain::find(id)).transpose()?;
    if let (Some(home), Some(domain)) = (after("--measure"), only) {
        return measure(domain, Path::new(home));
    }
    let max_facts: u64 = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(u64::MAX);
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/bench");
    fs::create_dir_all(&home)?;
    let mut rows = if only.is_some() { read(&home.join("scaling.csv"))? } else { Vec::new() };
    for (domain, most) in DOMAINS.into_iter().filter(|&(domain, _)| only.is_none_or(|only| only == domain)) {
        rows.retain(|row| row.domain != domain.info().id);
        for size in SIZES.into_iter().filter(|&size| size <= most.min(max_facts)) {
            let row = measure_in_process(domain, size)?;
            eprintln!("{}", line(&row));
            rows.push(row);
        }
    }
    let place = |row: &Row| DOMAINS.iter().position(|(domain, _)| domain.info().id == row.domain);
    rows.sort_by_key(place);
    let text = report(&rows);
    println!("{text}");
    fs::write(home.join("scaling.md"), text)?;
    fs::write(home.join("scaling.csv"), csv(&rows))?;
    Ok(())
}

/// Reads the table that an earlier call wrote.
fn read(table: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    if !table.exists() {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for text in fs::read_to_string(table)?.lines().skip(1) {
        let (domain, numbers) = text.split_once(',').ok_or("a row without columns")?;
        let numbers = numbers.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let [facts, examples, load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted] = numbers[..] else {
            return Err(format!("{}: {text}", table.display()).into());
        };
        let domain = Domain::find(domain)?.info().id;
        rows.push(Row { domain, facts, examples, load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted });
    }
    Ok(rows)
}

/// Writes a domain of about this many facts, and has it measured.
fn measure_in_process(domain: Domain, facts: u64) -> Result<Row, Box<dyn Error>> {
    let id = domain.info().id;
    let per_scale = DomainCounts::of(domain, &domain.settings()).facts;
    // Label noise, because trees that stop early would hide the growth.
    let settings = GeneratorSettings::new((facts as f64 / per_scale as f64).round() as u32, domain.info().seed, 0.1)?;
    let home = tempfile::tempdir()?;
    let counts = write_directory(domain, &settings, home.path())?;
    let mut child = Command::new(std::env::current_exe()?);
    let output = child.args(["--domain", id, "--measure"]).arg(home.path()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted] = numbers[..] else {
        return Err(
            format!("{id} with {facts} facts: {}{}", output.status, String::from_utf8_lossy(&output.stderr)).into()
        );
    };
    let examples = (counts.positives + counts.negatives) as f64;
    let facts = counts.facts as f64;
    Ok(Row { domain: id, facts, examples, load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted })
}

fn measure(domain: Domain, home: &Path) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let source = |predicate: &str| TimeSource::Predicate(predicate.to_owned());
    let time = domain.info().time.map(|predicate| TimeRule { source: source(predicate), by_argument: Vec::new() });
    let data = load(home, &LoadOptions { time, ..LoadOptions::default() })?;
    let loaded = cpu_seconds()?;
    let params = Params::new(Kind::LrbmBoost);
    let mib = |bytes: u64| bytes as f64 / (1 << 20) as f64;
    let data_mib = mib(memory("VmHWM:")?);
    let trained = train(Kind::LrbmBoost, &data.database, data.target, &data.examples, &params, 1, &mut |_| {})?;
    let (cpu, wall, peak_mib) = (cpu_seconds()? - loaded, start.elapsed().as_secs_f64(), mib(memory("VmHWM:")?));
    let (screened, fitted) = (trained.statistics.screened, trained.statistics.rescored);
    println!("{loaded} {cpu} {wall} {peak_mib} {data_mib} {screened} {fitted}");
    Ok(())
}

/// Returns the slope of the least-squares line through the logarithms.
fn exponent(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let logs: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mean_x, mean_y) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (x, y) in logs {
        covariance += (x - mean_x) * (y - mean_y);
        variance += (x - mean_x) * (x - mean_x);
    }
    covariance / variance
}

fn line(row: &Row) -> String {
    let Row { domain, facts, examples, load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted } = row;
    let cpu = load_cpu + train_cpu;
    format!(
        "| {domain} | {facts} | {examples} | {load_cpu:.2} | {train_cpu:.2} | {:.1} | {wall:.2} | {data_mib:.0} | {peak_mib:.0} \
         | {:.0} | {screened} | {fitted} |",
        1e6 * cpu / facts,
        peak_mib * 1_048_576.0 / facts
    )
}

fn report(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Growth of time and memory\n\nWritten by `cargo bench --bench scaling`; do not edit. LRBM-Boost with its defaults on \
         generated domains with 10 % label noise. *Load* and *train* are CPU seconds, summed over threads; *wall* is the \
         elapsed time of the process, which reads the files and trains. *Data* is the peak memory before training. \
         *Screened* and *fitted* are numbers of candidates over all trees.\n\n\
         | domain | facts | examples | load s | train s | µs/fact | wall s | data MiB | peak MiB | bytes/fact | screened \
         | fitted |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    rows.iter().for_each(|row| text.push_str(&(line(row) + "\n")));
    let _ = writeln!(
        text,
        "\n| domain | facts | exponent of loading | of training | of both | goal | of the peak | peak at most facts | goal |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    let mut at = 0;
    while let Some(domain) = rows.get(at).map(|row| row.domain) {
        let own: Vec<&Row> = rows.iter().filter(|row| row.domain == domain).collect();
        at += own.len();
        let slope = |y: fn(&Row) -> f64| exponent(own.iter().map(|row| (row.facts, y(row).max(0.01))));
        let facts = own.iter().map(|row| row.facts).fold(0.0, f64::max);
        let gib = own.iter().map(|row| row.peak_mib).fold(0.0, f64::max) / 1024.0;
        let _ = writeln!(
            text,
            "| {domain} | to {facts:.0e} | {:.2} | {:.2} | {:.2} | ≤ {MAX_EXPONENT} | {:.2} | {gib:.2} GiB | < {MAX_GIB} GiB |",
            slope(|row| row.load_cpu),
            slope(|row| row.train_cpu),
            slope(|row| row.load_cpu + row.train_cpu),
            slope(|row| row.peak_mib),
        );
    }
    text
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "domain,facts,examples,load_cpu_seconds,train_cpu_seconds,wall_seconds,peak_mib,data_mib,screened,\
         fitted\n",
    );
    for Row { domain, facts, examples, load_cpu, train_cpu, wall, peak_mib, data_mib, screened, fitted } in rows {
        let _ = writeln!(
            text,
            "{domain},{facts},{examples},{load_cpu:.2},{train_cpu:.2},{wall:.3},{peak_mib:.1},{data_mib:.1},{screened},\
             {fitted}"
        );
    }
    text
}
