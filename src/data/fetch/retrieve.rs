//! Retrieves files from their published addresses, a mirror address, or a mirror directory.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use ureq::http::StatusCode;
use ureq::http::header::{ACCEPT_ENCODING, CONTENT_RANGE, RANGE, TRANSFER_ENCODING};

use super::error::FetchFault;
use super::mirror::{Mirror, is_loopback};
use super::options::FetchOptions;
use crate::data::manifest::{SourceFile, SourceRepository};
use crate::files::{self, DiskWriter, digest};

/// Retrieves files one after the other, reusing the connection where possible.
pub(super) struct Fetcher<'a> {
    options: &'a FetchOptions,
    agent: ureq::Agent,
}

/// The properties a file must have.
pub(super) struct ExpectedFile<'a> {
    file: &'a SourceFile,
    /// The maximum size of a file whose size is unknown.
    limit: u64,
}

impl ExpectedFile<'_> {
    /// Compares a file with the checksum of the manifest and returns its SHA-256.
    pub(super) fn check(&self, path: &Path) -> Result<String, FetchFault> {
        let found = digest::sha256_of_file(path).map_err(FetchFault::io(path))?;
        let mismatch = |expected: &String, found| FetchFault::WrongBytes { expected: expected.clone(), found };
        match (&self.file.sha256, &self.file.git_blob) {
            (Some(expected), _) if *expected != found => Err(mismatch(expected, found)),
            (None, Some(expected)) => match digest::git_blob_of_file(path).map_err(FetchFault::io(path))? {
                blob if blob == *expected => Ok(found),
                blob => Err(mismatch(expected, blob)),
            },
            _ => Ok(found),
        }
    }

    fn length(&self) -> Option<u64> {
        self.file.bytes
    }
}

impl<'a> Fetcher<'a> {
    pub(super) fn new(options: &'a FetchOptions) -> Self {
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(options.max_redirects)
            .user_agent(concat!("lrbm/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(options.connect_timeout))
            .timeout_connect(Some(options.connect_timeout))
            .timeout_recv_response(Some(options.stall_timeout))
            .timeout_per_read(Some(options.stall_timeout))
            .timeout_per_write(Some(options.stall_timeout));
        if let Mirror::Web(address) = &options.mirror
            && is_loopback(address)
        {
            // A proxy would resolve the loopback address to its own host.
            config = config.proxy(None);
        }
        Fetcher { options, agent: config.build().into() }
    }

    pub(super) fn expected<'f>(&self, file: &'f SourceFile) -> ExpectedFile<'f> {
        ExpectedFile { file, limit: file.bytes.unwrap_or(self.options.largest_unknown_file) }
    }

    /// Retrieves a file to `part`, complete and verified, and returns its SHA-256.
    ///
    /// On failure `part` is removed, unless it is a prefix that can be resumed.
    pub(super) fn retrieve(
        &self,
        source: &SourceRepository,
        file: &SourceFile,
        part: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<String, FetchFault> {
        let expected_file = self.expected(file);
        let from = self.options.mirror.locate(source, file);
        if let Mirror::Directory(directory) = &self.options.mirror {
            copy(&directory.join(source.mirror_path(file)), part, &expected_file, progress)?;
            return check_or_remove(&expected_file, part);
        }
        let resumed = self.download(&from, part, &expected_file, progress)?;
        match check_or_remove(&expected_file, part) {
            // The resumed prefix may belong to another file: download again without it.
            Err(FetchFault::WrongBytes { .. }) if resumed => {
                self.download(&from, part, &expected_file, progress)?;
                check_or_remove(&expected_file, part)
            }
            checked => checked,
        }
    }

    /// Downloads to `part`, resuming from the bytes present. Returns whether there were any.
    fn download(
        &self,
        address: &str,
        part: &Path,
        expected_file: &ExpectedFile<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<bool, FetchFault> {
        let present = fs::symlink_metadata(part).map_or(0, |data| if data.is_file() { data.len() } else { 0 });
        if present > 0 && expected_file.length() == Some(present) {
            return Ok(true);
        }
        if present > expected_file.limit {
            remove(part)?;
        }
        if present == 0 || present > expected_file.limit {
            return self.download_from(0, address, part, expected_file, progress).map(|_| false);
        }
        match self.download_from(present, address, part, expected_file, progress)? {
            DownloadOutcome::Resumed => Ok(true),
            DownloadOutcome::FromStart => Ok(false),
            DownloadOutcome::CannotResume => {
                self.download_from(0, address, part, expected_file, progress).map(|_| false)
            }
        }
    }

    fn download_from(
        &self,
        start: u64,
        address: &str,
        part: &Path,
        expected_file: &ExpectedFile<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<DownloadOutcome, FetchFault> {
        // Request the identity encoding: a compressed response could not be resumed.
        let mut request = self.agent.get(address).header(ACCEPT_ENCODING, "identity");
        if start > 0 {
            request = request.header(RANGE, format!("bytes={start}-"));
        }
        let response = request.call().map_err(|error| self.fault(error, start, expected_file))?;
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let start = match status {
            StatusCode::OK => 0,
            StatusCode::PARTIAL_CONTENT if start > 0 => match first_of_range(header(CONTENT_RANGE)) {
                Some(first) if first == start => start,
                _ => return Ok(DownloadOutcome::CannotResume),
            },
            StatusCode::RANGE_NOT_SATISFIABLE if start > 0 => return Ok(DownloadOutcome::CannotResume),
            _ => return Err(FetchFault::Status { status: status.as_u16() }),
        };
        let announced = response.body().content_length().map(|n| start.saturating_add(n));
        if let (Some(expected), Some(found)) = (expected_file.length(), announced)
            && expected != found
        {
            remove(part)?;
            return Err(FetchFault::WrongLength { expected, found });
        }
        // A chunked body marks its own end, so a short one is complete and wrong rather than cut
        // off.
        let is_chunked = header(TRANSFER_ENCODING).eq_ignore_ascii_case("chunked");

        let mut out = open_part(part, start)?;
        let mut body = response.into_body().into_reader();
        let received = match copy_stream(&mut body, &mut out, start, part, expected_file, progress) {
            Ok(received) => received,
            Err(CopyError::Fault(fault)) => return Err(fault),
            Err(CopyError::Reading(error, received)) => {
                let fault = self.fault(error.into(), received, expected_file);
                match fault {
                    FetchFault::CutOff { .. } | FetchFault::Stalled { .. } => sync(&out, part)?,
                    _ => remove(part)?,
                }
                return Err(fault);
            }
        };
        sync(&out, part)?;
        match expected_file.length().or(announced) {
            Some(expected) if received < expected && is_chunked => {
                remove(part)?;
                Err(FetchFault::WrongLength { expected, found: received })
            }
            Some(expected) if received < expected => Err(FetchFault::CutOff { received, expected: Some(expected) }),
            _ if start > 0 => Ok(DownloadOutcome::Resumed),
            _ => Ok(DownloadOutcome::FromStart),
        }
    }

    fn fault(&self, error: ureq::Error, received: u64, expected_file: &ExpectedFile<'_>) -> FetchFault {
        match error {
            ureq::Error::TooManyRedirects => FetchFault::RedirectLoop { limit: self.options.max_redirects },
            ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
                let seconds = self.options.connect_timeout.as_secs_f64();
                FetchFault::Unreachable { reason: format!("no connection within {seconds} s") }
            }
            ureq::Error::Timeout(_) | ureq::Error::BodyStalled => {
                FetchFault::Stalled { seconds: self.options.stall_timeout.as_secs_f64(), received }
            }
            ureq::Error::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                    FetchFault::Stalled { seconds: self.options.stall_timeout.as_secs_f64(), received }
                }
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => FetchFault::CutOff { received, expected: expected_file.length() },
                _ => FetchFault::Unreachable { reason: error.to_string() },
            },
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_) => {
                FetchFault::Unreachable { reason: error.to_string() }
            }
            other => FetchFault::InvalidResponse { reason: other.to_string() },
        }
    }
}

/// The outcome of a request for the rest of a file.
enum DownloadOutcome {
    /// The rest was received.
    Resumed,
    /// The server sent the file from its start.
    FromStart,
    /// The server cannot resume at this position.
    CannotResume,
}

/// The reason why copying a stream stopped.
enum CopyError {
    Fault(FetchFault),
    /// Reading failed after this many bytes were present.
    Reading(io::Error, u64),
}

/// Copies all of `from` to `to` after the `start` bytes already present. Returns the resulting
/// size.
fn copy_stream(
    from: &mut dyn Read,
    to: &mut DiskWriter<File>,
    start: u64,
    part: &Path,
    expected_file: &ExpectedFile<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, CopyError> {
    let mut received = start;
    let mut buffer = vec![0; 1 << 16];
    progress(received);
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => return Ok(received),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyError::Reading(error, received)),
        };
        received += n as u64;
        if received > expected_file.limit {
            remove(part).map_err(CopyError::Fault)?;
            return Err(CopyError::Fault(FetchFault::TooLarge { limit: expected_file.limit }));
        }
        to.write_all(&buffer[..n]).map_err(|error| CopyError::Fault(FetchFault::io(part)(error)))?;
        progress(received);
    }
}

/// Copies a file of a mirror directory to `part`.
fn copy(
    from: &Path,
    part: &Path,
    expected_file: &ExpectedFile<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<(), FetchFault> {
    let not_found = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FetchFault::NotInMirror,
        _ => FetchFault::Io { path: from.to_owned(), source: error },
    };
    let data = fs::metadata(from).map_err(not_found)?;
    if !data.is_file() {
        return Err(FetchFault::NotInMirror);
    }
    if let Some(expected) = expected_file.length()
        && expected != data.len()
    {
        return Err(FetchFault::WrongLength { expected, found: data.len() });
    }
    let mut file = File::open(from).map_err(not_found)?;
    let mut out = open_part(part, 0)?;
    match copy_stream(&mut file, &mut out, 0, part, expected_file, progress) {
        Ok(_) => sync(&out, part),
        Err(CopyError::Fault(fault)) => Err(fault),
        Err(CopyError::Reading(source, _)) => {
            remove(part)?;
            Err(FetchFault::Io { path: from.to_owned(), source })
        }
    }
}

fn check_or_remove(expected_file: &ExpectedFile<'_>, part: &Path) -> Result<String, FetchFault> {
    let checked = expected_file.check(part);
    if checked.is_err() {
        remove(part)?;
    }
    checked
}

/// Opens the unfinished file for writing after its first `start` bytes.
fn open_part(part: &Path, start: u64) -> Result<DiskWriter<File>, FetchFault> {
    if start == 0 {
        // Created as a new file instead of truncated, so that a link at this path is not followed.
        remove(part)?;
        return DiskWriter::create_new(part).map_err(FetchFault::io(part));
    }
    DiskWriter::append(part).map_err(FetchFault::io(part))
}

fn sync(file: &DiskWriter<File>, path: &Path) -> Result<(), FetchFault> {
    file.sync_all().map_err(FetchFault::io(path))
}

fn remove(path: &Path) -> Result<(), FetchFault> {
    match files::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FetchFault::io(path)(error)),
        _ => Ok(()),
    }
}

/// Parses the first byte of `bytes <first>-<last>/<length>`.
fn first_of_range(header: &str) -> Option<u64> {
    header.trim().strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
}

/// Returns the delay before attempt `attempt`, from 2.
pub(super) fn pause_before(attempt: u32) -> Duration {
    Duration::from_millis(250) * 2u32.saturating_pow(attempt.saturating_sub(2).min(5))
}
