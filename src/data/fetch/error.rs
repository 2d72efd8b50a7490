//! What can go wrong while fetching.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::archive::ArchiveError;
use crate::data::store::StoreError;

/// Why a dataset could not be fetched.
#[derive(Debug, Error)]
pub enum FetchError {
    /// One file could not be had.
    #[error("dataset `{dataset}`: {file} from {from}: {fault}")]
    File {
        /// The dataset.
        dataset: String,
        /// The file, as the manifest names it.
        file: String,
        /// The address or path it was to come from.
        from: String,
        /// What went wrong.
        fault: Box<Fault>,
    },
    /// An archive could not be unpacked.
    #[error("dataset `{dataset}`: {file}: {fault}")]
    Archive {
        /// The dataset.
        dataset: String,
        /// The archive, as the manifest names it.
        file: String,
        /// What went wrong.
        fault: ArchiveError,
    },
    /// The place to fetch from is none.
    #[error("`{given}` is no place to fetch from: {reason}; give an http:// or https:// address, or a directory")]
    Mirror {
        /// What was given.
        given: String,
        /// Why not.
        reason: String,
    },
    /// The data directory could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why one file could not be had.
#[derive(Debug, Error)]
pub enum Fault {
    /// The server answered with something else than the file.
    #[error("the server answers {status}; {}", advice(*status))]
    Status {
        /// The HTTP status.
        status: u16,
    },
    /// The server sends us from one address to the next without end.
    #[error("too many redirects (more than {limit}); check the address, or give another place with --mirror")]
    RedirectLoop {
        /// How many redirects are followed.
        limit: u32,
    },
    /// The server could not be reached.
    #[error("cannot be reached: {reason}; check the network, or give another place with --mirror")]
    Unreachable {
        /// Why.
        reason: String,
    },
    /// The answer is not proper HTTP.
    #[error("bad answer: {reason}; give another place with --mirror")]
    BadAnswer {
        /// What is wrong with it.
        reason: String,
    },
    /// The connection ended too early; what has arrived is kept.
    #[error("the connection ended after {received} of {} bytes; fetch again to go on from there", expected.map_or_else(|| "unknown".to_owned(), |n| n.to_string()))]
    CutOff {
        /// How many bytes are here.
        received: u64,
        /// How many there should be.
        expected: Option<u64>,
    },
    /// Nothing arrived for too long; what has arrived is kept.
    #[error("nothing has arrived for {seconds} s, after {received} bytes; fetch again to go on from there")]
    Stalled {
        /// How long we waited.
        seconds: f64,
        /// How many bytes are here.
        received: u64,
    },
    /// The file has another length than the manifest says.
    #[error(
        "the file is {found} bytes long, but {expected} are expected; it is not the published file, give another place with --mirror"
    )]
    WrongLength {
        /// The length in the manifest.
        expected: u64,
        /// The length there.
        found: u64,
    },
    /// More bytes come than the manifest allows.
    #[error(
        "more than the {limit} bytes allowed are sent; it is not the published file, give another place with --mirror"
    )]
    TooLarge {
        /// How many are allowed.
        limit: u64,
    },
    /// The file has the right length, but other bytes than the manifest says.
    #[error(
        "the checksum is {found}, but {expected} is expected; nothing was kept, fetch again or give another place with --mirror"
    )]
    WrongBytes {
        /// The checksum in the manifest.
        expected: String,
        /// The checksum of what came.
        found: String,
    },
    /// The file the user supplied is not the one the manifest names.
    #[error("the file you supplied has the checksum {found}, but {expected} is expected; replace or remove it")]
    WrongSupply {
        /// The checksum in the manifest.
        expected: String,
        /// The checksum of the file.
        found: String,
    },
    /// The directory to fetch from does not have the file.
    #[error("there is no such file; complete the mirror, or fetch from elsewhere")]
    NotInMirror,
    /// The system refused something.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn advice(status: u16) -> &'static str {
    match status {
        404 | 410 => "the file is not there; check the address, or give another place with --mirror",
        401 | 403 => "access is denied; check the address, or give another place with --mirror",
        429 | 500..=599 => "try again later, or give another place with --mirror",
        _ => "give another place with --mirror",
    }
}

impl Fault {
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> Fault {
        let path = path.to_owned();
        move |source| Fault::Io { path, source }
    }

    /// Whether it is worth trying again at once.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Fault::CutOff { .. } | Fault::Stalled { .. } => true,
            Fault::Status { status } => matches!(status, 429 | 500..=599),
            _ => false,
        }
    }
}
