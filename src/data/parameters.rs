//! The `setParam` keys of background files: supported, ignored, obsolete and unknown ones.

use crate::logic::Diagnostic;
use crate::logic::nearest::did_you_mean;

/// Keys that the learners support, in the spelling of BoostSRL.
pub const SUPPORTED: [&str; 3] = ["nodeSize", "numOfClauses", "maxTreeDepth"];

/// Keys that BoostSRL reads and that have no meaning here.
const IGNORED: [&str; 16] = [
    "clauseLength",
    "numOfCycles",
    "maxNodesToConsider",
    "maxNodesToCreate",
    "maxScoreToStop",
    "minPosCoverage",
    "recursion",
    "lineSearch",
    "resampleEgs",
    "loadAllLibraries",
    "loadAllBasicModes",
    "minLCTrees",
    "incrLCTrees",
    "minRecallForAUCPR",
    "stringsAreCaseSensitive",
    "bagOriginalExamples",
];

/// Keys that not even BoostSRL reads any more, though many files set them.
const OBSOLETE: [&str; 2] = ["treeDepth", "resampleNegs"];

/// Returns a warning about a key unless it is supported.
pub fn check(key: &str) -> Option<Diagnostic> {
    let is = |known: &&str| known.eq_ignore_ascii_case(key);
    let supported = SUPPORTED.join(", ");
    if SUPPORTED.iter().any(is) {
        return None;
    }
    let (code, message, help) = if OBSOLETE.iter().any(is) {
        let alternative = if key.eq_ignore_ascii_case("treeDepth") { "; maxTreeDepth limits the depth" } else { "" };
        (
            "dead-parameter",
            format!("`setParam: {key}` has no effect, not even in BoostSRL"),
            format!("delete it{alternative}"),
        )
    } else if IGNORED.iter().any(is) {
        ("unused-parameter", format!("`setParam: {key}` is ignored"), format!("supported are {supported}"))
    } else {
        let near = did_you_mean(key, SUPPORTED.iter().chain(&IGNORED).copied());
        let help = format!("{near}supported are {supported}");
        ("unknown-parameter", format!("unknown parameter `setParam: {key}`"), help)
    };
    Some(Diagnostic::warning(code, message, help).about(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_classified() {
        let code = |key| check(key).map(|d| d.code);
        assert_eq!(code("nodeSize"), None);
        assert_eq!(code("nodesize"), None);
        assert_eq!(code("treeDepth"), Some("dead-parameter"));
        assert_eq!(code("numOfCycles"), Some("unused-parameter"));
        assert_eq!(code("nodSize"), Some("unknown-parameter"));
        assert!(check("nodSize").unwrap().help.contains("did you mean `nodeSize`"));
    }
}
