//! Texts in the notation of logic, and tables.

use std::path::Path;

use lrbm::experiment::{Experiment, JobFilter};
use lrbm::learn::{Kind, Unchecked};
use lrbm::logic::query::parse_atom;
use lrbm::logic::rule::parse_rules;
use lrbm::logic::{CapacityError, Constant, Diagnostic, Reader, Role, Sentence, Sink, SourceWindow, Symbols};
use lrbm::rbm::Network;
use lrbm::report::gate::Baseline;
use lrbm::report::{csv, table};

use super::files_of;

/// Counts what it is given, and prints it again as a reader would.
#[derive(Default)]
struct Counted {
    symbols: Symbols,
    sentences: usize,
}

impl Sink for Counted {
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

/// Reads a text in several roles and in windows of several sizes, which must not matter.
fn read(input: &[u8], roles: &[Role]) -> bool {
    let mut taken = false;
    for &role in roles {
        // A sentence is read anew for each window that it spans, so long ones are not cut into thousands.
        let found: Vec<(usize, Vec<String>)> = [64.max(input.len() / 64), 1 << 20]
            .into_iter()
            .map(|chunk| {
                let (mut reader, mut counted) = (Reader::default(), Counted::default());
                let bytes = std::io::Cursor::new(input.to_vec());
                let mut source = SourceWindow::with_chunk(Path::new("file"), Box::new(bytes), chunk);
                // What cannot be read at all is an error that says so.
                let result = reader.read(&mut source, role, &mut counted);
                // That a text is not UTF-8 is told when it is read, which is sooner in large windows.
                let about_text = reader.diagnostics.iter().filter(|diagnostic| diagnostic.code != "not-utf8");
                let mut told: Vec<String> = about_text.map(ToString::to_string).collect();
                told.extend(result.err().map(|error| error.to_string()));
                told.sort();
                (counted.sentences, told)
            })
            .collect();
        assert_eq!(found[0], found[1], "the size of the window matters");
        taken |= found[0].0 > 0;
    }
    taken
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
    read(input, &[Role::Facts, Role::Examples])
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
    read(input, &[Role::Background])
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
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
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

/// What people type on the command line: questions, choices of jobs, settings.
pub fn queries(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let told = |error: &dyn std::fmt::Display| assert!(!error.to_string().is_empty());
    let atom = parse_atom(text, "--query");
    let experiment = Experiment::parse(SPEC, "spec.toml", &[]).unwrap();
    let only = JobFilter::parse(&[text.to_owned()], &experiment).inspect_err(|error| told(error));
    let set = Experiment::parse(SPEC, "spec.toml", &[text.to_owned()]).inspect_err(|error| told(error));
    let unchecked = Unchecked::new(Kind::LrbmBoost).set(text).inspect_err(|error| told(error));
    let params = unchecked.map(|unchecked| unchecked.check().inspect_err(|error| told(error)).is_ok());
    atom.is_ok() || only.is_ok() || set.is_ok() || params.is_ok_and(|is_right| is_right)
}

pub fn tables_seeds() -> Vec<Vec<u8>> {
    let mut seeds = files_of("results/baselines", "", ".csv");
    seeds.push(b"dataset,auc_roc_mean,auc_roc_sd,auc_roc_n\nimdb,0.9446,0.0504,5\n\"a, \"\"b\"\"\",1,0,2\n".to_vec());
    seeds.push(b"table,kind,about,text\nt,title,,\"A title\"\nt,note,imdb,\"one\ntwo\"\n".to_vec());
    seeds.iter_mut().for_each(|seed| seed.truncate(4000));
    seeds
}

/// Tables that were committed, or written by others.
pub fn tables(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(records) = csv::parse(text) else { return false };
    // What was read is the same when it is written and read again.
    let again: String = records.iter().map(|record| csv::line(&record.fields)).collect();
    let fields = |text: &str| csv::parse(text).map(|all| all.into_iter().map(|r| r.fields).collect::<Vec<_>>()).ok();
    assert_eq!(fields(&again).map(|all| all.len()), Some(records.len()));
    drop(Baseline::parse(text, Path::new("baseline.csv")).map_err(|error| error.to_string()));
    if let Ok(mut found) = table::read(text) {
        drop(table::annotate(&mut found, "t", text));
        assert!(!table::markdown(&found).is_empty());
        drop(table::latex(&found));
    }
    true
}
