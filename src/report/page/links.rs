//! Links from the page to the files of jobs.

use std::path::{Component, Path};

/// Returns the relative link from one directory to another, ending in a slash unless they are
/// equal.
pub fn relative(from: &Path, to: &Path) -> String {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (from, to) = (canonical(from), canonical(to));
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut link = "../".repeat(from.len() - shared);
    for component in &to[shared..] {
        link.push_str(&encoded(&component.as_os_str().to_string_lossy()));
        link.push('/');
    }
    link
}

/// Returns a relative path as a link.
pub fn below(path: &Path) -> String {
    let parts: Vec<String> = path.components().map(|part| encoded(&part.as_os_str().to_string_lossy())).collect();
    parts.join("/")
}

/// Percent-encodes a path component.
fn encoded(name: &str) -> String {
    let mut link = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~,=+".contains(&byte) {
            link.push(char::from(byte));
        } else {
            link.push_str(&format!("%{byte:02X}"));
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_between_directories() {
        let at = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(at("/no/such/run", "/no/such/run"), "");
        assert_eq!(at("/no/such/report", "/no/such/a run"), "../a%20run/");
        assert_eq!(at("/no", "/no/such"), "such/");
        assert_eq!(below(Path::new("jobs/a#b/fold1")), "jobs/a%23b/fold1");
    }
}
