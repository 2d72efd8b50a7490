//! θ, the parameters of a leaf of the lifted RBM, and ψ, the value they give.

use serde::{Deserialize, Serialize};

use crate::math::{sigmoid, softplus};

/// The parameters of a hidden node whose clause is true: θ = (d, c, W, U₀, U₁).
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
    /// Checks that all parameters are within [`MAX_WEIGHT`].
    ///
    /// # Errors
    /// If a parameter exceeds [`MAX_WEIGHT`] in absolute value.
    pub fn check(&self) -> Result<(), String> {
        let Theta { d, c, w, u0, u1 } = *self;
        [("d", d), ("c", c), ("w", w), ("u0", u0), ("u1", u1)]
            .into_iter()
            .try_for_each(|(name, x)| check_weight(name, x))
    }

    /// Returns parameters with ψ equal to `value`: all of it in the output bias.
    pub fn constant(value: f64) -> Self {
        Theta { d: value, ..Theta::default() }
    }

    /// Returns the value that the leaf adds to ψ of the examples that reach it.
    pub fn psi(&self) -> f64 {
        // Paper: Eq. (7), ψ = d + Σⱼ log((1 + exp(cⱼ + Uⱼ₁ + Σₖ Wⱼₖ fₖ)) / (1 + exp(cⱼ + Uⱼ₀ + Σₖ Wⱼₖ fₖ)))
        // Paper: Eq. (9), only the path that the example takes contributes, and on it f = 1.
        self.d + (softplus(self.c + self.u1 + self.w) - softplus(self.c + self.u0 + self.w))
    }

    /// Returns the gradient of ψ with respect to the parameters, in the order of the fields.
    pub fn gradient(&self) -> [f64; 5] {
        let s1 = sigmoid(self.c + self.u1 + self.w);
        let s0 = sigmoid(self.c + self.u0 + self.w);
        [1.0, s1 - s0, s1 - s0, -s0, s1]
    }

    /// Returns the squared Euclidean distance.
    pub fn squared_distance(&self, other: &Theta) -> f64 {
        let square = |a: f64, b: f64| (a - b) * (a - b);
        square(self.d, other.d)
            + square(self.c, other.c)
            + square(self.w, other.w)
            + square(self.u0, other.u0)
            + square(self.u1, other.u1)
    }
}

/// The largest weight, bias or leaf value accepted from a file. No model comes near it. It keeps
/// every score finite: sums of such numbers, and products of two of them with a number of
/// groundings or walks (at most 1e60), do not overflow, and no score multiplies more.
pub const MAX_WEIGHT: f64 = 1e100;

/// Checks that a number is within [`MAX_WEIGHT`].
///
/// # Errors
/// If it exceeds [`MAX_WEIGHT`] in absolute value; `name` describes it in the message.
pub fn check_weight(name: &str, value: f64) -> Result<(), String> {
    if value.abs() <= MAX_WEIGHT {
        return Ok(());
    }
    Err(format!("{name} is {value:e}; expected a number from -{MAX_WEIGHT:e} to {MAX_WEIGHT:e}"))
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
    fn psi_matches_a_worked_example() {
        // c + U1 + W = ln 3 and c + U0 + W = 0, so ψ = d + ln((1 + 3) / (1 + 1)) = d + ln 2.
        let theta = Theta { d: 0.5, c: 1.0, w: -1.0, u0: 0.0, u1: 3f64.ln() };
        assert!((theta.psi() - (0.5 + 2f64.ln())).abs() < 1e-15);
        assert_eq!(Theta::default().psi(), 0.0);
        assert_eq!(Theta::constant(-1.25).psi(), -1.25);
    }

    proptest! {
        #[test]
        fn the_gradient_matches_finite_differences(theta in any_theta()) {
            let h = 1e-6;
            let fields: [fn(&mut Theta) -> &mut f64; 5] =
                [|t| &mut t.d, |t| &mut t.c, |t| &mut t.w, |t| &mut t.u0, |t| &mut t.u1];
            for (field, expected) in fields.iter().zip(theta.gradient()) {
                let (mut above, mut below) = (theta, theta);
                *field(&mut above) += h;
                *field(&mut below) -= h;
                prop_assert!(((above.psi() - below.psi()) / (2.0 * h) - expected).abs() < 1e-8);
            }
        }
    }
}
