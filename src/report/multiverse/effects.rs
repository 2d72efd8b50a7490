//! Main effects of choices on a value, by least squares.
//!
//! The regression has one indicator per alternative. A difference of its coefficients is the
//! difference of the means of two alternatives with all other choices balanced, whatever the
//! sample. The share of a choice is the drop in R² when its indicators are removed.

/// The main effects of all choices.
#[derive(Clone, Debug, PartialEq)]
pub struct MainEffects {
    /// Share of variance that all choices explain without interactions.
    pub r_squared: f64,
    /// Effects in the order of the choices; `None` for a choice that does not vary.
    pub choices: Vec<Option<ChoiceEffect>>,
}

/// The effect of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct ChoiceEffect {
    /// Adjusted mean of each alternative minus that of the first one that occurs; `None` for one
    /// that does not occur.
    pub adjusted: Vec<Option<f64>>,
    /// Drop in R² without the choice.
    pub share: f64,
}

impl ChoiceEffect {
    /// Returns the lowest and the highest alternative by adjusted mean.
    pub fn extremes(&self) -> Option<(usize, usize)> {
        let present: Vec<(usize, f64)> =
            self.adjusted.iter().enumerate().filter_map(|(k, value)| Some((k, (*value)?))).collect();
        let lowest = present.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let highest = present.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        Some((lowest.0, highest.0))
    }

    /// Returns the difference of the adjusted means of the highest and the lowest alternative.
    pub fn range(&self) -> f64 {
        let present = || self.adjusted.iter().flatten().copied();
        present().fold(f64::NEG_INFINITY, f64::max) - present().fold(f64::INFINITY, f64::min)
    }
}

/// Fits the main effects of `levels`, one alternative per choice and observation, on `values`.
/// `sizes` are the numbers of alternatives. `None` without two different observations.
pub fn main_effects(levels: &[Vec<Option<usize>>], values: &[f64], sizes: &[usize]) -> Option<MainEffects> {
    let n = values.len();
    if n < 2 || levels.len() != n {
        return None;
    }
    let design = Design::new(levels, sizes);
    let center = values.iter().sum::<f64>() / n as f64;
    let centered: Vec<f64> = values.iter().map(|value| value - center).collect();
    let total: f64 = centered.iter().map(|value| value * value).sum();
    let full = design.fit(&centered, None);
    let explained = |residual: f64| if total > 0.0 { (1.0 - residual / total).clamp(0.0, 1.0) } else { 0.0 };
    let r_squared = explained(full.residual);
    let effect = |choice: usize| {
        let columns = &design.columns[choice];
        columns.iter().flatten().next()?;
        let value = |(level, column): (usize, &Option<usize>)| match column {
            Some(column) => Some(full.coefficients[*column]),
            None => (design.base[choice] == Some(level)).then_some(0.0),
        };
        let adjusted = columns.iter().enumerate().map(value).collect();
        let share = (r_squared - explained(design.fit(&centered, Some(choice)).residual)).max(0.0);
        Some(ChoiceEffect { adjusted, share })
    };
    Some(MainEffects { r_squared, choices: (0..sizes.len()).map(effect).collect() })
}

/// Indicator columns of a regression; column 0 is the intercept.
struct Design<'a> {
    levels: &'a [Vec<Option<usize>>],
    /// Column of each alternative of each choice; the first that occurs has none.
    columns: Vec<Vec<Option<usize>>>,
    /// The first alternative that occurs.
    base: Vec<Option<usize>>,
    count: usize,
}

struct Fit {
    coefficients: Vec<f64>,
    residual: f64,
}

impl<'a> Design<'a> {
    fn new(levels: &'a [Vec<Option<usize>>], sizes: &[usize]) -> Self {
        let (mut columns, mut base, mut count) = (Vec::new(), Vec::new(), 1);
        for (choice, &size) in sizes.iter().enumerate() {
            let occurs = |level: &usize| levels.iter().any(|row| row[choice] == Some(*level));
            let present: Vec<usize> = (0..size).filter(occurs).collect();
            let mut of_choice = vec![None; size];
            for &level in present.iter().skip(1) {
                of_choice[level] = Some(count);
                count += 1;
            }
            columns.push(of_choice);
            base.push(present.first().copied());
        }
        Design { levels, columns, base, count }
    }

    /// Fits by the normal equations, without the columns of one choice.
    fn fit(&self, values: &[f64], without: Option<usize>) -> Fit {
        let mut gram = vec![vec![0.0; self.count]; self.count];
        let mut right = vec![0.0; self.count];
        let mut of_row = Vec::with_capacity(self.columns.len() + 1);
        for (row, value) in self.levels.iter().zip(values) {
            of_row.clear();
            of_row.push(0);
            for (choice, level) in row.iter().enumerate().filter(|(choice, _)| Some(*choice) != without) {
                of_row.extend(level.and_then(|level| self.columns[choice][level]));
            }
            for &i in &of_row {
                right[i] += value;
                of_row.iter().for_each(|&j| gram[i][j] += 1.0);
            }
        }
        let coefficients = solve(&gram, &right);
        let explained: f64 = coefficients.iter().zip(&right).map(|(a, b)| a * b).sum();
        let total: f64 = values.iter().map(|value| value * value).sum();
        Fit { coefficients, residual: (total - explained).max(0.0) }
    }
}

/// Solves normal equations by Cholesky decomposition. Columns that depend on earlier ones get 0.
fn solve(gram: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut lower = vec![vec![0.0; n]; n];
    let mut is_free = vec![false; n];
    for j in 0..n {
        let used: f64 = (0..j).map(|k| lower[j][k] * lower[j][k]).sum();
        let pivot = gram[j][j] - used;
        if pivot <= 1e-9 * gram[j][j].max(1.0) {
            continue;
        }
        is_free[j] = true;
        let root = pivot.sqrt();
        lower[j][j] = root;
        for i in j + 1..n {
            let used: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            lower[i][j] = (gram[i][j] - used) / root;
        }
    }
    let mut forward = vec![0.0; n];
    for i in (0..n).filter(|&i| is_free[i]) {
        let used: f64 = (0..i).map(|k| lower[i][k] * forward[k]).sum();
        forward[i] = (right[i] - used) / lower[i][i];
    }
    let mut solution = vec![0.0; n];
    for i in (0..n).rev().filter(|&i| is_free[i]) {
        let used: f64 = (i + 1..n).filter(|&k| is_free[k]).map(|k| lower[k][i] * solution[k]).sum();
        solution[i] = (forward[i] - used) / lower[i][i];
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::determinism::Stream;

    /// Planted effects: choice 0 adds 0, 0.1; choice 1 adds 0, -0.2, 0.3; choice 2 adds nothing.
    const PLANTED: [&[f64]; 3] = [&[0.0, 0.1], &[0.0, -0.2, 0.3], &[0.0, 0.0]];

    fn value(row: &[Option<usize>]) -> f64 {
        0.5 + row.iter().zip(PLANTED).map(|(level, planted)| level.map_or(0.0, |level| planted[level])).sum::<f64>()
    }

    fn factorial(repeats: usize) -> Vec<Vec<Option<usize>>> {
        let mut rows = Vec::new();
        for _ in 0..repeats {
            for a in 0..2 {
                for b in 0..3 {
                    rows.extend((0..2).map(|c| vec![Some(a), Some(b), Some(c)]));
                }
            }
        }
        rows
    }

    fn assert_planted(effects: &MainEffects, tolerance: f64) {
        for (effect, planted) in effects.choices.iter().zip(PLANTED) {
            let adjusted = &effect.as_ref().unwrap().adjusted;
            for (found, planted) in adjusted.iter().zip(planted) {
                assert!((found.unwrap() - planted).abs() < tolerance, "{effects:?}");
            }
        }
    }

    #[test]
    fn planted_effects_and_shares_of_a_factorial_come_out() {
        let rows = factorial(1);
        let values: Vec<f64> = rows.iter().map(|row| value(row)).collect();
        let effects = main_effects(&rows, &values, &[2, 3, 2]).unwrap();
        assert_planted(&effects, 1e-12);
        assert!((effects.r_squared - 1.0).abs() < 1e-12);
        // Variances of the planted effects over their alternatives: 0.0025 and 0.38 / 9, so that
        // their sum is 1 and the third choice has none.
        let (first, second) = (0.0025, 0.38 / 9.0);
        let share = |choice: usize| effects.choices[choice].as_ref().unwrap().share;
        assert!((share(0) - first / (first + second)).abs() < 1e-12);
        assert!((share(1) - second / (first + second)).abs() < 1e-12);
        assert!(share(2).abs() < 1e-12);
        let second = effects.choices[1].as_ref().unwrap();
        assert_eq!(second.extremes(), Some((1, 2)));
        assert!((second.range() - 0.5).abs() < 1e-12);
    }

    /// Unbalanced: the naive difference of means is wrong by half, the adjusted one is exact.
    #[test]
    fn other_choices_are_balanced() {
        let rows: Vec<Vec<Option<usize>>> =
            [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 1), (1, 2, 0), (1, 2, 1), (0, 2, 1), (1, 0, 0)]
                .map(|(a, b, c)| vec![Some(a), Some(b), Some(c)])
                .to_vec();
        let values: Vec<f64> = rows.iter().map(|row| value(row)).collect();
        let mean = |level: usize| {
            let of: Vec<f64> =
                rows.iter().zip(&values).filter(|(row, _)| row[0] == Some(level)).map(|(_, v)| *v).collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        assert!((mean(1) - mean(0) - 0.1).abs() > 0.05);
        assert_planted(&main_effects(&rows, &values, &[2, 3, 2]).unwrap(), 1e-12);
    }

    #[test]
    fn noise_lowers_shares_and_is_not_explained() {
        let mut stream = Stream::new(5, &["noise"]);
        let rows = factorial(200);
        let values: Vec<f64> = rows.iter().map(|row| value(row) + 0.4 * (stream.unit() - 0.5)).collect();
        let effects = main_effects(&rows, &values, &[2, 3, 2]).unwrap();
        assert_planted(&effects, 0.02);
        let (signal, noise) = (0.0025 + 0.38 / 9.0, 0.16 / 12.0);
        assert!((effects.r_squared - signal / (signal + noise)).abs() < 0.03, "{effects:?}");
        assert!(effects.choices[2].as_ref().unwrap().share < 0.01);
    }

    #[test]
    fn confounded_and_constant_choices_are_no_error() {
        // Choice 1 repeats choice 0, choice 2 has one alternative, choice 3 is absent.
        let rows: Vec<Vec<Option<usize>>> = (0..6).map(|i| vec![Some(i % 2), Some(i % 2), Some(1), None]).collect();
        let values = [0.1, 0.3, 0.1, 0.3, 0.1, 0.3];
        let effects = main_effects(&rows, &values, &[2, 2, 3, 2]).unwrap();
        let [first, second, third, fourth] = effects.choices.as_slice() else { panic!() };
        assert!((first.as_ref().unwrap().range() - 0.2).abs() < 1e-12);
        // Neither lowers R² alone.
        assert!(first.as_ref().unwrap().share < 1e-12 && second.as_ref().unwrap().share < 1e-12);
        assert!(third.is_none() && fourth.is_none());
        assert_eq!(main_effects(&rows[..1], &values[..1], &[2, 2, 3, 2]), None);
        let flat = main_effects(&rows, &[0.5; 6], &[2, 2, 3, 2]).unwrap();
        assert_eq!(flat.r_squared, 0.0);
    }
}
