//! A minimal web server on a loopback port whose misbehavior is scripted by the test.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use lrbm::internal::data::fetch::Mirror;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub path: String,
    /// The first byte of `Range: bytes=<first>-`.
    pub from: Option<usize>,
}

pub type Handler = dyn Fn(&Request, &mut TcpStream) -> std::io::Result<()> + Send + Sync;

/// Serves each request on its own connection.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(handler: impl Fn(&Request, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (seen, ended) = (requests.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                let mut connection = connection.unwrap();
                if let Some(request) = read_request(&connection) {
                    seen.lock().unwrap().push(request.clone());
                    // A client that hangs up early is part of some tests.
                    let _ = (&handler as &Handler)(&request, &mut connection);
                }
            }
        });
        Server { address, requests, stop, thread: Some(thread) }
    }

    /// Serves the same content at every path, with or without support for `Range`.
    pub fn of(content: &'static [u8], ranges: bool) -> Server {
        Server::start(move |request, out| match request.from.filter(|_| ranges) {
            Some(from) => partial(out, content, from),
            None => complete(out, content),
        })
    }

    pub fn mirror(&self) -> Mirror {
        Mirror::parse(&format!("http://{}/mirror/", self.address)).unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub fn read_request(connection: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(connection).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let mut from = None;
    for line in lines.take_while(|line| !line.is_empty()) {
        if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().ok();
        }
    }
    Some(Request { path, from })
}

pub fn complete(out: &mut TcpStream, content: &[u8]) -> std::io::Result<()> {
    write!(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", content.len())?;
    out.write_all(content)
}

pub fn partial(out: &mut TcpStream, content: &[u8], from: usize) -> std::io::Result<()> {
    let (length, last) = (content.len(), content.len() - 1);
    write!(out, "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: {}\r\n", length - from)?;
    write!(out, "Content-Range: bytes {from}-{last}/{length}\r\n\r\n")?;
    out.write_all(&content[from..])
}

pub fn status(out: &mut TcpStream, line: &str) -> std::io::Result<()> {
    write!(out, "HTTP/1.1 {line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}
