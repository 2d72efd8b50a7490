//! Hidden nodes: rules with the weights of their edges.

use super::rule::Rule;
use crate::math::softplus;

/// A hidden node: a rule and the weights of its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// The rule that activates it.
    pub rule: Rule,
    /// The bias.
    pub c: f64,
    /// The weight of each predicate of the rule, in the order of [`Rule::predicates`].
    pub w: Vec<f64>,
    /// The weight of each class.
    pub u: Vec<f64>,
    /// The number of literals removed from the rule because they did not change its training
    /// coverage.
    pub dropped: u32,
}

/// The pre-activation gap that makes the contribution of an inactive node vanish: e⁻⁶⁰ is less than
/// the precision of a double at 1.
const SEPARATION: f64 = 60.0;

/// The largest contribution of one rule, positive or negative: sums of many keep the precision of
/// the gap.
pub const MAX_CONTRIBUTION: f64 = 1e6;

/// Returns whether a contribution is within [`MAX_CONTRIBUTION`].
pub(crate) fn is_valid_contribution(value: f64) -> bool {
    (-MAX_CONTRIBUTION..=MAX_CONTRIBUTION).contains(&value)
}

impl Hidden {
    /// Creates a node that adds `contributions` to the class scores if its rule is true, up to a
    /// common constant, and nothing otherwise.
    ///
    /// With K = 60 + v, c = −K and W = K. For one class with contribution v over all others, its U
    /// is v and theirs −v: an active node adds ζ(v) − ζ(−v) = v, an inactive one less than e⁻⁶⁰. A
    /// rule without literals has no edge for W, so it is always active, and its bias is 0.
    /// Contributions far beyond [`MAX_CONTRIBUTION`] would lose the gap of 60 to rounding.
    pub fn indicator(rule: Rule, contributions: &[f64]) -> Self {
        let (min, max) =
            contributions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &v| (l.min(v), m.max(v)));
        // ζ(r) − ζ(−r) = r: the weights range from −r to r, and ζ of each exceeds ζ(−r) by the
        // contribution of its class over the smallest one.
        let range = max - min;
        let offset = softplus(-range);
        let weight = |&v: &f64| match v - min {
            above if above <= 0.0 => -range,
            above if above >= range => range,
            above => inverse_softplus(offset + above),
        };
        let u = contributions.iter().map(weight).collect();
        let edges = rule.predicates().len();
        let separation = (SEPARATION + range).ceil();
        let c = if edges == 0 { 0.0 } else { -separation };
        Hidden { rule, c, w: equal_shares(separation, edges), u, dropped: 0 }
    }

    /// Returns the term it adds to the score of each class, active or not.
    // Paper: section 3, E(x | c, W, d, U): the term of one hidden node, ζ(cⱼ + Uⱼℓ + Σₖ Wⱼₖ fₖ(x)).
    pub fn class_terms(&self, active: bool) -> Vec<f64> {
        let input = if active { self.w.iter().sum() } else { 0.0 };
        self.u.iter().map(|u| softplus(self.c + u + input)).collect()
    }

    /// Returns its contribution to the log-odds of one class against another, active or not.
    pub fn log_odds(&self, [one, other]: [usize; 2], active: bool) -> f64 {
        let input = if active { self.w.iter().sum() } else { 0.0 };
        let [one, other] = [one, other].map(|y| softplus(self.c + self.u[y] + input));
        one - other
    }

    /// Returns for each class how much an active node adds over an inactive one, relative to the
    /// smallest.
    pub fn contributions(&self) -> Vec<f64> {
        let (on, off) = (self.class_terms(true), self.class_terms(false));
        let gains: Vec<f64> = on.iter().zip(off).map(|(on, off)| on - off).collect();
        let min = gains.iter().copied().fold(f64::INFINITY, f64::min);
        gains.into_iter().map(|gain| gain - min).collect()
    }

    /// Returns the largest contribution of the rule to the log-odds of any two classes.
    pub fn strength(&self) -> f64 {
        self.contributions().into_iter().fold(0.0, f64::max)
    }
}

/// Returns the inverse of the softplus at a positive `z`.
pub(super) fn inverse_softplus(z: f64) -> f64 {
    // log(e^z − 1) = z + log(1 − e^−z): the first form overflows for large z, the second loses
    // precision for small z.
    if z < 1.0 { z.exp_m1().ln() } else { z + (-(-z).exp()).ln_1p() }
}

/// Splits a number into equal parts whose sum is exact for integers: all parts but the first are
/// multiples of 2⁻²⁰.
pub(super) fn equal_shares(total: f64, parts: usize) -> Vec<f64> {
    let Some(others) = parts.checked_sub(1) else { return Vec::new() };
    let grid = f64::from(1 << 20);
    let part = (total / parts as f64 * grid).floor() / grid;
    let mut equal_shares = vec![part; parts];
    equal_shares[0] = total - part * others as f64;
    equal_shares
}
