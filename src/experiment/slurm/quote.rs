//! Shell quoting.

use shlex::Quoter;

/// Quotes any text as one word for a POSIX shell.
pub fn quote(text: &str) -> String {
    // Only NUL can fail, and it is allowed here: no path contains it.
    Quoter::new().allow_nul(true).quote(text).map_or_else(|_| String::new(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    /// Returns the words as a shell parses them.
    fn shell(description: &[String]) -> Vec<String> {
        let quoted: Vec<String> = description.iter().map(|word| quote(word)).collect();
        let script = format!("printf '%s\\0' {}", quoted.join(" "));
        let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn special_characters_are_quoted() {
        let hostile = [
            "",
            " ",
            "a b",
            "it's",
            "''",
            "$(touch x)",
            "`id`",
            "a;rm -rf b",
            "a\nb",
            "#!",
            "*",
            "~",
            "-n",
            "\\",
            "\"",
            "${HOME}",
            "ä\u{7f}",
            "a&&b",
            "a|b",
            ">x",
            "!!",
            "%a",
        ]
        .map(str::to_owned);
        assert_eq!(shell(&hostile), hostile);
        assert_eq!((quote("a/b-1.sh"), quote("a b")), ("a/b-1.sh".into(), "'a b'".into()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn quoting_round_trips(description in prop::collection::vec("[^\0]{0,12}", 1..8)) {
            prop_assert_eq!(shell(&description), description);
        }
    }
}
