//! The university domain, modeled on UW-CSE with its predicates. A group is a department.
//!
//! A student is advised by every professor with whom they have published. Publishing alone is
//! uninformative, since students also publish with students and professors with professors.
//! Assisting in a course, the temporary adviser, the phase and the year correlate with the label
//! without determining it.

use super::group::{self, Labels, Members, Pairs, draw, draw_from, draw_other, members, one_in};
use super::info::DomainInfo;
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::determinism::Stream;

pub(super) const INFO: DomainInfo = DomainInfo {
    id: "university",
    title: "University (generated)",
    about: "Students and professors of departments publish, teach, assist and join projects; the target is who \
            advises whom. The predicates are those of UW-CSE. A student is advised by every professor with whom they \
            have published; students also publish with students, and professors with professors. An adviser's own \
            students assist more often in the adviser's courses, and advised students are further in their studies, \
            but neither determines the label. A third of the listed negatives have published together, in the wrong roles.",
    target: "advisedby",
    classes: None,
    target_mode: "mode: advisedby(+person,+person).",
    evidence_modes: &[
        "mode: student(+person).",
        "mode: professor(+person).",
        "mode: publication(-title,+person).",
        "mode: publication(+title,-person).",
        "mode: taughtby(-course,+person,-quarter).",
        "mode: taughtby(+course,-person,+quarter).",
        "mode: ta(-course,+person,-quarter).",
        "mode: ta(+course,-person,+quarter).",
        "mode: courselevel(+course,#level).",
        "mode: hasposition(+person,#position).",
        "mode: inphase(+person,#phase).",
        "mode: yearsinprogram(+person,#year).",
        "mode: projectmember(-project,+person).",
        "mode: projectmember(+project,-person).",
        "mode: tempadvisedby(+person,-person).",
        "mode: tempadvisedby(-person,+person).",
        "mode: sameperson(+person,+person).",
    ],
    rules: &["advisedby(A, B) :- student(A), professor(B), publication(T, A), publication(T, B)."],
    time: None,
    seed: 19_991_025,
};

/// The number of areas of UW-CSE.
const DEPARTMENTS: u32 = 5;
/// Professors are the first members of a department, students the others.
const PROFESSORS: u32 = 8;
const STUDENTS: u32 = 32;
const PERSONS: u32 = PROFESSORS + STUDENTS;
const COURSES: u32 = 8;
const PROJECTS: u32 = 4;
const PROJECT_MEMBERS: u32 = 5;
const NEGATIVES_PER_POSITIVE: usize = 3;

const QUARTERS: [&str; 3] = ["autumn_0102", "winter_0102", "spring_0102"];
const LEVELS: [&str; 3] = ["level_300", "level_400", "level_500"];
const POSITIONS: [&str; 4] = ["faculty", "faculty_affiliate", "faculty_adjunct", "faculty_emeritus"];
const PHASES: [&str; 3] = ["pre_quals", "post_quals", "post_generals"];
const YEARS: [&str; 8] = ["year_1", "year_2", "year_3", "year_4", "year_5", "year_6", "year_7", "year_8"];

fn is_professor(member: u32) -> bool {
    member < PROFESSORS
}

/// The relations of one department that the rule refers to, recorded while its facts are generated.
struct Department {
    number: u32,
    /// The number of titles so far, over all departments.
    titles: u32,
    /// Symmetric relation of members with a joint publication.
    together: Pairs,
    /// For each professor, the students intended as advisees.
    advised: [Members; PROFESSORS as usize],
}

impl Department {
    fn person(&self, member: u32) -> Name {
        Name::Entity("person", self.number * PERSONS + member)
    }

    fn draw_student(stream: &mut Stream) -> u32 {
        PROFESSORS + draw(stream, STUDENTS)
    }

    /// Generates the facts of department `number`, replacing the state of the previous one.
    fn make<S: DomainSink>(&mut self, number: u32, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        self.number = number;
        self.together.clear();
        self.advised = [0; PROFESSORS as usize];
        for member in 0..PERSONS {
            sink.fact("sameperson", &[self.person(member); 2])?;
        }
        for professor in 0..PROFESSORS {
            self.make_professor(professor, stream, sink)?;
        }
        for student in PROFESSORS..PERSONS {
            self.make_student(student, stream, sink)?;
        }
        for course in 0..COURSES {
            self.make_course(Name::Entity("course", number * COURSES + course), stream, sink)?;
        }
        for project in 0..PROJECTS {
            for member in members(group::distinct(stream, PERSONS, PROJECT_MEMBERS)) {
                let project = Name::Entity("project", number * PROJECTS + project);
                sink.fact("projectmember", &[project, self.person(member)])?;
            }
        }
        Ok(())
    }

    fn publish<S: DomainSink>(&mut self, authors: Members, sink: &mut S) -> Result<(), S::Error> {
        let title = Name::Entity("title", self.titles);
        self.titles += 1;
        self.together.join_all(authors);
        members(authors).try_for_each(|author| sink.fact("publication", &[title, self.person(author)]))
    }

    fn make_professor<S: DomainSink>(
        &mut self,
        professor: u32,
        stream: &mut Stream,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let position = if one_in(stream, 2) { POSITIONS[0] } else { POSITIONS[stream.index(POSITIONS.len())] };
        sink.fact("professor", &[self.person(professor)])?;
        sink.fact("hasposition", &[self.person(professor), Name::Word(position)])?;
        self.publish(1 << professor | 1 << draw_other(stream, PROFESSORS, professor), sink)
    }

    fn make_student<S: DomainSink>(&mut self, student: u32, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        let adviser = (!one_in(stream, 5)).then(|| draw(stream, PROFESSORS));
        // One in five advised students is before the first examination, three in five of the
        // others.
        let early = draw(stream, 5) < if adviser.is_some() { 1 } else { 3 };
        let phase = if early { 0 } else { 1 + stream.index(2) };
        let year = 2 * phase + stream.index(4);
        sink.fact("student", &[self.person(student)])?;
        sink.fact("inphase", &[self.person(student), Name::Word(PHASES[phase])])?;
        sink.fact("yearsinprogram", &[self.person(student), Name::Word(YEARS[year])])?;
        if early {
            sink.fact("tempadvisedby", &[self.person(student), self.person(draw(stream, PROFESSORS))])?;
        }
        self.publish(1 << student | 1 << (PROFESSORS + draw_other(stream, STUDENTS, student - PROFESSORS)), sink)?;
        let Some(adviser) = adviser else { return Ok(()) };
        self.advised[adviser as usize] |= 1 << student;
        for _ in 0..2 {
            // One publication in eight has a third author, whom the rule then counts as advised by
            // the same professor.
            let third = if one_in(stream, 8) { 1 << Self::draw_student(stream) } else { 0 };
            self.publish(1 << student | 1 << adviser | third, sink)?;
        }
        if one_in(stream, 8) {
            self.publish(1 << student | 1 << draw_other(stream, PROFESSORS, adviser), sink)?;
        }
        Ok(())
    }

    fn make_course<S: DomainSink>(&self, course: Name, stream: &mut Stream, sink: &mut S) -> Result<(), S::Error> {
        sink.fact("courselevel", &[course, Name::Word(LEVELS[stream.index(LEVELS.len())])])?;
        for quarter in QUARTERS.map(Name::Word) {
            let teacher = draw(stream, PROFESSORS);
            let candidates = if one_in(stream, 2) { self.advised[teacher as usize] } else { 0 };
            let assistant = draw_from(stream, candidates).unwrap_or_else(|| Self::draw_student(stream));
            sink.fact("taughtby", &[course, self.person(teacher), quarter])?;
            sink.fact("ta", &[course, self.person(assistant), quarter])?;
        }
        Ok(())
    }

    /// Returns the planted rule: a student and a professor who published together.
    fn is_advised(&self, a: u32, b: u32) -> bool {
        !is_professor(a) && is_professor(b) && self.together.contains(a, b)
    }
}

/// Generates the domain.
pub(super) fn generate<S: DomainSink>(settings: &GeneratorSettings, sink: &mut S) -> Result<(), S::Error> {
    let mut facts = group::stream(settings, INFO.id, "facts");
    let mut pairs = group::stream(settings, INFO.id, "pairs");
    let mut labels = Labels::new(settings, INFO.id);
    let mut department = Department { number: 0, titles: 0, together: Pairs::new(), advised: [0; PROFESSORS as usize] };
    for number in 0..settings.scale() * DEPARTMENTS {
        department.make(number, &mut facts, sink)?;
        list_examples(&department, &mut labels, &mut pairs, sink)?;
    }
    Ok(())
}

fn list_examples<S: DomainSink>(
    department: &Department,
    labels: &mut Labels,
    stream: &mut Stream,
    sink: &mut S,
) -> Result<(), S::Error> {
    let mut listed = Pairs::new();
    let mut positives = 0;
    for (a, b) in department.together.iter().filter(|&(a, b)| department.is_advised(a, b)) {
        listed.insert(a, b);
        sink.example(labels.binary(true), &[department.person(a), department.person(b)])?;
        positives += 1;
    }
    for i in 0..positives * NEGATIVES_PER_POSITIVE {
        let wrong_roles = i % NEGATIVES_PER_POSITIVE == 0;
        let pair = listed.insert_fresh(stream, |stream| {
            let (a, b) = (draw(stream, PERSONS), draw(stream, PERSONS));
            let roles_fit = !is_professor(a) && is_professor(b);
            (roles_fit != wrong_roles && department.together.contains(a, b) == wrong_roles).then_some((a, b))
        });
        if let Some((a, b)) = pair {
            sink.example(labels.binary(false), &[department.person(a), department.person(b)])?;
        }
    }
    Ok(())
}
