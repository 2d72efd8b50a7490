//! The extension module of the Python package: data, models and training over the library.
//!
//! The Python sources in `lrbm/` give it the interface of srlearn and scikit-learn; nothing here
//! is part of the interface.

#![deny(unsafe_code)]

mod arrow;
mod data;
mod errors;
mod explanation;
mod interrupt;
mod kinds;
mod model;
mod tables;
mod training;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::data::{Data, find_files, generate};
    #[pymodule_export]
    use super::errors::DataError;
    #[pymodule_export]
    use super::kinds::kinds;
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::tables::{Columns, import_tables};
    #[pymodule_export]
    use super::training::fit;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
