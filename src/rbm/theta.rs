//! θ, the weights that one path adds to the lifted RBM, and ψ, what they are worth.

use serde::{Deserialize, Serialize};

use crate::math::{sigmoid, softplus};

/// The weights of a hidden node whose clause holds: θ = (d, c, W, U₀, U₁).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theta {
    /// Bias of the output, d = d₁ − d₀.
    pub d: f64,
    /// Bias of the hidden node.
    pub c: f64,
    /// Weight between the clause and the hidden node.
    pub w: f64,
    /// Weight between the hidden node and the output 0.
    pub u0: f64,
    /// Weight between the hidden node and the output 1.
    pub u1: f64,
}

impl Theta {
    /// Refuses numbers that cannot be computed with.
    ///
    /// # Errors
    /// If one is larger than [`MOST_WEIGHT`].
    pub fn check(&self) -> Result<(), String> {
        let Theta { d, c, w, u0, u1 } = *self;
        [("d", d), ("c", c), ("w", w), ("u0", u0), ("u1", u1)]
            .into_iter()
            .try_for_each(|(name, x)| check_weight(name, x))
    }

    /// Weights that give exactly `value`: all of it in the bias of the output.
    pub fn constant(value: f64) -> Self {
        Theta { d: value, ..Theta::default() }
    }

    /// What the leaf adds to ψ for the examples that reach it.
    pub fn psi(&self) -> f64 {
        // Paper: Eq. (7), ψ = d + Σⱼ log((1 + exp(cⱼ + Uⱼ₁ + Σₖ Wⱼₖ fₖ)) / (1 + exp(cⱼ + Uⱼ₀ + Σₖ Wⱼₖ fₖ)))
        // Paper: Eq. (9), of these only the path that the example takes counts, and on it f = 1.
        self.d + (softplus(self.c + self.u1 + self.w) - softplus(self.c + self.u0 + self.w))
    }

    /// The derivatives of ψ by the five numbers, in the order of the fields.
    pub fn gradient(&self) -> [f64; 5] {
        let s1 = sigmoid(self.c + self.u1 + self.w);
        let s0 = sigmoid(self.c + self.u0 + self.w);
        [1.0, s1 - s0, s1 - s0, -s0, s1]
    }

    /// The sum of the squares of the differences.
    pub fn squared_distance(&self, other: &Theta) -> f64 {
        let square = |a: f64, b: f64| (a - b) * (a - b);
        square(self.d, other.d)
            + square(self.c, other.c)
            + square(self.w, other.w)
            + square(self.u0, other.u0)
            + square(self.u1, other.u1)
    }
}

/// The largest number that is taken from a file as a weight, a bias or the value of a leaf. No model comes near it. Sums of any number
/// of such numbers are finite, and products of two of them with a number of groundings or of walks, which end at 1e60; no score
/// multiplies more, so that none is undefined.
pub const MOST_WEIGHT: f64 = 1e100;

/// Refuses numbers that cannot be computed with.
///
/// # Errors
/// If the number is larger than [`MOST_WEIGHT`]; `name` says what it is.
pub fn check_weight(name: &str, value: f64) -> Result<(), String> {
    if value.abs() <= MOST_WEIGHT {
        return Ok(());
    }
    Err(format!("{name} is {value:e}, and only numbers from -{MOST_WEIGHT:e} to {MOST_WEIGHT:e} can be computed with"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_theta() -> impl Strategy<Value = Theta> {
        let n = || -4.0..4.0f64;
        (n(), n(), n(), n(), n()).prop_map(|(d, c, w, u0, u1)| Theta { d, c, w, u0, u1 })
    }

    #[test]
    fn psi_by_hand() {
        // c + U1 + W = ln 3 and c + U0 + W = 0, so ψ = d + ln((1 + 3) / (1 + 1)) = d + ln 2.
        let theta = Theta { d: 0.5, c: 1.0, w: -1.0, u0: 0.0, u1: 3f64.ln() };
        assert!((theta.psi() - (0.5 + 2f64.ln())).abs() < 1e-15);
        assert_eq!(Theta::default().psi(), 0.0);
        assert_eq!(Theta::constant(-1.25).psi(), -1.25);
    }

    proptest! {
        #[test]
        fn the_gradient_is_the_finite_difference(theta in any_theta()) {
            let h = 1e-6;
            let moved: [fn(&mut Theta) -> &mut f64; 5] =
                [|t| &mut t.d, |t| &mut t.c, |t| &mut t.w, |t| &mut t.u0, |t| &mut t.u1];
            for (field, expected) in moved.iter().zip(theta.gradient()) {
                let (mut above, mut below) = (theta, theta);
                *field(&mut above) += h;
                *field(&mut below) -= h;
                prop_assert!(((above.psi() - below.psi()) / (2.0 * h) - expected).abs() < 1e-8);
            }
        }
    }
}
