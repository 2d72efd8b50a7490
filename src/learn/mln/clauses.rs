//! Clauses instead of trees: the other form of MLN-Boost (Khot et al., 2011).

use super::grow::{CountGrower, CountStatistics, Weighted, refit};
use super::solve::least_squares;
use super::tally::Pattern;
use crate::cover::Bits;
use crate::parallel;
use crate::tree::language::Known;

/// How clauses are searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClauseOptions {
    /// How many clauses are learned from one set of gradients.
    pub clauses: usize,
    /// The most literals in a clause.
    pub max_length: usize,
    /// How many clauses are kept to be made longer.
    pub beam: usize,
    /// The fewest examples with a grounding of a clause.
    pub min_examples: usize,
    /// How much weights are held back.
    pub shrinkage: f64,
}

/// A clause of the beam.
#[derive(Clone)]
struct Body {
    pattern: Pattern,
    known: Vec<Known>,
    next: u32,
}

impl CountGrower<'_, '_, '_> {
    /// Learns clauses one after another, each chosen by what those before it leave of the gradients of the examples in use; then
    /// all get the weights of the least squared error together.
    ///
    /// The first is always the one without a body, whose weight alone is the mean; of equals the shorter wins, then the first.
    pub fn clauses(
        &self,
        options: &ClauseOptions,
        gradients: &[f64],
        in_use: &Bits,
    ) -> (Vec<Weighted>, CountStatistics) {
        let of: Vec<usize> = in_use.iter().collect();
        let mut statistics = CountStatistics::default();
        let empty = Weighted { pattern: Pattern::default(), weight: 0.0, counts: vec![1.0; gradients.len()] };
        let mut found = vec![empty];
        let mut left = refit(found.iter_mut(), gradients, &of, options.shrinkage);
        for _ in 0..options.clauses {
            let Some(clause) = self.best_clause(options, &left, &of, &mut statistics) else { break };
            found.push(clause);
            left = refit(found.iter_mut(), gradients, &of, options.shrinkage);
        }
        (found, statistics)
    }

    fn best_clause(
        &self,
        options: &ClauseOptions,
        left: &[f64],
        of: &[usize],
        statistics: &mut CountStatistics,
    ) -> Option<Weighted> {
        let known = self.language.head();
        let mut beam = vec![Body { pattern: Pattern::default(), next: known.len() as u32, known }];
        let before: f64 = of.iter().map(|&i| left[i] * left[i]).sum();
        let mut best: Option<(f64, Pattern)> = None;
        while !beam.is_empty() {
            let mut longer: Vec<Body> = Vec::new();
            for body in &beam {
                let candidates = self.candidates(&body.pattern.literals, &body.known, body.next);
                statistics.expansions += 1;
                statistics.budget_hits += u64::from(candidates.1);
                let room = options.max_length - body.pattern.literals.len();
                let fitting = candidates.0.iter().filter(|candidate| candidate.test.len() <= room);
                longer.extend(fitting.map(|candidate| Body {
                    pattern: body.pattern.with(&candidate.test),
                    known: [&body.known[..], &candidate.new].concat(),
                    next: body.next + candidate.new.len() as u32,
                }));
            }
            statistics.screened += longer.len() as u64;
            let error = |body: &Body| {
                let counts = self.tally.counts(&body.pattern);
                let some = of.iter().filter(|&&i| counts[i] > 0.0).count();
                (some >= options.min_examples.max(1)).then(|| error_of(&counts, left, of, options.shrinkage))
            };
            let errors = parallel::map(&longer, 16 * left.len(), error);
            let mut ranked: Vec<(f64, usize)> =
                errors.into_iter().enumerate().filter_map(|(at, error)| Some((error?, at))).collect();
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some(&(error, at)) = ranked.first()
                && best.as_ref().map_or(before, |best| best.0) * (1.0 - 1e-9) > error
            {
                best = Some((error, longer[at].pattern.clone()));
            }
            let full = |body: &Body| body.pattern.literals.len() >= options.max_length;
            ranked.retain(|&(_, at)| !full(&longer[at]));
            ranked.truncate(options.beam);
            beam = ranked.into_iter().map(|(_, at)| longer[at].clone()).collect();
        }
        let (_, pattern) = best?;
        let counts = self.tally.counts(&pattern);
        Some(Weighted { pattern, weight: 0.0, counts })
    }
}

/// The squared error over these examples with the best weight, Σ Δ·n / (λ + Σ n²).
fn error_of(counts: &[f64], left: &[f64], of: &[usize], shrinkage: f64) -> f64 {
    let weight = least_squares(&[counts], left, of, shrinkage)[0];
    of.iter().map(|&i| (left[i] - weight * counts[i]).powi(2)).sum()
}
