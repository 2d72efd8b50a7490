//! One step of coordinate descent on θ, with incremental updates.
//!
//! A step needs ψ after each of its five coordinate updates, which would cost six exponentials and
//! six logarithms. But the updates are small. ψ and the two logistic values it needs are therefore
//! updated by their Taylor series, with as many terms as the size of the update requires, and
//! recomputed from θ at intervals to bound rounding errors. The truncation error is below 1e-13 per
//! update.

use super::theta::Theta;
use crate::math::sigmoid;

/// The number of steps between recomputations of ψ and the logistic values from θ.
const REFRESH_INTERVAL: u32 = 256;

/// The largest updates for which 2, 3, 4, 6 and 8 terms suffice. The series converges below π.
const MAX_UPDATE: [f64; 5] = [1.0 / 262_144.0, 1.0 / 8_192.0, 1.0 / 512.0, 1.0 / 64.0, 1.0 / 16.0];

/// The residual below which ψ is treated as linear: the error is its square, below 1e-12.
const LINEAR_RESIDUAL: f64 = 1e-6;

/// θ with cached values for the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThetaState {
    pub theta: Theta,
    psi: f64,
    slopes: Slopes,
    /// The number of steps until `psi` and `slopes` are recomputed.
    left: u32,
}

/// The logistic function of c + U₁ + W and c + U₀ + W: the derivatives of the two logarithms in ψ.
#[derive(Clone, Copy, Debug)]
struct Slopes {
    one: f64,
    zero: f64,
}

impl Default for ThetaState {
    fn default() -> Self {
        ThetaState::at(Theta::default())
    }
}

impl ThetaState {
    /// Takes one step for each gradient.
    pub fn pass(&mut self, gradients: &[f64], step: f64) {
        // A local copy stays in registers.
        let mut state = *self;
        for &gradient in gradients {
            state.step(gradient, step);
        }
        *self = state;
    }

    /// Takes `times` steps for the same gradient.
    pub fn repeat(&mut self, gradient: f64, step: f64, times: usize) {
        let mut state = *self;
        for done in 0..times {
            if state.is_linear(gradient, step) {
                state = state.geometric_steps(state.psi - gradient, step, times - done);
                break;
            }
            state.step(gradient, step);
        }
        *self = state;
    }

    /// Returns whether the remaining steps form a geometric series.
    #[inline(always)]
    pub fn is_linear(&self, gradient: f64, step: f64) -> bool {
        (self.psi - gradient).abs() <= LINEAR_RESIDUAL && step < 1.0
    }

    /// Takes up to `times` steps of two descents at once, until one is nearly at its goal; returns
    /// the number of steps.
    ///
    /// A step depends on the one before. Two descents are independent, so that a processor overlaps
    /// them.
    pub fn step_pair(states: [&mut ThetaState; 2], gradients: [f64; 2], steps: [f64; 2], times: usize) -> usize {
        let [mut first, mut second] = [*states[0], *states[1]];
        let mut done = 0;
        while done < times && !first.is_linear(gradients[0], steps[0]) && !second.is_linear(gradients[1], steps[1]) {
            first.step(gradients[0], steps[0]);
            second.step(gradients[1], steps[1]);
            done += 1;
        }
        [*states[0], *states[1]] = [first, second];
        done
    }

    /// Takes `times` steps with a residual so small that ψ is linear: every step shrinks the
    /// residual by the same factor, and all steps together are a geometric series.
    fn geometric_steps(&self, residual: f64, step: f64, times: usize) -> Self {
        let Slopes { one, zero } = self.slopes;
        let shift = one - zero;
        // The relative change of the residual by each of the five updates, and the log of their
        // product.
        let left = |slope: f64| -step * slope * slope;
        let log: f64 = [1.0, one, zero, shift, shift].into_iter().map(|slope| left(slope).ln_1p()).sum();
        let steps = if log == 0.0 { times as f64 } else { (times as f64 * log).exp_m1() / log.exp_m1() };
        let mut by = -step * residual * steps;
        let mut update = |slope: f64| {
            let moved = by * slope;
            by *= 1.0 + left(slope);
            moved
        };
        let mut theta = self.theta;
        theta.d += update(1.0);
        theta.u1 += update(one);
        theta.u0 += update(-zero);
        theta.w += update(shift);
        theta.c += update(shift);
        ThetaState::at(theta)
    }

    /// Updates the five parameters in turn, in the authors' order, down the gradient of (ψ − Δ)²/2.
    #[inline(always)]
    fn step(&mut self, gradient: f64, step: f64) {
        if self.left == 0 {
            *self = ThetaState::at(self.theta);
        }
        self.left -= 1;
        let residual = self.psi - gradient;
        let by = -(step * residual);
        // No later update is larger: each is this one times a factor of at most 1, and the residual
        // shrinks as long as `step` is at most 1.
        let size = by.abs();
        if step > 1.0 || size.is_nan() || size > MAX_UPDATE[4] {
            *self = ThetaState::exact_step(self.theta, gradient, step);
            return;
        }
        self.theta.d += by;
        let residual = residual + by;
        let residual = match size {
            _ if size <= MAX_UPDATE[0] => self.update_u::<2>(residual, step),
            _ if size <= MAX_UPDATE[1] => self.update_u::<3>(residual, step),
            _ if size <= MAX_UPDATE[2] => self.update_u::<4>(residual, step),
            _ if size <= MAX_UPDATE[3] => self.update_u::<6>(residual, step),
            _ => self.update_u::<8>(residual, step),
        };
        // W and c change by the difference of the slopes, which is usually much smaller.
        let by = self.shift(residual, step);
        let shift = by.abs();
        let residual = match shift {
            _ if size <= MAX_UPDATE[0] => self.update_w_c::<2>(residual, step, by),
            _ if shift <= MAX_UPDATE[1] => self.update_w_c::<3>(residual, step, by),
            _ if shift <= MAX_UPDATE[2] => self.update_w_c::<4>(residual, step, by),
            _ if shift <= MAX_UPDATE[3] => self.update_w_c::<6>(residual, step, by),
            _ => self.update_w_c::<8>(residual, step, by),
        };
        self.psi = residual + gradient;
    }

    /// Updates U₁ and then U₀; returns the new residual.
    #[inline(always)]
    fn update_u<const TERMS: usize>(&mut self, residual: f64, step: f64) -> f64 {
        let Slopes { one, zero } = self.slopes;
        let by = -(residual * (step * one));
        self.theta.u1 += by;
        let moved = ShiftedSoftplus::new::<TERMS>(one, by);
        let residual = (residual + by * one) + moved.curve;
        self.slopes.one = moved.sigmoid;

        let by = residual * (step * zero);
        self.theta.u0 += by;
        let moved = ShiftedSoftplus::new::<TERMS>(zero, by);
        self.slopes.zero = moved.sigmoid;
        (residual - by * zero) - moved.curve
    }

    /// Updates W by `by` and then c; returns the new residual.
    #[inline(always)]
    fn update_w_c<const TERMS: usize>(&mut self, residual: f64, step: f64, by: f64) -> f64 {
        self.theta.w += by;
        let residual = self.shift_arguments::<TERMS>(residual, by);
        let by = self.shift(residual, step);
        self.theta.c += by;
        self.shift_arguments::<TERMS>(residual, by)
    }

    /// Returns the update of W or c.
    #[inline(always)]
    fn shift(&self, residual: f64, step: f64) -> f64 {
        -(residual * (step * (self.slopes.one - self.slopes.zero)))
    }

    /// Shifts both arguments; returns the new residual.
    #[inline(always)]
    fn shift_arguments<const TERMS: usize>(&mut self, residual: f64, by: f64) -> f64 {
        let Slopes { one, zero } = self.slopes;
        let (moved_one, moved_zero) = (ShiftedSoftplus::new::<TERMS>(one, by), ShiftedSoftplus::new::<TERMS>(zero, by));
        self.slopes = Slopes { one: moved_one.sigmoid, zero: moved_zero.sigmoid };
        (residual + by * (one - zero)) + (moved_one.curve - moved_zero.curve)
    }

    /// Takes a step of any size, with all functions evaluated exactly.
    #[cold]
    #[inline(never)]
    fn exact_step(theta: Theta, gradient: f64, step: f64) -> Self {
        let mut state = ThetaState::at(theta);
        let parameters: [fn(&mut Theta) -> &mut f64; 5] = [
            |theta| &mut theta.d,
            |theta| &mut theta.u1,
            |theta| &mut theta.u0,
            |theta| &mut theta.w,
            |theta| &mut theta.c,
        ];
        for (update, parameter) in parameters.into_iter().enumerate() {
            let Slopes { one, zero } = state.slopes;
            let slope = [1.0, one, -zero, one - zero, one - zero][update];
            *parameter(&mut state.theta) -= step * (state.psi - gradient) * slope;
            state = ThetaState::at(state.theta);
        }
        state
    }

    /// Computes the state at θ.
    #[inline(never)]
    fn at(theta: Theta) -> Self {
        let Theta { c, w, u0, u1, .. } = theta;
        let slopes = Slopes { one: sigmoid(c + u1 + w), zero: sigmoid(c + u0 + w) };
        ThetaState { theta, psi: theta.psi(), slopes, left: REFRESH_INTERVAL }
    }
}

/// ζ(a) = log(1 + eᵃ) and its derivative after a change of `a`.
#[derive(Clone, Copy, Debug)]
struct ShiftedSoftplus {
    /// The change of ζ beyond its tangent: ζ(a + by) − ζ(a) − by·ζ′(a).
    curve: f64,
    /// The derivative at the new argument, ζ′(a + by).
    sigmoid: f64,
}

impl ShiftedSoftplus {
    /// Computes it from the logistic value at the old argument, by a Taylor series with `TERMS`
    /// terms.
    #[inline(always)]
    fn new<const TERMS: usize>(sigmoid: f64, by: f64) -> Self {
        // The derivatives of ζ from the second on are s(1 − s) times a polynomial in s(1 − s);
        // every other one has a further factor 1 − 2s. These are the k-th derivatives divided by
        // k!.
        let p = sigmoid * (1.0 - sigmoid);
        let q = p * (1.0 - 2.0 * sigmoid);
        let a2 = p * (1.0 / 2.0);
        let a3 = q * (1.0 / 6.0);
        let a4 = p * (1.0 / 24.0 - 1.0 / 4.0 * p);
        let a5 = q * (1.0 / 120.0 - 1.0 / 10.0 * p);
        let a6 = p * (1.0 / 720.0 + p * (1.0 / 6.0 * p - 1.0 / 24.0));
        let a7 = q * (1.0 / 5040.0 + p * (1.0 / 14.0 * p - 1.0 / 84.0));
        let a8 = p * (1.0 / 40320.0 + p * (p * (1.0 / 24.0 - 1.0 / 8.0 * p) - 1.0 / 320.0));
        // Evaluated pairwise rather than by Horner's rule, for instruction-level parallelism.
        let (by2, by4) = (by * by, by * by * (by * by));
        let (curve, slope) = match TERMS {
            2 => (a2, p),
            3 => (a2 + by * a3, p + by * (3.0 * a3)),
            4 => ((a2 + by * a3) + by2 * a4, (p + by * (3.0 * a3)) + by2 * (4.0 * a4)),
            6 => (
                ((a2 + by * a3) + by2 * (a4 + by * a5)) + by4 * a6,
                ((p + by * (3.0 * a3)) + by2 * (4.0 * a4 + by * (5.0 * a5))) + by4 * (6.0 * a6),
            ),
            _ => (
                ((a2 + by * a3) + by2 * (a4 + by * a5)) + by4 * ((a6 + by * a7) + by2 * a8),
                ((p + by * (3.0 * a3)) + by2 * (4.0 * a4 + by * (5.0 * a5)))
                    + by4 * ((6.0 * a6 + by * (7.0 * a7)) + by2 * (8.0 * a8)),
            ),
        };
        ShiftedSoftplus { curve: by2 * curve, sigmoid: sigmoid + by * slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::softplus;
    use proptest::prelude::*;

    fn series(terms: usize, sigmoid: f64, by: f64) -> ShiftedSoftplus {
        match terms {
            2 => ShiftedSoftplus::new::<2>(sigmoid, by),
            3 => ShiftedSoftplus::new::<3>(sigmoid, by),
            4 => ShiftedSoftplus::new::<4>(sigmoid, by),
            6 => ShiftedSoftplus::new::<6>(sigmoid, by),
            _ => ShiftedSoftplus::new::<8>(sigmoid, by),
        }
    }

    #[test]
    fn the_series_at_zero_matches_its_coefficients() {
        // ζ(x) = ln 2 + x/2 + x²/8 − x⁴/192 + x⁶/2880 − 17x⁸/645120 and its derivative 1/2 + x/4 −
        // x³/48 + x⁵/480 …
        let x: f64 = 1.0;
        let moved = series(8, 0.5, x);
        assert!((moved.curve - (1.0 / 8.0 - 1.0 / 192.0 + 1.0 / 2880.0 - 17.0 / 645120.0)).abs() < 1e-15);
        let slope = 1.0 / 4.0 - 1.0 / 48.0 + 1.0 / 480.0 - 17.0 / 80640.0;
        assert!((moved.sigmoid - (0.5 + slope)).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn the_series_is_accurate_within_its_range(a in -8.0..8.0f64, part in -1.0..1.0f64) {
            for (terms, size) in [2, 3, 4, 6, 8].into_iter().zip(MAX_UPDATE) {
                let by = part * size;
                let (here, there) = (sigmoid(a), sigmoid(a + by));
                let moved = series(terms, here, by);
                // Two terms have a larger error of the derivative, but it is multiplied by updates
                // below 4e-6.
                let allowed = if terms == 2 { 1e-11 } else { 1e-13 };
                prop_assert!((moved.sigmoid - there).abs() < allowed, "{} terms: {}", terms, moved.sigmoid - there);
                let change = softplus(a + by) - softplus(a);
                prop_assert!((by * here + moved.curve - change).abs() < 1e-14);
            }
        }
    }
}
