//! A multiverse: choices that a publication leaves open, and the universes drawn from them.

use std::path::PathBuf;

use crate::metric::Column;

/// The choices of a multiverse and the draws that every dataset realizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiverse {
    /// Choices that change jobs, in the order of the spec.
    pub choices: Vec<UniverseChoice>,
    /// Choices that are evaluated from the scores of the jobs.
    pub evaluations: Vec<EvaluationChoice>,
    /// Draws, each with the position of an alternative per choice; the first one has the first
    /// alternative of every choice.
    pub draws: Vec<Vec<usize>>,
    /// File of published values; `None` for those of the program.
    pub published: Option<PathBuf>,
    /// Tables of published values to compare with; empty for all.
    pub tables: Vec<String>,
    /// Alternatives that a dataset does not offer.
    pub left_out: Vec<LeftOut>,
    /// The universe of each draw, by dataset and model.
    pub realized: Vec<Realized>,
}

/// A choice that changes jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct UniverseChoice {
    /// Name, which is a column of the results.
    pub name: String,
    /// What the publication says about it.
    pub stated: String,
    /// Names of the alternatives; the first one is the reference.
    pub alternatives: Vec<String>,
}

/// A choice that is evaluated from the scores of finished jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationChoice {
    /// Name.
    pub name: String,
    /// What the publication says about it.
    pub stated: String,
    /// Alternatives with what they change; the first one is the reference.
    pub alternatives: Vec<(String, Evaluation)>,
}

/// How areas are computed from scores, as far as an alternative says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// Definition of the areas.
    pub area: Option<Area>,
    /// How folds are combined.
    pub pooling: Option<Pooling>,
}

impl Evaluation {
    /// Returns this evaluation with what another one sets.
    pub fn with(self, other: Evaluation) -> Evaluation {
        Evaluation { area: other.area.or(self.area), pooling: other.pooling.or(self.pooling) }
    }
}

/// Definition of the area under a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Area {
    /// Exact areas; precision is interpolated as Davis and Goadrich do.
    #[default]
    DavisGoadrich,
    /// As auc.jar computes them.
    AucJar,
    /// Average precision in place of the area under the precision-recall curve.
    AveragePrecision,
}

impl Area {
    /// All definitions with their names.
    pub const ALL: [(&'static str, Area); 3] = [
        ("davis-goadrich", Area::DavisGoadrich),
        ("auc.jar", Area::AucJar),
        ("average-precision", Area::AveragePrecision),
    ];

    /// Returns the column that stands for a published metric.
    pub fn column(self, metric: Column) -> Column {
        match (self, metric) {
            (Area::AucJar, Column::AucRoc) => Column::AucRocJar,
            (Area::AucJar, Column::AucPr) => Column::AucPrJar,
            (Area::AveragePrecision, Column::AucPr) => Column::AveragePrecision,
            (_, other) => other,
        }
    }
}

/// How the folds of a universe become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// The mean of the values of all folds.
    #[default]
    Folds,
    /// One value of the predictions of all folds together.
    Pooled,
}

impl Pooling {
    /// All of them with their names.
    pub const ALL: [(&'static str, Pooling); 2] = [("folds", Pooling::Folds), ("pooled", Pooling::Pooled)];
}

/// An alternative that a dataset does not offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Dataset.
    pub dataset: String,
    /// Choice.
    pub choice: String,
    /// Alternative.
    pub alternative: String,
    /// Why.
    pub reason: String,
}

/// The universes of a model on a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Realized {
    /// Dataset.
    pub dataset: String,
    /// Model.
    pub model: String,
    /// Choices that vary here, by position.
    pub varied: Vec<usize>,
    /// Name of the universe of each draw; `None` if a constraint excludes the draw here. Draws
    /// beyond the end were not needed.
    pub universes: Vec<Option<String>>,
}

impl Multiverse {
    /// Returns the universes of a model on a dataset.
    pub fn realized(&self, dataset: &str, model: &str) -> Option<&Realized> {
        self.realized.iter().find(|realized| realized.dataset == dataset && realized.model == model)
    }
}
