//! Fetching over HTTP and from a directory, with server failures, and detection of every later
//! change.
//!
//! Manifests and files are synthetic; only `real` needs real data.

mod archive;
mod download;
mod lab;
mod real;
mod server;
mod stopped;
mod store;
