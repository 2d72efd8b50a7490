//! Links from the page to the files of jobs.

use std::path::{Component, Path};

/// The way from one directory to another as a link, with a slash at its end unless they are the same.
pub fn relative(from: &Path, to: &Path) -> String {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (from, to) = (whole(from), whole(to));
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut link = "../".repeat(from.len() - shared);
    for component in &to[shared..] {
        link.push_str(&encoded(&component.as_os_str().to_string_lossy()));
        link.push('/');
    }
    link
}

/// A path below a directory as a link.
pub fn below(path: &Path) -> String {
    let parts: Vec<String> = path.components().map(|part| encoded(&part.as_os_str().to_string_lossy())).collect();
    parts.join("/")
}

/// A name as a part of a link.
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
    fn ways_between_directories() {
        let at = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(at("/no/such/run", "/no/such/run"), "");
        assert_eq!(at("/no/such/report", "/no/such/a run"), "../a%20run/");
        assert_eq!(at("/no", "/no/such"), "such/");
        assert_eq!(below(Path::new("jobs/a#b/fold1")), "jobs/a%23b/fold1");
    }
}
