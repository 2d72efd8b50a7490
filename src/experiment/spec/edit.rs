//! Applies changes of a raw spec to its text. Comments, order and layout of the rest are kept.

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item as Node, Table, TableLike, Value as NodeValue};

use super::raw::{Item, RawTable, RawValue};
use crate::learn::params::Value;

/// Returns the text of a spec after its values changed; `before` was read from `text`.
pub fn rewrite(text: &str, before: &RawTable, after: &RawTable) -> String {
    let mut document: DocumentMut = text.parse().unwrap_or_default();
    // A text that cannot be edited is written from scratch.
    let before = if document.is_empty() { &RawTable::default() } else { before };
    update(document.as_table_mut(), before, after);
    document.to_string()
}

fn update(table: &mut dyn TableLike, before: &RawTable, after: &RawTable) {
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        table.remove(key);
    }
    for (key, item) in after {
        let old = before.get(key);
        if old == Some(item) {
            continue;
        }
        match table.get_mut(key) {
            Some(node) => update_node(node, old.map(|old| &old.value), &item.value),
            None => drop(table.insert(key, node_of(&item.value))),
        }
    }
}

fn update_node(node: &mut Node, before: Option<&RawValue>, after: &RawValue) {
    match (&mut *node, before, after) {
        (node, Some(RawValue::Table(before)), RawValue::Table(after)) if node.is_table_like() => {
            if let Some(table) = node.as_table_like_mut() {
                update(table, before, after);
            }
        }
        (Node::ArrayOfTables(rows), Some(RawValue::List(before)), RawValue::List(after)) => {
            let mut is_kept = kept(before, after, |old, new| old.place == new.place).into_iter();
            rows.retain(|_| is_kept.next().unwrap_or(false));
            for (row, item) in rows.iter_mut().zip(after) {
                let old = before.iter().find(|old| old.place == item.place);
                if let (Some(old), Some(new)) = (old.and_then(Item::table), item.table()) {
                    update(row, old, new);
                }
            }
        }
        (Node::Value(NodeValue::Array(items)), Some(RawValue::List(before)), RawValue::List(after)) => {
            update_array(items, before, after);
        }
        (node, ..) => {
            let mut new = node_of(after);
            if let (Some(old), Some(new)) = (node.as_value(), new.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            *node = new;
        }
    }
}

/// Keeps the comments beside the items of an array: items that are only removed take theirs with
/// them; otherwise those of a place stay there.
fn update_array(items: &mut Array, before: &[Item], after: &[Item]) {
    let kept = kept(before, after, Item::eq);
    if kept.iter().filter(|kept| **kept).count() == after.len() {
        let mut is_kept = kept.into_iter();
        items.retain(|_| is_kept.next().unwrap_or(false));
        return;
    }
    while items.len() > after.len() {
        items.remove(after.len());
    }
    for (place, item) in after.iter().enumerate() {
        if before.get(place) != Some(item) {
            let value = value_of(&item.value);
            match items.get_mut(place) {
                Some(old) => {
                    let decor = old.decor().clone();
                    *old = value;
                    *old.decor_mut() = decor;
                }
                None => items.push(value),
            }
        }
    }
}

/// Returns which items of a list are still in it.
fn kept(before: &[Item], after: &[Item], same: fn(&Item, &Item) -> bool) -> Vec<bool> {
    let mut rest = after.iter().peekable();
    before.iter().map(|old| rest.next_if(|new| same(old, new)).is_some()).collect()
}

fn node_of(value: &RawValue) -> Node {
    match value {
        RawValue::Table(inner) => {
            let mut table = Table::new();
            update(&mut table, &RawTable::default(), inner);
            // A table that holds only tables needs no header.
            table.set_implicit(inner.values().all(|item| item.table().is_some()));
            Node::Table(table)
        }
        RawValue::List(items) if !items.is_empty() && items.iter().all(|item| item.table().is_some()) => {
            let rows = items.iter().filter_map(|item| node_of(&item.value).into_table().ok());
            Node::ArrayOfTables(rows.collect::<ArrayOfTables>())
        }
        _ => Node::Value(value_of(value)),
    }
}

fn value_of(value: &RawValue) -> NodeValue {
    match value {
        RawValue::Scalar(Value::Text(text)) => text.into(),
        RawValue::Scalar(Value::Integer(number)) => (*number).into(),
        RawValue::Scalar(Value::Number(number)) => (*number).into(),
        RawValue::Scalar(Value::Bool(is)) => (*is).into(),
        RawValue::List(items) => items.iter().map(|item| value_of(&item.value)).collect::<Array>().into(),
        RawValue::Table(table) => {
            let entries = table.iter().map(|(key, item)| (key, value_of(&item.value)));
            entries.collect::<InlineTable>().into()
        }
        RawValue::Other(text) => text.parse().unwrap_or_else(|_| text.into()),
    }
}
