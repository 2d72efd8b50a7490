//! Writes a domain as BoostSRL files: `train_pos.txt`, `train_neg.txt`, `train_facts.txt` and `train_bk.txt`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Counts, Domain, Name, Settings, Sink};
use crate::files::{self, Pending};

/// Why a domain could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The directory holds such a file already.
    #[error("{} is there already and is left as it is: pass another --out, or move the file away", .path.display())]
    AlreadyThere {
        /// The file in the way.
        path: PathBuf,
    },
    /// The file system said no.
    #[error("{}: cannot {doing}; no file was left behind, so make room or pass another --out", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    move |source| WriteError::Io { doing, path: path.to_owned(), source }
}

/// Writes a domain into a directory, which is made if it is not there, and counts what was written.
///
/// The four files appear when all of them are complete; after an error none of them is there.
pub fn write_directory(domain: Domain, settings: &Settings, directory: &Path) -> Result<Counts, WriteError> {
    let paths = ["pos", "neg", "facts", "bk"].map(|part| directory.join(format!("train_{part}.txt")));
    // A dangling link counts as there: renaming would replace it.
    if let Some(path) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(WriteError::AlreadyThere { path: path.clone() });
    }
    let made_here = !directory.exists();
    files::create_dir_all(directory).map_err(io_error("make the directory", directory))?;
    let result = write_files(domain, settings, paths);
    if result.is_err() && made_here {
        // If it cannot be removed, an empty directory stays; the error that led here is what the user must know.
        let _ = files::remove_dir(directory);
    }
    result
}

fn write_files(domain: Domain, settings: &Settings, paths: [PathBuf; 4]) -> Result<Counts, WriteError> {
    let create = |path: PathBuf| Pending::create(&path).map_err(io_error("create the file", &path));
    let [pos, neg, facts, bk] = paths.map(create);
    let mut files =
        Files { target: domain.info().target, pos: pos?, neg: neg?, facts: facts?, counts: Counts::default() };
    let mut bk = bk?;
    domain.generate(settings, &mut files)?;
    write_background(domain, settings, &mut bk).map_err(io_error("write", bk.path()))?;
    publish([files.pos, files.neg, files.facts, bk])?;
    Ok(files.counts)
}

fn write_background(domain: Domain, settings: &Settings, out: &mut impl Write) -> io::Result<()> {
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

fn write_atom(file: &mut Pending, predicate: &str, args: &[Name]) -> Result<(), WriteError> {
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

/// Puts complete files in their places, all or none.
fn publish(mut files: [Pending; 4]) -> Result<(), WriteError> {
    for file in &mut files {
        file.sync().map_err(io_error("write", file.path()))?;
    }
    let mut done: Vec<PathBuf> = Vec::new();
    for file in files {
        let path = file.path().to_owned();
        if let Err(source) = file.put() {
            for path in done {
                let _ = files::remove_file(&path);
            }
            return Err(io_error("put the file in its place", &path)(source));
        }
        done.push(path);
    }
    Ok(())
}

struct Files {
    target: &'static str,
    pos: Pending,
    neg: Pending,
    facts: Pending,
    counts: Counts,
}

impl Sink for Files {
    type Error = WriteError;

    fn fact(&mut self, predicate: &'static str, args: &[Name]) -> Result<(), WriteError> {
        let Ok(()) = self.counts.fact(predicate, args);
        write_atom(&mut self.facts, predicate, args)
    }

    fn example(&mut self, positive: bool, args: &[Name]) -> Result<(), WriteError> {
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
    fn four_files_appear_and_are_never_replaced() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("new/train");
        let settings = Settings::new(1, 7, 0.25).unwrap();
        let counts = write_directory(Domain::Citations, &settings, &directory).unwrap();
        assert_eq!(counts, Counts::of(Domain::Citations, &settings));
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
        assert!(matches!(&error, WriteError::AlreadyThere { path } if path.ends_with("train_neg.txt")), "{error}");
        assert!(error.to_string().contains("pass another --out"), "{error}");
        assert_eq!(read("facts"), before);
        assert_eq!(listing(&directory), ["train_bk.txt", "train_facts.txt", "train_neg.txt"]);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        let error = write_directory(Domain::Movies, &Domain::Movies.settings(), &file).unwrap_err();
        assert!(matches!(&error, WriteError::Io { doing: "make the directory", .. }), "{error}");

        // The last of the four cannot be put in its place, where a directory is: the three before it must go again.
        let files = ["a", "b", "c", "d"].map(|name| Pending::create(&home.path().join(name)).unwrap());
        fs::create_dir(home.path().join("d")).unwrap();
        assert!(publish(files).is_err());
        assert_eq!(listing(home.path()), ["d", "file"]);
    }
}
