//! The source of published files: their own addresses, a mirror address, or a mirror directory.

use std::path::PathBuf;

use super::error::FetchError;
use crate::data::manifest::{SourceFile, SourceRepository};

/// The environment variable for the mirror.
pub const MIRROR_VARIABLE: &str = "LRBM_MIRROR";

/// The source of published files. A mirror holds them at `<owner>/<repository>/<commit>/<path>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mirror {
    /// The addresses at which the files are published.
    #[default]
    Published,
    /// An http or https address.
    Web(String),
    /// A directory.
    Directory(PathBuf),
}

impl Mirror {
    /// Parses an address that starts with `http://` or `https://`, or an existing directory.
    pub fn parse(given: &str) -> Result<Mirror, FetchError> {
        let reject = |reason: &str| FetchError::Mirror { given: given.to_owned(), reason: reason.to_owned() };
        if let Some((scheme, rest)) = given.split_once("://") {
            let scheme = scheme.to_ascii_lowercase();
            if scheme != "http" && scheme != "https" {
                return Err(reject("only http and https are supported"));
            }
            let address = format!("{scheme}://{}", rest.trim_end_matches('/'));
            let host = address.parse::<ureq::http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
            if host.is_none_or(|host| host.is_empty()) || address.contains(['?', '#']) {
                return Err(reject("it is not the address of a directory on a host"));
            }
            return Ok(Mirror::Web(address));
        }
        let directory = PathBuf::from(given);
        if !directory.is_dir() {
            return Err(reject("there is no such directory"));
        }
        Ok(Mirror::Directory(directory))
    }

    /// Returns the default: `LRBM_MIRROR`, or the published addresses.
    pub fn from_environment() -> Result<Mirror, FetchError> {
        match std::env::var(MIRROR_VARIABLE) {
            Ok(given) if !given.is_empty() => Mirror::parse(&given),
            _ => Ok(Mirror::Published),
        }
    }

    /// Returns the address or path of a file.
    pub fn locate(&self, source: &SourceRepository, file: &SourceFile) -> String {
        match self {
            Mirror::Published => percent_encoded(&source.address(file)),
            Mirror::Web(address) => format!("{address}/{}", percent_encoded(&source.mirror_path(file))),
            Mirror::Directory(directory) => directory.join(source.mirror_path(file)).display().to_string(),
        }
    }
}

/// Percent-encodes an address.
fn percent_encoded(address: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/:".contains(&b);
    address.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Returns whether an address refers to the local host.
pub(super) fn is_loopback(address: &str) -> bool {
    let uri = address.parse::<ureq::http::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or("").trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
