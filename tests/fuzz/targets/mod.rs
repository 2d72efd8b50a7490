//! Fuzz targets: functions of bytes that panic only if a check fails.

mod directories;
mod files;
mod imports;

mod texts;

/// A fuzz target.
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Relative share of all inputs.
    pub share: u64,
    /// Maximum length of an input in bytes.
    pub max_len: usize,
    /// Returns valid inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Parses an input, checks the result, and returns whether it was accepted.
    pub run: fn(&[u8]) -> bool,
}

const fn target(
    name: &'static str,
    share: u64,
    max_len: usize,
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&[u8]) -> bool,
) -> Target {
    Target { name, share, max_len, seeds, run }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("facts", 900, 1 << 18, texts::facts_seeds, texts::facts),
    target("background", 600, 1 << 16, texts::background_seeds, texts::background),
    target("rules", 300, 1 << 16, texts::rules_seeds, texts::rules),
    target("queries", 240, 1 << 14, texts::queries_seeds, texts::queries),
    target("tables", 240, 1 << 16, texts::tables_seeds, texts::tables),
    target("specs", 360, 1 << 16, files::specs_seeds, files::specs),
    target("manifests", 180, 1 << 16, files::manifests_seeds, files::manifests),
    target("mappings", 90, 1 << 16, imports::mappings_seeds, imports::mappings),
    target("imports", 90, 1 << 14, imports::imports_seeds, imports::imports),
    target("models", 180, 1 << 17, files::models_seeds, files::models),
    target("networks", 180, 1 << 16, files::networks_seeds, files::networks),
    target("directories", 120, 1 << 16, directories::directories_seeds, directories::directories),
    target("runs", 30, 1 << 16, directories::runs_seeds, directories::runs),
    target("reports", 1, 1 << 16, directories::reports_seeds, directories::reports),
    target("archives", 90, 1 << 17, directories::archives_seeds, directories::archives),
];

/// Returns the path of a file in the repository.
fn repository(path: &str) -> std::path::PathBuf {
    // The package in `fuzz/` shares these targets.
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = if home.ends_with("fuzz") { home.parent().unwrap_or(home) } else { home };
    package.join(path)
}

/// Returns the contents of the files in a directory with this prefix and suffix, sorted by name.
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
