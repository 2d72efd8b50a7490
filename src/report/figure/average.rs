//! Mean of curves by vertical averaging (Fawcett 2006, *An introduction to ROC analysis*, section
//! 8).

use crate::metric::Average;

/// A curve: vertices from left to right, joined by straight lines.
pub(super) type Curve = Vec<(f64, f64)>;

/// Returns the height of a curve at `x`: the upper end of a vertical segment, and the first
/// height before the first vertex.
pub(super) fn height(curve: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = curve.partition_point(|&(at, _)| at <= x);
    let before = &curve[..after];
    let Some(&(left, low)) = before.last() else { return curve.first().map(|&(_, y)| y) };
    if left == x {
        return before.iter().rev().take_while(|(at, _)| *at == x).map(|&(_, y)| y).reduce(f64::max);
    }
    match curve.get(after) {
        Some(&(right, high)) => Some(low + (high - low) * (x - left) / (right - left)),
        None => Some(low),
    }
}

/// Returns the mean height of curves at `steps` + 1 points from 0 to 1: over the seeds of a fold
/// first, then over folds.
pub(super) fn vertical(folds: &[Vec<Curve>], steps: usize) -> Vec<(f64, Average)> {
    let at = |x: f64| {
        let fold = |seeds: &Vec<Curve>| {
            let heights: Vec<f64> = seeds.iter().filter_map(|curve| height(curve, x)).collect();
            Some(Average::of(&heights)?.mean)
        };
        let of_folds: Vec<f64> = folds.iter().filter_map(fold).collect();
        Some((x, Average::of(&of_folds)?))
    };
    (0..=steps).filter_map(|i| at(i as f64 / steps as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heights_match_hand_computed_values() {
        let curve = [(0.0, 0.0), (0.0, 0.5), (0.5, 0.7), (0.5, 0.9), (1.0, 1.0)];
        let at = |x: f64| height(&curve, x).unwrap();
        assert_eq!((at(0.0), at(0.5), at(1.0)), (0.5, 0.9, 1.0));
        assert!((at(0.25) - 0.6).abs() < 1e-15 && (at(0.75) - 0.95).abs() < 1e-15);
        // A precision curve starts late and may drop vertically.
        let curve = [(0.5, 1.0), (0.5, 0.4), (1.0, 0.6)];
        assert_eq!(height(&curve, 0.2), Some(1.0));
        assert_eq!(height(&curve, 0.5), Some(1.0));
        assert_eq!(height(&curve, 0.75), Some(0.5));
        assert_eq!(height(&[], 0.5), None);
    }

    #[test]
    fn seeds_are_averaged_before_folds() {
        let level = |y: f64| vec![(0.0, y), (1.0, y)];
        // Folds have means 0.3 and 0.9, though there are three curves.
        let mean = vertical(&[vec![level(0.2), level(0.4)], vec![level(0.9)]], 2);
        assert_eq!(mean.len(), 3);
        for (_, average) in mean {
            assert!((average.mean - 0.6).abs() < 1e-12 && average.n == 2);
            assert!((average.deviation.unwrap() - 0.18f64.sqrt()).abs() < 1e-12);
        }
    }

    /// Returns the height by a scan over all segments: the highest one at `x`.
    fn slow_height(curve: &[(f64, f64)], x: f64) -> f64 {
        let on = |pair: &[(f64, f64)]| {
            let [(a, low), (b, high)] = [pair[0], pair[1]];
            if !(a..=b).contains(&x) {
                return None;
            }
            Some(if a == b { low.max(high) } else { low + (high - low) * (x - a) / (b - a) })
        };
        curve.windows(2).filter_map(on).reduce(f64::max).unwrap_or(curve[0].1)
    }

    proptest! {
        #[test]
        fn heights_match_a_scan_over_all_segments(
            mut corners in prop::collection::vec((0u8..=10, 0u8..=10), 2..12),
            x in 0u8..=20,
        ) {
            corners.sort_by_key(|&(x, _)| x);
            let curve: Curve = corners.iter().map(|&(x, y)| (f64::from(x) / 10.0, f64::from(y) / 10.0)).collect();
            let (first, last) = (curve[0].0, curve[curve.len() - 1].0);
            let x = f64::from(x) / 20.0;
            prop_assume!(x <= last || first < last);
            let expected = if x > last { curve[curve.len() - 1].1 } else { slow_height(&curve, x) };
            prop_assert!((height(&curve, x).unwrap() - expected).abs() < 1e-12);
        }
    }
}
