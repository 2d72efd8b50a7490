//! Literals that hang together, and the search for all of them that a node may use.
//!
//! A block of one literal is whatever the modes allow. A larger one is a conjunction that the modes allow with one more
//! literal that ties it together: by a new variable of the conjunction, by touching a part of the path that the
//! conjunction touches too, or because it asks for a variable of the body (`=`) that only the conjunction mentions. Where
//! look-ahead begins at the head, only new variables tie, and nothing of the path is touched.

use std::sync::Arc;

use super::language::{Known, Language, LookAhead, MAX_NODE_SIZE, Scope, WholeTest};
use crate::cover::Bits;
use crate::cover::Coverage;
use crate::cover::{ComponentKey, EncodedConjunction};
use crate::determinism::{HashMap, HashSet};
use crate::kb::TypeId;
use crate::logic::{Argument, Literal, Variable};

/// Nothing is tied to a part of a path that has so many literals already. Each one more multiplies the work of a search by the
/// facts it may match, and below a deep node there are thousands of tests.
pub(crate) const LARGEST_PART: usize = 6;

/// Literals that hang together.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub literals: Vec<Literal>,
    /// What numbers among its variables are compared with.
    pub comparisons: Vec<Literal>,
    /// The mode of each literal; empty if the block is a test of its own, and no part of larger ones.
    pub modes: Vec<usize>,
    pub new: Vec<Known>,
    /// The parts of the path it touches, as bits.
    pub touch: u64,
    /// How many examples satisfy it.
    pub count: usize,
    /// Those examples.
    pub bits: Arc<Bits>,
}

impl Block {
    /// Adds the block to a test whose new variables are `new` so far; its own are numbered behind them.
    pub fn append_to(&self, next: u32, literals: &mut Vec<Literal>, new: &mut Vec<Known>) {
        let shift = new.len() as u32;
        literals.extend(self.literals.iter().chain(&self.comparisons).map(|literal| shifted(literal, next, shift)));
        new.extend(self.new.iter().map(|known| known.shifted(shift)));
    }
}

/// The literal with its variables from `from` on moved up.
fn shifted(literal: &Literal, from: u32, by: u32) -> Literal {
    let arg = |arg: &Argument| match *arg {
        Argument::Variable(v) if v.0 >= from => Argument::Variable(Variable(v.0 + by)),
        other => other,
    };
    Literal { args: literal.args.iter().map(arg).collect(), ..*literal }
}

/// A block that is not searched for yet.
struct Proposal {
    literals: Vec<Literal>,
    comparisons: Vec<Literal>,
    modes: Vec<usize>,
    new: Vec<Known>,
    touch: u64,
}

/// What tells a proposal from others: its normal form, the types of its new variables with whether they stand once, and
/// its modes where they have limits.
type Seen = (ComponentKey, Vec<(Option<TypeId>, bool)>, Vec<usize>);

/// The blocks below a path.
pub(crate) struct Blocks<'b, 'a> {
    pub coverage: &'b Coverage<'a>,
    language: &'b Language,
    pub path: &'b [Literal],
    /// The variables that tests may use.
    known: Vec<Known>,
    next: u32,
    /// How many variables the head has.
    arity: usize,
    /// The part of the path each of its literals belongs to, as a bit; 0 for those without variables of their own.
    parts: Vec<u64>,
    /// The part of the path each of its variables belongs to, as a bit.
    part_of: HashMap<Variable, u64>,
    /// The examples that satisfy the path.
    pub here: Arc<Bits>,
    /// The blocks so far, by the number of their literals.
    pub list: Vec<Block>,
    seen: HashSet<Seen>,
    /// How many more candidates may be looked at.
    pub left: usize,
    /// Whether there were more.
    pub over_budget: bool,
    /// Whether a part of the path is too large for anything to be tied to it.
    pub closed: bool,
}

impl<'b, 'a> Blocks<'b, 'a> {
    /// All blocks below a path, the whole tests of the language last. Nothing is tied to a part of the path with `largest_part`
    /// literals or more.
    pub fn new(
        coverage: &'b Coverage<'a>,
        language: &'b Language,
        path: &'b [Literal],
        known: &'b [Known],
        next: u32,
        largest_part: usize,
    ) -> Self {
        let arity = coverage.database().predicates.arity(coverage.target());
        let flat = EncodedConjunction::new(path.iter(), arity);
        let mut parts = vec![0; path.len()];
        let mut part_of = HashMap::default();
        let mut closed: HashSet<Variable> = HashSet::default();
        for (number, members) in flat.components(&(0..path.len()).collect::<Vec<_>>()).into_iter().enumerate() {
            // Parts from the 64th on count as one: then more is searched together than need be, and nothing is wrong.
            let bit = 1 << number.min(63);
            let is_closed = members.len() >= largest_part;
            for i in members {
                for variable in path[i].variables().filter(|v| v.0 as usize >= arity) {
                    if is_closed {
                        closed.insert(variable);
                    }
                    parts[i] = bit;
                    *part_of.entry(variable).or_insert(0) |= bit;
                }
            }
        }
        let mut blocks = Blocks {
            coverage,
            language,
            path,
            known: known.iter().copied().filter(|known| !closed.contains(&known.variable)).collect(),
            next,
            arity,
            parts,
            part_of,
            here: coverage.cover(path),
            list: Vec::new(),
            seen: HashSet::default(),
            left: language.options().max_candidates,
            over_budget: false,
            closed: !closed.is_empty(),
        };
        blocks.single_literals();
        for size in 2..=language.options().node_size {
            blocks.extend(size);
        }
        blocks.whole_tests();
        blocks
    }

    fn touch(&self, literal: &Literal) -> u64 {
        literal.variables().filter_map(|v| self.part_of.get(&v)).fold(0, |touch, part| touch | part)
    }

    fn single_literals(&mut self) {
        let clause: Vec<&Literal> = self.path.iter().collect();
        let scope = Scope { known: &self.known, clause: &clause, next: self.next, must_use: None };
        let mut proposals = Vec::new();
        self.language.literals(&scope, |draft| {
            let touch = self.touch(&draft.literal);
            proposals.push(Proposal {
                literals: vec![draft.literal],
                comparisons: draft.comparisons,
                modes: vec![draft.mode],
                new: draft.new,
                touch,
            });
        });
        self.add(proposals);
    }

    /// Searches for the proposals that were not seen before, and keeps those that hold for some example of the path.
    fn add(&mut self, mut proposals: Vec<Proposal>) {
        proposals.retain(|proposal| {
            let flat =
                EncodedConjunction::new(proposal.literals.iter().chain(&proposal.comparisons), self.next as usize);
            let few = flat.literals() <= MAX_NODE_SIZE;
            let key = if few { flat.exact_key() } else { flat.key(&(0..flat.literals()).collect::<Vec<_>>()) };
            // Two modes may give the same literal, but allow different things to follow.
            let mut follow: Vec<_> = proposal.new.iter().map(|known| (known.type_id, known.once)).collect();
            follow.sort_unstable();
            let modes = if self.language.has_limits() { proposal.modes.clone() } else { Vec::new() };
            self.seen.insert((key, follow, modes))
        });
        if proposals.len() > self.left {
            proposals = fair_share(proposals, self.left);
            self.over_budget = true;
        }
        self.left -= proposals.len();
        let conjunction = |proposal: &Proposal| {
            let touched = self.path.iter().zip(&self.parts).filter(|(_, part)| *part & proposal.touch != 0);
            let own = proposal.literals.iter().chain(&proposal.comparisons);
            touched.map(|(literal, _)| literal).chain(own).cloned().collect::<Vec<Literal>>()
        };
        let conjunctions: Vec<Vec<Literal>> = proposals.iter().map(conjunction).collect();
        let covered = self.coverage.cover_all(&conjunctions);
        let whole = self.here.count() == self.here.len();
        for (proposal, bits) in proposals.into_iter().zip(covered) {
            let bits = if whole { bits } else { Arc::new(bits.and(&self.here)) };
            let count = bits.count();
            let Proposal { literals, comparisons, modes, new, touch } = proposal;
            // What holds for nobody holds for nobody together with more.
            if count > 0 {
                self.list.push(Block { literals, comparisons, modes, new, touch, count, bits });
            }
        }
    }

    /// Blocks of one literal more.
    fn extend(&mut self, size: usize) {
        let mut bases = self.bases(size - 1);
        // What follows can only narrow a base, so those come first that hold for most examples.
        bases.sort_by_key(|base| std::cmp::Reverse(base.count));
        let mut extended = Vec::new();
        let mut total = 0;
        for base in &bases {
            if total > self.left {
                self.over_budget = true;
                break;
            }
            let proposals = self.extensions(base);
            total += proposals.len();
            extended.push((base.order, proposals));
        }
        extended.sort_by_key(|&(order, _)| order);
        self.add(extended.into_iter().flat_map(|(_, proposals)| proposals).collect());
    }

    /// The conjunctions of this size that a literal more may tie together: blocks, then sets of blocks.
    fn bases(&mut self, size: usize) -> Vec<Base> {
        let any = self.language.has_in_body();
        let ties = |&b: &usize| any || !self.list[b].new.is_empty() || self.list[b].touch != 0;
        let mut blocks: Vec<usize> = (0..self.list.len()).filter(ties).filter(|&b| self.may_grow(b)).collect();
        let mut bases = Vec::new();
        for &b in blocks.iter().filter(|&&b| self.list[b].literals.len() == size) {
            // Of two literals that touch the same part, the later one is added to the earlier.
            bases.push(Base { order: bases.len(), first: b, ..self.base(&[b]) });
        }
        if size > 1 {
            let most = largest_choice(self.left, size);
            if blocks.len() > most {
                self.over_budget = true;
                blocks.sort_by_key(|&b| std::cmp::Reverse(self.list[b].count));
                blocks.truncate(most);
                blocks.sort_unstable();
            }
            self.sets_of_blocks(&blocks, size, &mut Vec::new(), &mut bases);
        }
        bases
    }

    /// Adds every set of at least two blocks that have so many more literals together and touch nothing in common. A
    /// block may be there twice, with other variables.
    fn sets_of_blocks(&self, blocks: &[usize], size: usize, chosen: &mut Vec<usize>, bases: &mut Vec<Base>) {
        let touch = chosen.iter().fold(0, |touch, &b| touch | self.list[b].touch);
        for (at, &b) in blocks.iter().enumerate() {
            let own = self.list[b].literals.len();
            if self.list[b].touch & touch != 0 || own > size || (own == size && chosen.is_empty()) {
                continue;
            }
            chosen.push(b);
            if own < size {
                let again = !self.list[b].new.is_empty();
                self.sets_of_blocks(&blocks[if again { at } else { at + 1 }..], size - own, chosen, bases);
            } else if self.may_stand_together(chosen) {
                bases.push(Base { order: bases.len(), ..self.base(chosen) });
            }
            chosen.pop();
        }
    }

    /// How many literals beyond the first these blocks have; 0 for a block that ties variables of the head together.
    ///
    /// A head of one variable has nothing to tie: there the number is 0 as well.
    pub fn ahead(&self, blocks: &[usize]) -> u32 {
        let literals: usize = blocks.iter().map(|&b| self.list[b].literals.len()).sum();
        let ties = || blocks.len() == 1 && self.ties_head(&self.list[blocks[0]].literals);
        if literals < 2 || self.arity < 2 || ties() {
            return 0;
        }
        literals as u32 - 1
    }

    /// Whether literals speak of more than one variable of the head, and hang together by others.
    fn ties_head(&self, literals: &[Literal]) -> bool {
        let mut of_head = literals.iter().flat_map(Literal::variables).filter(|v| (v.0 as usize) < self.arity);
        let first = of_head.next();
        let all: Vec<usize> = (0..literals.len()).collect();
        of_head.any(|other| Some(other) != first)
            && EncodedConjunction::new(literals.iter(), self.arity).components(&all).len() == 1
    }

    /// Whether blocks may stand in one test: no literal twice, and no predicate more often than its mode allows.
    pub fn may_stand_together(&self, blocks: &[usize]) -> bool {
        let mut clause: Vec<&Literal> = self.path.iter().collect();
        for block in blocks.iter().map(|&b| &self.list[b]) {
            for (literal, &mode) in block.literals.iter().zip(&block.modes) {
                // Literals with new variables are renamed apart.
                let twice = clause.contains(&literal) && literal.variables().all(|v| v.0 < self.next);
                if twice || !self.language.is_allowed(mode, literal, &clause) {
                    return false;
                }
                clause.push(literal);
            }
        }
        true
    }

    fn base(&self, blocks: &[usize]) -> Base {
        let mut base = Base { count: usize::MAX, ..Base::default() };
        for block in blocks.iter().map(|&b| &self.list[b]) {
            base.parts.push((base.new.len(), block.new.len(), block.touch));
            let shift = base.new.len() as u32;
            let move_up = |literal: &Literal| shifted(literal, self.next, shift);
            base.literals.extend(block.literals.iter().map(move_up));
            base.comparisons.extend(block.comparisons.iter().map(move_up));
            base.new.extend(block.new.iter().map(|known| known.shifted(shift)));
            base.modes.extend(&block.modes);
            base.count = base.count.min(block.count);
        }
        base
    }

    /// Whether a block may be part of a larger one.
    fn may_grow(&self, block: usize) -> bool {
        match self.language.options().look_ahead {
            LookAhead::Anywhere => true,
            LookAhead::Head => self.list[block].touch == 0,
        }
    }

    /// Whether a literal of a larger block may have this variable.
    fn may_tie(&self, known: &Known) -> bool {
        match self.language.options().look_ahead {
            LookAhead::Anywhere => true,
            LookAhead::Head => !self.part_of.contains_key(&known.variable),
        }
    }

    /// The blocks that a base and one more literal make.
    fn extensions(&self, base: &Base) -> Vec<Proposal> {
        let clause: Vec<&Literal> = self.path.iter().chain(&base.literals).collect();
        let next = self.next + base.new.len() as u32;
        let old = self.known.iter().filter(|known| self.may_tie(known));
        let known: Vec<Known> = old.chain(&base.new).copied().collect();
        let any = self.language.has_in_body();
        let anywhere = self.language.options().look_ahead == LookAhead::Anywhere;
        let mut proposals = Vec::new();
        let mut propose = |mode: usize, literal: Literal, comparisons: &[Literal], new: &[Known]| {
            let touch = self.touch(&literal);
            let waits = anywhere && any && !self.language.finds_in_body(mode, &literal, self.path);
            if waits || base.is_tied_by(&literal, touch, self.next) {
                let with = |own: &[Known]| base.new.iter().chain(own).copied().collect();
                let mut literals = base.literals.clone();
                literals.push(literal);
                let modes = base.modes.iter().copied().chain([mode]).collect();
                let touch = base.parts.iter().fold(touch, |all, part| all | part.2);
                let comparisons = [&base.comparisons[..], comparisons].concat();
                proposals.push(Proposal { literals, comparisons, modes, new: with(new), touch });
            }
        };
        if (any && anywhere) || !base.new.is_empty() {
            let must_use = (!any || !anywhere).then_some(self.next);
            let scope = Scope { known: &known, clause: &clause, next, must_use };
            self.language.literals(&scope, |draft| propose(draft.mode, draft.literal, &draft.comparisons, &draft.new));
        }
        if base.parts.iter().any(|part| part.2 != 0) {
            let singles = self.list.iter().take_while(|block| block.literals.len() == 1);
            for block in singles.skip(if base.literals.len() == 1 { base.first } else { 0 }) {
                let shift = base.new.len() as u32;
                let (mode, literal) = (block.modes[0], shifted(&block.literals[0], self.next, shift));
                if !clause.contains(&&literal) && self.language.is_allowed(mode, &literal, &clause) {
                    let comparisons: Vec<Literal> =
                        block.comparisons.iter().map(|literal| shifted(literal, self.next, shift)).collect();
                    let new: Vec<Known> = block.new.iter().map(|known| known.shifted(shift)).collect();
                    propose(mode, literal, &comparisons, &new);
                }
            }
        }
        proposals
    }

    /// The tests that are candidates everywhere.
    fn whole_tests(&mut self) {
        let proposal = |whole: &WholeTest| {
            // Number the variables that are not of the head from `next` on, whatever they were.
            let name = |v: Variable| whole.new.iter().position(|known| known.variable == v);
            let rename = |v: Variable| name(v).map_or(v, |k| Variable(self.next + k as u32));
            let arg = |arg: &Argument| match *arg {
                Argument::Variable(v) => Argument::Variable(rename(v)),
                constant => constant,
            };
            let literal = |literal: &Literal| Literal { args: literal.args.iter().map(arg).collect(), ..*literal };
            let new = |known: &Known| Known { variable: rename(known.variable), ..*known };
            Proposal {
                literals: whole.literals.iter().map(literal).collect(),
                comparisons: Vec::new(),
                modes: Vec::new(),
                new: whole.new.iter().map(new).collect(),
                touch: 0,
            }
        };
        let proposals: Vec<Proposal> = self.language.whole_tests().iter().map(proposal).collect();
        // They are few and were chosen with care: the budget is not for them.
        let left = std::mem::replace(&mut self.left, usize::MAX);
        self.add(proposals);
        self.left = left;
    }
}

/// So many of the proposals that the modes of their last literals get equal shares, the first of each mode first.
fn fair_share(proposals: Vec<Proposal>, most: usize) -> Vec<Proposal> {
    let mut of_mode: HashMap<Option<usize>, usize> = HashMap::default();
    let mut numbered: Vec<(usize, usize, Proposal)> = Vec::with_capacity(proposals.len());
    for (number, proposal) in proposals.into_iter().enumerate() {
        let place = of_mode.entry(proposal.modes.last().copied()).or_insert(0);
        numbered.push((*place, number, proposal));
        *place += 1;
    }
    numbered.sort_by_key(|&(place, number, _)| (place, number));
    numbered.truncate(most);
    numbered.sort_by_key(|&(_, number, _)| number);
    numbered.into_iter().map(|(_, _, proposal)| proposal).collect()
}

/// A conjunction to which a literal is added.
#[derive(Clone, Debug, Default)]
struct Base {
    order: usize,
    literals: Vec<Literal>,
    comparisons: Vec<Literal>,
    modes: Vec<usize>,
    new: Vec<Known>,
    /// For each block: where its new variables start, how many they are, and the parts of the path it touches.
    parts: Vec<(usize, usize, u64)>,
    count: usize,
    /// The block, if the base is one.
    first: usize,
}

impl Base {
    /// Whether a literal that touches these parts of the path ties all blocks together.
    fn is_tied_by(&self, literal: &Literal, touch: u64, next: u32) -> bool {
        self.parts.iter().all(|&(start, len, part)| {
            let own = next + start as u32..next + (start + len) as u32;
            part & touch != 0 || literal.variables().any(|v| own.contains(&v.0))
        })
    }
}

/// The largest number of things of which all choices of two to `size` are no more than `most`.
pub(crate) fn largest_choice(most: usize, size: usize) -> usize {
    let choices = |n: usize| {
        let mut total = 0f64;
        let mut ways = n as f64;
        for k in 2..=size {
            ways *= (n as f64 - k as f64 + 1.0).max(0.0) / k as f64;
            total += ways;
        }
        total
    };
    if size < 2 {
        return usize::MAX;
    }
    let mut n = 1;
    while choices(n + 1) <= most as f64 {
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_counted() {
        // Of four things there are six pairs and four threes.
        assert_eq!((largest_choice(5, 2), largest_choice(6, 2), largest_choice(9, 2)), (3, 4, 4));
        assert_eq!((largest_choice(9, 3), largest_choice(10, 3)), (3, 4));
        assert_eq!((largest_choice(0, 2), largest_choice(0, 1)), (1, usize::MAX));
    }

    #[test]
    fn shares_are_fair() {
        let proposal = |&mode: &usize| Proposal {
            literals: Vec::new(),
            comparisons: Vec::new(),
            modes: vec![mode],
            new: Vec::new(),
            touch: 0,
        };
        let proposals: Vec<Proposal> = [0, 0, 0, 0, 1, 2, 2].iter().map(proposal).collect();
        let modes: Vec<usize> = fair_share(proposals, 5).iter().map(|proposal| proposal.modes[0]).collect();
        assert_eq!(modes, [0, 0, 1, 2, 2]);
    }
}
