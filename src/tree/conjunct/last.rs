//! The largest conjuncts, found by shared joins.
//!
//! No conjunct extends them, so of those with equal coverage only the first matters, and most of
//! tens of thousands are never built: their last literals are drafted base by base, decided
//! together, and dropped unless their coverage is new.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use super::{Base, Conjunct, Conjuncts, MAX_BATCH, Proposal, by_coverage, max_combinable, shifted};
use crate::cover::{BindingRows, Bits, LiteralList, Refined, Refinement};
use crate::determinism::{HashMap, HashSet};
use crate::logic::{Argument, Literal};
use crate::parallel;
use crate::tree::language::{LookAhead, Scope, TypedVariable};

/// The maximum number of words of two literals whose normal form is computed without allocation.
const MAX_WORDS: usize = 32;

/// Which of the largest conjuncts are needed; others may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// All of them.
    All,
    /// The first with each coverage.
    Coverage,
    /// The first with each coverage and extent of look-ahead, see
    /// [`Conjuncts::look_ahead_literals`].
    CoverageAndLookAhead,
}

/// The literals that extend a base.
#[derive(Default)]
struct Drafts {
    literals: LiteralList,
    modes: Vec<usize>,
    /// The path components that each literal touches.
    touched: Vec<u64>,
    /// The variables that each literal introduces, and their ends.
    new: Vec<TypedVariable>,
    new_ends: Vec<u32>,
    /// Whether each literal is already in the clause, so that it is no refinement. Such literals
    /// are decided nevertheless: the lists of different bases are then equal, and share their
    /// matches.
    is_known: Vec<bool>,
    /// The conjunct of one literal that each is, if it shares no new variable with the base.
    single: Vec<Option<u32>>,
    /// The number of refinements.
    count: usize,
}

impl Drafts {
    fn push(&mut self, mode: usize, literal: &Literal, touched: u64, new: &[TypedVariable], is_known: bool) {
        self.is_known.push(is_known);
        self.count += usize::from(!is_known);
        self.literals.push(literal.predicate, &literal.args);
        self.modes.push(mode);
        self.touched.push(touched);
        self.new.extend_from_slice(new);
        self.new_ends.push(self.new.len() as u32);
    }

    /// Returns the number of literals, with those that are no refinements.
    fn len(&self) -> usize {
        self.modes.len()
    }

    /// Returns the refinements.
    fn refinements(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&draft| !self.is_known[draft])
    }

    fn literal(&self, draft: usize) -> Literal {
        let (predicate, args) = self.literals.get(draft);
        Literal::new(predicate, args.to_vec())
    }

    fn new_variables(&self, draft: usize) -> &[TypedVariable] {
        let start = if draft == 0 { 0 } else { self.new_ends[draft - 1] as usize };
        &self.new[start..self.new_ends[draft] as usize]
    }
}

/// Drafts of one base that touch the same path components.
struct Job<'j> {
    base: usize,
    touched: u64,
    literals: Vec<&'j Literal>,
    chosen: Vec<u32>,
    within: Arc<Bits>,
}

/// The bindings of path components, with the conjuncts of one literal that match them.
struct RowsOfPath {
    rows: BindingRows,
    /// The number of each conjunct among the literals of the rows.
    number_of: HashMap<u32, u32>,
}

/// A draft that is searched for by itself.
struct Undecided {
    job: usize,
    /// The index in the job.
    k: usize,
    /// The index of a set that includes the covered examples.
    bound: u32,
    literal: Literal,
    is_cached: bool,
}

/// A base with the literals that extend it.
struct Drafted {
    base: Base,
    drafts: Drafts,
}

impl Drafted {
    /// Returns the path components that the base and a literal touch.
    fn touched(&self, draft: usize) -> u64 {
        self.base.conjuncts.iter().fold(self.drafts.touched[draft], |all, conjunct| all | conjunct.2)
    }

    fn proposal(&self, draft: usize) -> Proposal {
        let Drafted { base, drafts } = self;
        Proposal {
            literals: base.literals.iter().cloned().chain([drafts.literal(draft)]).collect(),
            comparisons: base.comparisons.clone(),
            modes: base.modes.iter().copied().chain([drafts.modes[draft]]).collect(),
            new: base.new.iter().chain(drafts.new_variables(draft)).copied().collect(),
            touched: self.touched(draft),
        }
    }
}

impl Conjuncts<'_, '_> {
    /// Finds the conjuncts of the largest size. Returns whether this was possible and worthwhile;
    /// otherwise nothing has changed.
    ///
    /// The candidates are those of [`Conjuncts::extend`], except that the base that exceeds the
    /// budget is always completed.
    pub(super) fn extend_last(&mut self, size: usize) -> bool {
        if self.needed == Needed::All || !self.language.is_plain() || !self.coverage.can_refine(self.path) {
            return false;
        }
        let mut bases = self.bases(size - 1);
        if bases.iter().any(|base| !base.comparisons.is_empty()) {
            return false;
        }
        by_coverage(&mut bases);
        let (mut drafted, mut total, mut is_complete) = (Vec::new(), 0, true);
        for base in bases {
            if total > self.left {
                is_complete = false;
                break;
            }
            let Some(drafts) = self.drafts(&base) else { return false };
            total += drafts.count;
            drafted.push(Drafted { base, drafts });
        }
        if !self.coverage.refines(total) {
            return false;
        }
        drafted.sort_by_key(|drafted| drafted.base.order);
        self.over_budget |= !is_complete;
        self.left -= self.used_budget(&drafted, total, size);
        let rows = self.binding_rows(&drafted);
        let mut kept = self.kept_rows();
        let mut rest = &drafted[..];
        while !rest.is_empty() {
            let mut batch = 0;
            let fits = |drafted: &&Drafted| {
                batch += drafted.drafts.len();
                batch <= MAX_BATCH
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            self.decide(now, &rows, &mut kept);
            rest = later;
        }
        true
    }

    /// Returns the literals that extend a base; `None` if these are more than the budget allows.
    fn drafts(&self, base: &Base) -> Option<Drafts> {
        let clause: Vec<&Literal> = self.path.iter().chain(&base.literals).collect();
        let next = self.next + base.new.len() as u32;
        let old = self.known.iter().filter(|known| self.may_connect(known));
        let known: Vec<TypedVariable> = old.chain(&base.new).copied().collect();
        let has_in_body = self.language.has_in_body();
        let is_anywhere = self.language.options().look_ahead == LookAhead::Anywhere;
        let mut drafts = Drafts::default();
        let mut draft = |mode: usize, literal: &Literal, new: &[TypedVariable], is_known: bool, single: Option<u32>| {
            let touched = self.touched(literal);
            let depends_on_body =
                is_anywhere && has_in_body && !self.language.binds_body_variables(mode, literal, self.path);
            if depends_on_body || base.is_connected_by(literal, touched, self.next) {
                drafts.push(mode, literal, touched, new, is_known);
                drafts.single.push(single);
            }
            drafts.count
        };
        if (has_in_body && is_anywhere) || !base.new.is_empty() {
            let must_use = (!has_in_body || !is_anywhere).then_some(self.next);
            let scope = Scope { known: &known, clause: &clause, next, must_use };
            let (mut generated, mut fits) = (0, true);
            for mode in 0..self.language.modes() {
                self.language.for_each_literal(mode, &scope, |literal, is_known| {
                    generated += usize::from(!is_known);
                    let count = draft(mode, &literal.literal, &literal.new, is_known, None);
                    fits &= count <= self.left && generated <= self.max_drafts();
                    fits
                });
                if !fits {
                    return None;
                }
            }
        }
        if base.conjuncts.iter().any(|conjunct| conjunct.2 != 0) {
            let singles = self.list.iter().enumerate().take_while(|(_, conjunct)| conjunct.literals.len() == 1);
            let shift = base.new.len() as u32;
            for (b, conjunct) in singles.skip(if base.literals.len() == 1 { base.first } else { 0 }) {
                let (mode, literal) = (conjunct.modes[0], shifted(&conjunct.literals[0], self.next, shift));
                let is_known = clause.contains(&&literal);
                if is_known || self.language.is_allowed(mode, &literal, &clause) {
                    let new: Vec<TypedVariable> = conjunct.new.iter().map(|known| known.shifted(shift)).collect();
                    draft(mode, &literal, &new, is_known, Some(b as u32));
                }
            }
        }
        Some(drafts)
    }

    /// Returns the part of the budget that the drafts use: the number of those that are not equal
    /// up to names and order, at most all that is left; or any upper bound if it does not matter.
    fn used_budget(&self, drafted: &[Drafted], total: usize, size: usize) -> usize {
        let combines = self.language.options().look_ahead == LookAhead::Anywhere;
        let max = max_combinable(self.left.saturating_sub(total), size);
        if !combines || self.list.len() <= max {
            return total.min(self.left);
        }
        let mut distinct: HashSet<u64> = HashSet::default();
        for drafted in drafted {
            distinct.extend(drafted.drafts.refinements().map(|draft| self.identity(drafted, draft)));
        }
        distinct.len().min(self.left)
    }

    /// Returns a hash of the identity of a proposal, see [`Conjuncts::key`].
    fn identity(&self, drafted: &Drafted, draft: usize) -> u64 {
        let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
        let Drafted { base, drafts } = drafted;
        let (predicate, args) = drafts.literals.get(draft);
        match &base.literals[..] {
            [first] if first.args.len() + args.len() + 2 <= MAX_WORDS => {
                let first = (first.predicate.0, &first.args[..]);
                let last = (predicate.0, args);
                let (mut one, mut other) = ([0; MAX_WORDS], [0; MAX_WORDS]);
                let length = renamed([first, last], self.next, &mut one);
                renamed([last, first], self.next, &mut other);
                (&one[..length]).min(&other[..length]).hash(&mut hasher);
                let mut continuations: [(u64, bool); MAX_WORDS] = [(0, false); MAX_WORDS];
                let new = base.new.iter().chain(drafts.new_variables(draft));
                let count = new.clone().count().min(MAX_WORDS);
                for (entry, known) in continuations.iter_mut().zip(new) {
                    *entry = (known.type_id.map_or(0, |type_id| u64::from(type_id.0) + 1), known.once);
                }
                continuations[..count].sort_unstable();
                continuations[..count].hash(&mut hasher);
                if self.language.has_limits() {
                    (base.modes[0], drafts.modes[draft]).hash(&mut hasher);
                }
            }
            _ => self.key(&drafted.proposal(draft)).hash(&mut hasher),
        }
        hasher.finish()
    }

    /// Returns the rows of smaller conjuncts whose margin is zero, so that no larger conjunct with
    /// the same coverage is chosen.
    fn kept_rows(&self) -> HashMap<Arc<Bits>, u8> {
        let mut kept: HashMap<Arc<Bits>, u8> = HashMap::default();
        kept.insert(self.path_coverage.clone(), ALL_MARGINS);
        for conjunct in &self.list {
            if self.needed == Needed::Coverage || conjunct.literals.len() == 1 || self.connects_head(&conjunct.literals)
            {
                kept.insert(conjunct.bits.clone(), ALL_MARGINS);
            }
        }
        kept
    }

    /// Decides the drafts of some bases, and adds the conjuncts whose coverage is new.
    fn decide(&mut self, drafted: &[Drafted], rows: &HashMap<u64, RowsOfPath>, kept: &mut HashMap<Arc<Bits>, u8>) {
        let jobs = self.jobs(drafted);
        let size = jobs.iter().map(|job| job.chosen.len()).sum::<usize>() / jobs.len().max(1);
        let steps = self.coverage.examples().len() + 32 * size;
        let mut refined: Vec<Refined> = parallel::map(&jobs, steps, |job| {
            let Drafted { base, drafts } = &drafted[job.base];
            match rows.get(&job.touched) {
                Some(rows) if base.members.len() == 1 => self.decide_job(job, base.members[0], rows, drafts),
                _ => self.refine(job, &job.chosen, drafts),
            }
        });
        self.decide_rest(drafted, &jobs, &mut refined);
        // By base and draft, the number of the job and the index in it.
        let mut of_draft: Vec<Vec<(u32, u32)>> =
            drafted.iter().map(|drafted| vec![(0, 0); drafted.drafts.len()]).collect();
        for (number, job) in jobs.iter().enumerate() {
            for (k, &draft) in job.chosen.iter().enumerate() {
                of_draft[job.base][draft as usize] = (number as u32, k as u32);
            }
        }
        let counts = self.language.options().counts;
        let refined: Vec<(Vec<Arc<Bits>>, Vec<Refinement>)> =
            refined.into_iter().map(|refined| (refined.rows.into_iter().map(Arc::new).collect(), refined.of)).collect();
        // By job and row, the margins for which the row was added, as far as known.
        let mut known: Vec<Vec<u8>> = refined.iter().map(|(rows, _)| vec![0; rows.len()]).collect();
        for (drafted, of_draft) in drafted.iter().zip(of_draft) {
            for draft in drafted.drafts.refinements() {
                let (job, k) = of_draft[draft];
                let (rows, of) = &refined[job as usize];
                let Refinement::Row(row) = of[k as usize] else { continue };
                let bits = &rows[row as usize];
                let has_new = !drafted.base.new.is_empty() || !drafted.drafts.new_variables(draft).is_empty();
                if counts && has_new && drafted.touched(draft) == 0 {
                    // At-least-k tests distinguish conjuncts of equal coverage.
                    let proposal = drafted.proposal(draft);
                    if self.is_new(&proposal) {
                        kept.entry(bits.clone()).or_insert(0);
                        self.keep(proposal, bits);
                    }
                    continue;
                }
                let known = &mut known[job as usize][row as usize];
                if *known == ALL_MARGINS {
                    continue;
                }
                let margin = self.margin_of(drafted, draft);
                if *known & margin != 0 {
                    continue;
                }
                let all = kept.entry(bits.clone()).or_insert(0);
                let is_kept = *all & margin != 0;
                // No margin is smaller than that of a conjunct that connects head variables.
                *all |= if margin == NO_MARGIN { ALL_MARGINS } else { margin };
                *known = *all;
                if !is_kept {
                    self.keep(drafted.proposal(draft), bits);
                }
            }
        }
    }

    /// Decides chosen drafts of a job.
    fn refine(&self, job: &Job<'_>, chosen: &[u32], drafts: &Drafts) -> Refined {
        let undecided = || Refined {
            rows: Vec::new(),
            of: vec![Refinement::Undecided(0); chosen.len()],
            bounds: vec![Bits::clone(&job.within)],
        };
        self.coverage.refine(&job.literals, &drafts.literals, chosen, &job.within).unwrap_or_else(undecided)
    }

    /// Decides the drafts of a job: those that share no new variable with the base, a conjunct of
    /// one literal, by the bindings of the path.
    fn decide_job(&self, job: &Job<'_>, base: usize, rows: &RowsOfPath, drafts: &Drafts) -> Refined {
        let Some(&first) = rows.number_of.get(&(base as u32)) else { return self.refine(job, &job.chosen, drafts) };
        let number = |k: &usize| rows.number_of.get(&drafts.single[job.chosen[*k] as usize]?).copied();
        let (paired, rest): (Vec<usize>, Vec<usize>) = (0..job.chosen.len()).partition(|k| number(k).is_some());
        let others: Vec<u32> = paired.iter().filter_map(number).collect();
        let pairs = rows.rows.pairs(first as usize, &others, &job.within);
        let chosen: Vec<u32> = rest.iter().map(|&k| job.chosen[k]).collect();
        let mut refined = if rest.is_empty() { Refined::default() } else { self.refine(job, &chosen, drafts) };
        let before = refined.rows.len() as u32;
        let moved = |of: &Refinement| match *of {
            Refinement::Row(row) => Refinement::Row(before + row),
            other => other,
        };
        let mut of = vec![Refinement::Empty; job.chosen.len()];
        rest.iter().zip(&refined.of).for_each(|(&k, found)| of[k] = *found);
        paired.iter().zip(&pairs.of).for_each(|(&k, found)| of[k] = moved(found));
        refined.of = of;
        refined.rows.extend(pairs.rows);
        refined
    }

    /// Returns the bindings of path components with the single literals that match them, by the
    /// components that pairs of these touch together.
    fn binding_rows(&self, drafted: &[Drafted]) -> HashMap<u64, RowsOfPath> {
        let mut pairs: BTreeMap<u64, usize> = BTreeMap::new();
        for drafted in drafted.iter().filter(|drafted| drafted.base.literals.len() == 1) {
            let is_single = |&draft: &usize| drafted.drafts.single[draft].is_some();
            for draft in (0..drafted.drafts.len()).filter(is_single) {
                *pairs.entry(drafted.touched(draft)).or_default() += 1;
            }
        }
        let mut all = HashMap::default();
        for (touched, pairs) in pairs.into_iter().filter(|&(touched, _)| touched != 0) {
            let mut literals = LiteralList::default();
            let mut number_of: HashMap<u32, u32> = HashMap::default();
            for (b, conjunct) in self.list.iter().enumerate() {
                if conjunct.literals.len() == 1 && conjunct.touched != 0 && conjunct.touched & !touched == 0 {
                    number_of.insert(b as u32, literals.len() as u32);
                    literals.push(conjunct.literals[0].predicate, &conjunct.literals[0].args);
                }
            }
            let path: Vec<&Literal> = self.touched_path(touched).collect();
            let rows = self.coverage.binding_rows(&path, &literals, &self.path_coverage, pairs);
            all.extend(rows.map(|rows| (touched, RowsOfPath { rows, number_of })));
        }
        all
    }

    /// Returns the drafts of each base, grouped by the path components that they touch.
    fn jobs<'j>(&'j self, drafted: &'j [Drafted]) -> Vec<Job<'j>> {
        let mut jobs: Vec<Job<'j>> = Vec::new();
        for (number, own) in drafted.iter().enumerate() {
            let mut of_touched: Vec<(u64, usize)> = Vec::new();
            let mut within: Option<Arc<Bits>> = None;
            for draft in 0..own.drafts.len() {
                let touched = own.touched(draft);
                let job = match of_touched.iter().find(|&&(other, _)| other == touched) {
                    Some(&(_, job)) => job,
                    None => {
                        let within = within.get_or_insert_with(|| self.covered_by(&own.base)).clone();
                        let literals = self.touched_path(touched).chain(&own.base.literals).collect();
                        jobs.push(Job { base: number, touched, literals, chosen: Vec::new(), within });
                        of_touched.push((touched, jobs.len() - 1));
                        jobs.len() - 1
                    }
                };
                jobs[job].chosen.push(draft as u32);
            }
        }
        jobs
    }

    /// Returns the path literals of some components.
    fn touched_path(&self, touched: u64) -> impl Iterator<Item = &Literal> {
        let path = self.path.iter().zip(&self.components);
        path.filter(move |(_, component)| *component & touched != 0).map(|(literal, _)| literal)
    }

    /// Returns the examples that the path and a base cover.
    fn covered_by(&self, base: &Base) -> Arc<Bits> {
        let mut members = base.members.iter().map(|&b| &self.list[b].bits);
        let Some(first) = members.next() else { return self.path_coverage.clone() };
        members.fold(first.clone(), |all, bits| Arc::new(all.and(bits)))
    }

    /// Searches for the drafts that are undecided one by one; records all answers for the audit.
    fn decide_rest(&self, drafted: &[Drafted], jobs: &[Job<'_>], refined: &mut [Refined]) {
        let mut undecided: Vec<Undecided> = Vec::new();
        for (job, (of_job, refined)) in jobs.iter().zip(&*refined).enumerate() {
            let Drafted { base, drafts } = &drafted[of_job.base];
            for (k, &draft) in of_job.chosen.iter().enumerate() {
                if drafts.is_known[draft as usize] {
                    continue;
                }
                let covered = match refined.of[k] {
                    Refinement::Undecided(bound) => {
                        let is_cached = drafted[of_job.base].touched(draft as usize) == 0;
                        undecided.push(Undecided { job, k, bound, literal: drafts.literal(draft as usize), is_cached });
                        continue;
                    }
                    _ if !self.coverage.is_audited() => continue,
                    Refinement::Row(row) => refined.rows[row as usize].clone(),
                    Refinement::Empty => Bits::zeros(self.path_coverage.len()),
                };
                let own = base.literals.iter().cloned().chain([drafts.literal(draft as usize)]);
                let conjunction: Vec<Literal> = self.path.iter().cloned().chain(own).collect();
                self.coverage.record_for_audit(&conjunction, 1, &covered);
            }
        }
        // Those that touch no path component occur at other nodes as well.
        let (cached, others): (Vec<&Undecided>, Vec<&Undecided>) =
            undecided.iter().partition(|undecided| undecided.is_cached);
        let literals = |undecided: &&Undecided| jobs[undecided.job].literals.clone();
        let mut conjunctions: Vec<Vec<&Literal>> = cached.iter().map(literals).collect();
        conjunctions.iter_mut().zip(&cached).for_each(|(all, undecided)| all.push(&undecided.literal));
        let found = self.coverage.cover_each(&conjunctions);
        let mut conjunctions: Vec<(Vec<&Literal>, &Bits)> = Vec::with_capacity(others.len());
        for undecided in &others {
            let mut all = literals(undecided);
            all.push(&undecided.literal);
            conjunctions.push((all, &refined[undecided.job].bounds[undecided.bound as usize]));
        }
        let found_within = self.coverage.cover_within(&conjunctions);
        let found = found.into_iter().map(|bits| bits.and(&self.path_coverage)).chain(found_within);
        for (undecided, bits) in cached.iter().chain(&others).zip(found.collect::<Vec<_>>()) {
            if self.coverage.is_audited() && !undecided.is_cached {
                let own = drafted[jobs[undecided.job].base].base.literals.iter().chain([&undecided.literal]);
                let conjunction: Vec<Literal> = self.path.iter().chain(own).cloned().collect();
                self.coverage.record_for_audit(&conjunction, 1, &bits);
            }
            let refined = &mut refined[undecided.job];
            refined.of[undecided.k] = Refinement::Empty;
            if bits.any() {
                refined.of[undecided.k] = Refinement::Row(refined.rows.len() as u32);
                refined.rows.push(bits);
            }
        }
    }

    /// Returns whether a margin applies to a draft, as a bit.
    fn margin_of(&self, drafted: &Drafted, draft: usize) -> u8 {
        let is_same = self.needed == Needed::Coverage || self.arity < 2;
        if is_same || self.connects_head(&drafted.proposal(draft).literals) { NO_MARGIN } else { SOME_MARGIN }
    }

    fn keep(&mut self, proposal: Proposal, bits: &Arc<Bits>) {
        let Proposal { literals, comparisons, modes, new, touched } = proposal;
        let count = bits.count();
        self.list.push(Conjunct { literals, comparisons, modes, new, touched, count, bits: bits.clone() });
    }
}

const NO_MARGIN: u8 = 1;
const SOME_MARGIN: u8 = 2;
const ALL_MARGINS: u8 = NO_MARGIN | SOME_MARGIN;

/// Writes literals with variables from `next` on numbered by first occurrence; returns the number
/// of words.
fn renamed(literals: [(u32, &[Argument]); 2], next: u32, words: &mut [u64; MAX_WORDS]) -> usize {
    let (mut names, mut named, mut length) = ([0; MAX_WORDS], 0, 0);
    let mut push = |word: u64| {
        words[length] = word;
        length += 1;
    };
    for (predicate, args) in literals {
        push(3 << 32 | u64::from(predicate));
        for arg in args {
            push(match *arg {
                Argument::Variable(v) if v.0 < next => u64::from(v.0),
                Argument::Variable(v) => {
                    let name = names[..named].iter().position(|&name| name == v.0).unwrap_or_else(|| {
                        names[named] = v.0;
                        named += 1;
                        named - 1
                    });
                    2 << 32 | name as u64
                }
                Argument::Constant(constant) => 1 << 32 | u64::from(constant.id()),
                Argument::Number(number) => number.bits(),
            });
        }
    }
    length
}
