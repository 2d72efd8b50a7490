//! Inference: the rules that are true for a query, and the resulting class probabilities.

use super::{Network, Rule};
use crate::cover::{Bits, Coverage};
use crate::kb::Database;
use crate::logic::{Constant, PredicateId};
use crate::math::{log_sum_exp, softmax};

/// The prediction for one query with its groundings.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// For each active hidden node the first grounding of its body: the constant of each variable,
    /// head variables first, `None` for a variable that occurs only in negated literals.
    pub witnesses: Vec<Option<Vec<Option<Constant>>>>,
    /// The score of each class.
    pub scores: Vec<f64>,
    /// The probability of each class.
    pub probabilities: Vec<f64>,
}

/// Returns the log-odds of each class against the rest, from one row of scores per class. Computed
/// as the score minus the log-sum-exp of the others, which keeps precision for near-certain
/// predictions.
pub fn one_vs_rest(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let log_odds = |class: usize, i: usize| {
        let others: Vec<f64> =
            scores.iter().enumerate().filter(|(other, _)| *other != class).map(|(_, row)| row[i]).collect();
        scores[class][i] - log_sum_exp(&others)
    };
    let examples = scores.first().map_or(0, Vec::len);
    (0..scores.len()).map(|class| (0..examples).map(|i| log_odds(class, i)).collect()).collect()
}

impl Network {
    /// Translates the rules to the names of a database; `None` for those that are never true there.
    pub fn bind(&self, database: &Database) -> Vec<Option<Rule>> {
        self.hidden.iter().map(|node| node.rule.bind(self.names(), database.names())).collect()
    }

    /// Infers one query rule by rule with the naive evaluator: the oracle of [`Network::active`],
    /// which also returns the groundings.
    pub fn infer(&self, database: &Database, target: PredicateId, args: &[Constant]) -> Inference {
        let rules = self.bind(database);
        let witness = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.witness(database, target, args));
        let witnesses: Vec<_> = rules.iter().map(witness).collect();
        let scores = self.scores(|j| witnesses[j].is_some());
        Inference { probabilities: softmax(&scores), scores, witnesses }
    }

    /// Returns the examples that activate each hidden node.
    pub fn active(&self, coverage: &Coverage<'_>) -> Vec<Bits> {
        let rules = self.bind(coverage.database());
        // In one batch, bodies are searched in parallel; conditions are cheap.
        let bodies: Vec<_> = rules.iter().flatten().map(Rule::body).collect();
        coverage.cover_all(&bodies);
        let none = || Bits::zeros(coverage.examples().len());
        rules.iter().map(|rule| rule.as_ref().map_or_else(none, |rule| rule.cover(coverage))).collect()
    }

    /// Returns the score of each class, given which hidden nodes are active.
    pub fn scores(&self, active: impl Fn(usize) -> bool) -> Vec<f64> {
        // Paper: Eq. (3), p(y | x) = exp(d_y + Σⱼ ζ(cⱼ + Uⱼy + Σₖ Wⱼₖ fₖ(x))) / Σ_y* exp(…); this is the exponent.
        let mut scores = self.d.clone();
        for (j, node) in self.hidden.iter().enumerate() {
            scores.iter_mut().zip(node.class_terms(active(j))).for_each(|(score, term)| *score += term);
        }
        scores
    }

    /// Returns the probability of each class for each example, given the examples that activate
    /// each node.
    pub fn probabilities(&self, active: &[Bits], examples: usize) -> Vec<Vec<f64>> {
        let class_terms: Vec<[Vec<f64>; 2]> =
            self.hidden.iter().map(|node| [false, true].map(|on| node.class_terms(on))).collect();
        let distribution = |i: usize| {
            let mut scores = self.d.clone();
            for (class_terms, active) in class_terms.iter().zip(active) {
                let terms = &class_terms[usize::from(active.get(i))];
                scores.iter_mut().zip(terms).for_each(|(score, term)| *score += term);
            }
            softmax(&scores)
        };
        (0..examples).map(distribution).collect()
    }

    /// Returns one row of scores per class, given the examples that activate each hidden node.
    pub fn class_scores(&self, active: &[Bits], examples: usize) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = self.d.iter().map(|&d| vec![d; examples]).collect();
        for (node, active) in self.hidden.iter().zip(active) {
            let [off, on] = [false, true].map(|on| node.class_terms(on));
            for (k, row) in rows.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(i, score)| *score += if active.get(i) { on[k] } else { off[k] });
            }
        }
        rows
    }

    /// Returns the log-odds of the second of two classes, given the examples that activate each
    /// hidden node.
    ///
    /// # Panics
    /// If there are more than two classes.
    pub fn psi(&self, active: &[Bits], examples: usize) -> Vec<f64> {
        let [d0, d1] = self.d[..] else { panic!("log-odds require two classes, got {}", self.d.len()) };
        // Paper: Eq. (4), p(y = 1) = e^E₁ / (e^E₀ + e^E₁)
        // Paper: Eq. (6), a function of ψ = E₁ − E₀ alone; computed node by node, so that shared terms cancel.
        let mut psi = vec![d1 - d0; examples];
        for (node, active) in self.hidden.iter().zip(active) {
            let [off, on] = [false, true].map(|on| node.log_odds([1, 0], on));
            psi.iter_mut().enumerate().for_each(|(i, psi)| *psi += if active.get(i) { on } else { off });
        }
        psi
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{QUERY, network};
    use super::super::{Condition, Hidden};
    use super::*;
    use crate::kb::Example;
    use crate::kb::sample::{self, constants};

    /// Infers a query: for each rule the constants of its local variables, and the probabilities.
    fn infer(network: &Network, facts: &str, query: [&str; 2]) -> (Vec<Option<Vec<String>>>, Vec<f64>) {
        let (database, ..) = sample::build(&format!("{QUERY}{facts}"), None);
        let target = database.predicates.find("collab", 2).unwrap();
        let args = constants(&database, query);
        let Inference { witnesses, scores, probabilities } = network.infer(&database, target, &args);
        let names = |found: &Vec<Option<Constant>>| {
            assert_eq!(found[..2], args.map(Some), "the query binds the head's variables");
            found[2..].iter().map(|c| database.symbols.show(c.unwrap()).to_string()).collect()
        };
        // The join search agrees.
        let example = Example { args: args.into(), positive: true, class: 0, weight: 1.0, line: 0 };
        let examples = [example];
        let coverage = Coverage::new(&database, target, &examples, 1 << 20);
        let active = network.active(&coverage);
        let active_rules: Vec<bool> = active.iter().map(|active| active.get(0)).collect();
        assert_eq!(active_rules, witnesses.iter().map(Option::is_some).collect::<Vec<_>>());
        assert_eq!(network.probabilities(&active, 1)[0], probabilities);
        assert_eq!(softmax(&scores), probabilities);
        (witnesses.iter().map(|found| found.as_ref().map(names)).collect(), probabilities)
    }

    fn words(words: &[&str]) -> Option<Vec<String>> {
        Some(words.iter().map(|&word| word.to_owned()).collect())
    }

    /// Computes the class probabilities with only this hidden node (from 1) active, from the
    /// equation.
    fn expected(network: &Network, active: usize) -> Vec<f64> {
        let mut scores = network.biases().to_vec();
        for (j, node) in network.hidden().iter().enumerate() {
            for (score, u) in scores.iter_mut().zip(&node.u) {
                let w: f64 = if j + 1 == active { node.w.iter().sum() } else { 0.0 };
                *score += (1.0 + (node.c + u + w).exp()).ln();
            }
        }
        let total: f64 = scores.iter().map(|score| score.exp()).sum();
        scores.iter().map(|score| score.exp() / total).collect()
    }

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14), "{a:?} {b:?}");
    }

    #[test]
    fn appendix_example_1() {
        let network = network();
        let facts = "actedIn(p1, m1). actedIn(p1, m2). actedIn(p2, m1). actedIn(p2, m2).";
        let (found, probabilities) = infer(&network, facts, ["p1", "p2"]);
        // There are no facts of directedBy or samePerson, so h1 and h2 are false; h3 is true with
        // θ = {P1/p1, M/m1, P2/p2}, and M/m2 is not searched.
        assert_eq!(found, [None, None, words(&["m1"])]);
        close(&probabilities, &expected(&network, 3));
        // Collaboration at the same level.
        assert!(probabilities[3] > 0.5, "{probabilities:?}");
    }

    #[test]
    fn appendix_example_2() {
        let network = network();
        let facts = "directedBy(m1, p1). inGenre(m1, g1). actedIn(p2, m2). inGenre(m2, g2). directedBy(m01, p01).
            actedIn(p03, m01). samePerson(p03, p02).";
        let (found, probabilities) = infer(&network, facts, ["p01", "p02"]);
        // h2 with θ = {P1/p01, M/m01, P2/p02, P3/p03}
        assert_eq!(found, [None, words(&["m01", "p03"]), None]);
        close(&probabilities, &expected(&network, 2));
        assert!(probabilities[1] > 0.5, "{probabilities:?}");
        // The other facts are a grounding of h1 for the matching query.
        let (found, probabilities) = infer(&network, facts, ["p1", "p2"]);
        assert_eq!(found, [words(&["m1", "g1", "m2", "g2"]), None, None]);
        assert!(probabilities[0] > 0.5, "{probabilities:?}");
    }

    #[test]
    fn the_two_kinds_of_negation_differ() {
        // Ann directed a film of g1; cat acted in one of g2 and g3; g1 and g2 are the same genre.
        let facts = "directedBy(m1, ann). inGenre(m1, g1). actedIn(cat, m2). inGenre(m2, g2). inGenre(m2, g3).
            sameGenre(g1, g2).";
        // h1 negates within one substitution: g2 is excluded, g3 is not.
        let (found, _) = infer(&network(), facts, ["ann", "cat"]);
        assert_eq!(found[0], words(&["m1", "g1", "m2", "g3"]));
        // A negated condition differs: with g2 a grounding exists.
        let mut other = network();
        let h1 = other.hidden.remove(0);
        let mut body = h1.rule.body().to_vec();
        let same = body.pop().unwrap();
        assert!(same.negated);
        let negated = Condition { holds: false, at_least: 1, body: [&body[..], &[same.negate()]].concat() };
        other.hidden = vec![Hidden { rule: Rule::new(body, vec![negated], 2), ..h1 }];
        let (found, _) = infer(&other, facts, ["ann", "cat"]);
        assert_eq!(found, [None]);
        let (found, _) = infer(&other, &facts.replace("sameGenre(g1, g2)", "sameGenre(g2, g1)"), ["ann", "cat"]);
        assert_eq!(found, [words(&["m1", "g1", "m2", "g2"])]);
        // The printed forms differ as well.
        assert_eq!(
            network().hidden()[0].rule.show_body(network().names()).to_string(),
            r"directedBy(C, A), inGenre(C, D), actedIn(B, E), inGenre(E, F), \+ sameGenre(D, F)"
        );
        assert_eq!(
            other.hidden()[0].rule.show_body(other.names()).to_string(),
            "directedBy(C, A), inGenre(C, D), actedIn(B, E), inGenre(E, F), not (directedBy(G, A), inGenre(G, H), \
             actedIn(B, I), inGenre(I, J), sameGenre(H, J))"
        );
    }

    #[test]
    fn one_vs_rest_matches_the_softmax() {
        let scores = [vec![0.0, 800.0], vec![2f64.ln(), 0.0], vec![5f64.ln(), 1.0]];
        let odds = one_vs_rest(&scores);
        // 1 : 7, 2 : 6 and 5 : 3; and one near-certain prediction.
        for (found, expected) in odds.iter().map(|row| row[0]).zip([1.0 / 7.0, 2.0 / 6.0, 5.0 / 3.0]) {
            assert!((found - f64::ln(expected)).abs() < 1e-14);
        }
        assert!((odds[0][1] - (800.0 - (1.0 + 1f64.exp()).ln())).abs() < 1e-12);
    }
}
