//! Explanations as a self-contained HTML page without scripts.

use minijinja::value::Serde;
use minijinja::{Environment, Value, context};

use crate::rbm::network::explain::{ExplanationView, of_example, signed};
use crate::report::html::format_visible;

const TEMPLATE: &str = include_str!("explanation/page.html");

impl ExplanationView {
    /// Renders the explanation as a page. The drawings are our own SVGs of the network, one for
    /// wide and one for narrow screens, whose texts are escaped already; everything else is
    /// escaped here.
    ///
    /// # Errors
    /// If the template is invalid, which no input can cause.
    pub fn to_html(&self, wide: &str, narrow: &str) -> Result<String, minijinja::Error> {
        let mut environment = Environment::new();
        environment.set_formatter(format_visible);
        // Templates named `*.html` are auto-escaped.
        environment.add_template("page.html", TEMPLATE)?;
        environment.add_filter("number", signed);
        environment.add_filter("example", |label: &str| of_example(label));
        environment.add_filter("chance", |value: f64| format!("{value:.6}"));
        environment.add_filter("small", |value: f64| format!("{value:.0e}"));
        let largest = self.rules.iter().map(|rule| rule.adds.abs()).fold(self.before.abs(), f64::max).max(1e-300);
        let share = move |value: f64| format!("{:.1}", 100.0 * value.abs() / largest);
        environment.add_filter("share", share);
        let page = environment.get_template("page.html")?;
        let [wide, narrow] = [wide, narrow].map(|drawing| Value::from_safe_string(drawing.to_owned()));
        page.render(context! { explanation => Serde(self), wide, narrow })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rbm::network::explain::{BindingView, ChangeView, ChangesView, ClassView, ConditionView, RuleView};

    const EVIL: &str = "\"</title><script>alert(1)</script>\"";

    #[test]
    fn names_are_escaped() {
        let binding = BindingView { variable: "A".into(), constant: EVIL.into() };
        let condition = ConditionView {
            holds: false,
            at_least: 1,
            found: 0,
            body: EVIL.into(),
            substitution: vec![binding.clone()],
            facts: vec![EVIL.into()],
        };
        let rule = RuleView {
            number: 1,
            adds: 1.0,
            clause: EVIL.into(),
            substitution: vec![binding],
            facts: vec![EVIL.into()],
            absent: vec![EVIL.into()],
            conditions: vec![ConditionView { holds: true, ..condition.clone() }, condition],
        };
        let change = ChangeView { change: "add", fact: EVIL.into(), decision: EVIL.into(), probability: 0.5 };
        let explanation = ExplanationView {
            format: "lrbm-explanation",
            version: 1,
            query: EVIL.into(),
            origin: EVIL.into(),
            decision: EVIL.into(),
            threshold: None,
            classes: vec![ClassView { name: EVIL.into(), probability: 1.0 }],
            psi: 1.0,
            compared: [EVIL.into(), EVIL.into()],
            model: None,
            example: Some(EVIL.into()),
            before: 0.0,
            rules: vec![rule],
            rules_in_all: 1,
            changes: ChangesView {
                found: vec![change.clone()],
                closest: Some(change),
                tried: 1,
                untried: 1,
                cut: true,
            },
        };
        let html = explanation.to_html("<svg><title>ours</title></svg>", "<svg/>").unwrap();
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("<svg><title>ours</title></svg>"), "{html}");
        assert_eq!(html.matches("</title>").count(), 2);
        // No external resources.
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("url("), "{html}");
    }
}
