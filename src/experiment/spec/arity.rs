//! The arity of single models.

use super::diagnostic::SpecDiagnostic;
use super::raw::Item;

/// Reports models with an arity of their own where that has no effect.
pub fn check(items: &[Item], is_varied: bool, diagnostics: &mut Vec<SpecDiagnostic>) {
    for (i, table) in items.iter().enumerate().filter_map(|(i, item)| Some((i, item.table()?))) {
        let Some(arity) = table.get("arity") else { continue };
        let reason = if table.contains_key("from") {
            "a model with `from` inherits the arity of its ensemble; remove this key"
        } else if is_varied {
            "varied by the sweep or the multiverse: a model cannot set its own value"
        } else {
            continue;
        };
        let path = format!("model[{i}].arity");
        diagnostics.push(SpecDiagnostic::new(&arity.place, path, reason).with(arity.value.inline()));
    }
}
