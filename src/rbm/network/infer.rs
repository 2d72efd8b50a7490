//! Inference: which rules hold, and what follows for the classes.

use super::{Network, Rule};
use crate::cover::{Bits, Coverage};
use crate::kb::Database;
use crate::logic::{Constant, PredicateId};
use crate::math::{log_sum_exp, softmax};

/// What a network says of one query, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// For each hidden node that is lit the first grounding of its body: the constant of each variable, those of the head
    /// first, `None` for a variable that only negated literals mention.
    pub witnesses: Vec<Option<Vec<Option<Constant>>>>,
    /// The score of each class.
    pub scores: Vec<f64>,
    /// The probability of each class.
    pub probabilities: Vec<f64>,
}

/// The log-odds of each class against all others, from a row of scores for each class: its score less the logarithm of the sum of the
/// others' powers, which does not lose what is next to certain.
pub fn against_others(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let one = |class: usize, i: usize| {
        let others: Vec<f64> =
            scores.iter().enumerate().filter(|(other, _)| *other != class).map(|(_, row)| row[i]).collect();
        scores[class][i] - log_sum_exp(&others)
    };
    let examples = scores.first().map_or(0, Vec::len);
    (0..scores.len()).map(|class| (0..examples).map(|i| one(class, i)).collect()).collect()
}

impl Network {
    /// The rules over the names of a database; `None` for those that never hold there.
    pub fn bind(&self, database: &Database) -> Vec<Option<Rule>> {
        self.hidden.iter().map(|node| node.rule.bind(self.names(), database.names())).collect()
    }

    /// What it says of one query, asked of the slow evaluator rule by rule: the oracle of [`Network::lit`], and the one that
    /// gives reasons.
    pub fn infer(&self, database: &Database, target: PredicateId, args: &[Constant]) -> Inference {
        let rules = self.bind(database);
        let witness = |rule: &Option<Rule>| rule.as_ref().and_then(|rule| rule.witness(database, target, args));
        let witnesses: Vec<_> = rules.iter().map(witness).collect();
        let scores = self.scores(|j| witnesses[j].is_some());
        Inference { probabilities: softmax(&scores), scores, witnesses }
    }

    /// The examples that light each hidden node.
    pub fn lit(&self, coverage: &Coverage<'_>) -> Vec<Bits> {
        let rules = self.bind(coverage.database());
        // Asked for all at once, bodies are searched in parallel; the rest is short.
        let bodies: Vec<_> = rules.iter().flatten().map(Rule::body).collect();
        coverage.cover_all(&bodies);
        let nobody = || Bits::zeros(coverage.examples().len());
        rules.iter().map(|rule| rule.as_ref().map_or_else(nobody, |rule| rule.cover(coverage))).collect()
    }

    /// The score of each class if these hidden nodes are lit.
    pub fn scores(&self, lit: impl Fn(usize) -> bool) -> Vec<f64> {
        // Paper: Eq. (3), p(y | x) = exp(d_y + Σⱼ ζ(cⱼ + Uⱼy + Σₖ Wⱼₖ fₖ(x))) / Σ_y* exp(…); this is the exponent.
        let mut scores = self.d.clone();
        for (j, node) in self.hidden.iter().enumerate() {
            scores.iter_mut().zip(node.adds(lit(j))).for_each(|(score, adds)| *score += adds);
        }
        scores
    }

    /// The probability of each class for each of `examples` examples, of which some light each hidden node.
    pub fn probabilities(&self, lit: &[Bits], examples: usize) -> Vec<Vec<f64>> {
        let adds: Vec<[Vec<f64>; 2]> = self.hidden.iter().map(|node| [false, true].map(|on| node.adds(on))).collect();
        let one = |i: usize| {
            let mut scores = self.d.clone();
            for (adds, lit) in adds.iter().zip(lit) {
                let adds = &adds[usize::from(lit.get(i))];
                scores.iter_mut().zip(adds).for_each(|(score, adds)| *score += adds);
            }
            softmax(&scores)
        };
        (0..examples).map(one).collect()
    }

    /// The score of each class, a row for each with a number for each of `examples` examples, of which some light each hidden node.
    pub fn class_scores(&self, lit: &[Bits], examples: usize) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = self.d.iter().map(|&d| vec![d; examples]).collect();
        for (node, lit) in self.hidden.iter().zip(lit) {
            let [off, on] = [false, true].map(|on| node.adds(on));
            for (k, row) in rows.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(i, score)| *score += if lit.get(i) { on[k] } else { off[k] });
            }
        }
        rows
    }

    /// The log-odds of the second of two classes for each of `examples` examples, of which some light each hidden node.
    ///
    /// # Panics
    /// If there are more than two classes.
    pub fn psi(&self, lit: &[Bits], examples: usize) -> Vec<f64> {
        let [d0, d1] = self.d[..] else { panic!("log-odds are of two classes, and these are {}", self.d.len()) };
        // Paper: Eq. (4), p(y = 1) = e^E₁ / (e^E₀ + e^E₁)
        // Paper: Eq. (6), which is a matter of ψ = E₁ − E₀ alone; node by node, so that what they share cancels at once.
        let mut psi = vec![d1 - d0; examples];
        for (node, lit) in self.hidden.iter().zip(lit) {
            let [off, on] = [false, true].map(|on| node.log_odds([1, 0], on));
            psi.iter_mut().enumerate().for_each(|(i, psi)| *psi += if lit.get(i) { on } else { off });
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

    /// Which rules hold for a query, with the constants of the variables beside the head's, and the probabilities.
    fn asked(network: &Network, facts: &str, query: [&str; 2]) -> (Vec<Option<Vec<String>>>, Vec<f64>) {
        let (database, ..) = sample::build(&format!("{QUERY}{facts}"), None);
        let target = database.predicates.find("collab", 2).unwrap();
        let args = constants(&database, query);
        let Inference { witnesses, scores, probabilities } = network.infer(&database, target, &args);
        let names = |found: &Vec<Option<Constant>>| {
            assert_eq!(found[..2], args.map(Some), "the query binds the head's variables");
            found[2..].iter().map(|c| database.symbols.show(c.unwrap()).to_string()).collect()
        };
        // The fast way says the same.
        let example = Example { args: args.into(), positive: true, class: 0, weight: 1.0, line: 0 };
        let examples = [example];
        let coverage = Coverage::new(&database, target, &examples, 1 << 20);
        let lit = network.lit(&coverage);
        let fast: Vec<bool> = lit.iter().map(|lit| lit.get(0)).collect();
        assert_eq!(fast, witnesses.iter().map(Option::is_some).collect::<Vec<_>>());
        assert_eq!(network.probabilities(&lit, 1)[0], probabilities);
        assert_eq!(softmax(&scores), probabilities);
        (witnesses.iter().map(|found| found.as_ref().map(names)).collect(), probabilities)
    }

    fn words(words: &[&str]) -> Option<Vec<String>> {
        Some(words.iter().map(|&word| word.to_owned()).collect())
    }

    /// p of each class if only this hidden node (from 1) is lit, straight from the equation.
    fn by_hand(network: &Network, lit: usize) -> Vec<f64> {
        let mut scores = network.biases().to_vec();
        for (j, node) in network.hidden().iter().enumerate() {
            for (score, u) in scores.iter_mut().zip(&node.u) {
                let w: f64 = if j + 1 == lit { node.w.iter().sum() } else { 0.0 };
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
        let (found, probabilities) = asked(&network, facts, ["p1", "p2"]);
        // Nothing is known of directedBy or samePerson, so h1 and h2 are not satisfied; h3 with θ = {P1/p1, M/m1, P2/p2}, and
        // M/m2 is not looked at.
        assert_eq!(found, [None, None, words(&["m1"])]);
        close(&probabilities, &by_hand(&network, 3));
        // Collaborated at the same level.
        assert!(probabilities[3] > 0.5, "{probabilities:?}");
    }

    #[test]
    fn appendix_example_2() {
        let network = network();
        let facts = "directedBy(m1, p1). inGenre(m1, g1). actedIn(p2, m2). inGenre(m2, g2). directedBy(m01, p01).
            actedIn(p03, m01). samePerson(p03, p02).";
        let (found, probabilities) = asked(&network, facts, ["p01", "p02"]);
        // h2 with θ = {P1/p01, M/m01, P2/p02, P3/p03}
        assert_eq!(found, [None, words(&["m01", "p03"]), None]);
        close(&probabilities, &by_hand(&network, 2));
        assert!(probabilities[1] > 0.5, "{probabilities:?}");
        // The other facts are a grounding of h1 for the query that fits them.
        let (found, probabilities) = asked(&network, facts, ["p1", "p2"]);
        assert_eq!(found, [words(&["m1", "g1", "m2", "g2"]), None, None]);
        assert!(probabilities[0] > 0.5, "{probabilities:?}");
    }

    #[test]
    fn the_two_negations_differ() {
        // Ann directed a film of g1; cat acted in one of g2 and g3; g1 and g2 are the same.
        let facts = "directedBy(m1, ann). inGenre(m1, g1). actedIn(cat, m2). inGenre(m2, g2). inGenre(m2, g3).
            sameGenre(g1, g2).";
        // h1 negates inside one substitution: g2 is refuted, and g3 is not.
        let (found, _) = asked(&network(), facts, ["ann", "cat"]);
        assert_eq!(found[0], words(&["m1", "g1", "m2", "g3"]));
        // "No grounding exists" is another thing: with g2 there is one.
        let mut other = network();
        let h1 = other.hidden.remove(0);
        let mut body = h1.rule.body().to_vec();
        let same = body.pop().unwrap();
        assert!(same.negated);
        let whole = Condition { holds: false, at_least: 1, body: [&body[..], &[same.negate()]].concat() };
        other.hidden = vec![Hidden { rule: Rule::new(body, vec![whole], 2), ..h1 }];
        let (found, _) = asked(&other, facts, ["ann", "cat"]);
        assert_eq!(found, [None]);
        let (found, _) = asked(&other, &facts.replace("sameGenre(g1, g2)", "sameGenre(g2, g1)"), ["ann", "cat"]);
        assert_eq!(found, [words(&["m1", "g1", "m2", "g2"])]);
        // And print tells them apart.
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
    fn odds_against_others_are_those_of_the_softmax() {
        let scores = [vec![0.0, 800.0], vec![2f64.ln(), 0.0], vec![5f64.ln(), 1.0]];
        let odds = against_others(&scores);
        // 1 : 7, 2 : 6 and 5 : 3; and one that is next to certain.
        for (found, expected) in odds.iter().map(|row| row[0]).zip([1.0 / 7.0, 2.0 / 6.0, 5.0 / 3.0]) {
            assert!((found - f64::ln(expected)).abs() < 1e-14);
        }
        assert!((odds[0][1] - (800.0 - (1.0 + 1f64.exp()).ln())).abs() < 1e-12);
    }
}
