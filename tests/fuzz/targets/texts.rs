//! Targets for logic syntax, command-line values and tables.

use std::path::Path;

use lrbm::internal::experiment::{Experiment, JobFilter};
use lrbm::internal::learn::{Kind, Unchecked};
use lrbm::internal::logic::query::parse_atom;
use lrbm::internal::logic::rule::parse_rules;
use lrbm::internal::logic::{
    CapacityError, Constant, Diagnostic, FileRole, Reader, Sentence, Sink, SourceWindow, Symbols,
};
use lrbm::internal::rbm::Network;
use lrbm::internal::report::gate::Baseline;
use lrbm::internal::report::history::{History, change_points};
use lrbm::internal::report::{csv, table};

use super::files_of;

/// Sink that counts sentences and prints them.
#[derive(Default)]
struct CountingSink {
    symbols: Symbols,
    sentences: usize,
}

impl Sink for CountingSink {
    fn symbols(&mut self) -> &mut Symbols {
        &mut self.symbols
    }

    fn fact(&mut self, _: u64, _: &str, args: &[Constant], weight: Option<f64>) -> Result<(), CapacityError> {
        assert!(weight.is_none_or(|weight| !weight.is_nan()));
        args.iter().for_each(|&constant| drop(self.symbols.show(constant).to_string()));
        self.sentences += 1;
        Ok(())
    }

    fn sentence(&mut self, _: &Path, sentence: Sentence) -> Result<Vec<Diagnostic>, CapacityError> {
        assert!(!sentence.to_string().is_empty());
        self.sentences += 1;
        Ok(Vec::new())
    }
}

/// Parses a text in several roles and chunk sizes, which must not affect the result.
fn read(input: &[u8], roles: &[FileRole]) -> bool {
    let mut accepted = false;
    for &role in roles {
        // A sentence is parsed again for each chunk it spans, so chunks are not too small.
        let found: Vec<(usize, Vec<String>)> = [64.max(input.len() / 64), 1 << 20]
            .into_iter()
            .map(|chunk| {
                let (mut reader, mut counted) = (Reader::default(), CountingSink::default());
                let bytes = std::io::Cursor::new(input.to_vec());
                let mut source = SourceWindow::with_chunk(Path::new("file"), Box::new(bytes), chunk);
                // A read error must have a message.
                let result = reader.read(&mut source, role, &mut counted);
                // Invalid UTF-8 is reported on reading, which is earlier with large chunks.
                let about_text = reader.diagnostics.iter().filter(|diagnostic| diagnostic.code != "not-utf8");
                let mut messages: Vec<String> = about_text.map(ToString::to_string).collect();
                messages.extend(result.err().map(|error| error.to_string()));
                messages.sort();
                (counted.sentences, messages)
            })
            .collect();
        assert_eq!(found[0], found[1], "the result depends on the chunk size");
        accepted |= found[0].0 > 0;
    }
    accepted
}

pub fn facts_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = [
        "p(a,b).\nq(\"A b\", 3, -1.5e3).\n% comment\nfriend(anna, bob);\n/* block */ r(X).\n1.5 w(a).\n",
        "usePrologVariables: true.\np(f(a, g(b)), [a, b | c]).\n!neg(a).\n",
        "q('quoted', \"a\\\"b\", _x, A1).\np(a):-q(a,B), \\+ r(B).\n",
        "actor(tom). movie(m1, tom). movie(m1, kate). year(m1, 1999).\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    seeds.extend(files_of("tests/warned", "facts-", ".txt"));
    seeds
}

pub fn facts(input: &[u8]) -> bool {
    read(input, &[FileRole::Facts, FileRole::Examples])
}

pub fn background_seeds() -> Vec<Vec<u8>> {
    let mut seeds = files_of("tests/warned", "bk-", ".txt");
    seeds.push(
        b"useStdLogicVariables: true.\nsetParam: treeDepth=3.\nmode: movie(+Movie, -Person).\nmode: genre(`Person, #Genre).\n\
          mode: rating(+Movie, #Stars).\nrange: genre = {a, b, c}.\nbridger: movie/2.\nokIfUnknown: movie/2.\n"
            .to_vec(),
    );
    seeds
}

pub fn background(input: &[u8]) -> bool {
    read(input, &[FileRole::Background])
}

pub fn rules_seeds() -> Vec<Vec<u8>> {
    [
        "-1.8 advisedby(_, _).\n2.5 advisedby(A, B) :- publication(T, A), publication(T, B).\n",
        "advisedby(A, B) :- ta(C, A), taughtby(C, B), \\+ student(B).\nadvisedby(A, _) :- student(A), not (publication(T, A)).\n",
        "advisedby(_, B) :- at_least(3, (publication(T, B))).\nadvisedby(_, B) :- not at_least(2, (publication(T, B))).\n",
        "active(M) :- lumo(M, E), E <= -1.5.\n3 active(M) :- lumo(M, E), E > 2, \\+ old(M).\nactive(M) :- not (lumo(M, E), E >= 1e3).\n",
        "collab(P, Q) = 3 :- actedin(P, M), actedin(Q, M).\ncollab(P, _) = 1 :- actedin(P, \"M 1\").\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

pub fn rules(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let read = parse_rules(Path::new("rules"), text).and_then(|rules| Network::from_rules(&rules, 1.0));
    match read {
        Ok(network) => {
            super::files::check_network(&network);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

pub fn queries_seeds() -> Vec<Vec<u8>> {
    [
        "advisedby(p1, \"P 2\")",
        "dataset=movies,fold=1",
        "model~boost,seed!=7",
        "trees=5",
        "Boost.max_leaves=5",
        "dataset.movies.folds=3",
        "node_size=2",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

const SPEC: &str = "name = \"x\"\nfolds = 2\ndatasets = [\"movies\"]\n[[model]]\nname = \"Boost\"\nkind = \"lrbm-boost\"\n[sweep]\ntrees = [1, 2]\n";

/// Values typed on the command line: queries, job filters, settings.
pub fn queries(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let check_message = |error: &dyn std::fmt::Display| assert!(!error.to_string().is_empty());
    let atom = parse_atom(text, "--query");
    let experiment = Experiment::parse(SPEC, "spec.toml", &[]).unwrap();
    let only = JobFilter::parse(&[text.to_owned()], &experiment).inspect_err(|error| check_message(error));
    let set = Experiment::parse(SPEC, "spec.toml", &[text.to_owned()]).inspect_err(|error| check_message(error));
    let unchecked = Unchecked::new(Kind::LrbmBoost).set(text).inspect_err(|error| check_message(error));
    let params = unchecked.map(|unchecked| unchecked.check().inspect_err(|error| check_message(error)).is_ok());
    atom.is_ok() || only.is_ok() || set.is_ok() || params.is_ok_and(|is_valid| is_valid)
}

pub fn tables_seeds() -> Vec<Vec<u8>> {
    let mut seeds = files_of("results/baselines", "", ".csv");
    seeds.extend(files_of("results", "history", ".csv"));
    seeds.extend(files_of("tests/golden", "baseline", ".csv"));
    seeds.push(b"dataset,auc_roc_mean,auc_roc_sd,auc_roc_n\nimdb,0.9446,0.0504,5\n\"a, \"\"b\"\"\",1,0,2\n".to_vec());
    seeds.push(b"table,kind,about,text\nt,title,,\"A title\"\nt,note,imdb,\"one\ntwo\"\n".to_vec());
    seeds.iter_mut().for_each(|seed| seed.truncate(4000));
    seeds
}

/// Tables that were committed or written by other programs.
pub fn tables(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(records) = csv::parse(text) else { return false };
    // Writing and parsing again gives the same records.
    let again: String = records.iter().map(|record| csv::line(&record.fields)).collect();
    let fields = |text: &str| csv::parse(text).map(|all| all.into_iter().map(|r| r.fields).collect::<Vec<_>>()).ok();
    assert_eq!(fields(&again).map(|all| all.len()), Some(records.len()));
    drop(Baseline::parse(text, Path::new("baseline.csv")).map_err(|error| error.to_string()));
    if let Ok(history) = History::parse(text, Path::new("history.csv")).map_err(|error| error.to_string()) {
        assert!(change_points(&history).iter().all(|point| point.commit < history.commits().len()));
    }
    if let Ok(mut found) = table::read(text) {
        drop(table::annotate(&mut found, "t", text));
        assert!(!table::markdown(&found).is_empty());
        drop(table::latex(&found));
    }
    true
}
