//! Access to the real data, if a copy exists.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use lrbm::internal::data::benchmark::{Arity, Benchmark, Reflexive, Variant};
use lrbm::internal::data::fetch::{FetchOptions, Mirror, fetch};
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::Store;
use lrbm::internal::kb::{Database, Example};

pub const SEED: u64 = 20200120;

/// Returns the real data: fetched once from a mirror beside the repository, or else from the cache.
pub fn real() -> Option<&'static Store> {
    static REAL: OnceLock<Option<Store>> = OnceLock::new();
    REAL.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mirror = root.join("../shared/datasets/mirror");
        if mirror.is_dir() {
            let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("datasets");
            let _ = fs::remove_dir_all(&directory);
            let store = Store::open(directory);
            let options = FetchOptions { mirror: Mirror::Directory(mirror), ..FetchOptions::default() };
            for manifest in Manifest::built_in() {
                fetch(&store, manifest, &options, &mut |_| {}).unwrap();
            }
            return Some(store);
        }
        let cache = Store::open(root.join("datasets/cache"));
        if Manifest::built_in().all(|manifest| cache.record(&manifest.id).is_ok()) {
            return Some(cache);
        }
        eprintln!("skipped: neither {} nor {} has the real data", mirror.display(), cache.root().display());
        None
    })
    .as_ref()
}

/// Returns every variant of a published dataset.
pub fn variants(manifest: &Manifest) -> Vec<Variant> {
    let mut all = Vec::new();
    for evidence in &manifest.evidence {
        let base = Variant { evidence: Some(evidence.name.clone()), ..Variant::default() };
        all.push(base.clone());
        if !manifest.arity.is_empty() {
            all.push(Variant { arity: Arity::Binary, ..base.clone() });
        }
    }
    let options = manifest.folds.option.iter().map(|option| option.scheme);
    all.extend(options.map(|scheme| Variant { folds: Some(scheme), ..Variant::default() }));
    let options = manifest.negatives.option.iter();
    all.extend(options.map(|&scheme| Variant { negatives: Some(scheme), ..Variant::default() }));
    if manifest.target.symmetric {
        all.push(Variant { reflexive: Reflexive::Drop, drop_shared: true, ..Variant::default() });
    }
    all
}

/// Opens a published dataset.
pub fn open(store: &Store, id: &str, variant: &Variant) -> Benchmark {
    Benchmark::open(id, store, variant).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the arguments of an example as text, since symbol tables differ between databases.
pub fn names(database: &Database, example: &Example) -> Vec<String> {
    example.args.iter().map(|&constant| database.symbols.show(constant).to_string()).collect()
}
