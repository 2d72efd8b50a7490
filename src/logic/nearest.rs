//! The known name that a mistyped one was probably meant to be.

/// The candidate most like `word`, small and capital letters alike; among equals the first.
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
    fn a_slip_of_the_hand_is_understood() {
        assert_eq!(nearest("mdoe", ["bridger", "mode", "range"]), Some("mode"));
        assert_eq!(nearest("NODESIZE", ["numOfClauses", "nodeSize"]), Some("nodeSize"));
        assert_eq!(nearest("x", []), None);
    }
}
