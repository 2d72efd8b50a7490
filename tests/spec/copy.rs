//! Parameters that a spec rejects beside `from` do not affect the distilled model.

use lrbm::internal::data::{embedded::load_domain, generate::Domain};
use lrbm::internal::learn::{
    Kind, Learner, LrbmExplainable, Model, Params, Resources, Task, Unchecked, parameters, train,
};

use crate::identity::another_value;
use crate::lab::{experiment, jobs, refusal};

fn spec(line: &str) -> String {
    format!(
        "name = \"x\"\ndatasets = [\"movies\"]\n[[model]]\nname = \"A\"\nkind = \"lrbm-boost\"\n[[model]]\nname = \"C\"\n\
         kind = \"lrbm-explainable\"\nfrom = \"A\"\n{line}\n"
    )
}

#[test]
fn ensemble_parameters_do_not_change_the_distilled_model() {
    let loaded = load_domain(Domain::Movies, &Domain::Movies.settings()).unwrap();
    let examples = &loaded.examples[..loaded.examples.len().min(300)];
    let task =
        Task { database: &loaded.database, target: loaded.target, examples, seed: 1, resources: Resources::default() };
    let params = Unchecked::new(Kind::LrbmBoost).spec("trees", 2).check().unwrap();
    let ensemble = train(Kind::LrbmBoost, task.database, task.target, examples, &params, 1, &mut |_| {}).unwrap();
    let ensemble = ensemble.into_trees().unwrap().model;
    let copy = |params: Params| {
        let learner = LrbmExplainable { params: params.typed().unwrap(), from: Some(ensemble.clone()) };
        let model = learner.fit(&task, &mut |_| {}).unwrap().model;
        model.score(task.database, task.target, examples).unwrap().scores
    };
    let plain = copy(Params::new(Kind::LrbmExplainable));
    let mut of_ensemble = 0;
    let of_kind = parameters().iter().filter(|key| key.kinds.contains(&Kind::LrbmExplainable));
    for key in of_kind.map(|key| key.entry).filter(|key| key.name != "seed") {
        let text = spec(&format!("{} = {}", key.name, another_value(key.name)));
        if lrbm::internal::experiment::Experiment::parse(&text, "spec.toml", &[]).is_ok() {
            assert_eq!(jobs(&experiment(&text)).len(), 10);
            continue;
        }
        assert!(
            refusal(&text, &[]).contains("this is a parameter of the ensemble; set it in the model `A`"),
            "{}",
            key.name
        );
        of_ensemble += 1;
        let changed = Unchecked::new(Kind::LrbmExplainable).spec(key.name, another_value(key.name)).check().unwrap();
        assert_eq!(copy(changed), plain, "{}", key.name);
    }
    assert!(of_ensemble >= 12, "{of_ensemble}");
}
