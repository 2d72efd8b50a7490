//! Modes: how a predicate may enter a clause, and of which types its arguments are.

use std::fmt;

use super::term::Term;

/// What a mode says of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModeSymbol {
    /// `+`: a variable that is bound already.
    Input,
    /// `-`: a new variable or one that is bound already.
    Output,
    /// `#`: a constant.
    Constant,
    /// `` ` ``: a bound variable that is not in the head.
    NotHead,
    /// `@`: exactly the constant given.
    ThisConstant,
    /// `^`: a new variable.
    New,
    /// `$`: a variable used once.
    Once,
    /// `=`: a variable that is in the body.
    InBody,
    /// `&`: `-` or `#`.
    OutputOrConstant,
    /// `:`: `+` or `#`.
    InputOrConstant,
    /// `*`: anything.
    Star,
    /// `>`: not set.
    Unset,
}

impl ModeSymbol {
    /// Every symbol with the character that stands for it.
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

    /// The symbol a character stands for.
    pub fn from_char(c: char) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == c).map(|&(_, symbol)| symbol)
    }

    /// The character that stands for this symbol.
    pub fn as_char(self) -> char {
        Self::ALL.iter().find(|(_, known)| *known == self).map_or('>', |&(c, _)| c)
    }

    /// Whether the argument can be filled by a variable that is bound already.
    pub fn may_reuse(self) -> bool {
        !matches!(self, ModeSymbol::Constant | ModeSymbol::ThisConstant | ModeSymbol::New)
    }

    /// Whether the argument can be filled by a new variable.
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

    /// Whether the argument can be filled by a constant of the data.
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

/// `!k` or `$k` behind a type: for how many values of this argument the predicate can hold.
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
        /// How the argument may be filled.
        symbol: ModeSymbol,
        /// The name of the type.
        type_name: String,
        /// The constant behind the type, as in `@colour:red`.
        constant: Option<Term>,
        /// For how many values of this argument the predicate can hold.
        limit: Option<ValueLimit>,
    },
    /// A function of arguments; read, but no learner here can use it.
    Nested(String, Vec<ModeArg>),
}

/// A mode declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeDeclaration {
    /// The predicate.
    pub predicate: String,
    /// One entry for each argument.
    pub args: Vec<ModeArg>,
    /// `noMode:` takes back an earlier mode of the same form.
    pub withdrawn: bool,
    /// `max=k`: how often the predicate may occur in a clause.
    pub max: Option<u32>,
    /// `maxPerInputVars=k`: the same for each binding of the input variables.
    pub max_per_input: Option<u32>,
    /// `target=p/n`: the target this mode is for.
    pub target: Option<(String, u32)>,
}

impl fmt::Display for ModeArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModeArg::Typed { symbol, type_name, constant, limit } => {
                write!(f, "{}{type_name}", symbol.as_char())?;
                if let Some(constant) = constant {
                    // `:-` would be read as one token.
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
