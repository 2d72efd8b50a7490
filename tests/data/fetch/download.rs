//! Correct and faulty servers.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lrbm::internal::data::fetch::{FetchEvent, FetchFault, Mirror, fetch};
use lrbm::internal::files::digest;

use super::lab::{COMMIT, Lab, line, mirror_of, thousand};
use super::server::{Server, complete, partial, status};

#[test]
fn a_full_fetch_downloads_verifies_and_records() {
    let server = Server::start(|request, out| match request.path.rsplit('/').next() {
        Some("f.txt") => complete(out, thousand()),
        Some("g%20h.txt") => complete(out, b""),
        _ => status(out, "404 Not Found"),
    });
    let lab = Lab::new(server.mirror(), &[line("f.txt", thousand(), ""), line("deep/g h.txt", b"", "")]);
    let mut events = Vec::new();
    let fetched =
        fetch(&lab.store, &lab.manifest, &lab.options, &mut |event| events.push(format!("{event:?}"))).unwrap();
    assert_eq!((fetched.arrived, fetched.present), (2, 0));
    assert_eq!(server.requests()[0].path, format!("/mirror/owner/repository/{COMMIT}/some/data/f.txt"));
    assert_eq!(lab.files(), ["toy/SHA256SUMS", "toy/raw/deep/g h.txt", "toy/raw/f.txt"]);
    assert_eq!(fs::read(lab.store.raw("toy", "f.txt")).unwrap(), thousand());
    let sums = fs::read_to_string(lab.store.dataset("toy").join("SHA256SUMS")).unwrap();
    let expected = format!("{}  raw/deep/g h.txt\n{}  raw/f.txt\n", digest::sha256(b""), digest::sha256(thousand()));
    assert_eq!(sums, expected);
    assert_eq!(events[0], "Begin { dataset: \"toy\", files: 2, bytes: 1000 }");
    assert!(
        events.contains(&"Progress { file: \"f.txt\", received: 1000, bytes: Some(1000) }".to_owned()),
        "{events:?}"
    );
    assert_eq!(events.last().unwrap(), "End { dataset: \"toy\" }");
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    let again = lab.fetch().unwrap();
    assert_eq!((again.arrived, again.present, again.record), (0, 2, fetched.record));
    assert_eq!(server.requests().len(), 2, "a correct file is not requested again");
}

/// Announces the whole file and closes the first connection after 300 bytes.
fn cutting_server(ranges: bool) -> Server {
    let first = AtomicBool::new(true);
    Server::start(move |request, out| {
        if first.swap(false, Ordering::SeqCst) {
            write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n")?;
            return out.write_all(&thousand()[..300]);
        }
        match request.from.filter(|_| ranges) {
            Some(from) => partial(out, thousand(), from),
            None => complete(out, thousand()),
        }
    })
}

#[test]
fn an_interrupted_download_is_resumed_by_the_next_run() {
    let server = cutting_server(true);
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::CutOff { received: 300, expected: Some(1000) }));
    assert_eq!(lab.files(), ["toy/raw/f.txt.part"]);
    assert_eq!(fs::read(lab.store.raw("toy", "f.txt.part")).unwrap(), &thousand()[..300]);

    lab.fetch().unwrap();
    assert_eq!(server.requests()[1].from, Some(300));
    assert_eq!(lab.files(), ["toy/SHA256SUMS", "toy/raw/f.txt"]);
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn a_server_without_ranges_sends_everything_again() {
    let server = cutting_server(false);
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::CutOff { received: 300, .. }));
    lab.fetch().unwrap();
    assert_eq!(server.requests()[1].from, Some(300), "a range was requested");
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn a_run_retries_up_to_its_limit() {
    let server = cutting_server(true);
    let mut lab = Lab::of_one(&server);
    lab.options.attempts = 2;
    let mut retries = 0;
    let mut count = |event: FetchEvent<'_>| retries += u32::from(matches!(event, FetchEvent::Retry { attempt: 2, .. }));
    fetch(&lab.store, &lab.manifest, &lab.options, &mut count).unwrap();
    assert_eq!((retries, server.requests()[1].from), (1, Some(300)));
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn a_partial_download_that_cannot_be_resumed_is_discarded() {
    let server = Server::start(|request, out| match request.from {
        Some(_) => status(out, "416 Range Not Satisfiable"),
        None => complete(out, thousand()),
    });
    let lab = Lab::of_one(&server);
    fs::create_dir_all(lab.store.raw("toy", "")).unwrap();
    fs::write(lab.store.raw("toy", "f.txt.part"), &thousand()[..300]).unwrap();
    lab.fetch().unwrap();
    assert_eq!(server.requests().iter().map(|r| r.from).collect::<Vec<_>>(), [Some(300), None]);
    assert_eq!(lab.files(), ["toy/SHA256SUMS", "toy/raw/f.txt"]);
}

#[test]
fn a_range_with_a_wrong_start_is_rejected() {
    let server = Server::start(|request, out| match request.from {
        Some(_) => partial(out, thousand(), 100),
        None => complete(out, thousand()),
    });
    let lab = Lab::of_one(&server);
    fs::create_dir_all(lab.store.raw("toy", "")).unwrap();
    fs::write(lab.store.raw("toy", "f.txt.part"), &thousand()[..300]).unwrap();
    lab.fetch().unwrap();
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
}

#[test]
fn a_partial_download_of_another_file_is_discarded() {
    let server = Server::of(thousand(), true);
    let lab = Lab::of_one(&server);
    fs::create_dir_all(lab.store.raw("toy", "")).unwrap();
    for wrong in [vec![b'x'; 300], vec![b'x'; 1000], vec![b'x'; 1001]] {
        fs::write(lab.store.raw("toy", "f.txt.part"), wrong).unwrap();
        let _ = fs::remove_file(lab.store.raw("toy", "f.txt"));
        lab.fetch().unwrap();
        assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());
    }
}

#[test]
fn a_wrong_length_is_rejected_before_the_download() {
    let server = Server::of(&thousand()[..999], true);
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::WrongLength { expected: 1000, found: 999 }));
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn a_wrong_length_is_detected_at_the_end_of_chunks() {
    let server = Server::start(|_, out| {
        write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        write!(out, "3\r\nabc\r\n0\r\n\r\n")
    });
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::WrongLength { expected: 1000, found: 3 }));
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn broken_chunks_are_not_kept() {
    let server = Server::start(|_, out| {
        write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        write!(out, "3\r\nabc\r\nrubbish\r\n\r\n")
    });
    let lab = Lab::of_one(&server);
    let fault = lab.fault();
    assert!(matches!(fault, FetchFault::InvalidResponse { .. }), "{fault}");
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn wrong_bytes_are_not_kept() {
    let mut content = thousand().to_vec();
    content[500] ^= 1;
    let found_there = digest::sha256(&content);
    let server = Server::of(content.leak(), true);
    let lab = Lab::of_one(&server);
    match lab.fault() {
        FetchFault::WrongBytes { expected, found } => {
            assert_eq!((expected, found), (digest::sha256(thousand()), found_there));
        }
        other => panic!("{other}"),
    }
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn redirects_are_followed_up_to_the_limit() {
    let server = Server::start(|request, out| match request.path.as_str() {
        "/there" => complete(out, thousand()),
        _ => write!(out, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"),
    });
    Lab::of_one(&server).fetch().unwrap();

    let server = Server::start(|_, out| {
        write!(out, "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
    });
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::RedirectLoop { limit: 5 }));
    assert_eq!(server.requests().len(), 6);
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn a_redirect_away_from_http_is_rejected() {
    let server = Server::start(|_, out| {
        write!(
            out,
            "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: ftp://127.0.0.1/f.txt\r\nContent-Length: 0\r\n\r\n"
        )
    });
    let lab = Lab::of_one(&server);
    let fault = lab.fault();
    assert!(matches!(fault, FetchFault::InvalidResponse { .. }), "{fault:?}");
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn http_errors_give_specific_advice() {
    for (line, code, advice) in [
        ("404 Not Found", 404, "the file does not exist"),
        ("403 Forbidden", 403, "access is denied"),
        ("503 Service Unavailable", 503, "try again later"),
    ] {
        let server = Server::start(move |_, out| status(out, line));
        let lab = Lab::of_one(&server);
        let fault = lab.fault();
        assert!(fault.to_string().starts_with(&format!("the server returned status {code}: {advice}")), "{fault}");
        assert!(matches!(fault, FetchFault::Status { status } if status == code));
        assert_eq!(lab.files(), [""; 0]);
    }
}

#[test]
fn an_oversized_response_is_aborted() {
    let server = Server::start(|_, out| {
        write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
        // Endless: only the client can stop it.
        loop {
            out.write_all(thousand())?;
        }
    });
    let lab = Lab::of_one(&server);
    assert!(matches!(lab.fault(), FetchFault::TooLarge { limit: 1000 }));
    assert_eq!(lab.files(), [""; 0]);
}

#[test]
fn a_stalled_connection_times_out_and_is_resumed() {
    let first = AtomicBool::new(true);
    let server = Server::start(move |request, out| {
        if !first.swap(false, Ordering::SeqCst) {
            return partial(out, thousand(), request.from.unwrap_or(0));
        }
        write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n")?;
        out.write_all(&thousand()[..300])?;
        // Until the client disconnects.
        std::io::Read::read(out, &mut [0]).map(|_| ())
    });
    let mut lab = Lab::of_one(&server);
    lab.options.stall_timeout = Duration::from_millis(200);
    let fault = lab.fault();
    assert!(matches!(fault, FetchFault::Stalled { received: 300, .. }), "{fault}");
    assert_eq!(lab.files(), ["toy/raw/f.txt.part"]);
    lab.fetch().unwrap();
    assert_eq!(server.requests()[1].from, Some(300));
}

#[test]
fn a_silent_server_times_out() {
    let server = Server::start(|_, out| std::io::Read::read(out, &mut [0]).map(|_| ()));
    let mut lab = Lab::of_one(&server);
    lab.options.stall_timeout = Duration::from_millis(200);
    let fault = lab.fault();
    assert!(matches!(fault, FetchFault::Stalled { received: 0, .. }), "{fault}");
}

#[test]
fn a_closed_port_is_unreachable() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mirror = Mirror::parse(&format!("http://{address}")).unwrap();
    let lab = Lab::new(mirror, &[line("f.txt", thousand(), "")]);
    let fault = lab.fault();
    assert!(matches!(fault, FetchFault::Unreachable { .. }), "{fault}");
    assert!(!lab.store.verify(&lab.manifest).unwrap().fetched, "empty directories do not count as fetched");
}

#[test]
fn an_invalid_response_is_rejected() {
    let server = Server::start(|_, out| out.write_all(b"hello, who is there?\r\n\r\n"));
    let fault = Lab::of_one(&server).fault();
    assert!(matches!(fault, FetchFault::InvalidResponse { .. }), "{fault}");
}

#[test]
fn only_http_addresses_and_directories_are_mirrors() {
    for given in ["ftp://host/a", "file:///tmp", "http://", "https:///a", "http://host/?a", "/no/such/directory", ""] {
        let error = Mirror::parse(given).unwrap_err().to_string();
        assert!(error.starts_with(&format!("invalid mirror `{given}`: ")), "{error}");
        assert!(error.ends_with("pass an http:// or https:// address, or a directory"), "{error}");
    }
    assert_eq!(Mirror::parse("HTTPS://host/a/").unwrap(), Mirror::Web("https://host/a".to_owned()));
    let directory = tempfile::tempdir().unwrap();
    let given = directory.path().to_str().unwrap();
    assert_eq!(Mirror::parse(given).unwrap(), Mirror::Directory(PathBuf::from(given)));
}

#[test]
fn a_directory_is_a_mirror() {
    let mirror = mirror_of("f.txt", thousand());
    let lab = Lab::new(Mirror::Directory(mirror.path().to_owned()), &[line("f.txt", thousand(), "")]);
    lab.fetch().unwrap();
    assert!(lab.store.verify(&lab.manifest).unwrap().is_sound());

    for (path, content) in [("g.txt", thousand()), ("f.txt", &thousand()[..9]), ("f.txt", &[b'x'; 1000])] {
        let mirror = mirror_of(path, content);
        let lab = Lab::new(Mirror::Directory(mirror.path().to_owned()), &[line("f.txt", thousand(), "")]);
        let fault = lab.fault();
        match (path, content.len()) {
            ("g.txt", _) => assert!(matches!(fault, FetchFault::NotInMirror), "{fault}"),
            (_, 9) => assert!(matches!(fault, FetchFault::WrongLength { expected: 1000, found: 9 }), "{fault}"),
            _ => assert!(matches!(fault, FetchFault::WrongBytes { .. }), "{fault}"),
        }
        assert_eq!(lab.files(), [""; 0]);
    }
}
