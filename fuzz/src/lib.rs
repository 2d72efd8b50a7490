//! Placeholder: this package consists of tests only.
