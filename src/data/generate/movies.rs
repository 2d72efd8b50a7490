//! The movies domain: the paper's running example. A group is a studio whose directors cast mostly
//! from their own troupe.
//!
//! The troupes of neighboring directors overlap, so acting beside a director's actors in the same
//! genre does not imply having worked under that director. In every binary example the first person
//! has acted and the second has directed, so neither `actedin(A, M)` nor `directedby(M, B)` is
//! informative alone.

use super::group::{self, Labels, Members, Pairs, draw, draw_other, members, one_in};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

const SEED: u64 = 20_200_120;
const EVIDENCE_MODES: &[&str] = &[
    "mode: actedin(+person,-movie).",
    "mode: actedin(-person,+movie).",
    "mode: directedby(-movie,+person).",
    "mode: directedby(+movie,-person).",
    "mode: ingenre(+movie,-genre).",
    "mode: ingenre(+movie,#genre).",
    "mode: sameperson(+person,+person).",
    "mode: samegenre(+genre,+genre).",
];

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "movies",
    title: "Movies (generated)",
    about: "Persons direct and act in movies, which have genres: the paper's running example with a binary \
            target: who worked under whom. Each studio has eight directors and 48 actors; a director casts from a \
            troupe that overlaps with those of others, and sometimes a person from outside, who may be a director. \
            Genres are nearly uninformative. As in the paper, `sameperson` and `samegenre` resolve entities; here \
            they relate each entity to itself only.",
    target: "workedunder",
    classes: None,
    target_mode: "mode: workedunder(+person,+person).",
    evidence_modes: EVIDENCE_MODES,
    rules: &["workedunder(A, B) :- actedin(A, M), directedby(M, B)."],
    time: None,
    seed: SEED,
};

pub(super) const CLASSES_INFO: DomainInfo = DomainInfo {
    id: "movies-classes",
    title: "Movies, four classes (generated)",
    about: "The facts of `movies` with the paper's four classes of collaboration: 0 never, 1 the first worked under \
            the second, 2 the second under the first, 3 at the same level. For each pair that collaborated, one with \
            the same roles (director or actor) that never did is listed.",
    target: "collaborated",
    classes: Some(CLASSES),
    target_mode: "mode: collaborated(+person,+person,#level!1).",
    evidence_modes: EVIDENCE_MODES,
    // Departs from paper: h₂ gives class 1 when the first person directed the second, but its table
    // of classes calls that 2 (P₂ worked under P₁), because a rule must mean what its class says.
    rules: &[
        "collaborated(A, B, 1) :- actedin(A, M), directedby(M, B).",
        "collaborated(A, B, 2) :- directedby(M, A), actedin(B, M).",
        "collaborated(A, B, 3) :- actedin(A, M), actedin(B, M).",
        "collaborated(A, B, 0).",
    ],
    time: None,
    seed: SEED,
};

const CLASSES: u32 = 4;
const STUDIOS: u32 = 3;
/// Number of directors, the first members of a studio; the others are actors.
const DIRECTORS: u32 = 8;
const ACTORS: u32 = 48;
const PERSONS: u32 = DIRECTORS + ACTORS;
const MOVIES_OF_DIRECTOR: u32 = 6;
/// A troupe starts at every sixth actor, so it shares two actors with each of its neighbors.
const TROUPE: u32 = 8;
const CAST: u32 = 4;
const NEGATIVES_PER_POSITIVE: usize = 3;
const GENRES: [&str; 8] = ["action", "comedy", "crime", "drama", "horror", "musical", "romance", "western"];

/// The relations of one studio that the rules refer to, recorded while its facts are generated.
struct Studio {
    number: u32,
    /// The members who acted in any movie.
    acted: Members,
    /// (A, B): A acted in a movie directed by B.
    under: Pairs,
    /// (A, B): both acted in the same movie.
    beside: Pairs,
}

impl Studio {
    fn person(&self, member: u32) -> Name {
        Name::Entity("person", self.number * PERSONS + member)
    }

    /// Generates the facts of studio `number`, replacing the state of the previous one.
    fn make<S: DomainSink>(&mut self, number: u32, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        self.number = number;
        self.acted = 0;
        self.under.clear();
        self.beside.clear();
        for member in 0..PERSONS {
            sink.fact("sameperson", &[self.person(member); 2])?;
        }
        for director in 0..DIRECTORS {
            let favorite = stream.index(GENRES.len());
            for round in 0..MOVIES_OF_DIRECTOR {
                let movie = (number * DIRECTORS + director) * MOVIES_OF_DIRECTOR + round;
                let second = (favorite + 1 + stream.index(GENRES.len() - 1)) % GENRES.len();
                self.make_movie(Name::Entity("movie", movie), director, [favorite, second], stream, sink)?;
            }
        }
        Ok(())
    }

    fn make_movie<S: DomainSink>(
        &mut self,
        movie: Name,
        director: u32,
        genres: [usize; 2],
        stream: &mut Stream,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let troupe_start = director * (ACTORS / DIRECTORS);
        let mut cast: Members = members(group::distinct(stream, TROUPE, CAST))
            .fold(0, |cast, regular| cast | 1 << (DIRECTORS + (troupe_start + regular) % ACTORS));
        if one_in(stream, 2) {
            cast |= 1 << draw_other(stream, PERSONS, director);
        }
        sink.fact("directedby", &[movie, self.person(director)])?;
        for genre in genres {
            sink.fact("ingenre", &[movie, Name::Word(GENRES[genre])])?;
        }
        for actor in members(cast) {
            sink.fact("actedin", &[self.person(actor), movie])?;
            self.under.insert(actor, director);
        }
        self.beside.join_all(cast);
        self.acted |= cast;
        Ok(())
    }

    /// Returns whether a member has a credit in the role of another: both directors, or both actors
    /// with a movie.
    fn same_role(&self, member: u32, other: u32) -> bool {
        if other < DIRECTORS { member < DIRECTORS } else { member >= DIRECTORS && self.acted >> member & 1 == 1 }
    }

    /// Returns the class of a pair, testing the rules in their order.
    fn class(&self, a: u32, b: u32) -> u32 {
        if self.under.contains(a, b) {
            1
        } else if self.under.contains(b, a) {
            2
        } else if self.beside.contains(a, b) {
            3
        } else {
            0
        }
    }
}

/// Generates the studios in turn; `list` lists the examples of each, drawing from the second
/// stream.
fn make_studios<S: DomainSink>(
    settings: &GeneratorSettings,
    sink: &mut S,
    mut list: impl FnMut(&Studio, &mut Stream, &mut S) -> Result<(), S::Error>,
) -> Result<(), S::Error> {
    for genre in GENRES {
        sink.fact("samegenre", &[Name::Word(genre); 2])?;
    }
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut studio = Studio { number: 0, acted: 0, under: Pairs::new(), beside: Pairs::new() };
    for number in 0..settings.scale() * STUDIOS {
        studio.make(number, &mut facts, sink)?;
        list(&studio, &mut pairs, sink)?;
    }
    Ok(())
}

/// Generates the binary domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut labels = Labels::new(settings, INFO.id);
    make_studios(settings, sink, |studio, stream, sink| {
        let mut listed = studio.under.clone();
        let mut positives = 0;
        for (a, b) in studio.under.iter() {
            sink.example(labels.binary(true), &[studio.person(a), studio.person(b)])?;
            positives += 1;
        }
        for _ in 0..positives * NEGATIVES_PER_POSITIVE {
            let pair = listed.insert_fresh(stream, |stream| {
                let (a, b) = (draw(stream, PERSONS), draw(stream, DIRECTORS));
                (a != b && studio.acted >> a & 1 == 1).then_some((a, b))
            });
            if let Some((a, b)) = pair {
                sink.example(labels.binary(false), &[studio.person(a), studio.person(b)])?;
            }
        }
        Ok(())
    })
}

/// Generates the domain with four classes.
pub(super) fn generate_classes<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut labels = Labels::new(settings, CLASSES_INFO.id);
    make_studios(settings, sink, |studio, stream, sink| {
        let mut listed = Pairs::new();
        let mut list = |(a, b): (u32, u32)| {
            let class = labels.class(studio.class(a, b), CLASSES);
            sink.example(true, &[studio.person(a), studio.person(b), Name::Number(class)])
        };
        // Lists each pair of different levels in one random direction, and for every second one a
        // pair of the same level.
        for (i, (actor, director)) in studio.under.iter().enumerate() {
            let ordered = if one_in(stream, 2) { (actor, director) } else { (director, actor) };
            let unequal = listed.insert(ordered.0, ordered.1).then_some(ordered);
            let equal = (i % 2 == 0).then(|| {
                listed.insert_fresh(stream, |stream| {
                    let (a, b) = (draw(stream, PERSONS), draw(stream, PERSONS));
                    (studio.class(a, b) == 3).then_some((a, b))
                })
            });
            for (a, b) in [unequal, equal.flatten()].into_iter().flatten() {
                list((a, b))?;
                let never = listed.insert_fresh(stream, |stream| {
                    let (c, d) = (draw(stream, PERSONS), draw(stream, PERSONS));
                    let fits = c != d && studio.same_role(c, a) && studio.same_role(d, b) && studio.class(c, d) == 0;
                    fits.then_some((c, d))
                });
                never.map_or(Ok(()), &mut list)?;
            }
        }
        Ok(())
    })
}
