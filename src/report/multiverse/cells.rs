//! Published cells among the specifications: percentile, share within the deviation, and the
//! effects of the choices.

use super::effects::{MainEffects, main_effects};
use super::specifications::{ModelUniverses, Specification, Specifications};
use crate::determinism::IndexSet;
use crate::metric::Column;
use crate::report::published::{PublishedCell, PublishedTable};

/// A model on a dataset with a metric, and what is published about it.
pub struct CellReport<'s> {
    /// The universes.
    pub model: &'s ModelUniverses,
    /// Metric.
    pub metric: Column,
    /// Specifications by ascending value.
    pub sorted: Vec<Specification>,
    /// Value of the reference universe with the reference evaluation.
    pub reference: Option<f64>,
    /// Main effects of the choices.
    pub effects: Option<MainEffects>,
    /// Published values with their table.
    pub published: Vec<PublishedIn>,
}

/// A published value and its place among the specifications.
#[derive(Clone, Debug)]
pub struct PublishedIn {
    /// Name of the table.
    pub table: String,
    /// Number of the table among all of them, from 0.
    pub number: usize,
    /// Published mean.
    pub mean: f64,
    /// Published standard deviation.
    pub deviation: Option<f64>,
    /// Percentage of specifications below it, ties one half.
    pub percentile: f64,
    /// Where it lies.
    pub place: Place,
    /// Share of specifications within its standard deviation.
    pub within: Option<f64>,
}

/// The place of a value among the specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Below all of them.
    Below,
    /// Between the lowest and the highest.
    Inside,
    /// Above all of them.
    Above,
}

impl Place {
    /// Returns the word of tables.
    pub fn word(self) -> &'static str {
        match self {
            Place::Below => "below all",
            Place::Inside => "inside",
            Place::Above => "above all",
        }
    }
}

/// Rounding error of a difference is no difference.
const TOLERANCE: f64 = 1e-12;

impl CellReport<'_> {
    /// Returns the lowest, the median and the highest value.
    pub fn range(&self) -> Option<[f64; 3]> {
        let value = |place: usize| self.sorted[place].value;
        let n = self.sorted.len();
        let median = |n: usize| f64::midpoint(value((n - 1) / 2), value(n / 2));
        (n > 0).then(|| [value(0), median(n), value(n - 1)])
    }

    /// Returns the choice with the largest share of variance, as its position.
    pub fn largest(&self) -> Option<usize> {
        let effects = self.effects.as_ref()?;
        let shares = effects.choices.iter().enumerate().filter_map(|(c, effect)| Some((c, effect.as_ref()?.share)));
        shares.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(c, _)| c)
    }
}

/// Universes per coefficient of the regression; with fewer, effects would fit noise.
const MIN_UNIVERSES: usize = 2;

/// Returns the number of coefficients of the choices that vary between the universes of a model.
fn coefficients(model: &ModelUniverses) -> usize {
    let choices = model.universes.values().next().map_or(0, |universe| universe.levels.len());
    let distinct = |choice: usize| -> usize {
        let levels = model.universes.values().filter_map(|universe| universe.levels[choice]);
        levels.collect::<IndexSet<usize>>().len()
    };
    1 + (0..choices).map(|choice| distinct(choice).saturating_sub(1)).sum::<usize>()
}

/// Returns every model, dataset and metric that has specifications.
pub fn cells<'s>(specifications: &'s Specifications, published: &[PublishedTable]) -> Vec<CellReport<'s>> {
    let sizes: Vec<usize> = specifications.choices.iter().map(|choice| choice.alternatives.len()).collect();
    let mut cells = Vec::new();
    for model in &specifications.models {
        for &metric in &specifications.metrics {
            let mut sorted = specifications.of(model, metric);
            if sorted.is_empty() {
                continue;
            }
            let levels: Vec<Vec<Option<usize>>> = sorted.iter().map(|one| one.levels.clone()).collect();
            let values: Vec<f64> = sorted.iter().map(|one| one.value).collect();
            let is_enough = model.universes.len() >= MIN_UNIVERSES * coefficients(model);
            let effects = is_enough.then(|| main_effects(&levels, &values, &sizes)).flatten();
            sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
            let numbered = published.iter().enumerate();
            let of_cell = numbered.filter_map(|(number, table)| Some((number, table, cell_of(table, model, metric)?)));
            let published = of_cell.map(|(number, table, cell)| place((number, table), cell, &values)).collect();
            let reference = specifications.reference(model, metric);
            cells.push(CellReport { model, metric, sorted, reference, effects, published });
        }
    }
    cells
}

/// Returns the published cell of a model: by the name or id of the dataset, and by the name or
/// kind of the model.
pub fn cell_of<'t>(table: &'t PublishedTable, model: &ModelUniverses, metric: Column) -> Option<&'t PublishedCell> {
    let names = [(&model.dataset, &model.model), (&model.dataset, &model.kind)];
    let ids = [(&model.dataset_id, &model.model), (&model.dataset_id, &model.kind)];
    names.into_iter().chain(ids).find_map(|(dataset, kind)| table.cell(dataset, kind, metric))
}

fn place((number, table): (usize, &PublishedTable), cell: &PublishedCell, values: &[f64]) -> PublishedIn {
    let n = values.len() as f64;
    let share = |holds: &dyn Fn(f64) -> bool| values.iter().filter(|value| holds(**value)).count() as f64 / n;
    let below = share(&|value| value < cell.mean - TOLERANCE);
    let above = share(&|value| value > cell.mean + TOLERANCE);
    let place = match (below, above) {
        (0.0, 1.0) => Place::Below,
        (1.0, 0.0) => Place::Above,
        _ => Place::Inside,
    };
    let within = |deviation: f64| share(&|value| (value - cell.mean).abs() <= deviation + TOLERANCE);
    PublishedIn {
        table: table.name.clone(),
        number,
        mean: cell.mean,
        deviation: cell.deviation,
        percentile: 100.0 * (below + (1.0 - below - above) / 2.0),
        place,
        within: cell.deviation.map(within),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::published::TableLayout;

    #[test]
    fn published_values_are_placed_among_the_specifications() {
        let table = PublishedTable {
            name: "t".into(),
            label: String::new(),
            caption: String::new(),
            layout: TableLayout::ModelsAcross,
            cells: Vec::new(),
        };
        let cell = |mean: f64, deviation: Option<f64>| PublishedCell {
            dataset: "d".into(),
            kind: "k".into(),
            metric: Column::AucRoc,
            mean,
            deviation,
        };
        let values = [0.5, 0.6, 0.7, 0.8];
        let inside = place((0, &table), &cell(0.7, Some(0.1)), &values);
        assert_eq!((inside.place, inside.percentile, inside.within), (Place::Inside, 62.5, Some(0.75)));
        let above = place((0, &table), &cell(0.9, None), &values);
        assert_eq!((above.place, above.percentile, above.within), (Place::Above, 100.0, None));
        assert_eq!(place((0, &table), &cell(0.4, Some(0.05)), &values).place, Place::Below);
        // A value that every universe has is inside.
        assert_eq!(place((0, &table), &cell(0.5, None), &[0.5, 0.5]).place, Place::Inside);
    }
}
