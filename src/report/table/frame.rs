//! Tables as data frames: every number in its own column.
//!
//! A text column `c` is kept. A numeric column `c` becomes `c_mean`, `c_sd`, `c_n` and `c_best`;
//! with published numbers also `c_paper`, `c_paper_sd`, `c_difference` and `c_within`; with
//! missing jobs also `c_lack`. `extra` marks the rows below the rule.

use polars::prelude::{Column, DataFrame, NamedFrom, PolarsResult, Series};

use super::model::{CellValue, ColumnKind, Table, TableCell, Within};
use crate::experiment::store;

/// Suffixes of column names.
pub(super) const MEAN: &str = "_mean";
pub(super) const SD: &str = "_sd";
pub(super) const COUNT: &str = "_n";
pub(super) const BEST: &str = "_best";
pub(super) const PAPER: &str = "_paper";
pub(super) const PAPER_SD: &str = "_paper_sd";
pub(super) const DIFFERENCE: &str = "_difference";
pub(super) const WITHIN: &str = "_within";
pub(super) const LACK: &str = "_lack";
/// Name of the column that marks rows below the rule.
pub(super) const EXTRA: &str = "extra";

/// Formats the table as CSV.
///
/// # Errors
/// If two columns have the same name.
pub fn csv(table: &Table) -> PolarsResult<String> {
    let bytes = store::csv(&mut frame(table)?)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Encodes the table as Parquet.
///
/// # Errors
/// If two columns have the same name.
pub fn parquet(table: &Table) -> PolarsResult<Vec<u8>> {
    store::parquet(&mut frame(table)?)
}

fn frame(table: &Table) -> PolarsResult<DataFrame> {
    let mut columns: Vec<Column> = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        let name = |end: &str| format!("{}{end}", column.name);
        if column.shape == ColumnKind::Text {
            let texts = table.rows.iter().map(|row| match &row.cells[place] {
                TableCell::Text(text) => text.as_str(),
                TableCell::Value(_) => "",
            });
            columns.push(series(&column.name, texts.collect::<Vec<_>>()));
            continue;
        }
        let values: Vec<&CellValue> = table.rows.iter().map(|row| value(&row.cells[place])).collect();
        let numbers =
            |get: &dyn Fn(&CellValue) -> Option<f64>| values.iter().map(|value| get(value)).collect::<Vec<_>>();
        columns.push(series(&name(MEAN), numbers(&|value| Some(value.ours?.mean))));
        columns.push(series(&name(SD), numbers(&|value| value.ours?.deviation)));
        let counts: Vec<u64> = values.iter().map(|value| value.ours.map_or(0, |ours| ours.n as u64)).collect();
        columns.push(series(&name(COUNT), counts));
        columns.push(series(&name(BEST), values.iter().map(|value| value.is_best).collect::<Vec<bool>>()));
        if column.shape == ColumnKind::WithPaper {
            columns.push(series(&name(PAPER), numbers(&|value| Some(value.paper?.mean))));
            if values.iter().any(|value| value.paper.is_some_and(|paper| paper.deviation.is_some())) {
                columns.push(series(&name(PAPER_SD), numbers(&|value| value.paper?.deviation)));
            }
            columns.push(series(&name(DIFFERENCE), numbers(&CellValue::difference)));
            let within = values.iter().map(|value| value.within().map(Within::name));
            columns.push(series(&name(WITHIN), within.collect::<Vec<_>>()));
        }
        if values.iter().any(|value| !value.missing.is_empty()) {
            let missing = values.iter().map(|value| Some(value.missing.as_str()).filter(|missing| !missing.is_empty()));
            columns.push(series(&name(LACK), missing.collect::<Vec<_>>()));
        }
    }
    if table.rows.iter().any(|row| row.is_extra) {
        columns.push(series(EXTRA, table.rows.iter().map(|row| row.is_extra).collect::<Vec<bool>>()));
    }
    DataFrame::new(table.rows.len(), columns)
}

fn value(cell: &TableCell) -> &CellValue {
    const EMPTY: &CellValue =
        &CellValue { ours: None, paper: None, missing: String::new(), at_chance: false, is_best: false, row: None };
    match cell {
        TableCell::Value(value) => value,
        TableCell::Text(_) => EMPTY,
    }
}

fn series<T, Phantom: ?Sized>(name: &str, values: T) -> Column
where
    Series: NamedFrom<T, Phantom>,
{
    Series::new(name.into(), values).into()
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::example;
    use super::*;

    #[test]
    fn numbers_are_split_into_columns() {
        let mut table = example();
        table.columns.remove(1);
        table.rows.iter_mut().for_each(|row| drop(row.cells.remove(1)));
        let expected = "\
model,yeast2_mean,yeast2_sd,yeast2_n,yeast2_best,yeast2_paper,yeast2_paper_sd,yeast2_difference,yeast2_within,yeast2_lack,extra
A_B,,,0,false,0.77,0.02,,,5 of 5 failed,false
C|D,0.5,,1,false,,,,,,true
";
        assert_eq!(csv(&table).unwrap(), expected);
        assert_eq!(parquet(&table).unwrap(), parquet(&table).unwrap());
    }
}
