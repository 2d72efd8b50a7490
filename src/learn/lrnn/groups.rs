//! Latent groups of constants, by their properties.
//!
//! The templates of the original describe entities by soft clusters: a latent predicate with one
//! weighted rule per property. A learned clause then counts as much as the groups of the constants
//! in its groundings, which facts alone cannot express.

use super::template::{Template, TemplateRule};
use crate::determinism::IndexSet;
use crate::kb::{Database, Mode, TypeId};
use crate::learn::clauses::Clause;
use crate::logic::rename;
use crate::logic::{Argument, Literal, PredicateId, SymbolTableFull, Variable};

/// Maximum number of constants of a `#` argument that are properties.
const MAX_CONSTANTS: usize = 20;

/// Adds `groups` latent predicates for each type of the variables of clauses, and for each clause,
/// variable and group a rule that also requires the group.
///
/// # Errors
/// If the table of constants is full.
pub(super) fn add_groups(
    template: &mut Template,
    clauses: &[Clause],
    database: &Database,
    target: PredicateId,
    groups: usize,
) -> Result<(), SymbolTableFull> {
    let mut latent: IndexSet<(TypeId, usize)> = IndexSet::default();
    for clause in clauses {
        let body = intern(template, &clause.body, database)?;
        for (variable, type_id) in typed_variables(clause, database, target) {
            // A type without properties has no groups.
            if properties(database, target, type_id).is_empty() {
                continue;
            }
            for group in 0..groups {
                latent.insert((type_id, group));
                let predicate = group_predicate(template, database, type_id, group);
                let member = Literal::new(predicate, vec![Argument::Variable(variable)]);
                let body = body.iter().cloned().chain([member]).collect();
                template.push(TemplateRule { head: template.target(), body, weight: None });
            }
        }
    }
    for (type_id, group) in latent {
        let head = group_predicate(template, database, type_id, group);
        for property in properties(database, target, type_id) {
            let body = intern(template, &[property], database)?;
            template.push(TemplateRule { head, body, weight: None });
        }
    }
    Ok(())
}

/// Returns literals over the names of the template.
fn intern(template: &mut Template, body: &[Literal], database: &Database) -> Result<Vec<Literal>, SymbolTableFull> {
    let Template { predicates, symbols, .. } = template;
    body.iter().map(|literal| rename::intern(literal, database.names(), predicates, symbols)).collect()
}

/// Returns the latent predicate of a group; no predicate of the database has its name.
fn group_predicate(template: &mut Template, database: &Database, type_id: TypeId, group: usize) -> PredicateId {
    let mut name = format!("group{}_{}", group + 1, database.schema.type_name(type_id));
    while database.predicates.find(&name, 1).is_some() {
        name.push('_');
    }
    template.predicates.intern(&name, 1)
}

/// Returns the variables of a clause with their types, those of the head first.
fn typed_variables(clause: &Clause, database: &Database, target: PredicateId) -> Vec<(Variable, TypeId)> {
    let mut found: Vec<(Variable, TypeId)> = Vec::new();
    let head = database.schema.argument_types(target).unwrap_or_default();
    found.extend((0u32..).zip(head).map(|(k, &type_id)| (Variable(k), type_id)));
    for literal in &clause.body {
        let types = database.schema.argument_types(literal.predicate).unwrap_or_default();
        for (argument, &type_id) in literal.args.iter().zip(types) {
            if let Argument::Variable(variable) = *argument
                && found.iter().all(|&(known, _)| known != variable)
            {
                found.push((variable, type_id));
            }
        }
    }
    found
}

/// Returns the properties of constants of a type as literals whose first variable is the constant:
/// one for each argument of the type, or one for each constant of a `#` argument beside it.
fn properties(database: &Database, target: PredicateId, type_id: TypeId) -> Vec<Literal> {
    let for_target = |mode: &&Mode| mode.target.is_none_or(|only| only == target);
    let usable = |mode: &&Mode| mode.predicate != target && mode.predicate.comparison().is_none() && for_target(mode);
    let mut found: IndexSet<Literal> = IndexSet::default();
    for mode in database.schema.modes().iter().filter(usable) {
        let is_constant = |k: usize| mode.args[k].symbol.may_be_constant();
        for at in (0..mode.args.len()).filter(|&k| mode.args[k].type_id == type_id && !is_constant(k)) {
            // Other arguments are new variables.
            let variable = |k: usize| Argument::Variable(Variable(if k == at { 0 } else { k as u32 + 1 }));
            let general = || (0..mode.args.len()).map(variable).collect::<Vec<_>>();
            match (0..mode.args.len()).find(|&k| is_constant(k)) {
                None => {
                    found.insert(Literal::new(mode.predicate, general()));
                }
                Some(k) => {
                    let constants = database.facts.relation(mode.predicate).values(k);
                    for constant in constants.into_iter().take(MAX_CONSTANTS) {
                        let mut args = general();
                        args[k] = Argument::Constant(constant);
                        found.insert(Literal::new(mode.predicate, args));
                    }
                }
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::Coverage;
    use crate::kb::{Example, sample};
    use crate::learn::lrnn::net::Family;
    use crate::learn::lrnn::unroll::unroll;

    const MOLECULES: &str = "mode: toxic(+molecule). mode: has(+molecule, -atom). mode: element(+atom, #element).
        mode: bond(+atom, -atom). has(m1, a1). has(m1, a2). has(m2, b1). has(m2, b2). has(m3, c1).
        element(a1, oxygen). element(a2, carbon). element(b1, carbon). element(b2, carbon). element(c1, carbon).
        bond(a1, a2). bond(b1, b2). toxic(A) :- has(A, B).";

    #[test]
    fn groups_make_groundings_of_a_clause_differ() {
        let (database, clauses, _) = sample::build(MOLECULES, None);
        let (target, body) = clauses[0].clone();
        let clauses = [Clause { body, positives: 1, negatives: 0 }];
        let molecules = sample::constants(&database, ["m1", "m2", "m3"]);
        let example = |arg| Example { args: Box::new([arg]), positive: true, class: 0, weight: 1.0, line: 0 };
        let examples = molecules.map(example);
        let coverage = Coverage::new(&database, target, &examples, 1 << 20);
        let of = |groups| {
            let mut template = Template::from_clauses(&clauses, &database, target).unwrap();
            add_groups(&mut template, &clauses, &database, target, groups).unwrap();
            assert_eq!(template.check(), Ok(()));
            let unrolled = unroll(&template, &coverage, Family::Max, 100);
            (template, unrolled.nets().len())
        };
        // The clause covers all molecules, so its network is the same for all.
        assert_eq!(of(0).1, 1);
        // Oxygen sets the first molecule apart, the missing bond the third.
        let (template, nets) = of(1);
        assert_eq!(nets, 3);
        let shown: Vec<String> = template.rules[2..].iter().map(|rule| template.show(rule)).collect();
        assert_eq!(
            shown,
            [
                "toxic(A) :- has(A, B), group1_molecule(A).",
                "toxic(A) :- has(A, B), group1_atom(B).",
                "group1_molecule(A) :- has(A, C).",
                "group1_atom(A) :- has(B, A).",
                "group1_atom(A) :- element(A, oxygen).",
                "group1_atom(A) :- element(A, carbon).",
                "group1_atom(A) :- bond(A, C).",
                "group1_atom(A) :- bond(B, A).",
            ]
        );
        assert_eq!(of(2).0.rules.len(), 2 + 2 * shown.len());
    }
}
