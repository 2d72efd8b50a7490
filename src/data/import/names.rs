//! Names of predicates and types from names of tables and columns.

/// Column names that mark labels.
const LABELS: [&str; 5] = ["label", "target", "class", "positive", "is_positive"];

/// Returns whether a column is to be predicted by its name.
pub fn is_label(column: &str) -> bool {
    LABELS.contains(&word(column).as_str())
}

/// Returns the name as a word that starts with a lower-case letter: other characters become `_`.
pub fn word(name: &str) -> String {
    let mut word = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !word.ends_with('_') {
            word.push(c);
        }
    }
    let word = word.trim_matches('_');
    match word.chars().next() {
        Some(first) if first.is_ascii_lowercase() => word.to_owned(),
        Some(_) => format!("t_{word}"),
        None => "t".to_owned(),
    }
}

/// Returns whether a name can be a predicate or type: a lower-case letter, then letters, digits and
/// `_`.
pub fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns the singular of an English plural: `movies` gives `movie`, `cities` gives `city`.
pub fn singular(name: &str) -> String {
    match name {
        _ if name.len() <= 3 || name.ends_with("ss") || name.ends_with("us") => name.to_owned(),
        "series" | "species" => name.to_owned(),
        _ if name.ends_with("ies") && !["movies", "cookies", "calories"].contains(&name) => {
            format!("{}y", &name[..name.len() - 3])
        }
        _ => name.strip_suffix('s').unwrap_or(name).to_owned(),
    }
}

/// Returns what a column names without a trailing number and without `id` or `key`: `person_id`,
/// `personId` and `person2` give `person`, and `id` gives the empty text.
pub fn stem(column: &str) -> String {
    let spaced = column.strip_suffix("Id").or(column.strip_suffix("ID")).map(|rest| format!("{rest}_id"));
    let name = word(spaced.as_deref().unwrap_or(column));
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let name = ["id", "key"]
        .iter()
        .find_map(|end| match name.strip_suffix(end)? {
            "" => Some(""),
            rest => rest.strip_suffix('_'),
        })
        .unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, expected) in [
            ("person", "person"),
            ("Worked Under", "worked_under"),
            ("2nd", "t_2nd"),
            ("", "t"),
            ("größe", "gr_e"),
            ("__a--b__", "a_b"),
            ("日本", "t"),
            ("a\"b).\n", "a_b"),
        ] {
            assert_eq!(word(name), expected);
            assert!(is_word(&word(name)), "{name}");
        }
        assert!(!is_word("Person") && !is_word("") && !is_word("a b") && !is_word("1a"));
    }

    #[test]
    fn columns_have_stems() {
        for (column, expected) in [
            ("id", ""),
            ("ID", ""),
            ("person_id", "person"),
            ("personId", "person"),
            ("PersonID", "person"),
            ("person2", "person"),
            ("person_2", "person"),
            ("person2_id", "person"),
            ("valid", "valid"),
            ("key", ""),
            ("name", "name"),
            ("monkey", "monkey"),
        ] {
            assert_eq!(stem(column), expected, "{column}");
        }
        assert_eq!(["movies", "cities", "class", "bus", "gas"].map(singular), ["movie", "city", "class", "bus", "gas"]);
    }
}
