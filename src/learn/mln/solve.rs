//! Linear least squares with a ridge penalty.

/// Returns the weights w that minimize Σᵢ (Σₖ wₖ columnₖᵢ − yᵢ)² + λ Σ wₖ² over the examples
/// `rows`.
///
/// A zero column gets weight 0, and so does one that is linearly dependent on those before it.
pub(super) fn least_squares(columns: &[&[f64]], y: &[f64], rows: &[usize], lambda: f64) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { rows.iter().map(|&i| a[i] * b[i]).sum() };
    solve(columns.len(), |k, other| dot(columns[k], columns[other]), |k| dot(columns[k], y), lambda)
}

/// Sums over examples, from which the weights of two columns follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwoColumnSums {
    /// Products of the first column with itself, of both, of the second with itself, and of each
    /// with the target.
    products: [f64; 5],
    /// The number of examples with a positive count, for each column.
    pub reached: [usize; 2],
}

impl TwoColumnSums {
    /// Computes all sums in one pass. Each adds its terms in the order of `rows`, as
    /// [`least_squares`] does, but none waits for another.
    pub fn new([a, b]: [&[f64]; 2], y: &[f64], rows: &[usize]) -> Self {
        // As sums of iterators start. An array of them would not be kept in registers.
        let (mut aa, mut ab, mut bb, mut ay, mut by) = (-0.0, -0.0, -0.0, -0.0, -0.0);
        let mut reached = [0; 2];
        for &i in rows {
            let (a, b, y) = (a[i], b[i], y[i]);
            aa += a * a;
            ab += a * b;
            bb += b * b;
            ay += a * y;
            by += b * y;
            reached[0] += usize::from(a > 0.0);
            reached[1] += usize::from(b > 0.0);
        }
        TwoColumnSums { products: [aa, ab, bb, ay, by], reached }
    }

    /// Returns the weights, as [`least_squares`].
    pub fn weights(&self, lambda: f64) -> Vec<f64> {
        solve(2, |k, other| self.products[k + other], |k| self.products[3 + k], lambda)
    }
}

/// Solves the normal equations of columns, given their products with each other and with the
/// target.
fn solve(
    size: usize,
    product: impl Fn(usize, usize) -> f64,
    with_target: impl Fn(usize) -> f64,
    lambda: f64,
) -> Vec<f64> {
    // Normal equations with λ on the diagonal, scaled to a unit diagonal for conditioning.
    let lengths: Vec<f64> = (0..size).map(|k| (product(k, k) + lambda).sqrt()).collect();
    let mut used: Vec<usize> = Vec::new();
    // Cholesky factor of the columns in use, row by row.
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut solved: Vec<f64> = Vec::new();
    for k in 0..size {
        if lengths[k] <= 0.0 {
            continue;
        }
        let mut row: Vec<f64> = Vec::with_capacity(used.len() + 1);
        for (at, &other) in used.iter().enumerate() {
            let product = product(k, other) / (lengths[k] * lengths[other]);
            let before: f64 = row.iter().zip(&factor[at]).map(|(a, b)| a * b).sum();
            row.push((product - before) / factor[at][at]);
        }
        let remainder = 1.0 - row.iter().map(|a| a * a).sum::<f64>();
        // A remainder this small is rounding: the column is linearly dependent.
        if remainder < 1e-9 {
            continue;
        }
        let target = with_target(k) / lengths[k];
        let before: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
        let root = remainder.sqrt();
        solved.push((target - before) / root);
        row.push(root);
        factor.push(row);
        used.push(k);
    }
    let mut weights = vec![0.0; size];
    for at in (0..used.len()).rev() {
        let known: f64 =
            (at + 1..used.len()).map(|later| factor[later][at] * weights[used[later]] * lengths[used[later]]).sum();
        weights[used[at]] = (solved[at] - known) / factor[at][at] / lengths[used[at]];
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn solutions_match_hand_computation() {
        // One column: w = Σ Δ n / Σ n² = (1·1 + 2·0.5 + 0) / (1 + 4) = 0.4.
        assert!((least_squares(&[&[1.0, 2.0, 0.0]], &[1.0, 0.5, 7.0], &[0, 1, 2], 0.0)[0] - 0.4).abs() < 1e-15);
        // Two columns that share the last example, w = (2, −1) without error.
        let weights = least_squares(&[&[1.0, 0.0, 3.0], &[0.0, 2.0, 1.0]], &[2.0, -2.0, 5.0], &[0, 1, 2], 0.0);
        assert!((weights[0] - 2.0).abs() < 1e-12 && (weights[1] + 1.0).abs() < 1e-12, "{weights:?}");
        // The second column is a multiple of the first, the third is zero.
        let weights = least_squares(&[&[1.0, 2.0], &[2.0, 4.0], &[0.0, 0.0]], &[3.0, 6.0], &[0, 1], 0.0);
        assert!((weights[0] - 3.0).abs() < 1e-12);
        assert_eq!(weights[1..], [0.0, 0.0]);
        // Examples outside `rows` do not count.
        assert_eq!(least_squares(&[&[1.0, 5.0]], &[2.0, 100.0], &[0], 0.0), [2.0]);
        // With a penalty: Σ Δ n / (λ + Σ n²) = 2 / (5 + 5).
        assert!((least_squares(&[&[1.0, 2.0]], &[1.0, 0.5], &[0, 1], 5.0)[0] - 0.2).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn solution_minimizes_the_penalized_error(
            rows in prop::collection::vec(([0u8..4, 0..4, 0..4], -2.0..2.0f64), 1..12),
            lambda in prop::sample::select(&[0.0, 0.5, 20.0][..]),
            moves in [-0.1..0.1f64, -0.1..0.1, -0.1..0.1],
        ) {
            let column = |k: usize| rows.iter().map(|(counts, _)| f64::from(counts[k])).collect::<Vec<_>>();
            let columns = [column(0), column(1), column(2)];
            let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let all: Vec<usize> = (0..rows.len()).collect();
            let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let weights = least_squares(&slices, &y, &all, lambda);
            let error = |w: &[f64]| -> f64 {
                let residual = |i: usize| y[i] - (0..3).map(|k| w[k] * columns[k][i]).sum::<f64>();
                all.iter().map(|&i| residual(i).powi(2)).sum::<f64>() + lambda * w.iter().map(|w| w * w).sum::<f64>()
            };
            let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
            let two = TwoColumnSums::new([slices[0], slices[1]], &y, &all);
            prop_assert_eq!(bits(&two.weights(lambda)), bits(&least_squares(&slices[..2], &y, &all, lambda)));
            prop_assert_eq!(two.reached, [0, 1].map(|k| columns[k].iter().filter(|&&count| count > 0.0).count()));
            let moved: Vec<f64> = weights.iter().zip(moves).map(|(w, m)| w + m).collect();
            prop_assert!(error(&weights) <= error(&moved) + 1e-9);
        }
    }
}
