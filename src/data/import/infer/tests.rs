use super::super::apply::apply;
use super::super::column::{ForeignKey, Values};
use super::super::render;
use super::*;

/// A table from lines of values; an empty value is NULL.
fn table(name: &str, columns: &str, rows: &[&str]) -> SourceTable {
    let cell = |row: &str, i: usize| {
        let text = row.split(',').nth(i).unwrap().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let column = |(i, name): (usize, &str)| SourceColumn {
        name: name.trim().to_owned(),
        values: Values::of_texts(rows.iter().map(|row| cell(row, i)).collect()),
    };
    SourceTable::new(name, columns.split(',').enumerate().map(column).collect())
}

fn staff() -> Vec<SourceTable> {
    vec![
        table(
            "people",
            "id, name, age, town, boss_person_id, smokes",
            &[
                "1,Ann,31.5,rome,,true",
                "2,Ben,44.5,rome,1,false",
                "3,Cid,28.5,oslo,1,",
                "4,Dee,50,oslo,2,true",
                "5,Eve,60,rome,2,false",
            ],
        ),
        table("projects", "project_id, started", &["10,2020-01-01", "11,2021-06-30"]),
        table("works_on", "person_id, project_id, hours", &["1,10,5.5", "2,10,7.25", "3,11,", "4,11,1.5"]),
    ]
}

fn answers(target: &str) -> Answers {
    Answers { target: Some(target.to_owned()), ..Answers::default() }
}

/// `people` is an irregular plural, so its entities are called `people`; a key column with the
/// right name gives the type.
fn with_person_key() -> Vec<SourceTable> {
    let mut tables = staff();
    tables[0].columns[0].name = "person_id".into();
    tables
}

#[test]
fn keys_references_and_attributes_are_found() {
    let proposal = infer(&with_person_key(), &answers("people.smokes"));
    assert_eq!(proposal.questions, [""; 0]);
    let imported = apply(&proposal.mapping, &with_person_key()).unwrap();
    let expected = [
        "mode: smokes(+person).",
        "mode: people_boss_person_id(+person,-person).",
        "mode: people_boss_person_id(-person,+person).",
        "mode: people_age(+person,#people_age).",
        "mode: people_town(+person,#town).",
        "mode: people_town(+person,-town).",
        "mode: projects_started(+project,#projects_started).",
        "mode: works_on(+person,-project).",
        "mode: works_on(-person,+project).",
        "mode: works_on_hours(+person,-project,#works_on_hours).",
        "mode: works_on_hours(-person,+project,#works_on_hours).",
    ];
    let mut modes = imported.modes.clone();
    modes.retain(|mode| mode != "mode: people(+person).");
    assert_eq!(modes, expected);
    assert_eq!(imported.positives, "smokes(person1).\nsmokes(person4).\n");
    assert_eq!(imported.negatives, "smokes(person2).\nsmokes(person5).\n");
    assert_eq!(imported.skipped_examples, 1);
    for fact in [
        "people_age(person1,31.5).",
        "people_town(person3,oslo).",
        "people_boss_person_id(person2,person1).",
        "projects_started(project10,18262).",
        "works_on(person3,project11).",
        "works_on_hours(person2,project10,7.25).",
    ] {
        assert!(imported.facts.contains(&format!("{fact}\n")), "{fact}\n{}", imported.facts);
    }
    // NULL gives no fact, and names are left out as free text.
    assert!(!imported.facts.contains("works_on_hours(person3") && !imported.facts.contains("Ann"));
    assert!(imported.unused.contains(&"people.name".to_owned()), "{:?}", imported.unused);
    assert!(proposal.notes.iter().any(|note| note.contains("`people.name` is left out")), "{:?}", proposal.notes);
    assert_eq!(proposal.mapping.keys.len(), 2);

    // The rendered text is the same mapping.
    let text = render::proposal(&proposal);
    assert_eq!(Mapping::parse(&text, "m.toml").unwrap(), proposal.mapping, "{text}");
}

#[test]
fn open_questions_are_asked() {
    let unknown = infer(&with_person_key(), &Answers::default());
    assert!(unknown.questions[0].starts_with("which table or column is to be predicted?"), "{:?}", unknown.questions);
    assert!(Mapping::parse(&render::proposal(&unknown), "m.toml").is_err());

    let mut doubled = with_person_key();
    doubled[0] = table("people", "id, town", &["1,rome", "2,oslo", "1,lima"]);
    let proposal = infer(&doubled, &answers("works_on"));
    assert_eq!(proposal.questions.len(), 1, "{:?}", proposal.questions);
    assert!(proposal.questions[0].contains("the key `id` has the value `1` in rows 1 and 3"));
    assert!(proposal.questions[0].contains("--key people=COLUMN"));
    let settled = Answers { keys: [("people".to_owned(), None)].into_iter().collect(), ..answers("works_on") };
    assert_eq!(infer(&doubled, &settled).questions, [""; 0]);

    let ambiguous =
        [table("staff", "name, badge", &["ann,x1", "ben,x2"]), table("seen", "name, place", &["ann,a", "ann,b"])];
    let question = &infer(&ambiguous[..1], &answers("staff")).questions[0];
    assert!(question.contains("`name`, `badge` identifies its rows: which one is the key?"), "{question}");
    let missing = &infer(&ambiguous, &answers("stuff")).questions;
    assert!(missing.iter().any(|question| question.contains("--target stuff: no such table")), "{missing:?}");
}

#[test]
fn tables_without_keys_are_linked_by_column_names() {
    let tables = [
        table("acted", "person, movie", &["ann,m1", "ann,m2", "ben,m1"]),
        table("directed", "movie, person", &["m1,cid", "m2,cid"]),
        table("genre", "movie, genre", &["m1,drama", "m2,drama"]),
        table("workedunder", "person, person2, label", &["ann,cid,true", "ben,cid,true", "cid,ann,false"]),
    ];
    let proposal = infer(&tables, &Answers::default());
    assert_eq!(proposal.questions, [""; 0]);
    let imported = apply(&proposal.mapping, &tables).unwrap();
    assert_eq!(
        imported.modes,
        [
            "mode: workedunder(+person,+person).",
            "mode: acted(+person,-movie).",
            "mode: acted(-person,+movie).",
            "mode: directed(+movie,-person).",
            "mode: directed(-movie,+person).",
            "mode: genre(+movie,#genre).",
            "mode: genre(+movie,-genre).",
        ]
    );
    assert_eq!(imported.examples, (2, 1));
}

#[test]
fn targets_have_labels_classes_or_rows() {
    let with = |column: &str, values: [&str; 4]| {
        let rows: Vec<String> = values.iter().enumerate().map(|(i, value)| format!("{i},{value}")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        [table("item", &format!("id, {column}"), &rows)]
    };
    let target = |tables: &[SourceTable], name: &str| infer(tables, &answers(name)).mapping.target;
    let flags = target(&with("ok", ["1", "0", "", "1"]), "item.ok");
    assert_eq!((flags.label.as_deref(), flags.positive), (Some("ok"), None));
    let words = target(&with("ok", ["Yes", "No", "No", "Yes"]), "item.ok");
    assert_eq!(words.positive.as_deref(), Some("Yes"));
    let tables = with("color", ["red", "blue", "red", "green"]);
    assert_eq!(target(&tables, "item.color").class.as_deref(), Some("color"));
    let imported = apply(&infer(&tables, &answers("item.color")).mapping, &tables).unwrap();
    assert_eq!(imported.modes, ["mode: color(+item,#color!1)."]);
    assert!(imported.positives.starts_with("color(item0,red).\ncolor(item1,blue).\n"), "{}", imported.positives);
    let lost =
        [table("item", "id, label", &["1,true", "2,false"]), table("part", "item_id, kind", &["1,a", "1,b", "9,a"])];
    let notes = infer(&lost, &Answers::default()).notes;
    assert!(
        notes.iter().any(|note| note.contains("`9` in row 3 of `part.item_id` is no key of the type item")),
        "{notes:?}"
    );
    let regression = infer(&with("price", ["1.5", "2.5", "3.5", "4.5"]), &answers("item.price"));
    assert!(regression.questions[0].contains("regression is not supported"), "{:?}", regression.questions);

    let pairs = [
        table("person", "id, town", &["1,a", "2,b", "3,a"]),
        table("likes", "person1, person2", &["1,2", "2,1"]),
        table("likes_neg", "person1, person2", &["1,3"]),
    ];
    let proposal = infer(&pairs, &answers("likes"));
    assert_eq!((proposal.questions.len(), proposal.mapping.target.negatives.as_deref()), (0, Some("likes_neg")));
    let imported = apply(&proposal.mapping, &pairs).unwrap();
    assert_eq!(
        (imported.positives.as_str(), imported.examples),
        ("likes(person1,person2).\nlikes(person2,person1).\n", (2, 1))
    );
}

#[test]
fn labels_that_differ_in_each_row_are_no_keys() {
    let tables = [
        table("paper", "id, year", &["1,1999", "2,2001"]),
        table("cites", "paper1, paper2, class", &["2,1,x", "1,2,y", "1,1,z"]),
    ];
    let proposal = infer(&tables, &Answers::default());
    assert_eq!(proposal.questions, [""; 0]);
    assert_eq!(proposal.mapping.target.class.as_deref(), Some("class"));
    assert_eq!(proposal.mapping.target.args.len(), 2);
}

#[test]
fn a_year_column_of_the_target_gives_times() {
    let tables = [
        table("paper", "id, year", &["1,1999", "2,2001", "3,2004"]),
        table("cites", "paper1, paper2, label", &["2,1,true", "3,1,true", "3,2,false"]),
    ];
    let proposal = infer(&tables, &Answers::default());
    assert_eq!(proposal.mapping.time.unwrap().predicate, "paper_year");
    assert!(proposal.notes.iter().any(|note| note.contains("gives times")));
}

#[test]
fn columns_without_values_say_nothing_about_names() {
    let tables = [
        table("person", "id, town", &["1,a", "2,b", "3,a"]),
        table("boss", "person1, person2", &["1,", "2,"]),
        table("visits", "person_id, place_id", &[]),
        table("likes", "person1, person2, label", &["1,2,true", "2,1,false"]),
    ];
    let proposal = infer(&tables, &Answers::default());
    assert_eq!(proposal.questions, [""; 0]);
    let imported = apply(&proposal.mapping, &tables).unwrap();
    assert_eq!(imported.positives, "likes(person1,person2).\n");
    assert!(imported.modes.contains(&"mode: boss(+person,-person).".to_owned()), "{:?}", imported.modes);
    assert_eq!(imported.predicates.iter().map(|counts| counts.facts).sum::<usize>(), 3, "{}", imported.facts);
}

#[test]
fn a_first_column_that_names_another_type_is_a_reference() {
    let paper = |key: &str, name: &str| table(name, &format!("{key}, label"), &["1,true", "2,false", "3,true"]);
    let cites = table("cites", "citing_paper_id, cited_paper_id", &["1,2", "2,3", "3,3"]);
    // The key of papers is certain in the first case, and a first column itself in the second.
    for papers in [paper("id", "paper"), paper("paper_id", "texts")] {
        let tables = [papers, cites.clone()];
        let proposal = infer(&tables, &Answers::default());
        assert_eq!(proposal.questions, [""; 0]);
        let imported = apply(&proposal.mapping, &tables).unwrap();
        assert!(imported.modes.contains(&"mode: cites(+paper,-paper).".to_owned()), "{:?}", imported.modes);
        assert!(imported.facts.contains("cites(paper1,paper2).\n"), "{}", imported.facts);
    }
}

#[test]
fn tables_with_keys_of_their_own_share_no_entities() {
    let rows = ["1,true", "2,false"];
    for (names, expected) in [
        (["order", "orders"], ["order", "orders"]),
        (["orders", "order"], ["orders", "order"]),
        (["Person", "person"], ["person_2", "person"]),
    ] {
        let tables = [table(names[0], "id, label", &rows), table(names[1], "id, ok", &rows)];
        let proposal = infer(&tables, &Answers::default());
        assert_eq!(proposal.mapping.target.args[0].type_name, expected[0]);
        assert_eq!(proposal.mapping.predicates[0].args[0].type_name, expected[1]);
        let note = format!("the tables `{}` (type {}) and `{}` (type", names[0], expected[0], names[1]);
        assert!(proposal.notes.iter().any(|text| text.starts_with(&note)), "{:?}", proposal.notes);
    }
    // A declared foreign key makes them one.
    let mut tables = [table("order", "id, label", &rows), table("orders", "id, ok", &rows)];
    tables[1].foreign_keys.push(ForeignKey { column: "id".into(), table: "order".into(), references: None });
    let proposal = infer(&tables, &Answers::default());
    assert_eq!((proposal.mapping.predicates[0].args[0].type_name.as_str(), proposal.notes.len()), ("order", 0));
    // Even one in each direction.
    tables[0].foreign_keys.push(ForeignKey { column: "id".into(), table: "orders".into(), references: None });
    assert_eq!(infer(&tables, &Answers::default()).mapping.predicates[0].args[0].type_name, "order");
}

#[test]
fn names_of_integers_tell_types_apart() {
    let tables = [table("q3", "id, label", &["2,true", "3,false"]), table("q", "id, ok", &["32,true", "33,true"])];
    let imported = apply(&infer(&tables, &Answers::default()).mapping, &tables).unwrap();
    assert_eq!(imported.positives, "q3(q3_2).\n");
    assert_eq!(imported.facts, "q_ok(q32).\nq_ok(q33).\n");
}
