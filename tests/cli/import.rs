//! `lrbm datasets import` as users run it: tables become a dataset, and tables that cannot are
//! rejected without a trace.

use std::fs;
use std::path::Path;

use polars::prelude::{Column, DataFrame, NamedFrom, ParquetWriter, Series};
use rusqlite::Connection;

use crate::common::program::{command, files, lrbm, rejected, succeeds};

/// A directory with tables of people who smoke and their friends.
fn people(home: &Path) {
    let tables = home.join("people");
    fs::create_dir(&tables).unwrap();
    let (mut person, mut friends) = (String::from("id,name,age,town,smokes\n"), String::from("person1,person2\n"));
    for i in 0..40 {
        let (age, town) = (20 + (i * 7) % 45, ["rome", "Oslo", "São Paulo"][i % 3]);
        // The planted rule: persons over forty smoke.
        let smokes = if i == 39 { "" } else { ["false", "true"][usize::from(age > 40)] };
        person += &format!("{i},\"Person, {i}\",{age},{town},{smokes}\n");
        friends += &format!("{i},{}\n", (i * 3 + 1) % 40);
    }
    fs::write(tables.join("person.csv"), person).unwrap();
    fs::write(tables.join("friends.csv"), friends).unwrap();
}

#[test]
fn csv_tables_become_a_dataset_that_is_learned_and_explained() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    people(home);
    let before = files(home);
    let mapping = succeeds(home, &["datasets", "import", "people", "--infer", "--target", "person.smokes"]);
    assert!(mapping.contains("label = \"smokes\"") && mapping.contains("kind = \"number\""), "{mapping}");
    assert_eq!(files(home), before, "--infer writes nothing");
    fs::write(home.join("mapping.toml"), &mapping).unwrap();
    let printed = succeeds(home, &["datasets", "import", "people", "--mapping", "mapping.toml", "--out", "data"]);
    assert!(printed.contains("2 tables with 80 rows, 120 facts,"), "{printed}");
    assert!(printed.contains("mode: person_age(+person,#person_age).\n"), "{printed}");
    // Without a mapping the same one is inferred.
    succeeds(home, &["datasets", "import", "people", "--target", "person.smokes", "--out", "inferred"]);
    for file in ["pos.txt", "neg.txt", "facts.txt", "bk.txt", "mapping.toml", "import.toml"] {
        let read = |directory: &str| fs::read_to_string(home.join(directory).join(file)).unwrap();
        assert_eq!(read("data"), read("inferred"), "{file}");
    }
    let facts = fs::read_to_string(home.join("data/facts.txt")).unwrap();
    assert!(facts.contains("person_town(person1,\"Oslo\").\nperson_town(person2,\"São Paulo\").\n"), "{facts}");
    let manifest: toml::Table = fs::read_to_string(home.join("data/import.toml")).unwrap().parse().unwrap();
    assert_eq!(manifest["input"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["examples"]["rows_without_example"].as_integer(), Some(1));

    let linted = succeeds(home, &["datasets", "lint", "data", "--target", "smokes"]);
    assert!(linted.contains("no errors, no warnings"), "{linted}");
    let train = ["train", "--data", "data", "--target", "smokes", "--set", "cuts=16", "--out", "model.json"];
    succeeds(home, &train);
    let scores = succeeds(home, &["predict", "--model", "model.json", "--data", "data"]);
    assert!(scores.contains("AUC-ROC 1.0"), "{scores}");
    let spec = "name = \"people\"\nabout = \"Who smokes?\"\ndatasets = [\"data\"]\nfolds = 2\n\n[[model]]\nname = \"trees\"\n\
                kind = \"lrbm-boost\"\ntrees = 3\ncuts = 16\n";
    fs::write(home.join("people.toml"), spec).unwrap();
    assert!(succeeds(home, &["run", "people.toml"]).contains("2 jobs run"));
    assert!(succeeds(home, &["report", "results/runs/people"]).contains("report.html"));
    let query = ["explain", "--model", "model.json", "--data", "data", "--query", "smokes(person3)"];
    let explained = succeeds(home, &query);
    assert!(explained.contains("person_age(person3, 41)"), "{explained}");
}

/// A database with declared keys, a boolean, a date, a BLOB and a NULL.
fn shop(path: &Path) {
    let database = Connection::open(path).unwrap();
    let schema = "
        CREATE TABLE city (code TEXT PRIMARY KEY, coastal BOOLEAN);
        CREATE TABLE customer (nr INTEGER PRIMARY KEY, lives_in TEXT REFERENCES city, joined DATE, photo BLOB);
        CREATE TABLE orders (nr INTEGER PRIMARY KEY, buyer INTEGER REFERENCES customer, amount REAL);
        CREATE VIEW rich AS SELECT * FROM orders;";
    database.execute_batch(schema).unwrap();
    database.execute_batch("INSERT INTO city VALUES ('rom', 1), ('ber', 0), ('nap', 1);").unwrap();
    for i in 0..30 {
        let city = ["'rom'", "'ber'", "'nap'", "NULL"][i % 4];
        let day = i % 28 + 1;
        let customer = format!("INSERT INTO customer VALUES ({i}, {city}, '2020-01-{day:02}', x'00ff');");
        let amount = i as f64 * 1.25;
        database.execute_batch(&format!("{customer} INSERT INTO orders VALUES ({i}, {}, {amount});", i % 10)).unwrap();
    }
}

#[test]
fn a_sqlite_file_is_imported_by_its_declared_keys() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    shop(&home.join("shop?#.data"));
    let before = fs::read(home.join("shop?#.data")).unwrap();
    // The ending does not matter, and characters with a meaning in addresses do not either.
    let args = ["datasets", "import", "shop?#.data", "--target", "city.coastal", "--out", "shop"];
    let printed = succeeds(home, &args);
    for text in [
        "mode: coastal(+city).",
        "mode: customer_lives_in(+customer,-city).",
        "mode: customer_joined(+customer,#customer_joined).",
        "mode: orders_buyer(+orders,-customer).",
        "mode: orders_amount(+orders,#orders_amount).",
    ] {
        let text = text.replace("orders,", "order,");
        assert!(printed.contains(&text), "{text}\n{printed}");
    }
    let facts = fs::read_to_string(home.join("shop/facts.txt")).unwrap();
    assert!(facts.contains("customer_joined(customer0,18262).\n"), "{facts}");
    assert_eq!(facts.matches("customer_lives_in(").count(), 23, "NULL gives no fact");
    assert_eq!(fs::read_to_string(home.join("shop/pos.txt")).unwrap(), "coastal(rom).\ncoastal(nap).\n");
    assert_eq!(fs::read(home.join("shop?#.data")).unwrap(), before);
    assert_eq!(files(home).iter().filter(|name| name.contains("shop?#")).count(), 1, "nothing beside the database");
    succeeds(home, &["datasets", "lint", "shop"]);
    succeeds(home, &["train", "--data", "shop", "--target", "coastal", "--set", "cuts=4", "--out", "m.json"]);
    succeeds(home, &["explain", "--model", "m.json", "--data", "shop", "--query", "coastal(rom)"]);
}

#[test]
fn a_parquet_file_gives_the_same_facts_as_csv() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("parquet")).unwrap();
    fs::create_dir(home.join("csv")).unwrap();
    let columns: Vec<Column> = vec![
        Series::new("id".into(), [1_i64, 2, 3, 4]).into(),
        Series::new("weight".into(), [Some(1.5), None, Some(2.5), Some(-1.0)]).into(),
        Series::new("kind".into(), ["a", "b", "a", "b"]).into(),
        Series::new("label".into(), [true, false, true, false]).into(),
    ];
    let mut frame = DataFrame::new(4, columns).unwrap();
    let file = fs::File::create(home.join("parquet/item.parquet")).unwrap();
    ParquetWriter::new(file).finish(&mut frame).unwrap();
    let csv = "id,weight,kind,label\n1,1.5,a,true\n2,,b,false\n3,2.5,a,true\n4,-1.0,b,false\n";
    fs::write(home.join("csv/item.csv"), csv).unwrap();
    for source in ["parquet", "csv"] {
        succeeds(home, &["datasets", "import", source, "--out", &format!("{source}-facts")]);
    }
    for file in ["pos.txt", "neg.txt", "facts.txt", "bk.txt"] {
        let read = |directory: &str| fs::read_to_string(home.join(directory).join(file)).unwrap();
        assert_eq!(read("parquet-facts"), read("csv-facts"), "{file}");
    }
    assert!(fs::read_to_string(home.join("csv-facts/facts.txt")).unwrap().contains("item_weight(item4,-1).\n"));
}

/// The files were written by another program, since the types need parts of polars that are not
/// built.
#[test]
fn small_integers_dates_and_times_of_parquet_are_read() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let fixture = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name);
    for (name, file) in [("small", "small.parquet"), ("int96", "int96.parquet")] {
        fs::create_dir(home.join(name)).unwrap();
        fs::copy(fixture(file), home.join(name).join("item.parquet")).unwrap();
        succeeds(home, &["datasets", "import", name, "--out", &format!("{name}-facts")]);
    }
    let csv = "id,grade,level,code,born,seen,label\n\
               1,-3,200,60000,1970-01-02,1970-01-01T12:00:00,true\n\
               2,,1,1,1969-12-31,,false\n\
               3,120,,2,,1970-01-02T00:00:00,true\n\
               4,7,0,3,2020-02-29,1969-12-31T06:00:00,false\n";
    fs::create_dir(home.join("csv")).unwrap();
    fs::write(home.join("csv/item.csv"), csv).unwrap();
    succeeds(home, &["datasets", "import", "csv", "--out", "csv-facts"]);
    let read = |directory: &str| fs::read_to_string(home.join(directory).join("facts.txt")).unwrap();
    assert_eq!(read("small-facts"), read("csv-facts"));
    assert!(read("csv-facts").contains("item_seen(item4,-0.75).\n"), "{}", read("csv-facts"));
    // Times in 96 bits are left out, and the other columns are read.
    assert!(read("int96-facts").contains("item_size(item1,1.5).\n") && !read("int96-facts").contains("seen"));
    // Damage is an error or a wrong value, never a panic.
    let bytes = fs::read(fixture("small.parquet")).unwrap();
    for start in (4..bytes.len() - 8).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[start..start + 8].fill(0xa5);
        fs::write(home.join("small/item.parquet"), &damaged).unwrap();
        let (code, _, said) = lrbm(home, &["datasets", "import", "small", "--target", "item.label", "--out", "other"]);
        assert!(matches!(code, Some(0 | 2)), "{start}: {said}");
        let _ = fs::remove_dir_all(home.join("other"));
    }
}

#[test]
fn generated_domains_as_tables_give_the_same_auc() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let time: &[&str] = &["--set", "time_predicate=year"];
    for (id, target, options) in [
        ("movies", "workedunder", &[][..]),
        ("university", "advisedby", &[]),
        ("movies-classes", "collaborated", &[]),
        ("citations", "cites", time),
    ] {
        let mut scores = Vec::new();
        for format in ["boostsrl", "csv", "sqlite"] {
            let tables = format!("{id}-{format}");
            let data = if format == "boostsrl" { tables.clone() } else { format!("{tables}-facts") };
            let printed = succeeds(home, &["datasets", "generate", id, "--format", format, "--out", &tables]);
            if format != "boostsrl" {
                // The command that is printed next works as it is.
                let next = printed.lines().last().unwrap().strip_prefix("next: lrbm ").unwrap();
                succeeds(home, &next.split(' ').collect::<Vec<_>>());
            }
            let model = format!("{tables}.json");
            let set = ["--set", "trees=4", "--out", &model];
            succeeds(home, &[&["train", "--data", &data, "--target", target][..], &set, options].concat());
            scores.push(succeeds(home, &["predict", "--model", &model, "--data", &data]));
        }
        assert!(scores[0].contains("AUC-ROC"), "{}", scores[0]);
        assert_eq!(scores[0], scores[1], "{id}");
        assert_eq!(scores[0], scores[2], "{id}");
    }
}

#[test]
fn an_import_appears_complete_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    people(home);
    let args = ["datasets", "import", "people", "--target", "person.smokes", "--out", "data"];
    for kind in ["full", "stop"] {
        let mut places = 0;
        loop {
            let output =
                command(home).args(args).env("LRBM_TEST_FAULT", format!("{kind}:{}", places + 1)).output().unwrap();
            if output.status.success() {
                break;
            }
            places += 1;
            assert!(!home.join("data").exists(), "{kind}:{places}");
            if kind == "full" {
                assert_eq!(output.status.code(), Some(2));
                assert_eq!(files(home), ["people/friends.csv", "people/person.csv"], "{kind}:{places}");
            }
        }
        assert!(places > 10, "{places}");
        assert_eq!(files(&home.join("data")).len(), 6);
        fs::remove_dir_all(home.join("data")).unwrap();
    }
}

/// Imports a directory of files; expects exit code 2, a message with these texts, and no trace.
#[track_caller]
fn refuse(content: &[(&str, &[u8])], args: &[&str], texts: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tables")).unwrap();
    for (name, bytes) in content {
        fs::write(home.join("tables").join(name), bytes).unwrap();
    }
    let before = files(home);
    let single = content.iter().find(|(name, _)| name.contains(".sqlite") && !name.contains("-wal"));
    let source = single.map_or("tables".to_owned(), |(name, _)| format!("tables/{name}"));
    let said = rejected(home, &[&["datasets", "import", &source, "--out", "out"], args].concat());
    for text in texts {
        assert!(said.contains(text), "`{text}` is not in\n{said}");
    }
    assert!(said.contains("nothing was written") || said.contains("out already exists") || !args.is_empty(), "{said}");
    assert_eq!(files(home), before, "{said}");
    assert!(!home.join("out").exists());
}

#[test]
fn hostile_csv_is_rejected_without_a_trace() {
    let wide: String = (0..1_000_000).map(|i| format!("c{i},")).collect();
    let long = format!("id,label\n1,{}\n", "x".repeat(2 << 20));
    let unclosed = format!("id,label\n1,\"{}", "x\n".repeat(35 << 20));
    for (bytes, texts) in [
        (&b""[..], &["tables/t.csv: the file is empty"][..]),
        (wide.as_bytes(), &["tables/t.csv:1: 1,000,001 columns, at most 4,096"]),
        (long.as_bytes(), &["tables/t.csv:2: column `label`: a text of 2,097,152 bytes"]),
        (unclosed.as_bytes(), &["tables/t.csv:2: a record of more than 64 MiB: a quote may be unclosed"]),
        (b"id,label\n1,true\n2,gr\xfc\xdf\n", &["tables/t.csv:3: column `label`: the byte 0xfc is not UTF-8"]),
        (b"\xff\xfei\0d\0", &["UTF-16: save it as UTF-8"]),
        (
            b"id,label,x\n1,yes,a\n\n2,no,\"unclosed\n3,no,c\n4,no,z",
            &["tables/t.csv:4: a quote in the record that starts here is not closed", "add the closing `\"`"],
        ),
        (b"id,label\r\n1,true\r\n2,\"\"\"\r\n", &["tables/t.csv:3: a quote in the record"]),
        (b"\"id,label\n", &["tables/t.csv:1: a quote in the record"]),
        (b"id,label\n1,a\0b\n", &["tables/t.csv:2: column `label`: a NUL character"]),
        (b"id,label\n1,true\n2\n", &["tables/t.csv:3: 1 fields, but the header has 2"]),
        (b"id,label\n1,true,x\n", &["tables/t.csv:2: 3 fields, but the header has 2"]),
        (b"id,label,id\n1,true,2\n", &["tables/t.csv:1: columns 1 and 3 are both called `id`"]),
        (
            b"id,label\n1,true\n2,true\n1,false\n",
            &["the key `id` has the value `1` in rows 1 and 3: which column identifies a row?", "--key t=COLUMN"],
        ),
        (b"id,label\n1,true\n,true\n", &["the key `id` is NULL in row 2"]),
        (b"id,height\n1,2\n", &["which table or column is to be predicted?"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &["tables/t.csv:1: column 1: the byte 0x89 is not UTF-8"]),
    ] {
        refuse(&[("t.csv", bytes)], &[], texts);
    }
    refuse(&[("t.csv", b"id,label\n1,true\n"), ("t.tsv", b"id\n1\n")], &[], &["a second table called `t`"]);
    refuse(&[("t.parquet", b"PAR1 and not more PAR1")], &[], &["tables/t.parquet: not a readable Parquet file"]);
    refuse(&[("notes.txt", b"hello")], &[], &["no .csv, .tsv or .parquet file in this directory"]);
    refuse(&[("t.csv", b"id,v,label\n1,5,true\n2,6,false\n")], &["--key", "t"], &["--key t: expected TABLE=COLUMN"]);
}

#[test]
fn quotes_that_are_closed_or_literal_are_accepted() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for (i, last) in ["5\" pipe", "\"a\nb\"", "\"a \"\"b\"\"\"", "\"a\" b\"", "\"\"", "\"a\"\r\n\n"].iter().enumerate()
    {
        fs::create_dir(home.join(format!("t{i}"))).unwrap();
        fs::write(home.join(format!("t{i}/t.csv")), format!("id,label,x\n1,true,\"c,\nd\"\n2,false,{last}")).unwrap();
        let printed = succeeds(home, &["datasets", "import", &format!("t{i}"), "--out", &format!("out{i}")]);
        assert!(printed.contains("with 2 rows"), "{last}\n{printed}");
    }
}

#[test]
fn declared_foreign_keys_join_what_they_refer_to() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let create = |name: &str, schema: &str| {
        Connection::open(home.join(name)).unwrap().execute_batch(schema).unwrap();
    };
    let facts = |name: &str, options: &[&str]| {
        let out = format!("{name}-out{}", options.len());
        succeeds(home, &[&["datasets", "import", name, "--out", &out], options].concat());
        fs::read_to_string(home.join(&out).join("facts.txt")).unwrap()
    };
    // A key that is a foreign key, and names that differ in case.
    create(
        "school.sqlite",
        "CREATE TABLE person (id INTEGER PRIMARY KEY, age REAL);
         CREATE TABLE student (id INTEGER PRIMARY KEY REFERENCES person(id), label BOOLEAN);
         CREATE TABLE visit (nr INTEGER PRIMARY KEY, who INTEGER, FOREIGN KEY(WHO) REFERENCES PERSON(ID));
         INSERT INTO person VALUES (1, 20.5), (2, 30.5);
         INSERT INTO student VALUES (1, 1), (2, 0);
         INSERT INTO visit VALUES (7, 1), (8, 1);",
    );
    let school = facts("school.sqlite", &[]);
    assert!(school.contains("person_age(person1,20.5).\n"), "{school}");
    assert!(school.contains("visit_who(visit7,person1).\n"), "{school}");
    let positives = fs::read_to_string(home.join("school.sqlite-out0/pos.txt")).unwrap();
    assert_eq!(positives, "student(person1).\n");
    // A foreign key to another column than the key is never joined with the key.
    create(
        "codes.sqlite",
        "CREATE TABLE a (id INTEGER PRIMARY KEY, code INTEGER UNIQUE, label BOOLEAN);
         CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a(code));
         INSERT INTO a VALUES (1, 2, 1), (2, 1, 0);
         INSERT INTO b VALUES (1, 2), (2, 2);",
    );
    let said = rejected(home, &["datasets", "import", "codes.sqlite", "--out", "out"]);
    let expected =
        "table `b`: `a_id` refers to `a.code`, but the key of `a` is `id`: which one is the key? pass --key a=";
    assert!(said.contains(expected), "{said}");
    let joined = facts("codes.sqlite", &["--key", "a=code"]);
    assert!(joined.contains("b_a_id(b1,a2).\n"), "{joined}");
    assert_eq!(fs::read_to_string(home.join("codes.sqlite-out2/pos.txt")).unwrap(), "a(a2).\n");
    let apart = facts("codes.sqlite", &["--key", "a=id", "--target", "a.label"]);
    assert!(apart.contains("b_a_id(b1,2).\n"), "{apart}");
}

#[test]
fn hostile_sqlite_files_are_rejected_without_a_trace() {
    let home = tempfile::tempdir().unwrap();
    shop(&home.path().join("shop.sqlite"));
    let good = fs::read(home.path().join("shop.sqlite")).unwrap();
    refuse(&[("s.sqlite", b"")], &[], &["not a SQLite database (the file is empty)"]);
    refuse(&[("s.sqlite", b"\x89PNG\r\n\x1a\n and so on, longer than a header")], &[], &["not a SQLite database"]);
    let wal: [(&str, &[u8]); 2] = [("s.sqlite", &good), ("s.sqlite-wal", b"x")];
    refuse(&wal, &[], &["unfinished changes in tables/s.sqlite-wal"]);
    // Only the header is that of SQLite.
    let mut other = good[..16].to_vec();
    other.extend((0..5000_u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()));
    refuse(&[("s.sqlite", &other)], &[], &["tables/s.sqlite: cannot be read as a SQLite database"]);
    refuse(&[("s.sqlite", &good[..good.len() / 2])], &[], &["damaged"]);
    let mut rejected = 0;
    for start in (100..good.len() - 64).step_by(good.len() / 23) {
        let home = tempfile::tempdir().unwrap();
        let mut damaged = good.clone();
        damaged[start..start + 64].fill(0xa5);
        fs::write(home.path().join("s.sqlite"), &damaged).unwrap();
        let args = ["datasets", "import", "s.sqlite", "--target", "city.coastal", "--out", "out"];
        let (code, stdout, stderr) = lrbm(home.path(), &args);
        // Damage in unused space or in a value cannot be seen; whatever is seen stops the import.
        match code {
            Some(0) => assert!(home.path().join("out/facts.txt").exists()),
            _ => {
                assert_eq!((code, stdout.as_str(), home.path().join("out").exists()), (Some(2), "", false), "{stderr}");
                rejected += 1;
            }
        }
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
    assert!(rejected >= 3, "{rejected}");
}

#[test]
fn mappings_that_do_not_fit_are_rejected_without_a_trace() {
    const GOOD: &str = r#"
[target]
predicate = "likes"
table = "t"
args = [{ column = "id", type = "item" }]
label = "label"

[keys]
t = "id"

[[predicate]]
name = "height"
table = "t"
args = [{ column = "id", type = "item" }, { column = "height", type = "height", kind = "number" }]
"#;
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tables")).unwrap();
    let rows = "id,height,name,label\n1,2.5,a,true\n2,3,b,false\n";
    for (from, to, expected) in [
        (
            "table = \"t\"\nargs = [{ column = \"id\", type = \"item\" }]\nl",
            "table = \"u\"\nargs = [{ column = \"id\", type = \"item\" }]\nl",
            "unknown table `u`",
        ),
        ("column = \"height\"", "column = \"hight\"", "table `t` has no column `hight`; did you mean `height`?"),
        ("column = \"height\"", "column = \"name\"", "requires numbers or dates, but row 1 is the text `a`"),
        ("column = \"height\"", "column = \"label\"", "would reveal the labels"),
        ("label = \"label\"", "label = \"name\"", "set `positive` to the value of positive examples"),
        ("label = \"label\"", "lable = \"label\"", "mapping.toml:6: unknown field `lable`"),
        ("label", "label", "the key `id` has the value `2` in rows 2 and 3"),
        ("[keys]\nt = \"id\"", "", "likes(item2) has different labels in rows 2 and 3"),
        ("type = \"height\"", "type = \"Height\"", "`Height` must be a lower-case letter"),
    ] {
        // The row that contradicts another one is there only where it is meant.
        let third = if expected.contains("rows 2 and 3") { "2,3,b,true\n" } else { "" };
        fs::write(home.join("tables/t.csv"), format!("{rows}{third}")).unwrap();
        fs::write(home.join("mapping.toml"), GOOD.replacen(from, to, 1)).unwrap();
        let said = rejected(home, &["datasets", "import", "tables", "--mapping", "mapping.toml", "--out", "out"]);
        assert!(said.contains(expected), "`{expected}` is not in\n{said}");
        assert_eq!(files(home), ["mapping.toml", "tables/t.csv"]);
    }
    // An existing directory is never overwritten.
    fs::create_dir(home.join("out")).unwrap();
    fs::write(home.join("out/mine"), "").unwrap();
    let said = rejected(home, &["datasets", "import", "tables", "--mapping", "mapping.toml", "--out", "out"]);
    assert!(said.contains("out already exists and is not overwritten"), "{said}");
    assert!(rejected(home, &["datasets", "import", "nowhere", "--out", "o"]).contains("nowhere: no such file"));
}

#[test]
fn what_is_missing_is_said() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    people(home);
    let import = |source: &str, more: &[&str], out: &str| {
        let (code, _, said) = lrbm(home, &[&["datasets", "import", source, "--out", out][..], more].concat());
        assert_eq!(code, Some(0), "{said}");
        said
    };
    let said = import("people", &["--target", "person.smokes"], "data");
    assert!(said.contains("1 row of `person` gives no example, because the label or an argument is NULL"), "{said}");
    assert!(!said.contains("no facts") && !said.contains("no negative"), "{said}");
    for (name, table, notes) in [
        ("no-facts", "id,label\n1,true\n2,false\n", &["no facts: nothing can be learned"][..]),
        ("all-true", "id,size,label\n1,3,true\n2,4,true\n", &["no negative examples: `lrbm run` draws them"]),
        ("all-false", "id,size,label\n1,3,false\n2,4,false\n", &["no positive examples"]),
    ] {
        fs::create_dir(home.join(name)).unwrap();
        fs::write(home.join(name).join("thing.csv"), table).unwrap();
        let said = import(name, &["--target", "thing.label"], &format!("{name}-data"));
        assert!(notes.iter().all(|note| said.contains(note)), "{name}: {said}");
    }
}

#[test]
fn infinite_numbers_are_rejected() {
    let csv = b"id,size,label\n1,3.5,true\n2,-inf,false\n";
    refuse(&[("thing.csv", csv)], &[], &["column `size`, row 2", "an infinite number: correct it, or leave it empty"]);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.sqlite");
    let rows = "INSERT INTO thing VALUES (1, 3.5, 1), (2, 9e999, 0);";
    Connection::open(&path)
        .and_then(|sqlite| sqlite.execute_batch(&format!("CREATE TABLE thing (id INTEGER, size REAL, label);{rows}")))
        .unwrap();
    refuse(&[("t.sqlite", &fs::read(&path).unwrap())], &[], &["`size`", "an infinite number"]);
    let columns: Vec<Column> = vec![
        Series::new("id".into(), [1_i64, 2]).into(),
        Series::new("size".into(), [f64::NEG_INFINITY, f64::NAN]).into(),
        Series::new("label".into(), [true, false]).into(),
    ];
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).finish(&mut DataFrame::new(2, columns).unwrap()).unwrap();
    refuse(&[("t.parquet", &bytes)], &[], &["column `size`", "row 1: an infinite number"]);
}

#[test]
fn names_in_the_wrong_case_are_named() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeeds(home, &["datasets", "generate", "movies", "--out", "movies"]);
    let rename =
        |from: &str, to: &str| fs::rename(home.join("movies").join(from), home.join("movies").join(to)).unwrap();
    let train = ["train", "--data", "movies", "--target", "workedunder", "--out", "model.json"];
    rename("train_bk.txt", "Train_BK.txt");
    let said = rejected(home, &train);
    assert!(
        said.contains("Train_BK.txt: this background file is not read") && said.contains("rename it to train_bk.txt")
    );
    rename("Train_BK.txt", "train_bk.txt");
    rename("train_facts.txt", "Train_Facts.txt");
    let said = rejected(home, &train);
    assert!(said.contains("Train_Facts.txt is not read, since names are in lower case: rename it to train_facts.txt"));
}
