//! Tests of lookups in relations.

use super::super::relation::{FactRows, IndexId, Relation};
use super::super::sorting;
use crate::logic::Constant;

fn c(id: u32) -> Constant {
    Constant::from_id(id)
}

fn relation(arity: usize, rows: &[&[u32]], orders: &[&[u32]]) -> Relation {
    let orders: Vec<Box<[u32]>> = orders.iter().map(|&order| order.into()).collect();
    match arity {
        0 => sorting::proposition(rows.len() as u64),
        2 => sorting::binary(rows.iter().map(|row| sorting::pair(row[0], row[1])).collect(), &orders),
        _ => sorting::any_arity(arity, rows.concat(), &orders),
    }
}

fn rows(found: FactRows<'_, '_>) -> Vec<Vec<u32>> {
    found.map(|row| row.iter().map(Constant::id).collect()).collect()
}

#[test]
fn binary_relations_are_indexed_by_both_columns() {
    let facts: &[&[u32]] = &[&[1, 9], &[3, 8], &[1, 8], &[1, 9]];
    let friends = relation(2, facts, &[&[0, 1], &[1, 0]]);
    assert_eq!((friends.len(), friends.duplicates()), (3, 1));
    assert_eq!(rows(friends.iter()), [[1, 8], [1, 9], [3, 8]]);
    assert_eq!(rows(friends.lookup(&[Some(c(1)), None])), [[1, 8], [1, 9]]);
    assert_eq!(rows(friends.lookup(&[None, Some(c(8))])), [[1, 8], [3, 8]]);
    assert_eq!(rows(friends.lookup(&[Some(c(3)), Some(c(8))])), [[3, 8]]);
    assert_eq!(rows(friends.lookup(&[Some(c(2)), None])), [[0u32; 0]; 0]);
    assert!(friends.contains(&[c(1), c(9)]));
    assert!(!friends.contains(&[c(9), c(1)]));
    assert!(!friends.contains(&[c(1)]));
    assert_eq!(friends.lookup(&[Some(c(1))]).count(), 0);
    assert_eq!(friends.values(1), [c(8), c(9)]);
    assert_eq!(friends.values(2), []);

    let by_second = friends.index_for(0b10).unwrap();
    let run = friends.run(by_second, c(8));
    assert_eq!(&friends.index(by_second).column(1)[run], [1, 3]);
    assert_eq!(friends.index_for(0b11), Some(IndexId(0)));
    assert_eq!(friends.index_for(0b100), None);
}

#[test]
fn columns_outside_the_prefix_are_compared() {
    let facts: &[&[u32]] = &[&[1, 2, 3], &[1, 4, 3], &[1, 4, 5], &[2, 4, 3]];
    let one_order = relation(3, facts, &[&[0, 1, 2]]);
    assert_eq!(rows(one_order.lookup(&[Some(c(1)), None, Some(c(3))])), [[1, 2, 3], [1, 4, 3]]);
    assert_eq!(rows(one_order.lookup(&[None, Some(c(4)), Some(c(3))])), [[1, 4, 3], [2, 4, 3]]);
    assert_eq!(one_order.values(2), [c(3), c(5)]);
    assert_eq!(one_order.index_for(0b101), None);
}

#[test]
fn propositions_have_zero_or_one_row() {
    let rain = relation(0, &[&[], &[]], &[&[]]);
    assert_eq!((rain.len(), rain.duplicates()), (1, 1));
    assert!(rain.contains(&[]));
    assert_eq!(rows(rain.iter()), [[0u32; 0]]);
    assert_eq!(rows(rain.lookup(&[])).len(), 1);
    let snow = relation(0, &[], &[&[]]);
    assert!(!snow.contains(&[]));
    assert_eq!(rows(snow.iter()).len(), 0);
}

#[test]
fn lookups_in_an_empty_relation_are_empty() {
    let empty = relation(2, &[], &[&[0, 1], &[1, 0]]);
    assert_eq!(empty.lookup(&[None, None]).count(), 0);
    assert_eq!(empty.lookup(&[None, Some(c(0))]).count(), 0);
    assert!(!empty.contains(&[c(0), c(0)]));
    assert_eq!(empty.values(0), []);
}

#[test]
fn runs_of_equal_values_of_any_length_are_found() {
    // Column 1 of the first order has runs of 1, 2, …, 20 rows.
    let facts: Vec<[u32; 3]> = (0..20).flat_map(|value| (0..=value).map(move |last| [7, value, last])).collect();
    let facts: Vec<&[u32]> = facts.iter().map(|fact| &fact[..]).collect();
    let found = relation(3, &facts, &[&[0, 1, 2]]);
    for value in 0..21 {
        let expected: Vec<_> = facts.iter().filter(|fact| fact[1] == value).map(|fact| fact.to_vec()).collect();
        assert_eq!(rows(found.lookup(&[Some(c(7)), Some(c(value)), None])), expected);
    }
}
