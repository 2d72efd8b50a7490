//! Spelling suggestions for unknown names.

/// Returns the candidate most similar to `word`, ignoring case; the first one on ties.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |known: &str| strsim::jaro_winkler(&known.to_lowercase(), &word.to_lowercase());
    let mut best: Option<(&str, f64)> = None;
    for candidate in candidates {
        let score = likeness(candidate);
        if best.is_none_or(|(_, known)| score > known) {
            best = Some((candidate, score));
        }
    }
    best.map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typos_are_matched_ignoring_case() {
        assert_eq!(nearest("mdoe", ["bridger", "mode", "range"]), Some("mode"));
        assert_eq!(nearest("NODESIZE", ["numOfClauses", "nodeSize"]), Some("nodeSize"));
        assert_eq!(nearest("x", []), None);
    }
}
