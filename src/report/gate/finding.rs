//! Findings about a row, and the verdict of the gate.

/// Finding about a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Equal values and equal predictions in every cell.
    Identical,
    /// Changed, but the mean paired difference is within the tolerance.
    Moved,
    /// The mean is within the margin; for references without cells.
    Same,
    /// Worse beyond the tolerance, or by the paired test.
    Regressed,
    /// Better beyond the tolerance.
    Improved,
    /// Beyond the tolerance of the `[expected]` value of the spec, in either direction.
    Unexpected,
    /// Not checked, since its data are unavailable.
    NotChecked,
    /// Not compared, since the same job may give other scores.
    NotRepeatable,
    /// Not comparable, with the reason.
    NotComparable(String),
}

impl Finding {
    /// Returns the finding in words.
    pub fn words(&self) -> &'static str {
        match self {
            Finding::Identical => "identical",
            Finding::Moved => "moved",
            Finding::Same => "as before",
            Finding::Regressed => "regressed",
            Finding::Improved => "improved",
            Finding::Unexpected => "differs from [expected]",
            Finding::NotChecked => "not checked",
            Finding::NotRepeatable => "not repeatable",
            Finding::NotComparable(_) => "not comparable",
        }
    }

    /// Returns whether the row was compared.
    pub fn is_compared(&self) -> bool {
        !matches!(self, Finding::NotChecked | Finding::NotRepeatable | Finding::NotComparable(_))
    }
}

/// Verdict of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// Nothing regressed.
    Pass,
    /// Something regressed.
    Regression,
    /// Nothing regressed, but something differs from the `[expected]` values of the spec.
    Unexpected,
    /// Nothing regressed, but not every row is identical, which `--strict` requires.
    NotIdentical,
    /// Nothing regressed, but not everything could be compared.
    NotComparable,
}
