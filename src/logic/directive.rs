//! Parses directives of background files: a keyword with a colon, and its operands.

use super::clause::Comparison;
use super::grammar::{Parse, Parser};
use super::lexer::{LexError, SyntaxError, Token, TokenKind};
use super::mode::{ModeArg, ModeDeclaration, ModeSymbol, ValueLimit};
use super::nearest::nearest;
use super::sentence::{ImportKind, Notation, Sentence};
use super::term::Term;

/// Maximum arity of a predicate named by a directive, since tables are allocated per argument.
const MAX_ARITY: u32 = 255;

/// Maximum length of an integer range, as in BoostSRL.
const MAX_RANGE: i64 = 2000;

/// Grammar of the operands of a directive.
#[derive(Clone, Copy)]
enum DirectiveForm {
    Mode {
        withdrawn: bool,
    },
    Parameter,
    Bridger,
    Range,
    Import(ImportKind),
    Notation {
        on: Notation,
        off: Notation,
    },
    Weight,
    /// `p/2`; recognized but unused.
    PredicateArity,
    /// `p/2, 3`; recognized but unused.
    Cost,
    /// `child isa parent`; recognized but unused.
    IsA,
    /// Anything up to the full stop; recognized but unused.
    Rest,
}

/// All directives by lower-case keyword.
const DIRECTIVES: &[(&str, DirectiveForm)] = &[
    ("mode", DirectiveForm::Mode { withdrawn: false }),
    ("nomode", DirectiveForm::Mode { withdrawn: true }),
    ("setparam", DirectiveForm::Parameter),
    ("setparameter", DirectiveForm::Parameter),
    ("bridger", DirectiveForm::Bridger),
    ("range", DirectiveForm::Range),
    ("import", DirectiveForm::Import(ImportKind::Required)),
    ("importifexists", DirectiveForm::Import(ImportKind::IfExists)),
    ("importlibrary", DirectiveForm::Import(ImportKind::Library)),
    ("useprologvariables", DirectiveForm::Notation { on: Notation::Prolog, off: Notation::StandardLogic }),
    ("useprolognotation", DirectiveForm::Notation { on: Notation::Prolog, off: Notation::StandardLogic }),
    ("usestdlogicvariables", DirectiveForm::Notation { on: Notation::StandardLogic, off: Notation::Prolog }),
    ("usestdlogicnotation", DirectiveForm::Notation { on: Notation::StandardLogic, off: Notation::Prolog }),
    ("useleadingquestionmarkvariables", DirectiveForm::Notation { on: Notation::QuestionMark, off: Notation::Prolog }),
    ("weight", DirectiveForm::Weight),
    ("wgt", DirectiveForm::Weight),
    ("temporary", DirectiveForm::PredicateArity),
    ("inline", DirectiveForm::PredicateArity),
    ("querypred", DirectiveForm::PredicateArity),
    ("hiddenpred", DirectiveForm::PredicateArity),
    ("okifunknown", DirectiveForm::PredicateArity),
    ("dontcomplainaboutmultipletypes", DirectiveForm::PredicateArity),
    ("cost", DirectiveForm::Cost),
    ("costfinal", DirectiveForm::Cost),
    ("isa", DirectiveForm::IsA),
    ("precompute", DirectiveForm::Rest),
    ("disc", DirectiveForm::Rest),
    ("constrains", DirectiveForm::Rest),
    ("determinate", DirectiveForm::Rest),
    ("threshold", DirectiveForm::Rest),
    ("filter", DirectiveForm::Rest),
    ("relevant", DirectiveForm::Rest),
    ("prune", DirectiveForm::Rest),
    ("prunetrue", DirectiveForm::Rest),
    ("prunefalse", DirectiveForm::Rest),
    ("isvariant", DirectiveForm::Rest),
    ("functionaspred", DirectiveForm::Rest),
    ("alias", DirectiveForm::Rest),
    ("randomwalkconstraint", DirectiveForm::Rest),
    ("output", DirectiveForm::Rest),
    ("out", DirectiveForm::Rest),
];

fn find(word: &str) -> Option<DirectiveForm> {
    let word = word.to_ascii_lowercase();
    // `precompute3`, `relevantClause` and `numericFunctionAsPred` belong to families of keywords.
    let family = match word.as_str() {
        w if w.starts_with("precompute") && w[10..].bytes().all(|b| b.is_ascii_digit()) => "precompute",
        w if w.starts_with("relevant") => "relevant",
        w if w.ends_with("functionaspred") => "functionaspred",
        w => w,
    };
    DIRECTIVES.iter().find(|(name, _)| *name == family).map(|&(_, form)| form)
}

/// Parses the operands of a directive, after its keyword and colon.
pub(super) fn parse(parser: &mut Parser<'_>, word: &Token) -> Parse<Sentence> {
    let name = parser.text(word);
    let Some(form) = find(name) else {
        let near = nearest(name, DIRECTIVES.iter().map(|(known, _)| *known));
        let near = near.map_or_else(String::new, |near| format!("did you mean `{near}:`? "));
        let help = format!("{near}quote it to mean a constant");
        return Err(SyntaxError::new(word.start, name.len(), format!("unknown directive `{name}:`"), help).into());
    };
    match form {
        DirectiveForm::Mode { withdrawn } => {
            let predicate = parser.next()?;
            mode(parser, &predicate, withdrawn)
        }
        DirectiveForm::Parameter => {
            let key = parser.word("the name of a parameter", "as in `setParam: nodeSize = 2.`")?;
            parser.take_punct('=')?;
            let value = value(parser)?;
            optional_end(parser)?;
            Ok(Sentence::Parameter(key.to_owned(), value))
        }
        DirectiveForm::Bridger => {
            let (predicate, arity) = predicate_arity(parser)?;
            optional_end(parser)?;
            Ok(Sentence::Bridger(predicate, arity.unwrap_or(0)))
        }
        DirectiveForm::Range => range(parser),
        DirectiveForm::Import(kind) => import(parser, kind),
        DirectiveForm::Notation { on, off } => {
            let word = parser.next()?;
            let chosen = match (&word.kind, parser.text(&word).to_ascii_lowercase().as_str()) {
                (_, "true" | "yes" | "1") => on,
                (TokenKind::Word | TokenKind::Number { .. }, _) => off,
                _ => return Err(parser.unexpected(&word, "`true` or `false`", "as in `usePrologVariables: true.`")),
            };
            optional_end(parser)?;
            Ok(Sentence::Notation(chosen))
        }
        DirectiveForm::Weight => {
            let first = parser.next()?;
            match first.kind {
                TokenKind::Number { .. } | TokenKind::Punct('+' | '-') => parser.weighted(first),
                _ => Err(parser.unexpected(&first, "a weight", "as in `weight: 0.5 p(a).`")),
            }
        }
        DirectiveForm::PredicateArity | DirectiveForm::Cost | DirectiveForm::IsA => {
            parser.lexer.skip_trivia()?;
            let start = parser.lexer.position();
            match form {
                DirectiveForm::IsA => {
                    let help = "as in `isa: dog isa animal.`";
                    parser.word("a type", help)?;
                    if parser.word("`isa` or a type", help)? == "isa" {
                        parser.word("a type", help)?;
                    }
                }
                _ => {
                    predicate_arity(parser)?;
                    if matches!(form, DirectiveForm::Cost) {
                        parser.take_punct(',')?;
                        let first = parser.next()?;
                        parser.signed_number(first)?;
                    }
                }
            }
            let text = parser.lexer.slice(start, parser.lexer.position()).trim().to_owned();
            optional_end(parser)?;
            Ok(Sentence::Unused(name.to_owned(), text))
        }
        DirectiveForm::Rest => Ok(Sentence::Unused(name.to_owned(), parser.skip_to_end()?)),
    }
}

/// Consumes a full stop where BoostSRL lets it be omitted.
fn optional_end(parser: &mut Parser<'_>) -> Parse<()> {
    parser.take(&TokenKind::End)?;
    Ok(())
}

fn value(parser: &mut Parser<'_>) -> Parse<Term> {
    let token = parser.next()?;
    match &token.kind {
        TokenKind::Word => Ok(Term::Name(parser.text(&token).to_owned())),
        TokenKind::Quoted(text) => Ok(Term::Name(text.clone())),
        TokenKind::Number { .. } | TokenKind::Punct('+' | '-') => Ok(Term::Number(parser.signed_number(token)?)),
        _ => Err(parser.unexpected(&token, "a number, a word or a quoted text", "as in `setParam: nodeSize = 2.`")),
    }
}

fn natural(parser: &mut Parser<'_>, expected: &str) -> Parse<u32> {
    let token = parser.next()?;
    match token.kind {
        TokenKind::Number { value, .. } if value.fract() == 0.0 && value <= f64::from(u32::MAX) => Ok(value as u32),
        _ => Err(parser.unexpected(&token, expected, "write an integer such as 2")),
    }
}

/// Parses `p/2`, or `p/#` for any arity.
fn predicate_arity(parser: &mut Parser<'_>) -> Parse<(String, Option<u32>)> {
    let predicate = parser.word("the name of a predicate", "as in `p/2`")?.to_owned();
    let slash = parser.next()?;
    if slash.kind != TokenKind::Punct('/') {
        return Err(parser.unexpected(&slash, "`/` and the number of arguments", "as in `p/2`"));
    }
    if parser.take_punct('#')? {
        return Ok((predicate, None));
    }
    let token = parser.peek()?;
    let arity = natural(parser, "the number of arguments")?;
    if arity > MAX_ARITY {
        let message = format!("a predicate may have at most {MAX_ARITY} arguments, got {arity}");
        return Err(SyntaxError::new(token.start, token.end - token.start, message, "as in `p/2`").into());
    }
    Ok((predicate, Some(arity)))
}

fn range(parser: &mut Parser<'_>) -> Parse<Sentence> {
    let help = "as in `range: colour = {red, green}.` or `range: size = {1, ..., 5}.`";
    let type_name = parser.word("the name of a type", help)?.to_owned();
    let equals = parser.next()?;
    if equals.kind != TokenKind::Punct('=') {
        return Err(parser.unexpected(&equals, "`=`", help));
    }
    let braced = parser.take_punct('{')?;
    let mut values = Vec::new();
    loop {
        let at = parser.peek()?;
        if at.kind == TokenKind::End && braced {
            for _ in 0..3 {
                let dot = parser.next()?;
                if dot.kind != TokenKind::End {
                    return Err(parser.unexpected(&dot, "`...`", help));
                }
            }
            if !parser.take_punct(',')? {
                let token = parser.next()?;
                return Err(parser.unexpected(&token, "`,` and the last number", help));
            }
            let last = parser.peek()?;
            let end = value(parser)?;
            fill(&mut values, &end).map_err(|message| {
                LexError::from(SyntaxError::new(last.start, last.end - last.start, message, help))
            })?;
        } else {
            values.push(value(parser)?);
        }
        if !parser.take_punct(',')? {
            break;
        }
    }
    if braced && !parser.take_punct('}')? {
        let token = parser.next()?;
        return Err(parser.unexpected(&token, "`,` or `}`", help));
    }
    optional_end(parser)?;
    Ok(Sentence::Range(type_name, values))
}

/// Appends the integers between the last value and `end`.
fn fill(values: &mut Vec<Term>, end: &Term) -> Result<(), String> {
    let (Some(Term::Number(from)), Term::Number(to)) = (values.last(), end) else {
        return Err("`...` must be between two integers".into());
    };
    if from.fract() != 0.0 || to.fract() != 0.0 || to < from {
        return Err(format!("`...` needs two integers in ascending order, got {from} and {to}"));
    }
    if to - from > MAX_RANGE as f64 {
        return Err(format!("a range may span at most {MAX_RANGE}, this one spans {}", to - from));
    }
    let (from, to) = (*from as i64, *to as i64);
    values.extend((from + 1..=to).map(|i| Term::Number(i as f64)));
    Ok(())
}

fn import(parser: &mut Parser<'_>, kind: ImportKind) -> Parse<Sentence> {
    let token = parser.next()?;
    let path = match token.kind.clone() {
        TokenKind::Quoted(text) => text,
        TokenKind::Word => {
            let mut path = parser.text(&token).to_owned();
            let (dot, mut ahead) = (parser.peek()?, parser.lexer.clone());
            ahead.token()?;
            let extension = ahead.peek()?;
            // Unquoted `file.txt`: the dot belongs to the name if a word follows immediately.
            let joined = dot.kind == TokenKind::End && dot.start == token.end && extension.start == dot.end;
            if joined && extension.kind == TokenKind::Word {
                parser.next()?;
                let extension = parser.next()?;
                path = format!("{path}.{}", parser.text(&extension));
            }
            path
        }
        _ => return Err(parser.unexpected(&token, "the name of a file", "as in `import: \"../modes.txt\".`")),
    };
    optional_end(parser)?;
    Ok(Sentence::Import(kind, path))
}

/// Parses a mode after its predicate.
pub(super) fn mode(parser: &mut Parser<'_>, predicate: &Token, withdrawn: bool) -> Parse<Sentence> {
    let name = match predicate.kind {
        TokenKind::Word => parser.text(predicate).to_owned(),
        // Comparisons of numbers have no facts.
        TokenKind::Punct('>') => Comparison::Above.name().to_owned(),
        TokenKind::Punct('<') if parser.take_punct('=')? => Comparison::AtMost.name().to_owned(),
        _ => {
            let help = "as in `mode: p(+person, -movie).`, or `mode: <=(+year, +year).` to compare numbers";
            return Err(parser.unexpected(predicate, "the name of a predicate", help));
        }
    };
    let mut mode = ModeDeclaration {
        predicate: name,
        args: if parser.take_punct('(')? { mode_args(parser, 0)? } else { Vec::new() },
        withdrawn,
        max: None,
        max_per_input: None,
        target: None,
    };
    loop {
        parser.take_punct(',')?;
        if parser.peek()?.kind != TokenKind::Word {
            break;
        }
        let option = parser.next()?;
        let name = parser.text(&option).to_ascii_lowercase();
        if matches!(name.as_str(), "max" | "maxperinputvars" | "target") {
            let equals = parser.next()?;
            if equals.kind != TokenKind::Punct('=') {
                return Err(parser.unexpected(&equals, "`=`", "as in `mode: p(+a), max=2.`"));
            }
        }
        match name.as_str() {
            "max" => mode.max = Some(natural(parser, "the maximum number of occurrences")?),
            "maxperinputvars" => mode.max_per_input = Some(natural(parser, "the maximum number of occurrences")?),
            "target" => {
                let (predicate, arity) = predicate_arity(parser)?;
                mode.target = Some((predicate, arity.unwrap_or(0)));
            }
            _ => {
                let help = "end the mode with a full stop; the options are max=, maxPerInputVars= and target=p/n";
                return Err(parser.unexpected(&option, "`.` at the end of the mode", help));
            }
        }
    }
    parser.end()?;
    Ok(Sentence::Mode(mode))
}

/// Parses the arguments of a mode after the opening parenthesis.
fn mode_args(parser: &mut Parser<'_>, depth: usize) -> Parse<Vec<ModeArg>> {
    let mut args = Vec::new();
    if parser.take_punct(')')? {
        return Ok(args);
    }
    loop {
        args.push(mode_arg(parser, depth)?);
        let token = parser.next()?;
        match token.kind {
            TokenKind::Punct(',') => {}
            TokenKind::Punct(')') => return Ok(args),
            _ => return Err(parser.unexpected(&token, "`,` or `)`", "as in `mode: p(+person, -movie).`")),
        }
    }
}

fn mode_arg(parser: &mut Parser<'_>, depth: usize) -> Parse<ModeArg> {
    let help = "+ bound variable, - new or bound variable, # constant: as in `mode: p(+person, -movie, #genre).`";
    let token = parser.next()?;
    if depth > 10 {
        return Err(SyntaxError::new(token.start, 1, "a mode nests deeper than 10", help).into());
    }
    let symbol = match &token.kind {
        TokenKind::Punct(c) => ModeSymbol::from_char(*c),
        _ => None,
    };
    let Some(symbol) = symbol else {
        if token.kind == TokenKind::Word {
            let word = parser.text(&token);
            if parser.take_punct('(')? {
                return Ok(ModeArg::Nested(word.to_owned(), mode_args(parser, depth + 1)?));
            }
            let message = format!("mode argument `{word}` has no symbol before it");
            return Err(SyntaxError::new(token.start, word.len(), message, help).into());
        }
        return Err(parser.unexpected(&token, "an argument of a mode", help));
    };
    let type_name = parser.word("a type name after the symbol", help)?.to_owned();
    let constant = if parser.take_punct(':')? { Some(value(parser)?) } else { None };
    let limit = match parser.peek()?.kind {
        TokenKind::Punct(c @ ('!' | '$')) => {
            parser.next()?;
            let k = match parser.peek()?.kind {
                TokenKind::Number { .. } => natural(parser, "a number of values")?,
                _ => 1,
            };
            Some(if c == '!' { ValueLimit::Exactly(k) } else { ValueLimit::AtMost(k) })
        }
        _ => None,
    };
    Ok(ModeArg::Typed { symbol, type_name, constant, limit })
}
