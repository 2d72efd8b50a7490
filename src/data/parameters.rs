//! The `setParam` keys of background files: which are honoured, which are known, and what to say of the others.

use crate::logic::Diagnostic;
use crate::logic::nearest::nearest;

/// Keys the learners honour, in the spelling of the original.
pub const HONOURED: [&str; 3] = ["nodeSize", "numOfClauses", "maxTreeDepth"];

/// Keys that the original reads and that have no meaning here.
const KNOWN: [&str; 16] = [
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

/// Keys that not even the original reads any more, though many files set them.
const DEAD: [&str; 2] = ["treeDepth", "resampleNegs"];

/// What to say of a key, if anything.
pub fn remark(key: &str) -> Option<Diagnostic> {
    let is = |known: &&str| known.eq_ignore_ascii_case(key);
    let honoured = HONOURED.join(", ");
    if HONOURED.iter().any(is) {
        return None;
    }
    let (code, message, help) = if DEAD.iter().any(is) {
        let instead = if key.eq_ignore_ascii_case("treeDepth") { "; maxTreeDepth limits the depth" } else { "" };
        (
            "dead-parameter",
            format!("`setParam: {key}` has no effect, in the original neither"),
            format!("delete it{instead}"),
        )
    } else if KNOWN.iter().any(is) {
        ("unused-parameter", format!("`setParam: {key}` is known but not used"), format!("honoured are {honoured}"))
    } else {
        let nearest = nearest(key, HONOURED.iter().chain(&KNOWN).copied()).unwrap_or_default();
        let help = format!("did you mean {nearest}? honoured are {honoured}");
        ("unknown-parameter", format!("`setParam: {key}` is not known"), help)
    };
    Some(Diagnostic::warning(code, message, help).about(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart() {
        let code = |key| remark(key).map(|d| d.code);
        assert_eq!(code("nodeSize"), None);
        assert_eq!(code("nodesize"), None);
        assert_eq!(code("treeDepth"), Some("dead-parameter"));
        assert_eq!(code("numOfCycles"), Some("unused-parameter"));
        assert_eq!(code("nodSize"), Some("unknown-parameter"));
        assert!(remark("nodSize").unwrap().help.contains("did you mean nodeSize"));
    }
}
