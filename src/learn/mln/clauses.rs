//! Clauses instead of trees: the other form of MLN-Boost (Khot et al., 2011).

use super::grow::{CountGrower, CountStatistics, WeightedPattern, refit};
use super::solve::least_squares;
use super::tally::Pattern;
use crate::cover::Bits;
use crate::parallel;
use crate::tree::TypedVariable;

/// Limits of the beam search for clauses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountClauseOptions {
    /// Clauses learned per boosting round.
    pub clauses: usize,
    /// Maximum number of literals in a clause.
    pub max_length: usize,
    /// Beam width.
    pub beam: usize,
    /// Minimum number of examples with a grounding.
    pub min_examples: usize,
    /// L2 penalty λ on the weights.
    pub shrinkage: f64,
}

/// A clause of the beam.
#[derive(Clone)]
struct BeamClause {
    pattern: Pattern,
    known: Vec<TypedVariable>,
    next: u32,
}

impl CountGrower<'_, '_, '_> {
    /// Learns clauses one after another, each by the residuals that the previous ones leave on the
    /// examples in use; then all weights are fitted jointly by least squares.
    ///
    /// The first clause has an empty body; its weight alone is the mean. Ties go to the shorter
    /// clause, then to the first.
    pub fn clauses(
        &self,
        options: &CountClauseOptions,
        gradients: &[f64],
        in_use: &Bits,
    ) -> (Vec<WeightedPattern>, CountStatistics) {
        let rows: Vec<usize> = in_use.iter().collect();
        let mut statistics = CountStatistics::default();
        let empty = WeightedPattern { pattern: Pattern::default(), weight: 0.0, counts: vec![1.0; gradients.len()] };
        let mut found = vec![empty];
        let mut residuals = refit(found.iter_mut(), gradients, &rows, options.shrinkage);
        for _ in 0..options.clauses {
            let Some(clause) = self.best_clause(options, &residuals, &rows, &mut statistics) else { break };
            found.push(clause);
            residuals = refit(found.iter_mut(), gradients, &rows, options.shrinkage);
        }
        (found, statistics)
    }

    fn best_clause(
        &self,
        options: &CountClauseOptions,
        residuals: &[f64],
        rows: &[usize],
        statistics: &mut CountStatistics,
    ) -> Option<WeightedPattern> {
        let known = self.language.head();
        let mut beam = vec![BeamClause { pattern: Pattern::default(), next: known.len() as u32, known }];
        let before: f64 = rows.iter().map(|&i| residuals[i] * residuals[i]).sum();
        let mut best: Option<(f64, Pattern)> = None;
        while !beam.is_empty() {
            let mut refined: Vec<BeamClause> = Vec::new();
            for clause in &beam {
                let candidates = self.candidates(&clause.pattern.literals, &clause.known, clause.next);
                statistics.expansions += 1;
                statistics.budget_hits += u64::from(candidates.1);
                let remaining = options.max_length - clause.pattern.literals.len();
                let fitting = candidates.0.iter().filter(|candidate| candidate.test.len() <= remaining);
                refined.extend(fitting.map(|candidate| BeamClause {
                    pattern: clause.pattern.with(&candidate.test),
                    known: [&clause.known[..], &candidate.new].concat(),
                    next: clause.next + candidate.new.len() as u32,
                }));
            }
            statistics.screened += refined.len() as u64;
            let error = |clause: &BeamClause| {
                let counts = self.tally.counts(&clause.pattern);
                let covered = rows.iter().filter(|&&i| counts[i] > 0.0).count();
                (covered >= options.min_examples.max(1))
                    .then(|| single_weight_error(&counts, residuals, rows, options.shrinkage))
            };
            let errors = parallel::map(&refined, 16 * residuals.len(), error);
            let mut ranked: Vec<(f64, usize)> =
                errors.into_iter().enumerate().filter_map(|(at, error)| Some((error?, at))).collect();
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some(&(error, at)) = ranked.first()
                && best.as_ref().map_or(before, |best| best.0) * (1.0 - 1e-9) > error
            {
                best = Some((error, refined[at].pattern.clone()));
            }
            let full = |clause: &BeamClause| clause.pattern.literals.len() >= options.max_length;
            ranked.retain(|&(_, at)| !full(&refined[at]));
            ranked.truncate(options.beam);
            beam = ranked.into_iter().map(|(_, at)| refined[at].clone()).collect();
        }
        let (_, pattern) = best?;
        let counts = self.tally.counts(&pattern);
        Some(WeightedPattern { pattern, weight: 0.0, counts })
    }
}

/// Returns the squared error over `rows` with the optimal weight, Σ Δ·n / (λ + Σ n²).
fn single_weight_error(counts: &[f64], residuals: &[f64], rows: &[usize], shrinkage: f64) -> f64 {
    let weight = least_squares(&[counts], residuals, rows, shrinkage)[0];
    rows.iter().map(|&i| (residuals[i] - weight * counts[i]).powi(2)).sum()
}
