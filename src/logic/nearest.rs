//! Spelling suggestions for unknown names.

/// Minimum Jaro-Winkler similarity of a suggestion; below it, names share hardly more than letters.
const NEAR: f64 = 0.75;

/// Returns the candidate most similar to `word`, ignoring case; the first one on ties. Returns
/// `None` if none is similar.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let mut best: Option<(&str, f64)> = None;
    for candidate in candidates {
        let score = strsim::jaro_winkler(&candidate.to_lowercase(), &word);
        if score >= NEAR && best.is_none_or(|(_, known)| score > known) {
            best = Some((candidate, score));
        }
    }
    best.map(|(name, _)| name)
}

/// Formats the most similar name as a question before other advice; empty if none is similar.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_matched_ignoring_case() {
        assert_eq!(nearest("mdoe", ["bridger", "mode", "range"]), Some("mode"));
        assert_eq!(nearest("NODESIZE", ["numOfClauses", "nodeSize"]), Some("nodeSize"));
        assert_eq!(nearest("x", []), None);
        // The nearest of several, wherever it is, and the first of equals.
        assert_eq!(nearest("actor", ["actress", "actors", "action"]), Some("actors"));
        assert_eq!(nearest("actor", ["actors", "actress"]), Some("actors"));
        assert_eq!(nearest("film", ["filma", "filmb"]), Some("filma"));
    }

    #[test]
    fn other_words_are_not_suggested() {
        assert_eq!(nearest("zebra", ["workedunder", "mode", "nodeSize"]), None);
        assert_eq!(did_you_mean("zebra", ["workedunder"]), "");
        assert_eq!(did_you_mean("worked", ["workedunder"]), "did you mean `workedunder`? ");
    }
}
