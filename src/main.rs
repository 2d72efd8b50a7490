//! The `lrbm` program; all code is in the library.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    lrbm::internal::cli::main()
}
