//! Where files come from: the published addresses, another address, or a directory.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::StatusCode;
use ureq::http::header::{ACCEPT_ENCODING, CONTENT_RANGE, RANGE, TRANSFER_ENCODING};

use super::FetchOptions;
use super::error::{Fault, FetchError};
use crate::data::manifest::{Source, SourceFile};
use crate::files::{self, Sink, digest};

/// The environment variable that names the place to fetch from.
pub const MIRROR_VARIABLE: &str = "LRBM_MIRROR";

/// The place to fetch from. Below it, files are at `<owner>/<repository>/<commit>/<path>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mirror {
    /// Where the files are published.
    #[default]
    Published,
    /// An http or https address.
    Web(String),
    /// A directory.
    Directory(PathBuf),
}

impl Mirror {
    /// Reads what a user gives: an address that starts with `http://` or `https://`, or a directory.
    pub fn parse(given: &str) -> Result<Mirror, FetchError> {
        let refuse = |reason: &str| FetchError::Mirror { given: given.to_owned(), reason: reason.to_owned() };
        if let Some((scheme, rest)) = given.split_once("://") {
            let scheme = scheme.to_ascii_lowercase();
            if scheme != "http" && scheme != "https" {
                return Err(refuse("only http and https are spoken"));
            }
            let address = format!("{scheme}://{}", rest.trim_end_matches('/'));
            let host = address.parse::<ureq::http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
            if host.is_none_or(|host| host.is_empty()) || address.contains(['?', '#']) {
                return Err(refuse("it is not the address of a directory on a host"));
            }
            return Ok(Mirror::Web(address));
        }
        let directory = PathBuf::from(given);
        if !directory.is_dir() {
            return Err(refuse("there is no such directory"));
        }
        Ok(Mirror::Directory(directory))
    }

    /// The place to use if the user names none: `LRBM_MIRROR`, or the published addresses.
    pub fn from_environment() -> Result<Mirror, FetchError> {
        match std::env::var(MIRROR_VARIABLE) {
            Ok(given) if !given.is_empty() => Mirror::parse(&given),
            _ => Ok(Mirror::Published),
        }
    }

    /// Where a file is, as a user would write it.
    pub fn locate(&self, source: &Source, file: &SourceFile) -> String {
        match self {
            Mirror::Published => encoded(&source.address(file)),
            Mirror::Web(address) => format!("{address}/{}", encoded(&source.mirror_path(file))),
            Mirror::Directory(directory) => directory.join(source.mirror_path(file)).display().to_string(),
        }
    }
}

/// Fetches files, one after the other, over one connection if it can.
pub(super) struct Fetcher<'a> {
    options: &'a FetchOptions,
    agent: ureq::Agent,
}

/// What a file must be.
pub(super) struct Wanted<'a> {
    file: &'a SourceFile,
    /// A file of unknown length may not be longer than this.
    limit: u64,
}

impl Wanted<'_> {
    /// Whether the file has the checksum of the manifest; its SHA-256 if so.
    pub(super) fn check(&self, path: &Path) -> Result<String, Fault> {
        let found = digest::sha256_of_file(path).map_err(Fault::io(path))?;
        let wrong = |expected: &String, found| Fault::WrongBytes { expected: expected.clone(), found };
        match (&self.file.sha256, &self.file.git_blob) {
            (Some(expected), _) if *expected != found => Err(wrong(expected, found)),
            (None, Some(expected)) => match digest::git_blob_of_file(path).map_err(Fault::io(path))? {
                blob if blob == *expected => Ok(found),
                blob => Err(wrong(expected, blob)),
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
            // A proxy would look for the mirror on its own machine.
            config = config.proxy(None);
        }
        Fetcher { options, agent: config.build().into() }
    }

    pub(super) fn wanted<'f>(&self, file: &'f SourceFile) -> Wanted<'f> {
        Wanted { file, limit: file.bytes.unwrap_or(self.options.largest_unknown_file) }
    }

    /// Brings a file to `part`, complete and checked, and gives its SHA-256.
    ///
    /// If it fails, `part` is gone, unless it is a beginning of what could be right.
    pub(super) fn bring(
        &self,
        source: &Source,
        file: &SourceFile,
        part: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<String, Fault> {
        let wanted = self.wanted(file);
        let from = self.options.mirror.locate(source, file);
        if let Mirror::Directory(directory) = &self.options.mirror {
            copy(&directory.join(source.mirror_path(file)), part, &wanted, progress)?;
            return keep_if_right(&wanted, part);
        }
        let resumed = self.download(&from, part, &wanted, progress)?;
        match keep_if_right(&wanted, part) {
            // The beginning may have been of another file: once more, without it.
            Err(Fault::WrongBytes { .. }) if resumed => {
                self.download(&from, part, &wanted, progress)?;
                keep_if_right(&wanted, part)
            }
            checked => checked,
        }
    }

    /// Downloads to `part`, going on from what is there; whether there was anything.
    fn download(
        &self,
        address: &str,
        part: &Path,
        wanted: &Wanted<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<bool, Fault> {
        let here = fs::symlink_metadata(part).map_or(0, |data| if data.is_file() { data.len() } else { 0 });
        if here > 0 && wanted.length() == Some(here) {
            return Ok(true);
        }
        if here > wanted.limit {
            remove(part)?;
        }
        if here == 0 || here > wanted.limit {
            return self.download_from(0, address, part, wanted, progress).map(|_| false);
        }
        match self.download_from(here, address, part, wanted, progress)? {
            Answer::Complete => Ok(true),
            Answer::FromStart => Ok(false),
            Answer::CannotGoOn => self.download_from(0, address, part, wanted, progress).map(|_| false),
        }
    }

    fn download_from(
        &self,
        start: u64,
        address: &str,
        part: &Path,
        wanted: &Wanted<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Answer, Fault> {
        // Ask for the bytes as they are: a compressed answer could not be continued.
        let mut request = self.agent.get(address).header(ACCEPT_ENCODING, "identity");
        if start > 0 {
            request = request.header(RANGE, format!("bytes={start}-"));
        }
        let response = request.call().map_err(|error| self.fault(error, start, wanted))?;
        let status = response.status();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        let start = match status {
            StatusCode::OK => 0,
            StatusCode::PARTIAL_CONTENT if start > 0 => match first_of_range(header(CONTENT_RANGE)) {
                Some(first) if first == start => start,
                _ => return Ok(Answer::CannotGoOn),
            },
            StatusCode::RANGE_NOT_SATISFIABLE if start > 0 => return Ok(Answer::CannotGoOn),
            _ => return Err(Fault::Status { status: status.as_u16() }),
        };
        let announced = response.body().content_length().map(|n| start.saturating_add(n));
        if let (Some(expected), Some(found)) = (wanted.length(), announced)
            && expected != found
        {
            remove(part)?;
            return Err(Fault::WrongLength { expected, found });
        }
        let ends_visibly = header(TRANSFER_ENCODING).eq_ignore_ascii_case("chunked");

        let mut out = open_part(part, start)?;
        let mut body = response.into_body().into_reader();
        let received = match pump(&mut body, &mut out, start, part, wanted, progress) {
            Ok(received) => received,
            Err(Stop::Fault(fault)) => return Err(fault),
            Err(Stop::Reading(error, received)) => {
                let fault = self.fault(error.into(), received, wanted);
                match fault {
                    Fault::CutOff { .. } | Fault::Stalled { .. } => sync(&out, part)?,
                    _ => remove(part)?,
                }
                return Err(fault);
            }
        };
        sync(&out, part)?;
        match wanted.length().or(announced) {
            Some(expected) if received < expected && ends_visibly => {
                remove(part)?;
                Err(Fault::WrongLength { expected, found: received })
            }
            Some(expected) if received < expected => Err(Fault::CutOff { received, expected: Some(expected) }),
            _ if start > 0 => Ok(Answer::Complete),
            _ => Ok(Answer::FromStart),
        }
    }

    fn fault(&self, error: ureq::Error, received: u64, wanted: &Wanted<'_>) -> Fault {
        match error {
            ureq::Error::TooManyRedirects => Fault::RedirectLoop { limit: self.options.max_redirects },
            ureq::Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
                let seconds = self.options.connect_timeout.as_secs_f64();
                Fault::Unreachable { reason: format!("no connection within {seconds} s") }
            }
            ureq::Error::Timeout(_) | ureq::Error::BodyStalled => {
                Fault::Stalled { seconds: self.options.stall_timeout.as_secs_f64(), received }
            }
            ureq::Error::Io(error) => match error.kind() {
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
                    Fault::Stalled { seconds: self.options.stall_timeout.as_secs_f64(), received }
                }
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => Fault::CutOff { received, expected: wanted.length() },
                _ => Fault::Unreachable { reason: error.to_string() },
            },
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_) => {
                Fault::Unreachable { reason: error.to_string() }
            }
            other => Fault::BadAnswer { reason: other.to_string() },
        }
    }
}

/// How an answer to a request for the rest of a file turned out.
enum Answer {
    /// The rest came.
    Complete,
    /// The whole file came.
    FromStart,
    /// The server cannot go on from there.
    CannotGoOn,
}

/// Why bytes stopped coming.
enum Stop {
    Fault(Fault),
    /// The other side broke off, with this many bytes here.
    Reading(io::Error, u64),
}

/// Copies all of `from` to `to`, behind `start` bytes that are there; how many there are then.
fn pump(
    from: &mut dyn Read,
    to: &mut Sink<File>,
    start: u64,
    part: &Path,
    wanted: &Wanted<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<u64, Stop> {
    let mut received = start;
    let mut block = vec![0; 1 << 16];
    progress(received);
    loop {
        let n = match from.read(&mut block) {
            Ok(0) => return Ok(received),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Stop::Reading(error, received)),
        };
        received += n as u64;
        if received > wanted.limit {
            remove(part).map_err(Stop::Fault)?;
            return Err(Stop::Fault(Fault::TooLarge { limit: wanted.limit }));
        }
        to.write_all(&block[..n]).map_err(|error| Stop::Fault(Fault::io(part)(error)))?;
        progress(received);
    }
}

/// Copies a file of a directory to `part`.
fn copy(from: &Path, part: &Path, wanted: &Wanted<'_>, progress: &mut dyn FnMut(u64)) -> Result<(), Fault> {
    let not_found = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Fault::NotInMirror,
        _ => Fault::Io { path: from.to_owned(), source: error },
    };
    let data = fs::metadata(from).map_err(not_found)?;
    if !data.is_file() {
        return Err(Fault::NotInMirror);
    }
    if let Some(expected) = wanted.length()
        && expected != data.len()
    {
        return Err(Fault::WrongLength { expected, found: data.len() });
    }
    let mut file = File::open(from).map_err(not_found)?;
    let mut out = open_part(part, 0)?;
    match pump(&mut file, &mut out, 0, part, wanted, progress) {
        Ok(_) => sync(&out, part),
        Err(Stop::Fault(fault)) => Err(fault),
        Err(Stop::Reading(source, _)) => {
            remove(part)?;
            Err(Fault::Io { path: from.to_owned(), source })
        }
    }
}

fn keep_if_right(wanted: &Wanted<'_>, part: &Path) -> Result<String, Fault> {
    let checked = wanted.check(part);
    if checked.is_err() {
        remove(part)?;
    }
    checked
}

/// Opens the unfinished file to write behind its first `start` bytes.
fn open_part(part: &Path, start: u64) -> Result<Sink<File>, Fault> {
    if start == 0 {
        // Not truncated but new, so that a link in its place is not followed.
        remove(part)?;
        return Sink::create_new(part).map_err(Fault::io(part));
    }
    Sink::append(part).map_err(Fault::io(part))
}

fn sync(file: &Sink<File>, path: &Path) -> Result<(), Fault> {
    file.sync_all().map_err(Fault::io(path))
}

fn remove(path: &Path) -> Result<(), Fault> {
    match files::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Fault::io(path)(error)),
        _ => Ok(()),
    }
}

/// The first byte of `bytes <first>-<last>/<length>`.
fn first_of_range(header: &str) -> Option<u64> {
    header.trim().strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
}

/// An address with every byte of it that may not stand for itself written as `%XX`.
fn encoded(address: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/:".contains(&b);
    address.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn is_loopback(address: &str) -> bool {
    let uri = address.parse::<ureq::http::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or("").trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// How long to wait before try number `attempt`, from 2.
pub(super) fn pause_before(attempt: u32) -> Duration {
    Duration::from_millis(250) * 2u32.saturating_pow(attempt.saturating_sub(2).min(5))
}
