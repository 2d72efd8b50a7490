//! What reads what others wrote, each as a function of bytes. Nothing here may panic, but where a check fails.

mod files;
mod places;
mod texts;

/// Something to be tried.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// How many parts of all inputs it gets.
    pub share: u64,
    /// The largest input.
    pub largest: usize,
    /// Good inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input, looks at what came out of it, and says whether it was taken.
    pub run: fn(&[u8]) -> bool,
}

const fn target(
    name: &'static str,
    share: u64,
    largest: usize,
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&[u8]) -> bool,
) -> Target {
    Target { name, share, largest, seeds, run }
}

/// Everything that is tried.
pub const TARGETS: &[Target] = &[
    target("facts", 900, 1 << 18, texts::facts_seeds, texts::facts),
    target("background", 600, 1 << 16, texts::background_seeds, texts::background),
    target("rules", 300, 1 << 16, texts::rules_seeds, texts::rules),
    target("queries", 240, 1 << 14, texts::queries_seeds, texts::queries),
    target("tables", 240, 1 << 16, texts::tables_seeds, texts::tables),
    target("specs", 360, 1 << 16, files::specs_seeds, files::specs),
    target("manifests", 180, 1 << 16, files::manifests_seeds, files::manifests),
    target("models", 180, 1 << 17, files::models_seeds, files::models),
    target("networks", 180, 1 << 16, files::networks_seeds, files::networks),
    target("directories", 120, 1 << 16, places::directories_seeds, places::directories),
    target("runs", 30, 1 << 16, places::runs_seeds, places::runs),
    target("reports", 1, 1 << 16, places::reports_seeds, places::reports),
    target("archives", 90, 1 << 17, places::archives_seeds, places::archives),
];

/// A file of the repository.
fn repository(path: &str) -> std::path::PathBuf {
    // Whoever else uses these targets lies beside the package.
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = if home.ends_with("fuzz") { home.parent().unwrap_or(home) } else { home };
    package.join(path)
}

/// The files of a directory whose names begin and end so, sorted.
fn files_of(directory: &str, begin: &str, end: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(repository(directory)).unwrap();
    let mut paths: Vec<std::path::PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let is_wanted = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(begin) && name.ends_with(end)
    };
    paths.retain(is_wanted);
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}
