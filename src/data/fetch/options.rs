//! Options of fetching.

use std::time::Duration;

use super::mirror::Mirror;

/// Options of [`fetch`](super::fetch).
#[derive(Clone, Debug)]
pub struct FetchOptions {
    /// The source of the files.
    pub mirror: Mirror,
    /// The timeout of name resolution and connecting.
    pub connect_timeout: Duration,
    /// The timeout for the next bytes.
    pub stall_timeout: Duration,
    /// The maximum number of redirects per file.
    pub max_redirects: u32,
    /// The maximum number of attempts per file when the connection breaks.
    pub attempts: u32,
    /// The maximum size of a file whose size is not in the manifest.
    pub largest_unknown_file: u64,
}

impl Default for FetchOptions {
    fn default() -> Self {
        FetchOptions {
            mirror: Mirror::Published,
            connect_timeout: Duration::from_secs(20),
            stall_timeout: Duration::from_secs(30),
            max_redirects: 5,
            attempts: 3,
            largest_unknown_file: 1 << 28,
        }
    }
}
