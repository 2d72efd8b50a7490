//! `--only`: selection of jobs.

use lrbm::internal::experiment::JobFilter;

use crate::lab::{experiment, jobs, shipped};

/// Number of selected jobs of `table2`, or the error message.
fn count(expressions: &[&str]) -> Result<usize, String> {
    let experiment = experiment(&shipped("table2.toml"));
    let expressions: Vec<String> = expressions.iter().map(|text| (*text).to_owned()).collect();
    let only = JobFilter::parse(&expressions, &experiment).map_err(|error| error.to_string())?;
    Ok(jobs(&experiment).iter().filter(|job| only.matches(job)).count())
}

#[test]
fn conditions_select_jobs() {
    // 3 models × 2 presets × 5 folds, times 10 seeds of 5 datasets and 1 seed of 2
    for (expressions, expected) in [
        (&[][..], 1560),
        (&["dataset=imdb,fold=1"], 60),
        (&["dataset = IMDB , fold=1"], 60),
        (&["model~boost"], 1040),
        (&["model~noboost"], 520),
        (&["model=lrbm-boost"], 520),
        (&["kind=lrbm-boost,preset=paper"], 260),
        (&["dataset=imdb|cora,model!~boost"], 200),
        (&["fold!=1|2,preset!=paper"], 468),
        (&["dataset=imdb", "dataset=cora,fold=1"], 360),
        (&["case="], 1560),
        (&["dataset=imdb,fold=1,seed=20200120"], 6),
        (&["dataset=movies"], 0),
    ] {
        assert_eq!(count(expressions), Ok(expected), "{expressions:?}");
    }
}

#[test]
fn invalid_conditions_are_reported() {
    assert_eq!(
        count(&["datset=imdb"]),
        Err("--only datset=imdb: unknown column `datset`: did you mean `dataset`? expected one of dataset, model, kind, \
             preset, case, fold, seed"
            .to_owned())
    );
    assert_eq!(
        count(&["dataset=imdb,fold"]),
        Err("--only dataset=imdb,fold: `fold` has no operator; write a condition such as `dataset=imdb` or `model~boost`"
            .to_owned())
    );
    assert_eq!(
        count(&["model~"]),
        Err("--only model~: `model` has no value; write a condition such as `model=…`".to_owned())
    );
}

#[test]
fn swept_parameters_are_columns() {
    let experiment = experiment(&shipped("ablation-trees.toml"));
    let only = JobFilter::parse(&["trees=5,dataset=imdb".to_owned()], &experiment).unwrap();
    assert_eq!(jobs(&experiment).iter().filter(|job| only.matches(job)).count(), 2 * 5 * 3);
    let only = JobFilter::parse(&["trees=6".to_owned()], &experiment).unwrap();
    let jobs = jobs(&experiment);
    assert_eq!(only.hint(jobs.iter()).unwrap(), "trees is `1`, `2`, `5`, `10`, `20`, `40`, `80`");
}
