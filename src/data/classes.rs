//! The class of an example, given as the last argument of its target and separated on loading so
//! that nothing else can see it.

use crate::determinism::{HashMap, HashSet, IndexMap};
use crate::kb::classes::sort_names;
use crate::kb::{Classes, DatabaseBuilder, Example};
use crate::logic::nearest::did_you_mean;
use crate::logic::{Constant, Diagnostic, Diagnostics, PredicateId, ValueLimit};

/// The use of the last argument of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassLabels {
    /// It is the class if a mode of the target marks it, as in `mode:
    /// collaborated(+person,+person,#level!1).`, and no example is negative.
    #[default]
    AsMarked,
    /// It is never the class.
    Never,
    /// It is always the class.
    Always,
    /// It becomes the class of a binary target: negatives are dropped, and so are examples with
    /// several values there. Modes that take the class from the target take any constant instead.
    Derived {
        /// The minimum number of examples of a class; examples of smaller classes are dropped.
        min_size: usize,
    },
}

/// Examples separated from their classes.
pub(super) struct ClassExamples {
    /// The target without the class.
    pub target: PredicateId,
    /// The examples without the class argument.
    pub examples: Vec<Example>,
    /// The classes.
    pub classes: Classes,
}

impl ClassLabels {
    fn is_derived(self) -> bool {
        matches!(self, ClassLabels::Derived { .. })
    }

    fn applies(self, builder: &DatabaseBuilder, target: PredicateId, examples: &[Example]) -> bool {
        let one = |limit: ValueLimit| matches!(limit, ValueLimit::Exactly(1) | ValueLimit::AtMost(1));
        let mut modes = builder.schema.modes_of(target);
        let mut marked = || modes.any(|mode| mode.args.last().is_some_and(|slot| slot.limit.is_some_and(one)));
        // Without another argument there is no entity that has the class.
        builder.predicates.arity(target) > 1
            && match self {
                ClassLabels::AsMarked => marked() && examples.iter().all(|example| example.positive),
                ClassLabels::Never => false,
                ClassLabels::Always | ClassLabels::Derived { .. } => true,
            }
    }

    /// Separates the classes from the examples of a target; returns `None` if its last argument is
    /// not a class.
    pub(super) fn separate(
        self,
        builder: &mut DatabaseBuilder,
        target: PredicateId,
        examples: &[Example],
        diagnostics: &mut Diagnostics,
    ) -> Option<ClassExamples> {
        if !self.applies(builder, target, examples) {
            return None;
        }
        let (name, arity) = (builder.predicates.name(target).to_owned(), builder.predicates.arity(target));
        let negatives = examples.iter().filter(|example| !example.positive).count();
        if negatives > 0 && self == ClassLabels::Always {
            let message =
                format!("{negatives} examples of {name}/{arity} are negative although its last argument is a class");
            let help = "list every example with its class among the positives";
            diagnostics.push(Diagnostic::error("negative-of-class", message, help));
        }
        let mut kept: Vec<Example> = examples.iter().filter(|example| example.positive).cloned().collect();
        self.drop_ambiguous(builder, &name, &mut kept, diagnostics);
        self.drop_rare(builder, &name, &mut kept, diagnostics);
        match looks_like_regression(builder, &name, &kept) {
            Some(warning) => diagnostics.push(warning),
            None => diagnostics.extend(single_examples(builder, &name, &kept)),
        }
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
        let without_class = builder.predicates.intern(&name, arity - 1);
        builder.schema.drop_class_argument(target, without_class, self.is_derived());
        let classes = Classes { target: without_class, labelled: target, names };
        Some(ClassExamples { target: without_class, examples: kept, classes })
    }

    /// Handles entities with several classes: an error, or dropped if classes are derived.
    fn drop_ambiguous(
        self,
        builder: &DatabaseBuilder,
        name: &str,
        examples: &mut Vec<Example>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut first: HashMap<Box<[Constant]>, Example> = HashMap::default();
        let mut ambiguous: HashSet<Box<[Constant]>> = HashSet::default();
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
                    if !self.is_derived() {
                        let message = format!(
                            "{} in line {} and {} in line {} of the positives have different classes",
                            show(&known.args),
                            known.line,
                            show(&example.args),
                            example.line
                        );
                        diagnostics.push(Diagnostic::error("two-classes", message, "delete one of the two"));
                    }
                    ambiguous.insert(own.into());
                }
                Some(_) => {}
                None => {
                    first.insert(own.into(), example.clone());
                }
            }
        }
        if self.is_derived() && !ambiguous.is_empty() {
            let before = examples.len();
            examples.retain(|example| !ambiguous.contains(&example.args[..example.args.len() - 1]));
            let dropped = before - examples.len();
            let message = format!(
                "{dropped} examples of {name} are dropped, since their other arguments occur with several classes"
            );
            let help = "an example has one class; omit `classes = true` to keep all examples";
            diagnostics.push(Diagnostic::warning("several-classes", message, help).about(name));
        }
    }
}

/// Minimum number of examples for a guess about their classes.
const MIN_GUESS: usize = 10;

/// Warns about classes that are numbers, nearly as many as examples.
fn looks_like_regression(builder: &DatabaseBuilder, name: &str, examples: &[Example]) -> Option<Diagnostic> {
    let classes: HashSet<Constant> = examples.iter().filter_map(|example| example.args.last().copied()).collect();
    let are_numbers = classes.iter().all(|&class| builder.symbols.number(class).is_some());
    let is_suspect = examples.len() >= MIN_GUESS && classes.len() * 2 > examples.len() && are_numbers;
    is_suspect.then(|| {
        let message = format!(
            "{} examples of {name} have {} numbers as classes: this looks like regression, which is not supported",
            examples.len(),
            classes.len()
        );
        Diagnostic::warning("regression", message, "replace the numbers by a few named ranges").about(name)
    })
}

/// Returns the number of examples of each class.
fn class_sizes(examples: &[Example]) -> IndexMap<Constant, usize> {
    let mut sizes: IndexMap<Constant, usize> = IndexMap::default();
    for class in examples.iter().filter_map(|example| example.args.last()) {
        *sizes.entry(*class).or_default() += 1;
    }
    sizes
}

/// Warns about classes of one example, which are often misspelt.
fn single_examples(builder: &DatabaseBuilder, name: &str, examples: &[Example]) -> Diagnostics {
    let mut found = Diagnostics::default();
    if examples.len() < MIN_GUESS {
        return found;
    }
    let counts = class_sizes(examples);
    let names = |is_single: bool| -> Vec<String> {
        let chosen = counts.iter().filter(|&(_, &count)| (count == 1) == is_single);
        chosen.map(|(&class, _)| builder.symbols.show(class).to_string()).collect()
    };
    let (singles, others) = (names(true), names(false));
    for class in singles {
        let message = format!("only 1 of {} examples of {name} has class {class}", examples.len());
        let near = did_you_mean(&class, others.iter().map(String::as_str));
        let help = format!("{near}a class needs examples both to learn from and to test with");
        found.push(Diagnostic::warning("single-example", message, help).about(class));
    }
    found
}

impl ClassLabels {
    /// Drops the examples of derived classes that are too small.
    fn drop_rare(
        self,
        builder: &DatabaseBuilder,
        name: &str,
        examples: &mut Vec<Example>,
        diagnostics: &mut Diagnostics,
    ) {
        let ClassLabels::Derived { min_size } = self else { return };
        let mut counts = class_sizes(examples);
        counts.retain(|_, count| *count < min_size);
        if counts.is_empty() {
            return;
        }
        let before = examples.len();
        examples.retain(|example| example.args.last().is_none_or(|class| !counts.contains_key(class)));
        let mut rare: Vec<String> = counts.keys().map(|&class| builder.symbols.show(class).to_string()).collect();
        sort_names(&mut rare);
        let (dropped, rare) = (before - examples.len(), rare.join(", "));
        let message =
            format!("{dropped} examples of {name} are dropped, since fewer than {min_size} have class {rare}");
        diagnostics.push(Diagnostic::warning("rare-classes", message, "lower class_size to keep them").about(name));
    }
}
