//! Writes a domain as BoostSRL files: `train_pos.txt`, `train_neg.txt`, `train_facts.txt` and
//! `train_bk.txt`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::domain::{Domain, DomainCounts};
use super::settings::GeneratorSettings;
use super::sink::{DomainSink, Name};
use crate::files::visible::ShownPath;
use crate::files::{self, PendingFile};

/// The error of writing a domain.
#[derive(Debug, thiserror::Error)]
pub enum WriteDomainError {
    /// The directory already contains one of the files.
    #[error("{} already exists and is not overwritten; pass another --out or move the file away", .path.shown())]
    AlreadyExists {
        /// The existing file.
        path: PathBuf,
    },
    /// A file system operation failed.
    #[error("cannot {operation} {}; no file was left behind: free disk space or pass another --out", .path.shown())]
    Io {
        /// The failed operation.
        operation: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

fn io_error(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WriteDomainError {
    move |source| WriteDomainError::Io { operation, path: path.to_owned(), source }
}

/// Writes a domain into a directory, which is created if necessary, and returns its counts.
///
/// The four files appear only when all of them are complete; after an error none exists.
pub fn write_directory(
    domain: Domain,
    settings: &GeneratorSettings,
    directory: &Path,
) -> Result<DomainCounts, WriteDomainError> {
    let paths = ["pos", "neg", "facts", "bk"].map(|part| directory.join(format!("train_{part}.txt")));
    // A dangling link counts as existing: the rename would replace it.
    if let Some(path) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(WriteDomainError::AlreadyExists { path: path.clone() });
    }
    let created = !directory.exists();
    files::create_dir_all(directory).map_err(io_error("create the directory", directory))?;
    let result = write_files(domain, settings, paths);
    if result.is_err() && created {
        // If removal fails, an empty directory remains; the user needs the error that led here.
        let _ = files::remove_dir(directory);
    }
    result
}

fn write_files(
    domain: Domain,
    settings: &GeneratorSettings,
    paths: [PathBuf; 4],
) -> Result<DomainCounts, WriteDomainError> {
    let create = |path: PathBuf| PendingFile::create(&path).map_err(io_error("create the file", &path));
    let [pos, neg, facts, bk] = paths.map(create);
    let mut files = BoostsrlFiles {
        target: domain.info().target,
        pos: pos?,
        neg: neg?,
        facts: facts?,
        counts: DomainCounts::default(),
    };
    let mut bk = bk?;
    domain.generate(settings, &mut files)?;
    write_background(domain, settings, &mut bk).map_err(io_error("write", bk.path()))?;
    publish([files.pos, files.neg, files.facts, bk])?;
    Ok(files.counts)
}

fn write_background(domain: Domain, settings: &GeneratorSettings, out: &mut impl Write) -> io::Result<()> {
    let info = domain.info();
    writeln!(out, "// Generated data, not measured: domain {}, {settings}.", info.id)?;
    writeln!(out, "// Labels follow these planted rules; the first whose body holds decides:")?;
    for rule in info.rules {
        writeln!(out, "//   {rule}")?;
    }
    if let Some(time) = info.time {
        writeln!(out, "// The predicate {time} gives the time of an entity.")?;
    }
    info.modes().try_for_each(|mode| writeln!(out, "{mode}"))
}

fn write_atom(file: &mut PendingFile, predicate: &str, args: &[Name]) -> Result<(), WriteDomainError> {
    let mut write = || {
        file.write_all(predicate.as_bytes())?;
        for (i, arg) in args.iter().enumerate() {
            file.write_all(if i == 0 { b"(" } else { b"," })?;
            write!(file, "{arg}")?;
        }
        file.write_all(b").\n")
    };
    let written = write();
    written.map_err(io_error("write", file.path()))
}

/// Moves complete files to their final names, all or none.
fn publish(mut files: [PendingFile; 4]) -> Result<(), WriteDomainError> {
    for file in &mut files {
        file.sync().map_err(io_error("write", file.path()))?;
    }
    let mut done: Vec<PathBuf> = Vec::new();
    for file in files {
        let path = file.path().to_owned();
        if let Err(source) = file.commit() {
            for path in done {
                let _ = files::remove_file(&path);
            }
            return Err(io_error("rename the temporary file to", &path)(source));
        }
        done.push(path);
    }
    Ok(())
}

struct BoostsrlFiles {
    target: &'static str,
    pos: PendingFile,
    neg: PendingFile,
    facts: PendingFile,
    counts: DomainCounts,
}

impl DomainSink for BoostsrlFiles {
    type Error = WriteDomainError;

    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), WriteDomainError> {
        let Ok(()) = self.counts.fact(predicate, args);
        write_atom(&mut self.facts, predicate, args)
    }

    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), WriteDomainError> {
        let Ok(()) = self.counts.example(positive, args);
        let file = if positive { &mut self.pos } else { &mut self.neg };
        write_atom(file, self.target, args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn listing(directory: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(directory).unwrap().map(name).collect();
        names.sort();
        names
    }

    fn lines(text: &str) -> u64 {
        text.lines().count() as u64
    }

    #[test]
    fn four_files_appear_and_are_never_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("new/train");
        let settings = GeneratorSettings::new(1, 7, 0.25).unwrap();
        let counts = write_directory(Domain::Citations, &settings, &directory).unwrap();
        assert_eq!(counts, DomainCounts::of(Domain::Citations, &settings));
        assert_eq!(listing(&directory), ["train_bk.txt", "train_facts.txt", "train_neg.txt", "train_pos.txt"]);
        let read = |part: &str| fs::read_to_string(directory.join(format!("train_{part}.txt"))).unwrap();
        assert_eq!(lines(&read("facts")), counts.facts);
        assert_eq!(lines(&read("pos")), counts.positives);
        assert_eq!(lines(&read("neg")), counts.negatives);
        assert!(read("pos").lines().all(|line| line.starts_with("cites(paper") && line.ends_with(").")));
        let background = read("bk");
        assert!(
            background.starts_with("// Generated data, not measured: domain citations, scale 1, seed 7, noise 0.25.\n")
        );
        assert!(background.contains("\nmode: cites(+paper,+paper).\nmode: author(+paper,-person).\n"));

        fs::remove_file(directory.join("train_pos.txt")).unwrap();
        let before = read("facts");
        let error = write_directory(Domain::Movies, &settings, &directory).unwrap_err();
        assert!(
            matches!(&error, WriteDomainError::AlreadyExists { path } if path.ends_with("train_neg.txt")),
            "{error}"
        );
        assert!(error.to_string().contains("pass another --out"), "{error}");
        assert_eq!(read("facts"), before);
        assert_eq!(listing(&directory), ["train_bk.txt", "train_facts.txt", "train_neg.txt"]);
    }

    #[test]
    fn failure_leaves_no_files() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        let error = write_directory(Domain::Movies, &Domain::Movies.settings(), &file).unwrap_err();
        assert!(matches!(&error, WriteDomainError::Io { operation: "create the directory", .. }), "{error}");

        // The last of the four cannot be renamed because a directory has its name: the first three
        // must be removed.
        let files = ["a", "b", "c", "d"].map(|name| PendingFile::create(&home.path().join(name)).unwrap());
        fs::create_dir(home.path().join("d")).unwrap();
        assert!(publish(files).is_err());
        assert_eq!(listing(home.path()), ["d", "file"]);
    }
}
