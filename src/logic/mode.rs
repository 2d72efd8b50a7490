//! Mode declarations: how a predicate may be used in a clause, and the types of its arguments.

use std::fmt;

use super::term::Term;

/// Instantiation mode of one argument.
///
/// The order is that of modes with the same predicate in a loaded database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModeSymbol {
    /// `+`: a bound variable.
    Input,
    /// `-`: a new or bound variable.
    Output,
    /// `#`: a constant.
    Constant,
    /// `` ` ``: a bound variable that does not occur in the head.
    NotHead,
    /// `@`: exactly the given constant.
    ThisConstant,
    /// `^`: a new variable.
    New,
    /// `$`: a variable that is used only once.
    Once,
    /// `=`: a variable that occurs in the body.
    InBody,
    /// `&`: as `-` or `#`.
    OutputOrConstant,
    /// `:`: as `+` or `#`.
    InputOrConstant,
    /// `*`: anything.
    Star,
    /// `>`: unspecified.
    Unset,
}

impl ModeSymbol {
    /// All symbols with their character.
    pub const ALL: [(char, ModeSymbol); 12] = [
        ('+', ModeSymbol::Input),
        ('-', ModeSymbol::Output),
        ('#', ModeSymbol::Constant),
        ('`', ModeSymbol::NotHead),
        ('@', ModeSymbol::ThisConstant),
        ('^', ModeSymbol::New),
        ('$', ModeSymbol::Once),
        ('=', ModeSymbol::InBody),
        ('&', ModeSymbol::OutputOrConstant),
        (':', ModeSymbol::InputOrConstant),
        ('*', ModeSymbol::Star),
        ('>', ModeSymbol::Unset),
    ];

    /// Returns the symbol for a character.
    pub fn from_char(c: char) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == c).map(|&(_, symbol)| symbol)
    }

    /// Returns the character for this symbol.
    pub fn as_char(self) -> char {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or('>', |&(c, _)| c)
    }

    /// Returns whether a bound variable is allowed.
    pub fn may_reuse(self) -> bool {
        !matches!(self, ModeSymbol::Constant | ModeSymbol::ThisConstant | ModeSymbol::New)
    }

    /// Returns whether a new variable is allowed.
    pub fn may_be_new(self) -> bool {
        matches!(
            self,
            ModeSymbol::Output
                | ModeSymbol::New
                | ModeSymbol::Once
                | ModeSymbol::OutputOrConstant
                | ModeSymbol::Star
                | ModeSymbol::Unset
        )
    }

    /// Returns whether a constant is allowed.
    pub fn may_be_constant(self) -> bool {
        matches!(
            self,
            ModeSymbol::Constant
                | ModeSymbol::ThisConstant
                | ModeSymbol::OutputOrConstant
                | ModeSymbol::InputOrConstant
                | ModeSymbol::Star
        )
    }
}

/// `!k` or `$k` after a type: for how many values of this argument the predicate can be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueLimit {
    /// `!k`: exactly `k` values; `!1` on the last argument of the target marks its classes.
    Exactly(u32),
    /// `$k`: at most `k` values.
    AtMost(u32),
}

/// One argument of a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum ModeArg {
    /// A symbol and a type, such as `+person` or `#level!1`.
    Typed {
        /// The instantiation mode.
        symbol: ModeSymbol,
        /// Name of the type.
        type_name: String,
        /// The constant after the type, as in `@colour:red`.
        constant: Option<Term>,
        /// For how many values of this argument the predicate can be true.
        limit: Option<ValueLimit>,
    },
    /// A function term; parsed, but supported by no learner.
    Nested(String, Vec<ModeArg>),
}

/// A mode declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeDeclaration {
    /// Name of the predicate.
    pub predicate: String,
    /// The arguments.
    pub args: Vec<ModeArg>,
    /// Whether it is a `noMode:` declaration, which removes modes of the same form.
    pub withdrawn: bool,
    /// `max=k`: maximum number of occurrences in a clause.
    pub max: Option<u32>,
    /// `maxPerInputVars=k`: the same per binding of the input variables.
    pub max_per_input: Option<u32>,
    /// `target=p/n`: the target this mode applies to.
    pub target: Option<(String, u32)>,
}

impl fmt::Display for ModeArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModeArg::Typed { symbol, type_name, constant, limit } => {
                write!(f, "{}{type_name}", symbol.as_char())?;
                if let Some(constant) = constant {
                    // Without the space, `:-` would be one token.
                    let space = if matches!(constant, Term::Number(v) if v.is_sign_negative()) { " " } else { "" };
                    write!(f, ":{space}{constant}")?;
                }
                match limit {
                    Some(ValueLimit::Exactly(k)) => write!(f, "!{k}"),
                    Some(ValueLimit::AtMost(k)) => write!(f, "${k}"),
                    None => Ok(()),
                }
            }
            ModeArg::Nested(functor, args) => write!(f, "{functor}({})", Joined(args)),
        }
    }
}

struct Joined<'a>(&'a [ModeArg]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, arg) in self.0.iter().enumerate() {
            write!(f, "{}{arg}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for ModeDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.withdrawn { "noMode" } else { "mode" }, self.predicate)?;
        if !self.args.is_empty() {
            write!(f, "({})", Joined(&self.args))?;
        }
        if let Some(k) = self.max {
            write!(f, ", max={k}")?;
        }
        if let Some(k) = self.max_per_input {
            write!(f, ", maxPerInputVars={k}")?;
        }
        if let Some((predicate, arity)) = &self.target {
            write!(f, ", target={predicate}/{arity}")?;
        }
        write!(f, ".")
    }
}
