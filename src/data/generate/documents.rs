//! The documents domain: texts cut into tokens. A group is a document.
//!
//! A number belongs to the field of the word right before it, if that word marks a field. Marker
//! words also precede other words, and numbers also follow other words.

use super::group::{self, Labels, draw, one_in};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "documents",
    title: "Documents (generated)",
    about: "Documents are sequences of positions with a token each; some tokens are punctuation or numbers. The \
            target is the field that a position belongs to: a number belongs to the field that the word right before \
            it marks. Marker words also occur before other words, and numbers after other words: two thirds of the \
            listed negatives are numbers, a third follow a marker of the field. Words are shared by all documents; \
            `followed_by` relates each position with the next three.",
    target: "infield",
    classes: None,
    target_mode: "mode: infield(+position,+field).",
    evidence_modes: &[
        "mode: token(+position,#word).",
        "mode: token(+position,-word).",
        "mode: next(+position,-position).",
        "mode: next(-position,+position).",
        "mode: followed_by(+position,-position).",
        "mode: followed_by(-position,+position).",
        "mode: punctuation(+position).",
        "mode: digit(+position).",
        "mode: marker(+word,+field).",
        "mode: marker(-word,+field).",
    ],
    rules: &["infield(A, B) :- next(P, A), token(P, W), marker(W, B), digit(A)."],
    time: None,
    seed: 20_190_311,
};

const DOCUMENTS: u32 = 6;
const POSITIONS: u32 = 60;
const WINDOW: u32 = 3;
const FIELDS: u32 = 4;
/// The first words mark fields, `MARKERS_OF_FIELD` each.
const MARKERS_OF_FIELD: u32 = 3;
const MARKERS: u32 = FIELDS * MARKERS_OF_FIELD;
const WORDS: u32 = 100;
const NUMBERS: u32 = 40;
const NEGATIVES_PER_POSITIVE: u32 = 3;

/// What is at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    /// The word marks a field if it is one of the first.
    Word(u32),
    Number(u32),
    Punctuation,
}

impl Token {
    fn draw(stream: &mut Stream, before: Option<Token>) -> Token {
        match before {
            // A number follows half of the markers.
            Some(Token::Word(word)) if word < MARKERS && one_in(stream, 2) => Token::Number(draw(stream, NUMBERS)),
            _ => match draw(stream, 20) {
                0..3 => Token::Number(draw(stream, NUMBERS)),
                3..6 => Token::Punctuation,
                6..13 => Token::Word(draw(stream, MARKERS)),
                _ => Token::Word(MARKERS + draw(stream, WORDS - MARKERS)),
            },
        }
    }

    fn name(self) -> Name {
        match self {
            Token::Word(word) => Name::Entity("word", word),
            Token::Number(number) => Name::Entity("number", number),
            Token::Punctuation => Name::Word("comma"),
        }
    }

    /// Returns the field that the token marks.
    fn marks(self) -> Option<u32> {
        match self {
            Token::Word(word) if word < MARKERS => Some(word / MARKERS_OF_FIELD),
            _ => None,
        }
    }
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    for word in 0..MARKERS {
        sink.fact("marker", &[Name::Entity("word", word), Name::Entity("field", word / MARKERS_OF_FIELD)])?;
    }
    for document in 0..settings.scale() * DOCUMENTS {
        let position = |at: u32| Name::Entity("position", document * POSITIONS + at);
        let tokens = make(position, &mut facts, sink)?;
        list_examples(&tokens, position, &mut labels, &mut pairs, sink)?;
    }
    Ok(())
}

/// Generates the facts of a document and returns its tokens.
fn make<S: DomainSink>(
    position: impl Fn(u32) -> Name,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<Vec<Token>, S::Error> {
    let mut tokens: Vec<Token> = Vec::with_capacity(POSITIONS as usize);
    for at in 0..POSITIONS {
        let token = Token::draw(stream, tokens.last().copied());
        sink.fact("token", &[position(at), token.name()])?;
        match token {
            Token::Number(_) => sink.fact("digit", &[position(at)])?,
            Token::Punctuation => sink.fact("punctuation", &[position(at)])?,
            Token::Word(_) => {}
        }
        if at + 1 < POSITIONS {
            sink.fact("next", &[position(at), position(at + 1)])?;
        }
        for later in at + 1..POSITIONS.min(at + 1 + WINDOW) {
            sink.fact("followed_by", &[position(at), position(later)])?;
        }
        tokens.push(token);
    }
    Ok(tokens)
}

fn list_examples<S: DomainSink>(
    tokens: &[Token],
    position: impl Fn(u32) -> Name,
    labels: &mut Labels,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<(), S::Error> {
    let field = |number: u32| Name::Entity("field", number);
    // The planted rule.
    let field_of = |at: u32| match at.checked_sub(1).map(|before| tokens[before as usize]) {
        Some(before) if matches!(tokens[at as usize], Token::Number(_)) => before.marks(),
        _ => None,
    };
    let mut listed = vec![false; (POSITIONS * FIELDS) as usize];
    let mut positives = 0;
    for at in 0..POSITIONS {
        if let Some(number) = field_of(at) {
            listed[(at * FIELDS + number) as usize] = true;
            sink.example(labels.binary(true), &[position(at), field(number)])?;
            positives += 1;
        }
    }
    // Two numbers, then a position after a marker of the field.
    for i in 0..positives * NEGATIVES_PER_POSITIVE {
        const TRIES: u32 = 300;
        let is_eligible = |at: u32, number: u32| match i % NEGATIVES_PER_POSITIVE {
            0 | 1 => matches!(tokens[at as usize], Token::Number(_)),
            _ => at > 0 && tokens[at as usize - 1].marks() == Some(number),
        };
        let drawn = (0..TRIES).find_map(|attempt| {
            let (at, number) = (draw(stream, POSITIONS), draw(stream, FIELDS));
            let is_new = !listed[(at * FIELDS + number) as usize];
            // A document may have too few of a kind.
            (is_new && (2 * attempt >= TRIES || is_eligible(at, number))).then_some((at, number))
        });
        if let Some((at, number)) = drawn {
            listed[(at * FIELDS + number) as usize] = true;
            sink.example(labels.binary(false), &[position(at), field(number)])?;
        }
    }
    Ok(())
}
