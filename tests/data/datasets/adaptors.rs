//! Every adaptor on a few lines of its input format.

use std::fs;

use lrbm::internal::data::adapt::{AdaptError, AdaptEvent, Conversion, prepare};
use lrbm::internal::data::benchmark::{Benchmark, Variant};
use lrbm::internal::data::fetch::{FetchOptions, Mirror, fetch};
use lrbm::internal::data::manifest::Manifest;
use lrbm::internal::data::store::Store;
use lrbm::internal::files::digest;
use tempfile::TempDir;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

struct Toy {
    directory: TempDir,
    store: Store,
    manifest: Manifest,
}

impl Toy {
    /// Creates a manifest with these lines and fetches these published files.
    fn new(lines: &str, files: &[(&str, &[u8])]) -> Toy {
        let directory = tempfile::tempdir().unwrap();
        let mut listed = String::new();
        for (path, content) in files {
            let full = directory.path().join("mirror/owner/repository").join(COMMIT).join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, content).unwrap();
            let sum = digest::sha256(content);
            let length = content.len();
            let supplied = if path.ends_with(".given") { ", supplied_by_user = \"have it\"" } else { "" };
            listed += &format!("{{ path = \"{path}\", bytes = {length}, sha256 = \"{sum}\"{supplied} }},\n");
        }
        let text = format!(
            "id = \"toy\"\ntitle = \"Toy\"\nabout = \"made up\"\ncitation = \"none\"\nlicence = \"none\"\n{lines}\n
[expected]\npositives = 1\nabout = \"lines\"\n
[[source]]\nowner = \"owner\"\nrepository = \"repository\"\ncommit = \"{COMMIT}\"\nfiles = [\n{listed}]\n"
        );
        let manifest = Manifest::parse(&text, "toy.toml").unwrap();
        let store = Store::open(directory.path().join("data"));
        let mirror = Mirror::Directory(directory.path().join("mirror"));
        fetch(&store, &manifest, &FetchOptions { mirror, ..FetchOptions::default() }, &mut |_| {}).unwrap();
        Toy { directory, store, manifest }
    }

    fn prepare(&self) -> Result<Vec<String>, AdaptError> {
        let mut seen = Vec::new();
        let mut record = |event: AdaptEvent<'_>| {
            seen.push(match event {
                AdaptEvent::Present { variant, .. } => format!("present {variant}"),
                AdaptEvent::Converted { variant, files, .. } => format!("converted {variant}, {files} files"),
                AdaptEvent::Note { text, .. } => format!("note: {text}"),
            });
        };
        prepare(&self.store, &self.manifest, &mut record)?;
        Ok(seen)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.store.converted("toy", path)).unwrap()
    }

    fn count(&self, variant: &str, name: &str) -> Option<u64> {
        Conversion::read(&self.store, "toy", variant).unwrap().counts.get(name).copied()
    }

    fn is_sound(&self) -> bool {
        self.store.verify(&self.manifest).unwrap().is_sound()
    }
}

const ONE_VARIANT: &str = "evidence = [{ name = \"base\", about = \"all\", default = true }]";
const GIVEN: &str = "folds = { scheme = \"given\", count = 2, about = \"as given\" }";
const RANDOM: &str = "folds = { scheme = \"random\", count = 2, about = \"at random\" }";
const LISTED: &str = "negatives = { scheme = \"listed-then-closed-world\" }";
const CLOSED: &str = "negatives = { scheme = \"closed-world\" }";

#[test]
fn folds_keep_order_and_duplicates_and_add_only_predicates_of_the_variant() {
    let lines = format!(
        "adaptor = \"boostsrl-folds\"\nmodes = [\"mode: workedunder(+p,+p).\", \"mode: actor(+p).\"]
target = {{ predicate = \"workedunder\", published = \"workedUnder\", arguments = [\"p\", \"p\"] }}
evidence = [{{ name = \"more\", about = \"with knows\", adds = [\"knows\"], modes = [\"mode: knows(+p,-p).\"], default = true }},
  {{ name = \"base\", about = \"without\" }}]\n{GIVEN}\n{LISTED}"
    );
    let facts: &[u8] = b"actor(\"ann\").\nActor('Bob').\nactor(ann).\nworkedUnder(ann,bob).\n";
    let pos: &[u8] = b"workedUnder(ann,bob).\nknows(ann,bob).\n";
    let mut files = Vec::new();
    for fold in ["Fold1", "Fold2"] {
        for side in ["train", "test"] {
            for (kind, text) in [("pos", pos), ("neg", b"workedUnder(bob,ann).\nknows(bob,ann).\n"), ("facts", facts)] {
                files.push((format!("data/{fold}/{side}/{side}_{kind}.txt"), text));
            }
        }
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let toy = Toy::new(&lines, &files);
    assert_eq!(toy.prepare().unwrap(), ["converted more, 17 files", "converted base, 17 files"]);
    assert_eq!(toy.prepare().unwrap(), ["present more", "present base"]);
    // A target fact is dropped; `knows` is evidence in one variant only.
    assert_eq!(toy.text("base/fold2/test/test_facts.txt"), "actor(ann).\nactor(\"Bob\").\nactor(ann).\n");
    assert_eq!(
        toy.text("more/fold2/train/train_facts.txt"),
        "actor(ann).\nactor(\"Bob\").\nactor(ann).\nknows(ann,bob).\n"
    );
    assert_eq!(toy.text("more/fold1/test/test_pos.txt"), "workedunder(ann,bob).\n");
    assert_eq!(toy.text("more/fold1/test/test_neg.txt"), "workedunder(bob,ann).\n");
    assert_eq!(
        toy.text("more/fold1/test/test_bk.txt"),
        "mode: workedunder(+p,+p).\nmode: actor(+p).\nmode: knows(+p,-p).\n"
    );
    for (name, n) in [("positives", 2), ("facts", 6), ("knows_positives", 2), ("reflexive_positives", 0)] {
        assert_eq!(toy.count("base", name), Some(n), "{name}");
    }
    assert!(toy.is_sound());

    // A changed manifest causes another conversion.
    let mut other = toy.manifest.clone();
    other.modes.push("mode: director(+p).".into());
    let mut converted = 0;
    prepare(&toy.store, &other, &mut |event| converted += u32::from(matches!(event, AdaptEvent::Converted { .. })))
        .unwrap();
    assert_eq!(converted, 2);
    assert!(toy.text("base/fold1/test/test_bk.txt").ends_with("mode: director(+p).\n"));
    assert!(toy.is_sound());
}

#[test]
fn a_single_list_is_converted_and_a_supplied_file_of_unknown_format_is_reported() {
    let lines = format!(
        "adaptor = \"boostsrl-single\"\nsubstitute = \"an earlier release\"\nmodes = [\"mode: t(+a,+b).\"]
target = {{ predicate = \"t\", arguments = [\"a\", \"b\"] }}\n{ONE_VARIANT}\n{RANDOM}\n{LISTED}"
    );
    let toy = Toy::new(
        &lines,
        &[
            ("x/pos.txt", b"t(\"a\",b).\nt(c,d)."),
            ("x/neg.txt", b"t(a,d).\n"),
            ("x/train/train_facts.txt", b"p(a,b)."),
            ("x/train/train_pos.txt", b"t(z,z)."),
            ("the.given", b"who knows"),
        ],
    );
    let events = toy.prepare().unwrap();
    assert!(events[0].starts_with("note: the.given is present with the right checksum, but its format is unknown"));
    assert!(events[0].ends_with("the data are still those of the substitute: an earlier release"), "{}", events[0]);
    assert_eq!(events[1], "converted base, 5 files");
    assert_eq!(toy.text("base/all/all_pos.txt"), "t(a,b).\nt(c,d).\n");
    assert_eq!((toy.count("base", "listed_negatives"), toy.count("base", "p_facts")), (Some(1), Some(1)));
    let dataset = Benchmark::of_manifest(&toy.manifest, &toy.store, &Variant::default()).unwrap();
    assert_eq!(dataset.footnote(), Some("an earlier release"));
}

#[test]
fn webkb_swaps_its_targets() {
    let lines = format!(
        "adaptor = \"webkb\"\nmodes = [\"mode: courseta(+c,+p).\", \"mode: faculty(+p).\"]
target = {{ predicate = \"courseta\", arguments = [\"c\", \"p\"] }}\n{ONE_VARIANT}\n{RANDOM}\n{CLOSED}"
    );
    let toy = Toy::new(
        &lines,
        &[
            ("fold1/train/train_facts.txt", b"student(b).\ncourseta(k,b).\n"),
            ("fold1/train/train_pos.txt", b"faculty(f2).\n"),
            ("fold1/train/train_neg.txt", b"faculty(b).\n"),
            ("fold1/test/test_facts.txt", b"student(a).\ncourseta(c,a).\nstudent(d).\n"),
            ("fold1/test/test_pos.txt", b"faculty(f).\n"),
            ("fold1/test/test_neg.txt", b"faculty(a).\n"),
        ],
    );
    toy.prepare().unwrap();
    assert_eq!(toy.text("base/all/all_facts.txt"), "student(a).\nstudent(d).\nfaculty(f).\n");
    assert_eq!(toy.text("base/all/all_pos.txt"), "courseta(c,a).\n");
    assert_eq!(toy.text("base/fold1/train/train_pos.txt"), "courseta(k,b).\n");
    assert!(!toy.store.converted("toy", "base/all/all_neg.txt").exists());
    assert_eq!((toy.count("base", "facts"), toy.count("base", "faculty_facts")), (Some(3), Some(1)));
}

fn graph(text: &[u8]) -> Toy {
    let lines = format!(
        "adaptor = \"yeast2\"\nmodes = [\"mode: cites(+paper,+paper).\", \"mode: author(+paper,-author).\"]
target = {{ predicate = \"cites\", arguments = [\"paper\", \"paper\"] }}\n{ONE_VARIANT}\n{RANDOM}\n{CLOSED}
time = {{ type = \"paper\", from = \"id\", by_argument = [\"cites\"], about = \"ids\" }}"
    );
    Toy::new(&lines, &[("a.ghirl", text)])
}

#[test]
fn edges_become_facts_with_the_paper_first() {
    let toy = graph(
        b"# made up\n\nedge citingPaperCitesCitedPaper 7 3\nedge citingPaperCitesCitedPaper 7 9
edge paperIsWrittenByAuthor 7 Lee_S\nedge geneIsMentionedInPaper SEC-3 7
edge keyGeneIsAssociatedWithAuxGene ade16 Ade17p\nedge isa 7 paper\n",
    );
    toy.prepare().unwrap();
    assert_eq!(toy.text("base/all/all_pos.txt"), "cites(7,3).\ncites(7,9).\n");
    assert_eq!(
        toy.text("base/all/all_facts.txt"),
        "author(7,\"Lee_S\").\ngene(7,\"SEC-3\").\ngenepair(ade16,\"Ade17p\").\n"
    );
    let counts = ["positives", "facts", "citations_to_a_smaller_id", "citing_papers", "cited_papers"];
    assert_eq!(counts.map(|name| toy.count("base", name).unwrap()), [2, 3, 1, 1, 2]);
    for (line, message) in [
        (&b"edge isa 7\n"[..], "expected `edge <kind> <from> <to>`"),
        (b"edge paperIsWrittenByAuthor x y\n", "expected the number of a paper, found `x`"),
        (b"edge likes 1 2\n", "unknown edge kind `likes`"),
    ] {
        let error = graph(line).prepare().unwrap_err().to_string();
        assert!(error.contains("a.ghirl:1: ") && error.contains(message), "{error}");
    }
}

#[test]
fn metadata_in_latin_1_become_facts_with_years() {
    let lines = format!(
        "adaptor = \"aan\"\nmodes = [\"mode: cites(+paper,+paper).\", \"mode: author(+paper,-author).\"]
target = {{ predicate = \"cites\", arguments = [\"paper\", \"paper\"] }}\n{ONE_VARIANT}\n{RANDOM}\n{CLOSED}"
    );
    let records = b"id = {A-1}\nauthor = {M\xfcller, J.; Lee, S}\ntitle = {T}\nvenue = {LREC}\nyear = {2001}\n
id = {a2}\nauthor = {}\ntitle = {U}\nvenue = {}\nyear = {1999}\n";
    let toy =
        Toy::new(&lines, &[("acl-metadata.txt", records), ("acl.txt", b"A-1 , a2\na2 , A-1\na2 , a2\nA-1 , b\n")]);
    toy.prepare().unwrap();
    assert_eq!(
        toy.text("base/all/all_facts.txt"),
        "author(\"A-1\",\"M\u{fc}ller, J.\").\nauthor(\"A-1\",\"Lee, S\").\nvenue(\"A-1\",\"LREC\").\nyear(\"A-1\",2001).\nyear(a2,1999).\n"
    );
    assert_eq!(toy.text("base/all/all_pos.txt"), "cites(\"A-1\",a2).\ncites(a2,\"A-1\").\ncites(a2,a2).\n");
    let counts =
        ["listed_citations", "papers", "citations_to_a_later_year", "citations_within_a_year", "self_citations"];
    assert_eq!(counts.map(|name| toy.count("base", name).unwrap()), [4, 2, 1, 1, 1]);
}

#[test]
fn molecule_names_are_removed_and_half_of_the_atoms_are_known() {
    let lines = format!(
        "adaptor = \"mutagenesis\"\nmodes = [\"mode: in(+m,+a).\"]\ntarget = {{ predicate = \"in\", arguments = [\"m\", \"a\"] }}
evidence = [{{ name = \"known-half\", about = \"half\", default = true }}, {{ name = \"sfu\", about = \"dump\" }}]\n{RANDOM}\n{CLOSED}"
    );
    let toy = Toy::new(
        &lines,
        &[
            ("lp/188/s1.pl", b"active(d1).\n:- active(d2).\n"),
            (
                "data/atom_bond.pl",
                b"atm(d1,d1_1,c,22,-0.117).\natm(d1,d1_2,h,3,0.142).\natm(d1,d1_3,o,40,0.5).\natm(d2,d2_1,n,38,0.812).
bond(d1,d1_1,d1_2,7).\natm(d9,d9_1,c,22,0.1).\nbond(d9,d9_1,d9_1,1).\n",
            ),
            ("data/ring_struc.pl", b"benzene(d1,[[d1_1,d1_2],[d1_2,d1_3]]).\nnitro(d9,[d9_1]).\n"),
            ("data/logp.pl", b"logp(d1, 2.5).\nlogp(d9, 1).\n"),
            ("data/lumo.pl", b"lumo(d2,-1.5).\n"),
            ("data/ind1.pl", b"ind1(d1,1.0).\nind1(d2,0.0).\n"),
            ("data/inda.pl", b"inda(d1,0.0).\n"),
            (
                "Mutagenesis_std.sql",
                b"-- dump\nINSERT INTO `Atom` VALUES (101,'c','1','0');\nINSERT INTO `Mole` VALUES (1,'1','0','7','5','1');
INSERT INTO `bond` VALUES (1,101,'7');\nINSERT INTO `moleatm` VALUES (1,101);\n",
            ),
        ],
    );
    toy.prepare().unwrap();
    let facts = toy.text("known-half/all/all_facts.txt");
    let expected = "element(d1_1,c).\natomtype(d1_1,t22).\ncharge(d1_1,-0.117).\n";
    assert!(facts.starts_with(expected), "{facts}");
    let rest = "bond(d1_1,d1_2,k7).\nbond(d1_2,d1_1,k7).\nringkind(d1_r1,benzene).\ninring(d1_1,d1_r1).\ninring(d1_2,d1_r1).\ninring(d1_3,d1_r1).\nlogp(d1,2.5).\nlumo(d2,-1.5).\nind1(d1).\nactive(d1).\ncontains(d1,";
    assert!(facts.contains(rest), "{facts}");
    assert!(!facts.contains("d9"));
    // Half of three atoms, rounded down, is one; of one atom, none.
    assert_eq!(facts.matches("contains(").count(), 1);
    assert_eq!(toy.text("known-half/all/all_pos.txt").lines().count(), 3);
    let counts = ["positives", "memberships", "molecules", "atoms", "bonds", "sfu_molecules", "sfu_positives"];
    assert_eq!(counts.map(|name| toy.count("sfu", name).unwrap()), [3, 4, 2, 4, 1, 1, 1]);
    assert_eq!(
        toy.text("sfu/all/all_facts.txt"),
        "element(a101,c).\natomtype(a101,t1).\ncharge(a101,0).\nind1(m1).\nactive(m1).\nlogp(m1,5).\nlumo(m1,7).\nbond(m1,a101,k7).\n"
    );
    assert_eq!(toy.text("sfu/all/all_pos.txt"), "in(m1,a101).\n");
}

#[test]
fn invalid_input_of_an_adaptor_is_located() {
    let lines = format!(
        "adaptor = \"boostsrl-single\"\nmodes = [\"mode: t(+a,+b).\"]
target = {{ predicate = \"t\", arguments = [\"a\", \"b\"] }}\n{ONE_VARIANT}\n{RANDOM}\n{LISTED}"
    );
    let toy = Toy::new(&lines, &[("pos.txt", b"t(a,b).\n"), ("facts.txt", b"p(a).\np(a b).\n")]);
    let error = toy.prepare().unwrap_err().to_string();
    assert!(error.contains("facts.txt:2:5: error[syntax]"), "{error}");
    assert!(!toy.store.is_sealed("toy", "base") && toy.is_sound());
    let toy = Toy::new(&lines, &[("facts.txt", b"p(a).\n")]);
    let error = toy.prepare().unwrap_err().to_string();
    assert_eq!(
        error,
        "dataset `toy`: adaptor `boostsrl-single` finds no file `pos.txt` among the published files; correct the manifest"
    );
    assert!(toy.directory.path().exists());
}
