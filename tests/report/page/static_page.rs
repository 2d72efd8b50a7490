//! The page as text: all links resolve, and names are escaped.

use std::collections::BTreeSet;

use super::lab::{HOSTILE, JOBS, Lab};

/// Returns the values of an attribute, unescaped.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let values = page.split(start.as_str()).skip(1).map(|rest| rest.split('"').next().unwrap());
    values.map(unescaped).collect()
}

fn unescaped(text: &str) -> String {
    let pairs = [("&#x2f;", "/"), ("&#x27;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (entity, c)| text.replace(entity, c))
}

fn percent_decoded(link: &str) -> String {
    let bytes = link.as_bytes();
    let (mut decoded, mut index) = (Vec::new(), 0);
    while index < bytes.len() {
        let code = link.get(index + 1..index + 3).filter(|_| bytes[index] == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                index += 3;
            }
            None => {
                decoded.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap()
}

#[test]
fn all_links_resolve() {
    let lab = Lab::run();
    for (out, args) in
        [("out", &["report", "out"][..]), ("elsewhere/deep", &["report", "out", "--out", "elsewhere/deep"])]
    {
        lab.lrbm_ok(args);
        let page = std::fs::read_to_string(lab.path(out).join("report.html")).unwrap();
        let ids = attributes(&page, "id");
        let known: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(known.len(), ids.len(), "an id stands twice");
        let links = attributes(&page, "href");
        assert!(links.iter().filter(|link| link.ends_with("/run.json")).count() == JOBS, "{links:?}");
        for link in links {
            match link.strip_prefix('#') {
                Some(id) => assert!(known.contains(&percent_decoded(id)), "#{id} is nowhere"),
                None => assert!(lab.path(out).join(percent_decoded(&link)).is_file(), "{link} is no file"),
            }
        }
        // Each number of a table links to its jobs.
        assert!(page.matches("href=\"#jobs-").count() >= 4 * 2 + 4 * 10);
    }
}

#[test]
fn names_are_escaped() {
    let lab = Lab::run();
    lab.lrbm_ok(&["report", "out", "--copy-to", "kept"]);
    let page = lab.page();
    assert_eq!(page.matches("<script").count(), 1, "only our own script");
    assert!(!page.contains("<img") && !page.contains("<b>anything"), "a name became an element");
    assert!(page.contains("&lt;script&gt;window.broken=1"), "the dataset has no name");
    // Own data: the target is known from its examples, and the paper is not mentioned.
    assert!(page.contains("<dt>target</dt><dd><code>happy</code></dd>"));
    assert!(!page.contains("Kaur") && !page.contains("paper's claims"), "{page}");
    // Also in the rules, where the constant occurs in a test.
    assert!(page.matches("window.broken=1").count() > 4);
    // No external resources; the only URLs are namespaces.
    for address in page.split("http").skip(1).filter(|rest| rest.starts_with("://") || rest.starts_with("s://")) {
        assert!(address.starts_with("://www.w3.org/"), "{}", &address[..60.min(address.len())]);
    }
    for name in ["README.md", "results.md"] {
        let text = std::fs::read_to_string(lab.path("kept").join(name)).unwrap();
        assert!(!text.contains(&format!(" {HOSTILE}")), "{name} lets a name through");
    }
}
