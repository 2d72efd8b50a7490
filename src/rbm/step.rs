//! θ on its way down: one step of coordinate descent, made cheap.
//!
//! A step needs ψ after each of its five moves, so taken literally it costs six exponentials and six logarithms. But the
//! moves are small. ψ and the two logistic values it needs are therefore carried along by their Taylor series, with as
//! many terms as the move asks for, and made anew from θ every so often, so that rounding does not pile up. What is
//! left out is below 1e-13 in each move.

use super::theta::Theta;
use crate::math::sigmoid;

/// So many steps are taken before ψ and the logistic values are made anew from θ.
const STEPS: u32 = 256;

/// Up to these moves, a series of 2, 3, 4, 6 and 8 terms is as good as the function. It converges for moves below π.
const REACH: [f64; 5] = [1.0 / 262_144.0, 1.0 / 8_192.0, 1.0 / 512.0, 1.0 / 64.0, 1.0 / 16.0];

/// So near to its goal, ψ is linear: what is left out is the square of this, and below 1e-12.
const NEAR: f64 = 1e-6;

/// θ, with what a step needs again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub theta: Theta,
    psi: f64,
    sides: Sides,
    /// Steps until `psi` and `sides` are made anew.
    left: u32,
}

/// The logistic function of c + U₁ + W and of c + U₀ + W, the derivatives of the two logarithms in ψ.
#[derive(Clone, Copy, Debug)]
struct Sides {
    one: f64,
    zero: f64,
}

impl Default for Walk {
    fn default() -> Self {
        Walk::at(Theta::default())
    }
}

impl Walk {
    /// One step for each gradient.
    pub fn pass(&mut self, gradients: &[f64], step: f64) {
        // A copy of its own stays in registers.
        let mut walk = *self;
        for &gradient in gradients {
            walk.towards(gradient, step);
        }
        *self = walk;
    }

    /// So many steps for the same gradient.
    pub fn repeat(&mut self, gradient: f64, step: f64, times: usize) {
        let mut walk = *self;
        for done in 0..times {
            if walk.is_near(gradient, step) {
                walk = walk.settle(walk.psi - gradient, step, times - done);
                break;
            }
            walk.towards(gradient, step);
        }
        *self = walk;
    }

    /// Whether what is left of a walk is a geometric series.
    #[inline(always)]
    pub fn is_near(&self, gradient: f64, step: f64) -> bool {
        (self.psi - gradient).abs() <= NEAR && step < 1.0
    }

    /// As many steps of two walks at the same time as neither ends or comes near its goal, and at most `times`; how many.
    ///
    /// A step waits for the one before. Two walks do not wait for each other, so a processor takes both in the time of one.
    pub fn together(walks: [&mut Walk; 2], gradients: [f64; 2], steps: [f64; 2], times: usize) -> usize {
        let [mut first, mut second] = [*walks[0], *walks[1]];
        let mut done = 0;
        while done < times && !first.is_near(gradients[0], steps[0]) && !second.is_near(gradients[1], steps[1]) {
            first.towards(gradients[0], steps[0]);
            second.towards(gradients[1], steps[1]);
            done += 1;
        }
        [*walks[0], *walks[1]] = [first, second];
        done
    }

    /// So many steps towards a gradient that ψ has almost reached: there ψ is as good as linear, every step shrinks the
    /// residual by the same factor, and all steps together are a geometric series.
    fn settle(&self, residual: f64, step: f64, times: usize) -> Self {
        let Sides { one, zero } = self.sides;
        let shift = one - zero;
        // What is left of the residual after each of the five moves of a step, and its logarithm after all of them.
        let left = |slope: f64| -step * slope * slope;
        let log: f64 = [1.0, one, zero, shift, shift].into_iter().map(|slope| left(slope).ln_1p()).sum();
        let steps = if log == 0.0 { times as f64 } else { (times as f64 * log).exp_m1() / log.exp_m1() };
        let mut by = -step * residual * steps;
        let mut turn = |slope: f64| {
            let moved = by * slope;
            by *= 1.0 + left(slope);
            moved
        };
        let mut theta = self.theta;
        theta.d += turn(1.0);
        theta.u1 += turn(one);
        theta.u0 += turn(-zero);
        theta.w += turn(shift);
        theta.c += turn(shift);
        Walk::at(theta)
    }

    /// One step of each of the five numbers in turn, in the authors' order, down the gradient of (ψ − Δ)²/2.
    #[inline(always)]
    fn towards(&mut self, gradient: f64, step: f64) {
        if self.left == 0 {
            *self = Walk::at(self.theta);
        }
        self.left -= 1;
        let residual = self.psi - gradient;
        let by = -(step * residual);
        // No later move is larger: each is this one times a part of 1, and the residual shrinks as long as `step` is at
        // most 1.
        let reach = by.abs();
        if step > 1.0 || reach.is_nan() || reach > REACH[4] {
            *self = Walk::exactly(self.theta, gradient, step);
            return;
        }
        self.theta.d += by;
        let residual = residual + by;
        let residual = match reach {
            _ if reach <= REACH[0] => self.outputs::<2>(residual, step),
            _ if reach <= REACH[1] => self.outputs::<3>(residual, step),
            _ if reach <= REACH[2] => self.outputs::<4>(residual, step),
            _ if reach <= REACH[3] => self.outputs::<6>(residual, step),
            _ => self.outputs::<8>(residual, step),
        };
        // W and c move by what the two sides differ in, which is mostly far less.
        let by = self.shift(residual, step);
        let shift = by.abs();
        let residual = match shift {
            _ if reach <= REACH[0] => self.inputs::<2>(residual, step, by),
            _ if shift <= REACH[1] => self.inputs::<3>(residual, step, by),
            _ if shift <= REACH[2] => self.inputs::<4>(residual, step, by),
            _ if shift <= REACH[3] => self.inputs::<6>(residual, step, by),
            _ => self.inputs::<8>(residual, step, by),
        };
        self.psi = residual + gradient;
    }

    /// Moves U₁ and then U₀; what is left of the residual.
    #[inline(always)]
    fn outputs<const TERMS: usize>(&mut self, residual: f64, step: f64) -> f64 {
        let Sides { one, zero } = self.sides;
        let by = -(residual * (step * one));
        self.theta.u1 += by;
        let moved = Moved::new::<TERMS>(one, by);
        let residual = (residual + by * one) + moved.curve;
        self.sides.one = moved.sigmoid;

        let by = residual * (step * zero);
        self.theta.u0 += by;
        let moved = Moved::new::<TERMS>(zero, by);
        self.sides.zero = moved.sigmoid;
        (residual - by * zero) - moved.curve
    }

    /// Moves W by `by` and then c; what is left of the residual.
    #[inline(always)]
    fn inputs<const TERMS: usize>(&mut self, residual: f64, step: f64, by: f64) -> f64 {
        self.theta.w += by;
        let residual = self.shifted::<TERMS>(residual, by);
        let by = self.shift(residual, step);
        self.theta.c += by;
        self.shifted::<TERMS>(residual, by)
    }

    /// How far W or c moves.
    #[inline(always)]
    fn shift(&self, residual: f64, step: f64) -> f64 {
        -(residual * (step * (self.sides.one - self.sides.zero)))
    }

    /// Moves both sides; what is left of the residual.
    #[inline(always)]
    fn shifted<const TERMS: usize>(&mut self, residual: f64, by: f64) -> f64 {
        let Sides { one, zero } = self.sides;
        let (moved_one, moved_zero) = (Moved::new::<TERMS>(one, by), Moved::new::<TERMS>(zero, by));
        self.sides = Sides { one: moved_one.sigmoid, zero: moved_zero.sigmoid };
        (residual + by * (one - zero)) + (moved_one.curve - moved_zero.curve)
    }

    /// A step of any size, with all functions evaluated.
    #[cold]
    #[inline(never)]
    fn exactly(theta: Theta, gradient: f64, step: f64) -> Self {
        let mut walk = Walk::at(theta);
        let numbers: [fn(&mut Theta) -> &mut f64; 5] = [
            |theta| &mut theta.d,
            |theta| &mut theta.u1,
            |theta| &mut theta.u0,
            |theta| &mut theta.w,
            |theta| &mut theta.c,
        ];
        for (turn, number) in numbers.into_iter().enumerate() {
            let Sides { one, zero } = walk.sides;
            let slope = [1.0, one, -zero, one - zero, one - zero][turn];
            *number(&mut walk.theta) -= step * (walk.psi - gradient) * slope;
            walk = Walk::at(walk.theta);
        }
        walk
    }

    /// The walk at θ, with everything made anew.
    #[inline(never)]
    fn at(theta: Theta) -> Self {
        let Theta { c, w, u0, u1, .. } = theta;
        let sides = Sides { one: sigmoid(c + u1 + w), zero: sigmoid(c + u0 + w) };
        Walk { theta, psi: theta.psi(), sides, left: STEPS }
    }
}

/// What ζ(a) = log(1 + eᵃ) and its derivative become when `a` moves.
#[derive(Clone, Copy, Debug)]
struct Moved {
    /// The change of ζ beyond its tangent: ζ(a + by) − ζ(a) − by·ζ′(a).
    curve: f64,
    /// The derivative at the new place, ζ′(a + by).
    sigmoid: f64,
}

impl Moved {
    /// From the logistic value at the old place, by so many terms of the Taylor series of ζ.
    #[inline(always)]
    fn new<const TERMS: usize>(sigmoid: f64, by: f64) -> Self {
        // The derivatives of ζ from the second on are s(1 − s) times a polynomial in s(1 − s), every other one also
        // times 1 − 2s. These are the k-th ones divided by k!.
        let p = sigmoid * (1.0 - sigmoid);
        let q = p * (1.0 - 2.0 * sigmoid);
        let a2 = p * (1.0 / 2.0);
        let a3 = q * (1.0 / 6.0);
        let a4 = p * (1.0 / 24.0 - 1.0 / 4.0 * p);
        let a5 = q * (1.0 / 120.0 - 1.0 / 10.0 * p);
        let a6 = p * (1.0 / 720.0 + p * (1.0 / 6.0 * p - 1.0 / 24.0));
        let a7 = q * (1.0 / 5040.0 + p * (1.0 / 14.0 * p - 1.0 / 84.0));
        let a8 = p * (1.0 / 40320.0 + p * (p * (1.0 / 24.0 - 1.0 / 8.0 * p) - 1.0 / 320.0));
        // In pairs and not one after the other, since each step waits for the one before.
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
        Moved { curve: by2 * curve, sigmoid: sigmoid + by * slope }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::softplus;
    use proptest::prelude::*;

    fn series(terms: usize, sigmoid: f64, by: f64) -> Moved {
        match terms {
            2 => Moved::new::<2>(sigmoid, by),
            3 => Moved::new::<3>(sigmoid, by),
            4 => Moved::new::<4>(sigmoid, by),
            6 => Moved::new::<6>(sigmoid, by),
            _ => Moved::new::<8>(sigmoid, by),
        }
    }

    #[test]
    fn the_series_at_zero_by_hand() {
        // ζ(x) = ln 2 + x/2 + x²/8 − x⁴/192 + x⁶/2880 − 17x⁸/645120 and its derivative 1/2 + x/4 − x³/48 + x⁵/480 …
        let x: f64 = 1.0;
        let moved = series(8, 0.5, x);
        assert!((moved.curve - (1.0 / 8.0 - 1.0 / 192.0 + 1.0 / 2880.0 - 17.0 / 645120.0)).abs() < 1e-15);
        let slope = 1.0 / 4.0 - 1.0 / 48.0 + 1.0 / 480.0 - 17.0 / 80640.0;
        assert!((moved.sigmoid - (0.5 + slope)).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn the_series_is_the_function_within_its_reach(a in -8.0..8.0f64, part in -1.0..1.0f64) {
            for (terms, reach) in [2, 3, 4, 6, 8].into_iter().zip(REACH) {
                let by = part * reach;
                let (here, there) = (sigmoid(a), sigmoid(a + by));
                let moved = series(terms, here, by);
                // Two terms leave more of the derivative, but it is multiplied by moves below 4e-6.
                let allowed = if terms == 2 { 1e-11 } else { 1e-13 };
                prop_assert!((moved.sigmoid - there).abs() < allowed, "{} terms: {}", terms, moved.sigmoid - there);
                let change = softplus(a + by) - softplus(a);
                prop_assert!((by * here + moved.curve - change).abs() < 1e-14);
            }
        }
    }
}
