//! Tests of the database and its builder.

use super::super::database::Database;
use super::super::sample::{self, constants};

#[test]
fn databases_are_send_and_sync() {
    fn shared<T: Send + Sync>() {}
    shared::<Database>();
}

#[test]
fn constants_of_a_type_come_from_facts_and_ranges() {
    let (mut builder, _) = sample::read(
        "mode: friends(+person, -person). mode: age(+person, #years). friends(bob, ann). friends(bob, cat).
         age(dan, 7). untyped(eve).",
    );
    let zoe = builder.symbols.intern("zoe").unwrap();
    let ann = builder.symbols.find("ann").unwrap();
    builder.schema.add_range("person", vec![zoe, ann]).unwrap();
    let (database, _) = builder.build(None).unwrap();
    let [bob, ann, cat, dan, seven] = constants(&database, ["bob", "ann", "cat", "dan", "7"]);
    let of = |name: &str| database.constants_of_type(database.schema.find_type(name).unwrap());
    // Sorted by first appearance in the text.
    assert_eq!(of("person"), [bob, ann, cat, dan, zoe]);
    assert_eq!(of("years"), [seven]);
}

#[test]
fn atoms_are_shown_with_their_arguments() {
    let (database, ..) = sample::build("likes(ann, 7).", None);
    let likes = database.predicates.find("likes", 2).unwrap();
    assert_eq!(database.show_atom(likes, &constants(&database, ["ann", "7"])), "likes(ann,7)");
}

#[test]
fn indexes_follow_the_modes() {
    let text = "mode: one(+a, -a). mode: both(+a, -a). mode: both(-a, +a). one(x, y). both(x, y). none(x, y).";
    let (database, ..) = sample::build(text, None);
    let orders = |name: &str| {
        let id = database.predicates.find(name, 2).unwrap();
        database.facts.relation(id).indexes().iter().map(|index| index.order().to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(orders("one"), [[0, 1]]);
    assert_eq!(orders("both"), [[0, 1], [1, 0]]);
    assert_eq!(orders("none"), [[0, 1]]);
}
