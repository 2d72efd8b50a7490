//! `lrbm compare` and `lrbm check`: what they say of real runs, and with which exit code.

mod check;
mod compare;
mod lab;
