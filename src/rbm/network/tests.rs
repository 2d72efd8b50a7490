//! The network of the paper's running example.

use super::hidden::{Hidden, equal_shares, inverse_softplus};
use super::model::{Network, Size};
use super::rule::Rule;
use crate::kb::sample;
use crate::math::softplus;

/// The rules h₁, h₂ and h₃ of the paper's running example.
pub(super) const CLAUSES: &str = r"
    collab(P1, P2) :- directedBy(M1, P1), inGenre(M1, G1), actedIn(P2, M2), inGenre(M2, G2), \+ sameGenre(G1, G2).
    collab(P1, P2) :- directedBy(M1, P1), actedIn(P3, M1), samePerson(P3, P2).
    collab(P1, P2) :- actedIn(P1, M), actedIn(P2, M).
";

/// A clause that declares the target in a database.
pub(super) const QUERY: &str = "collab(P1, P2) :- actedIn(P1, M).";

/// The network of the running example: four classes, where h₁ supports the first, h₂ the second and
/// h₃ the last. No weight is 0, so that each matters.
pub(super) fn network() -> Network {
    let (database, clauses, _) = sample::build(CLAUSES, None);
    let classes = ["0", "1", "2", "3"].map(str::to_owned).to_vec();
    let mut network = Network::new(("collab", 2), classes, vec![0.1, -0.2, -0.1, 0.05], "by hand");
    for (j, (class, (_, body))) in [0, 1, 3].into_iter().zip(clauses).enumerate() {
        let rule = network.adopt(&Rule::new(body, Vec::new(), 2), database.names()).unwrap();
        let w = rule.predicates().iter().enumerate().map(|(k, _)| 3.4 + 0.1 * k as f64).collect();
        let u = (0..4).map(|y| if y == class { 2.0 } else { -0.5 - 0.1 * f64::from(y) }).collect();
        network.push(Hidden { rule, c: -3.0 - 0.1 * j as f64, w, u, dropped: 0 });
    }
    network
}

#[test]
fn the_running_example_has_the_edges_of_the_paper() {
    let network = network();
    assert_eq!(network.size(), Size { visible: 5, hidden: 3, classes: 4, literals: 10, edges: 8 });
    assert!((network.size().density() - 8.0 / 15.0).abs() < 1e-15);
    let of = |j: usize| -> Vec<&str> {
        let node: &Hidden = &network.hidden()[j];
        node.rule.predicates().iter().map(|&id| network.names().predicates.name(id)).collect()
    };
    // The paper describes the edges of h₁ (to f₁, f₂, f₃ and f₅) and of h₃ (to f₂ only).
    assert_eq!(of(0), ["directedBy", "inGenre", "actedIn", "sameGenre"]);
    assert_eq!(of(1), ["directedBy", "actedIn", "samePerson"]);
    assert_eq!(of(2), ["actedIn"]);
    assert!(network.hidden().iter().all(|node| node.u.len() == 4), "every rule is connected to every class");
}

#[test]
fn equal_shares_sum_exactly() {
    for parts in 1..12 {
        let equal_shares = equal_shares(61.0, parts);
        assert_eq!(equal_shares.len(), parts);
        assert_eq!(equal_shares.iter().sum::<f64>(), 61.0);
        assert!(equal_shares.iter().all(|&share| (share - 61.0 / parts as f64).abs() < 1e-4));
    }
    assert!(equal_shares(61.0, 0).is_empty());
}

#[test]
fn an_indicator_has_its_contributions() {
    for contributions in [vec![0.0, 2.5], vec![3.0, 0.5], vec![0.0, 0.0], vec![1.0, -2.0, 0.25, 1.0], vec![-80.0, 80.0]]
    {
        let node = Hidden::indicator(Rule::default(), &contributions);
        let on = node.class_terms(true);
        for (a, b) in contributions.iter().zip(&on) {
            assert!(
                ((a - contributions[0]) - (b - on[0])).abs() < 1e-12 * (1.0 + a.abs()),
                "{contributions:?}: {on:?}"
            );
        }
    }
    // A single nonzero contribution v gives U = v for its class, −v for the others.
    assert_eq!(Hidden::indicator(Rule::default(), &[0.0, 0.0, 1.5]).u, [-1.5, -1.5, 1.5]);
    assert_eq!(Hidden::indicator(Rule::default(), &[0.0, -1.5]).u, [1.5, -1.5]);
}

#[test]
fn inverse_softplus_inverts_softplus() {
    for a in [-30.0, -2.0, 0.0, 1.0, 50.0] {
        assert!((inverse_softplus(softplus(a)) - a).abs() < 1e-9 * (1.0 + a.abs()), "{a}");
    }
}
