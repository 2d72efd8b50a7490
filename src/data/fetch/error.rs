//! Errors of fetching.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::archive::ArchiveError;
use crate::data::store::StoreError;
use crate::files::visible::{ShownPath, visible};

/// The error of fetching a dataset.
#[derive(Debug, Error)]
pub enum FetchError {
    /// A file could not be retrieved.
    #[error("dataset `{dataset}`: {file} from {}: {fault}", visible(.from))]
    File {
        /// The dataset.
        dataset: String,
        /// The file, as the manifest names it.
        file: String,
        /// The address or path of its source.
        from: String,
        /// The reason.
        fault: Box<FetchFault>,
    },
    /// An archive could not be unpacked.
    #[error("dataset `{dataset}`: {file}: {fault}")]
    Archive {
        /// The dataset.
        dataset: String,
        /// The archive, as the manifest names it.
        file: String,
        /// The reason.
        fault: ArchiveError,
    },
    /// The mirror is invalid.
    #[error("invalid mirror `{}`: {reason}; pass an http:// or https:// address, or a directory", visible(.given))]
    Mirror {
        /// The given value.
        given: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The data directory could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why a file could not be retrieved.
#[derive(Debug, Error)]
pub enum FetchFault {
    /// The server returned an error status.
    #[error("the server returned status {status}: {}", advice(*status))]
    Status {
        /// The HTTP status.
        status: u16,
    },
    /// The limit on redirects was exceeded.
    #[error("more than {limit} redirects; check the address, or pass another mirror with --mirror")]
    RedirectLoop {
        /// The maximum number of redirects.
        limit: u32,
    },
    /// The server could not be reached.
    #[error("cannot reach the server: {reason}; check the network, or pass another mirror with --mirror")]
    Unreachable {
        /// The reason.
        reason: String,
    },
    /// The response is not valid HTTP.
    #[error("invalid response: {reason}; pass another mirror with --mirror")]
    InvalidResponse {
        /// What is wrong with it.
        reason: String,
    },
    /// The connection ended early; the received bytes are kept.
    #[error("the connection ended after {received} of {} bytes; fetch again to resume", expected.map_or_else(|| "unknown".to_owned(), |n| n.to_string()))]
    CutOff {
        /// The number of bytes present.
        received: u64,
        /// The expected size in bytes.
        expected: Option<u64>,
    },
    /// No data arrived within the timeout; the received bytes are kept.
    #[error("no data received for {seconds} s after {received} bytes; fetch again to resume")]
    Stalled {
        /// The timeout in seconds.
        seconds: f64,
        /// The number of bytes present.
        received: u64,
    },
    /// The size differs from that in the manifest.
    #[error(
        "the file has {found} bytes, expected {expected}: it is not the published file; pass another mirror with --mirror"
    )]
    WrongLength {
        /// The size in the manifest.
        expected: u64,
        /// The size found.
        found: u64,
    },
    /// The server sends more bytes than the manifest allows.
    #[error(
        "the server sends more than the {limit} bytes allowed: it is not the published file; pass another mirror with --mirror"
    )]
    TooLarge {
        /// The maximum number of bytes.
        limit: u64,
    },
    /// The checksum differs from that in the manifest.
    #[error(
        "the checksum is {found}, expected {expected}; the file was discarded: fetch again or pass another mirror with --mirror"
    )]
    WrongBytes {
        /// The checksum in the manifest.
        expected: String,
        /// The checksum of the received file.
        found: String,
    },
    /// The file supplied by the user is not the one in the manifest.
    #[error("the supplied file has checksum {found}, expected {expected}; replace or remove it")]
    WrongSupply {
        /// The checksum in the manifest.
        expected: String,
        /// The checksum of the file.
        found: String,
    },
    /// The mirror directory lacks the file.
    #[error("no such file in the mirror; add it, or fetch from another source")]
    NotInMirror,
    /// A file system operation failed.
    #[error("{}: {source}", path.shown())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

fn advice(status: u16) -> &'static str {
    match status {
        404 | 410 => "the file does not exist; check the address, or pass another mirror with --mirror",
        401 | 403 => "access is denied; check the address, or pass another mirror with --mirror",
        429 | 500..=599 => "try again later, or pass another mirror with --mirror",
        _ => "pass another mirror with --mirror",
    }
}

impl FetchFault {
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> FetchFault {
        let path = path.to_owned();
        move |source| FetchFault::Io { path, source }
    }

    /// Returns whether an immediate retry may succeed.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            FetchFault::CutOff { .. } | FetchFault::Stalled { .. } => true,
            FetchFault::Status { status } => matches!(status, 429 | 500..=599),
            _ => false,
        }
    }
}
