//! Datasets read from texts in memory.

use lrbm::{DataSource, DataSources, LoadError, LoadOptions, load};

fn texts(negatives: &str) -> DataSources {
    DataSources {
        positives: Some(DataSource::text("pos", "ill(ann).\nill(bob).")),
        negatives: Some(DataSource::text("neg", negatives)),
        facts: Some(DataSource::text("facts", "smokes(ann).\nsmokes(bob).\nfriend(bob, cid).")),
        background: Some(DataSource::text("bk", "mode: ill(+person).\nmode: smokes(+person).\n")),
    }
}

#[test]
fn texts_are_read_as_files_are() {
    let sources = texts("ill(cid).\n");
    let directory = tempfile::tempdir().unwrap();
    for source in [&sources.positives, &sources.negatives, &sources.facts, &sources.background] {
        let Some(DataSource::Text { name, text }) = source else { panic!("a text") };
        std::fs::write(directory.path().join(name).with_extension("txt"), text.as_bytes()).unwrap();
    }
    let options = LoadOptions { target: Some("ill".to_owned()), ..LoadOptions::default() };
    let (of_texts, of_files) = (load(&sources, &options).unwrap(), load(directory.path(), &options).unwrap());
    assert_eq!(of_texts.examples, of_files.examples);
    assert_eq!(of_texts.file_order, of_files.file_order);
    assert_eq!(of_texts.counts.facts_read, 3);
    assert_eq!(of_texts.warnings.to_string(), of_files.warnings.to_string());
}

#[test]
fn errors_locate_lines_of_texts() {
    let options = LoadOptions { target: Some("ill".to_owned()), ..LoadOptions::default() };
    let broken = load(&texts("ill(cid).\nill(dan"), &options).unwrap_err().to_string();
    assert!(broken.contains("neg:2:"), "{broken}");
    let LoadError::Invalid(both) = load(&texts("ill(cid).\n  ill(bob)."), &options).unwrap_err() else {
        panic!("invalid data")
    };
    let both = both.to_string();
    assert!(both.contains("neg:2:3") && both.contains("pos:2"), "{both}");
}
