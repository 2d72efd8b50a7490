//! The interests domain: a dense bipartite graph of people and topics. A group is a town.
//!
//! Half of all pairs of a person and a topic of a town are related, so joins through topics have
//! many rows. The relations `interested` and `expert` are disjoint.

use super::group::{self, Labels, Members, Pairs, distinct, draw, draw_from, members, one_in};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "interests",
    title: "Interests (generated)",
    about: "People are interested in topics, half of those of their town; some are experts in a topic, and all belong \
            to a club. The target is who consults whom: members of a club consult an expert of the club in a topic \
            that interests them. A third of the listed negatives share the club only, a third the topic only, and a \
            third are with any expert.",
    target: "consults",
    classes: None,
    target_mode: "mode: consults(+person,+person).",
    evidence_modes: &[
        "mode: interested(+person,-topic).",
        "mode: interested(-person,+topic).",
        "mode: expert(+person,-topic).",
        "mode: expert(-person,+topic).",
        "mode: club(+person,-club).",
        "mode: club(-person,+club).",
    ],
    rules: &["consults(A, B) :- interested(A, T), expert(B, T), club(A, C), club(B, C)."],
    time: None,
    seed: 20_200_120,
};

const TOWNS: u32 = 5;
const PEOPLE: u32 = 32;
const TOPICS: u32 = 20;
const CLUBS: u32 = 4;
const NEGATIVES_PER_POSITIVE: usize = 3;

/// The relations of one town that the rule refers to.
struct Town {
    number: u32,
    /// (A, B): A is interested in a topic in which B is an expert.
    share_topic: Pairs,
    share_club: Pairs,
    experts: Members,
}

impl Town {
    fn person(&self, member: u32) -> Name {
        Name::Entity("person", self.number * PEOPLE + member)
    }

    /// Generates the facts of town `number`.
    fn make<S: DomainSink>(number: u32, stream: &mut Stream, sink: &mut S) -> Result<Town, S::Error> {
        let mut town = Town { number, share_topic: Pairs::new(), share_club: Pairs::new(), experts: 0 };
        let topic = |topic: u32| Name::Entity("topic", number * TOPICS + topic);
        let mut interested: [Members; TOPICS as usize] = [0; TOPICS as usize];
        let mut experts: [Members; TOPICS as usize] = [0; TOPICS as usize];
        let mut clubs: [Members; CLUBS as usize] = [0; CLUBS as usize];
        for person in 0..PEOPLE {
            let topics = distinct(stream, TOPICS, TOPICS / 2);
            for at in members(topics) {
                interested[at as usize] |= 1 << person;
                sink.fact("interested", &[town.person(person), topic(at)])?;
            }
            let others = !topics & ((1 << TOPICS) - 1);
            if let Some(at) = draw_from(stream, others).filter(|_| one_in(stream, 2)) {
                experts[at as usize] |= 1 << person;
                town.experts |= 1 << person;
                sink.fact("expert", &[town.person(person), topic(at)])?;
            }
            let club = draw(stream, CLUBS);
            clubs[club as usize] |= 1 << person;
            sink.fact("club", &[town.person(person), Name::Entity("club", number * CLUBS + club)])?;
        }
        clubs.iter().for_each(|&club| town.share_club.join_all(club));
        for (interested, &experts) in interested.iter().zip(&experts) {
            for a in members(*interested) {
                for b in members(experts) {
                    town.share_topic.insert(a, b);
                }
            }
        }
        Ok(town)
    }
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    for number in 0..settings.scale() * TOWNS {
        let town = Town::make(number, &mut facts, sink)?;
        list_examples(&town, &mut labels, &mut pairs, sink)?;
    }
    Ok(())
}

fn list_examples<S: DomainSink>(
    town: &Town,
    labels: &mut Labels,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<(), S::Error> {
    let mut listed = Pairs::new();
    let mut positives = 0;
    for a in 0..PEOPLE {
        // The planted rule.
        for b in members(town.share_topic.row(a) & town.share_club.row(a)) {
            listed.insert(a, b);
            sink.example(labels.binary(true), &[town.person(a), town.person(b)])?;
            positives += 1;
        }
    }
    for i in 0..positives * NEGATIVES_PER_POSITIVE {
        // In turn: a shared club only, a shared topic only, any expert without both.
        let pair = listed.insert_fresh(stream, |stream| {
            let a = draw(stream, PEOPLE);
            let (topic, club) = (town.share_topic.row(a), town.share_club.row(a));
            let eligible = match i % NEGATIVES_PER_POSITIVE {
                0 => club & !topic,
                1 => topic & !club,
                _ => town.experts & !(club & topic),
            };
            Some((a, draw_from(stream, eligible & !(1 << a))?))
        });
        if let Some((a, b)) = pair {
            sink.example(labels.binary(false), &[town.person(a), town.person(b)])?;
        }
    }
    Ok(())
}
