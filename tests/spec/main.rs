//! Specs: what is refused and how, what comes out, and what makes two jobs the same.

mod copy;
mod count;
mod identity;
mod lab;
mod only;
mod plan;
mod schema;
mod set;
mod written;
mod wrong;
