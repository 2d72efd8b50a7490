//! Growth under an audit of the coverage it uses.

use super::{Fit, GrowOptions, Grower, Language, LanguageOptions, LeafFitter, Sample};
use crate::cover::{Audit, Audited, Bits, Coverage};
use crate::determinism::Stream;
use crate::kb::Example;
use crate::kb::sample::{self, constants};
use crate::logic::Literal;

mod stopping;

struct Mean;

impl LeafFitter for Mean {
    type Leaf = ();
    fn fit_root(&self, all: Sample<'_>, _: &mut Stream) -> Fit<()> {
        Fit { leaf: (), value: all.mean() }
    }
    fn fit(&self, yes: Sample<'_>, no: Sample<'_>, stream: &mut Stream) -> (Fit<()>, Fit<()>) {
        (self.fit_root(yes, stream), self.fit_root(no, stream))
    }
}

/// Grows a tree under an audit; before it, `spoil` may do something to the coverage.
fn grown_under_audit(spoil: impl Fn(&Coverage<'_>, &[Literal])) -> Result<Audited, String> {
    let text = "mode: h(+x). mode: p(+x). mode: q(+x, -y). mode: r(+y).
        p(a). p(b). q(a, u). q(c, u). q(d, v). r(u). h(X) :- p(X).";
    let (database, clauses, _) = sample::build(text, None);
    let (target, body) = &clauses[0];
    let example = |arg| Example { args: Box::new([arg]), positive: true, class: 0, weight: 1.0, line: 0 };
    let examples = constants(&database, ["a", "b", "c", "d"]).map(example);
    let audit = Audit::new(100, 1);
    let coverage = Coverage::new(&database, *target, &examples, 1 << 20).audited(Some(&audit));
    spoil(&coverage, body);
    let language = Language::new(&database, *target, LanguageOptions::default());
    let grower = Grower::new(&coverage, &language, GrowOptions::default());
    grower.grow(&Mean, &[1.0, 1.0, 0.0, -1.0], &Bits::ones(4), 1, 0);
    audit.check(&database, *target, &examples).map_err(|error| error.to_string())
}

#[test]
fn an_audit_of_right_answers_finds_nothing() {
    let audited = grown_under_audit(|_, _| {}).unwrap();
    // Each of true, p(A), q(A, B), q(A, B) with r(B), and p(A) with q(A, B) is about four examples.
    assert!(audited.conjunctions >= 5, "{audited:?}");
    assert!((2 * audited.conjunctions..=4 * audited.conjunctions).contains(&audited.answers), "{audited:?}");
}

#[test]
fn an_audit_finds_a_wrong_answer() {
    let message = grown_under_audit(|coverage, body| {
        // p covers a and b; the planted answer covers b only.
        coverage.plant(body, Bits::from_fn(4, |i| i == 1));
    });
    let message = message.unwrap_err();
    assert!(message.starts_with("audit: h(a) does not satisfy the conjunction `"), "{message}");
    assert!(message.contains("p(A)") && message.contains("in the join search and does in the naive"), "{message}");
}
