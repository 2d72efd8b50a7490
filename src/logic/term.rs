//! Terms and atoms as parsed from files, and their canonical form.
//!
//! Parsing the canonical form gives the same term in every notation of the BoostSRL family: a name
//! is unquoted only if no parser can take it for a variable or a number.

use std::fmt;

/// A term as parsed from a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A name, without quotes.
    Name(String),
    /// A number.
    Number(f64),
    /// A variable.
    Variable(String),
    /// A function applied to terms, such as `f(a, 3)`.
    Compound(String, Vec<Term>),
    /// A list, such as `[a, b, 3]`.
    List(Vec<Term>),
}

impl Term {
    /// Returns whether the term contains no variable.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Name(_) | Term::Number(_) => true,
            Term::Variable(_) => false,
            Term::Compound(_, terms) | Term::List(terms) => terms.iter().all(Term::is_ground),
        }
    }
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Name of the predicate, case-sensitive.
    pub predicate: String,
    /// The arguments, possibly none.
    pub args: Vec<Term>,
}

/// Returns whether a character may occur in a bare word.
pub fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '?' || (!c.is_ascii() && c.is_alphanumeric())
}

/// Returns whether a name without quotes is read as that name in Prolog notation.
pub fn is_bare_name(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    (first.is_ascii_digit() || (first.is_alphabetic() && !first.is_uppercase()))
        && text.chars().all(is_word_char)
        && !looks_numeric(text)
}

/// Returns whether a word would be read as a number: `007`, `1e5`.
pub fn looks_numeric(word: &str) -> bool {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => digits(mantissa) && (digits(exponent) || exponent.is_empty()),
        None => digits(word),
    }
}

/// Writes a name, quoted and escaped if necessary.
pub fn write_name(f: &mut impl fmt::Write, text: &str) -> fmt::Result {
    if is_bare_name(text) {
        return f.write_str(text);
    }
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Writes a number in the shortest form that reads back as the same number; infinities are signed.
pub fn write_number(f: &mut impl fmt::Write, value: f64) -> fmt::Result {
    if value.is_infinite() {
        return f.write_str(if value > 0.0 { "+inf" } else { "-inf" });
    }
    if value == 0.0 || (1e-5..1e17).contains(&value.abs()) {
        return write!(f, "{value}");
    }
    // Rust prints `1e-7`, which BoostSRL reads as `1e - 7`; with a fraction it is a number
    // everywhere.
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => write!(f, "{mantissa}.0e{exponent}"),
        _ => f.write_str(&text),
    }
}

fn write_list<W: fmt::Write, T: fmt::Display>(f: &mut W, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Name(text) => write_name(f, text),
            Term::Number(value) => write_number(f, *value),
            Term::Variable(name) => f.write_str(name),
            Term::Compound(functor, terms) => {
                write_name(f, functor)?;
                f.write_str("(")?;
                write_list(f, terms)?;
                f.write_str(")")
            }
            Term::List(terms) => {
                f.write_str("[")?;
                write_list(f, terms)?;
                f.write_str("]")
            }
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.predicate)?;
        if self.args.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        write_list(f, &self.args)?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unambiguous_names_are_unquoted() {
        for bare in ["a", "bob_7", "1a", "éa", "7up"] {
            assert_eq!(Term::Name(bare.into()).to_string(), bare);
        }
        for quoted in ["", "Bob", "_x", "?x", "5", "1e5", "1e", "a-b", "a b", "f(a)"] {
            assert_eq!(Term::Name(quoted.into()).to_string(), format!("\"{quoted}\""));
        }
        assert_eq!(Term::Name("say \"hi\"\\".into()).to_string(), r#""say \"hi\"\\""#);
    }

    #[test]
    fn numbers_print_unambiguously() {
        let print = |v: f64| Term::Number(v).to_string();
        assert_eq!(print(7.0), "7");
        assert_eq!(print(-5.25), "-5.25");
        assert_eq!(print(1e-7), "1.0e-7");
        assert_eq!(print(1.5e300), "1.5e300");
        assert_eq!(print(f64::NEG_INFINITY), "-inf");
    }
}
