//! Numerically stable scalar functions shared by every layer.

/// Returns log(1 + eᵃ) without overflow for large `a` and without loss of precision for small ones.
#[inline]
pub fn softplus(a: f64) -> f64 {
    a.max(0.0) + (-a.abs()).exp().ln_1p()
}

/// Returns the logistic function 1 / (1 + e⁻ᵃ) without overflow: P(y = 1) for ψ = `a`.
#[inline]
pub fn sigmoid(a: f64) -> f64 {
    // Paper: Eq. (5), p = e^ψ / (1 + e^ψ)
    let small = (-a.abs()).exp();
    if a >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) }
}

/// Returns [`softplus`] and [`sigmoid`], which share an exponential.
#[inline]
pub fn softplus_and_sigmoid(a: f64) -> (f64, f64) {
    let small = (-a.abs()).exp();
    let sigmoid = if a >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
    (a.max(0.0) + small.ln_1p(), sigmoid)
}

/// Returns exp(xᵢ) / Σ exp(xⱼ) for each i, shifted by the maximum so that nothing overflows.
pub fn softmax(xs: &[f64]) -> Vec<f64> {
    let max = max(xs);
    let powers: Vec<f64> = xs.iter().map(|x| (x - max).exp()).collect();
    let total: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / total).collect()
}

/// Returns log Σ exp(xᵢ), shifted by the maximum so that nothing overflows.
pub fn log_sum_exp(xs: &[f64]) -> f64 {
    let max = max(xs);
    max + xs.iter().map(|x| (x - max).exp()).sum::<f64>().ln()
}

/// Returns the indices of values from smallest to largest; ties keep their order.
pub fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}

/// Returns the indices of values from largest to smallest; ties keep their order.
pub fn descending(values: &[f64]) -> Vec<usize> {
    // Negation reverses the total order.
    ascending(&values.iter().map(|value| -value).collect::<Vec<f64>>())
}

/// Returns the items by decreasing magnitude of their values; ties keep their order.
pub fn strongest_first<T>(items: Vec<T>, value: impl Fn(&T) -> f64) -> Vec<T> {
    let order = descending(&items.iter().map(|item| value(item).abs()).collect::<Vec<f64>>());
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| items[at].take()).collect()
}

fn max(xs: &[f64]) -> f64 {
    xs.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_stay_finite() {
        assert_eq!(softplus(1000.0), 1000.0);
        assert_eq!(softplus(-1000.0), 0.0);
        assert!((softplus(-40.0) - (-40f64).exp()).abs() < 1e-32);
        assert_eq!(sigmoid(1000.0), 1.0);
        assert_eq!(sigmoid(-1000.0), 0.0);
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(log_sum_exp(&[1000.0, 1000.0]), 1000.0 + 2f64.ln());
    }

    #[test]
    fn moderate_values_match_the_definitions() {
        for a in [-3.0f64, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0] {
            assert!((softplus(a) - (1.0 + a.exp()).ln()).abs() < 1e-15, "{a}");
            assert!((sigmoid(a) - 1.0 / (1.0 + (-a).exp())).abs() < 1e-15, "{a}");
        }
        assert!((log_sum_exp(&[0.0, 3f64.ln(), 4f64.ln()]) - 8f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn indices_are_ordered_by_value_and_ties_keep_their_order() {
        let values = [2.0, f64::NAN, -0.0, 0.0, 2.0, f64::NEG_INFINITY];
        assert_eq!(ascending(&values), [5, 2, 3, 0, 4, 1]);
        assert_eq!(descending(&values), [1, 0, 4, 3, 2, 5]);
        let strongest = strongest_first(vec![("a", 1.0), ("b", -2.0), ("c", -1.0), ("d", 2.0)], |item| item.1);
        assert_eq!(strongest.iter().map(|item| item.0).collect::<String>(), "bdac");
    }

    #[test]
    fn softmax_neither_overflows_nor_underflows() {
        assert_eq!(softmax(&[1000.0, 1000.0]), [0.5, 0.5]);
        let quarters = softmax(&[0.0, 3f64.ln()]);
        assert!((quarters[0] - 0.25).abs() < 1e-12 && (quarters[1] - 0.75).abs() < 1e-12, "{quarters:?}");
        let far = softmax(&[-1000.0, 0.0, -700.0]);
        assert!(far[0] == 0.0 && far[1] == 1.0 && far[2] > 0.0);
    }
}
