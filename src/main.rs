//! The `lrbm` command; everything it does is in the library.

fn main() -> std::process::ExitCode {
    lrbm::cli::main()
}
