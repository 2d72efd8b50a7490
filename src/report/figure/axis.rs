//! Axes: range, scale and ticks.

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether the scale is logarithmic; then both ends are positive.
    pub log: bool,
}

/// A tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Value.
    pub at: f64,
    /// Label.
    pub label: String,
}

impl Axis {
    /// Creates a linear axis.
    pub fn linear(low: f64, high: f64) -> Self {
        Axis { low, high: if high > low { high } else { low + 1.0 }, log: false }
    }

    /// Creates a logarithmic axis, or a linear one if an end is not positive.
    pub fn log(low: f64, high: f64) -> Self {
        match low > 0.0 && high > low {
            true => Axis { low, high, log: true },
            false => Axis::linear(low, high),
        }
    }

    /// Creates an axis for values between 0 and 1, rounded outwards to multiples of 0.05. It
    /// spans at least 0.1, so that noise is not magnified.
    pub fn share(low: f64, high: f64) -> Self {
        const STEP: f64 = 0.05;
        // Leaves space for half a marker.
        let (low, high) = ((low - 0.008).max(0.0), (high + 0.008).min(1.0));
        let mut low = (low / STEP).floor() * STEP;
        // Tolerance, since 0.95 / 0.05 may exceed 19.
        let high = ((high / STEP - 1e-9).ceil() * STEP).clamp(low + STEP, 1.0f64.max(low + STEP));
        if high - low < 2.0 * STEP - 1e-9 {
            low = (low - STEP).max(0.0);
        }
        Axis::linear(low, high.max(low + 2.0 * STEP))
    }

    /// Returns the relative position of a value: 0 at the lower end, 1 at the upper end.
    pub fn position(&self, value: f64) -> f64 {
        match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// Returns about `max` ticks at round values.
    pub fn ticks(&self, max: usize) -> Vec<Tick> {
        if self.log { self.log_ticks(max) } else { self.linear_ticks(max) }
    }

    fn linear_ticks(&self, max: usize) -> Vec<Tick> {
        let (span, max) = (self.high - self.low, max.max(1) as f64);
        let magnitude = (span / max).log10().floor();
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * 10f64.powf(magnitude));
        let step = steps.into_iter().find(|step| span / step <= max + 1e-9).unwrap_or(span);
        let decimals =
            if step >= 10f64.powf(magnitude + 1.0) { -magnitude - 1.0 } else { -magnitude }.max(0.0) as usize;
        let epsilon = 1e-9;
        let (first, last) = ((self.low / step - epsilon).ceil() as i64, (self.high / step + epsilon).floor() as i64);
        let ticks = (first..=last).map(|i| (i as f64 * step, i));
        // The minus sign is as wide as a digit.
        let label = |at: f64, i: i64| format!("{}{:.decimals$}", if i < 0 { "−" } else { "" }, at.abs());
        ticks.map(|(at, i)| Tick { at, label: label(at, i) }).collect()
    }

    fn log_ticks(&self, max: usize) -> Vec<Tick> {
        let epsilon = 1e-9;
        let decades = (self.low.log10() - epsilon).floor() as i32..=(self.high.log10() + epsilon).ceil() as i32;
        let all = |digits: &[u32], every: i32| -> Vec<Tick> {
            let decades = decades.clone().filter(|decade| decade.rem_euclid(every) == 0);
            let ticks = decades.flat_map(|decade| digits.iter().map(move |&digit| power(digit, decade)));
            ticks.filter(|tick| (-epsilon..=1.0 + epsilon).contains(&self.position(tick.at))).collect()
        };
        let fits = |ticks: &Vec<Tick>| (2..=max.max(2)).contains(&ticks.len());
        let sparse = (1..=12).map(|every| all(&[1], every)).find(fits);
        [all(&[1, 2, 5], 1), all(&[1, 3], 1)].into_iter().find(fits).or(sparse).unwrap_or_else(|| all(&[1], 1))
    }
}

/// Returns the tick at a digit times a power of ten.
fn power(digit: u32, decade: i32) -> Tick {
    let at = f64::from(digit) * 10f64.powi(decade);
    let label = match decade {
        -4..0 => format!("{at:.*}", decade.unsigned_abs() as usize),
        0..=4 => format!("{at:.0}"),
        _ => format!("{digit}e{decade}"),
    };
    Tick { at, label }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis, max: usize) -> Vec<String> {
        axis.ticks(max).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn values_map_to_positions() {
        assert_eq!(Axis::linear(0.5, 1.0).position(0.75), 0.5);
        assert!((Axis::log(1.0, 100.0).position(10.0) - 0.5).abs() < 1e-15);
        // Zero has no logarithm.
        assert_eq!(Axis::log(0.0, 4.0), Axis::linear(0.0, 4.0));
        // Equal ends are widened.
        assert_eq!(Axis::linear(3.0, 3.0).position(3.0), 0.0);
    }

    #[test]
    fn ticks_have_round_values() {
        assert_eq!(labels(Axis::linear(0.5, 1.0), 6), ["0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]);
        assert_eq!(labels(Axis::linear(0.0, 1.0), 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Axis::linear(0.85, 1.0), 4), ["0.85", "0.90", "0.95", "1.00"]);
        assert_eq!(labels(Axis::linear(-3.0, 7.0), 5), ["−2", "0", "2", "4", "6"]);
        assert_eq!(labels(Axis::linear(0.0, 9000.0), 4), ["0", "5000"]);
        assert_eq!(labels(Axis::log(0.01, 0.5), 6), ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]);
        assert_eq!(labels(Axis::log(0.002, 300.0), 6), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(labels(Axis::log(1e-9, 1e9), 4), ["1e-5", "1", "1e5"]);
        assert_eq!(labels(Axis::log(20.0, 80.0), 6), ["20", "50"]);
    }

    #[test]
    fn unit_axes_end_at_multiples_of_0_05() {
        let near = |axis: Axis, low: f64, high: f64| {
            assert!((axis.low - low).abs() < 1e-9 && (axis.high - high).abs() < 1e-9, "{axis:?}");
        };
        near(Axis::share(0.62, 0.91), 0.6, 0.95);
        near(Axis::share(0.95, 0.97), 0.9, 1.0);
        near(Axis::share(1.0, 1.0), 0.9, 1.0);
        near(Axis::share(0.0, 0.0), 0.0, 0.1);
        near(Axis::share(-0.1, 1.3), 0.0, 1.0);
        near(Axis::share(0.5, 0.5), 0.45, 0.55);
    }
}
