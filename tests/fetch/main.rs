//! Fetching over HTTP and from a directory, with everything a server can do wrong, and finding every change afterwards.
//!
//! Manifests and files are made up, so nothing but `real` needs real data.

mod archive;
mod download;
mod lab;
mod real;
mod server;
mod stopped;
mod store;
