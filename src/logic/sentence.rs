//! Sentences of a file, and their canonical form.

use std::fmt;

use super::mode::ModeDeclaration;
use super::term::{Atom, Term, write_number};

/// Which words are variables. Quoted constants never are; words with a leading `?` always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Variables start with an upper-case letter or underscore.
    #[default]
    Prolog,
    /// Variables start with a lower-case letter.
    StandardLogic,
    /// Variables start with `?` only.
    QuestionMark,
}

impl Notation {
    /// Returns whether a bare word is a variable.
    pub fn is_variable(self, word: &str) -> bool {
        let first = word.chars().next().unwrap_or('?');
        match self {
            _ if first == '?' => true,
            Notation::Prolog => first == '_' || first.is_uppercase(),
            Notation::StandardLogic => first.is_lowercase(),
            Notation::QuestionMark => false,
        }
    }
}

/// A literal of a clause body, as parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLiteral {
    /// Whether it is negated.
    pub negated: bool,
    /// The atom.
    pub atom: Atom,
}

/// Kind of an import directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// `import:`, the file must exist.
    Required,
    /// `importIfExists:`, the file is optional.
    IfExists,
    /// `importLibrary:`, a library of BoostSRL.
    Library,
}

/// A sentence: the text up to the next full stop.
#[derive(Clone, Debug, PartialEq)]
pub enum Sentence {
    /// `p(a).`, `~p(a).`, `0.5 p(a).`
    Fact {
        /// The atom.
        atom: Atom,
        /// Whether it is written with `~`.
        negated: bool,
        /// The weight before the fact.
        weight: Option<f64>,
    },
    /// `h :- b1, b2.`
    Clause {
        /// The head.
        head: Atom,
        /// The body.
        body: Vec<BodyLiteral>,
    },
    /// `mode: p(+a,-b).`
    Mode(ModeDeclaration),
    /// `setParam: name = value.`
    Parameter(String, Term),
    /// `useStdLogicVariables: true.` and similar directives.
    Notation(Notation),
    /// `bridger: p/2.`
    Bridger(String, u32),
    /// `range: type = {a, b}.`
    Range(String, Vec<Term>),
    /// `import: "file".`
    Import(ImportKind, String),
    /// A recognized but unused directive: its keyword and text.
    Unused(String, String),
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sentence::Fact { atom, negated, weight } => {
                if let Some(weight) = weight {
                    write_number(f, *weight)?;
                    f.write_str(" ")?;
                }
                write!(f, "{}{atom}.", if *negated { "~" } else { "" })
            }
            Sentence::Clause { head, body } => {
                write!(f, "{head} :- ")?;
                for (i, literal) in body.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}{}", if literal.negated { "~" } else { "" }, literal.atom)?;
                }
                f.write_str(".")
            }
            Sentence::Mode(mode) => write!(f, "{mode}"),
            Sentence::Parameter(name, value) => write!(f, "setParam: {name} = {value}."),
            Sentence::Notation(Notation::Prolog) => f.write_str("usePrologVariables: true."),
            Sentence::Notation(Notation::StandardLogic) => f.write_str("useStdLogicVariables: true."),
            Sentence::Notation(Notation::QuestionMark) => f.write_str("useLeadingQuestionMarkVariables: true."),
            Sentence::Bridger(name, arity) => write!(f, "bridger: {name}/{arity}."),
            Sentence::Range(name, values) => {
                write!(f, "range: {name} = {{")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}.")
            }
            Sentence::Import(kind, path) => {
                let word = match kind {
                    ImportKind::Required => "import",
                    ImportKind::IfExists => "importIfExists",
                    ImportKind::Library => "importLibrary",
                };
                let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "{word}: \"{quoted}\".")
            }
            Sentence::Unused(name, text) => write!(f, "{name}: {text}."),
        }
    }
}
