//! The class of an example, written as the last argument of its target: taken away when data are read, so that nothing can see it.

use std::sync::Arc;

use super::dataset::Pools;
use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::kb::classes::sort_names;
use crate::kb::{Classes, DatabaseBuilder, Example};
use crate::logic::{Constant, Diagnostic, Diagnostics, PredicateId, ValueLimit};

/// Whether the last argument of a target is the class of its examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassLabels {
    /// If a mode of the target says so, as in `mode: collaborated(+person,+person,#level!1).`, and no example is negative.
    #[default]
    AsMarked,
    /// It is not.
    Never,
    /// It is.
    Always,
    /// It is made so, for data whose target holds or does not: negatives are left out, and so are examples with several values there.
    /// Modes that take the class from the target take any constant instead.
    Made {
        /// How many examples a class has at least; those of rarer ones are left out.
        least: usize,
    },
}

/// Examples without their classes.
pub(super) struct Parted {
    /// The target without the class.
    pub target: PredicateId,
    /// The examples without it.
    pub examples: Vec<Example>,
    /// What the classes are.
    pub classes: Classes,
}

impl ClassLabels {
    fn is_made(self) -> bool {
        matches!(self, ClassLabels::Made { .. })
    }

    fn apply(self, builder: &DatabaseBuilder, target: PredicateId, examples: &[Example]) -> bool {
        let one = |limit: ValueLimit| matches!(limit, ValueLimit::Exactly(1) | ValueLimit::AtMost(1));
        let mut modes = builder.schema.modes_of(target);
        let mut marked = || modes.any(|mode| mode.args.last().is_some_and(|slot| slot.limit.is_some_and(one)));
        // Without any other argument there is nothing that has the class.
        builder.predicates.arity(target) > 1
            && match self {
                ClassLabels::AsMarked => marked() && examples.iter().all(|example| example.positive),
                ClassLabels::Never => false,
                ClassLabels::Always | ClassLabels::Made { .. } => true,
            }
    }

    /// Takes the classes away from a target, if its last argument is one; `None` if it is not.
    pub(super) fn part(
        self,
        builder: &mut DatabaseBuilder,
        target: PredicateId,
        examples: &[Example],
        diagnostics: &mut Diagnostics,
    ) -> Option<Parted> {
        if !self.apply(builder, target, examples) {
            return None;
        }
        let (name, arity) = (builder.predicates.name(target).to_owned(), builder.predicates.arity(target));
        let negatives = examples.iter().filter(|example| !example.positive).count();
        if negatives > 0 && self == ClassLabels::Always {
            let message =
                format!("{negatives} examples of {name}/{arity} are negative, and its last argument is a class");
            let help = "write every example with its class among the positives";
            diagnostics.push(Diagnostic::error("negative-of-class", message, help));
        }
        let mut kept: Vec<Example> = examples.iter().filter(|example| example.positive).cloned().collect();
        self.without_several(builder, &name, &mut kept, diagnostics);
        self.without_rare(builder, &name, &mut kept, diagnostics);
        let class = |example: &Example| example.args.last().copied();
        let show = |constant: Constant| builder.symbols.show(constant).to_string();
        let mut names: Vec<String> = kept.iter().filter_map(class).map(show).collect();
        sort_names(&mut names);
        let number: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
        for example in &mut kept {
            let own = example.args.last().map(|&constant| show(constant)).unwrap_or_default();
            example.class = number.get(&own).copied().unwrap_or_default();
            example.args = example.args[..arity - 1].into();
        }
        let parted = builder.predicates.intern(&name, arity - 1);
        builder.schema.take_class(target, parted, self.is_made());
        Some(Parted { target: parted, examples: kept, classes: Classes { target: parted, labelled: target, names } })
    }

    /// An example is of one class. What has several is an error, or is left out where classes are made.
    fn without_several(
        self,
        builder: &DatabaseBuilder,
        name: &str,
        examples: &mut Vec<Example>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut first: HashMap<Box<[Constant]>, Example> = HashMap::default();
        let mut several: HashSet<Box<[Constant]>> = HashSet::default();
        let show = |args: &[Constant]| -> String {
            let args: Vec<String> = args.iter().map(|&constant| builder.symbols.show(constant).to_string()).collect();
            format!("{name}({})", args.join(", "))
        };
        for example in examples.iter() {
            let (Some(class), Some(own)) = (example.args.last(), example.args.get(..example.args.len() - 1)) else {
                continue;
            };
            match first.get(own) {
                Some(known) if known.args.last() != Some(class) => {
                    if !self.is_made() {
                        let message = format!(
                            "{} in line {} and {} in line {} of the positives are of two classes",
                            show(&known.args),
                            known.line,
                            show(&example.args),
                            example.line
                        );
                        diagnostics.push(Diagnostic::error("two-classes", message, "delete one of the two"));
                    }
                    several.insert(own.into());
                }
                Some(_) => {}
                None => {
                    first.insert(own.into(), example.clone());
                }
            }
        }
        if self.is_made() && !several.is_empty() {
            let before = examples.len();
            examples.retain(|example| !several.contains(&example.args[..example.args.len() - 1]));
            let lost = before - examples.len();
            let message =
                format!("{lost} examples of {name} are left out, since what they are about is of several classes");
            let help = "an example is of one class; without `classes = true` all are there";
            diagnostics.push(Diagnostic::warning("several-classes", message, help).about(name));
        }
    }
}

impl ClassLabels {
    /// Where classes are made, those with too few examples are left out.
    fn without_rare(
        self,
        builder: &DatabaseBuilder,
        name: &str,
        examples: &mut Vec<Example>,
        diagnostics: &mut Diagnostics,
    ) {
        let ClassLabels::Made { least } = self else { return };
        let mut counts: IndexMap<Constant, usize> = IndexMap::default();
        for class in examples.iter().filter_map(|example| example.args.last()) {
            *counts.entry(*class).or_default() += 1;
        }
        counts.retain(|_, count| *count < least);
        if counts.is_empty() {
            return;
        }
        let before = examples.len();
        examples.retain(|example| example.args.last().is_none_or(|class| !counts.contains_key(class)));
        let mut rare: Vec<String> = counts.keys().map(|&class| builder.symbols.show(class).to_string()).collect();
        sort_names(&mut rare);
        let (lost, rare) = (before - examples.len(), rare.join(", "));
        let message = format!("{lost} examples of {name} are left out, since fewer than {least} are of class {rare}");
        diagnostics.push(Diagnostic::warning("rare-classes", message, "lower class_size to keep them").about(name));
    }
}

/// Makes the classes of all rooms the same, in the same order.
pub(super) fn unify(rooms: &mut Pools) {
    let Pools::Given(folds) = rooms else { return };
    let mut names: Vec<String> = Vec::new();
    for room in folds.iter().flatten() {
        names.extend(room.database.classes.iter().flat_map(|classes| classes.names.iter().cloned()));
    }
    sort_names(&mut names);
    for room in folds.iter_mut().flatten() {
        let Some(own) = room.database.classes.as_ref().map(|classes| classes.names.clone()) else { continue };
        let place = |name: &String| names.iter().position(|known| known == name).unwrap_or_default() as u32;
        let places: Vec<u32> = own.iter().map(place).collect();
        for example in &mut room.positives {
            example.class = places[example.class as usize];
        }
        if let Some(classes) = &mut Arc::make_mut(&mut room.database).classes {
            classes.names.clone_from(&names);
        }
    }
}
