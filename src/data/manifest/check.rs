//! Validation of a manifest beyond its syntax.

use super::fields::{FoldScheme, Manifest, SourceFile, SourceRepository, TimeFrom, Unpack};
use crate::data::store::path;
use crate::data::toml_file::Checked;

/// A key path and what is wrong with its value.
type InvalidValue = (String, String);

/// Returns an error with the key and the reason unless the condition holds.
fn require(holds: bool, key: impl Into<String>, reason: impl Into<String>) -> Result<(), InvalidValue> {
    if holds { Ok(()) } else { Err((key.into(), reason.into())) }
}

impl Checked for Manifest {
    fn check(&self) -> Result<(), InvalidValue> {
        require(
            path::is_id(&self.id),
            "id",
            format!("`{}` must be lower-case letters, digits and `-`, starting with a letter", self.id),
        )?;
        for (key, text) in [
            ("title", &self.title),
            ("about", &self.about),
            ("citation", &self.citation),
            ("licence", &self.licence),
            ("target.predicate", &self.target.predicate),
        ] {
            require(!text.trim().is_empty(), key, "must not be empty")?;
        }
        require(!self.target.arguments.is_empty(), "target.arguments", "must name the type of at least one argument")?;
        self.check_evidence()?;
        self.check_arity()?;
        for (i, option) in self.mode_option.iter().enumerate() {
            let (key, name) = (format!("mode_option[{i}]"), &option.name);
            let is_new = self.mode_option[..i].iter().all(|other| other.name != *name);
            require(is_new && !name.trim().is_empty(), format!("{key}.name"), "must be unique and not empty")?;
            require(!option.adds.is_empty(), format!("{key}.adds"), "must list at least one mode")?;
        }
        // One given fold is a published split.
        let min = if self.folds.scheme == FoldScheme::Given { 1 } else { 2 };
        require(self.folds.count >= min, "folds.count", format!("must be at least {min}, got {}", self.folds.count))?;
        for (i, option) in self.folds.option.iter().enumerate() {
            let key = format!("folds.option[{i}].count");
            require(option.count >= 2, key, format!("must be at least 2, got {}", option.count))?;
        }
        self.check_time()?;
        self.check_sources()
    }
}

impl Manifest {
    fn check_evidence(&self) -> Result<(), InvalidValue> {
        for (i, evidence) in self.evidence.iter().enumerate() {
            let key = format!("evidence[{i}].name");
            let name = &evidence.name;
            require(
                path::is_variant(name),
                &key,
                format!(
                    "`{name}` must be lower-case letters, digits and `-`, and neither `raw` nor `unpacked`: it names a directory of the cache"
                ),
            )?;
            require(self.evidence[..i].iter().all(|e| &e.name != name), &key, format!("duplicate variant `{name}`"))?;
        }
        let defaults = self.evidence.iter().filter(|e| e.default).count();
        require(defaults == 1, "evidence", format!("exactly one variant must have `default = true`, got {defaults}"))
    }

    fn check_arity(&self) -> Result<(), InvalidValue> {
        for (i, rule) in self.arity.iter().enumerate() {
            let n = rule.arguments.len();
            let key = format!("arity[{i}].arguments");
            require(n > 2, key, format!("must have more than two arguments, got {n}"))?;
            if let Some(name) = &rule.evidence {
                let known = self.evidence.iter().any(|e| &e.name == name);
                require(known, format!("arity[{i}].evidence"), format!("unknown evidence variant `{name}`"))?;
            }
            for (j, projection) in rule.becomes.iter().enumerate() {
                let keep = &projection.keep;
                let valid = keep.len() == 2 && keep[0] != keep[1] && keep.iter().all(|k| (1..=n).contains(k));
                let key = format!("arity[{i}].becomes[{j}].keep");
                require(valid, key, format!("must be two different numbers from 1 to {n}, got {keep:?}"))?;
            }
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), InvalidValue> {
        let Some(time) = &self.time else { return Ok(()) };
        let known = self.target.arguments.contains(&time.type_name);
        let reason = format!("`{}` must be the type of an argument of the target", time.type_name);
        require(known, "time.type", reason)?;
        match time.from {
            TimeFrom::Predicate => {
                require(time.predicate.is_some(), "time.predicate", "must be given with `from = \"predicate\"`")
            }
            TimeFrom::Id => require(
                time.predicate.is_none(),
                "time.predicate",
                "must be absent with `from = \"id\"`, which takes the time from the constant",
            ),
        }
    }

    fn check_sources(&self) -> Result<(), InvalidValue> {
        require(self.files().next().is_some(), "source", "must list at least one file")?;
        let mut taken: Vec<(&str, String)> = Vec::new();
        for (i, source) in self.source.iter().enumerate() {
            source.check(&format!("source[{i}]"))?;
            for (j, file) in source.files.iter().enumerate() {
                let key = format!("source[{i}].files[{j}]");
                file.check(&key)?;
                let paths = [("raw", Some(file.path.as_str())), ("unpacked", file.unpacked_path())];
                for (directory, path) in paths.into_iter().filter_map(|(directory, path)| Some((directory, path?))) {
                    // A file cannot also be the directory of another file.
                    let clash = taken
                        .iter()
                        .find(|(d, t)| *d == directory && (path::is_within(t, path) || path::is_within(path, t)));
                    if let Some((_, other)) = clash {
                        let reason = format!("`{path}` and `{other}` cannot both be in {directory}/");
                        return Err((format!("{key}.path"), reason));
                    }
                    taken.push((directory, path.to_owned()));
                }
            }
        }
        Ok(())
    }
}

impl SourceRepository {
    fn check(&self, key: &str) -> Result<(), InvalidValue> {
        for (name, value) in [("owner", &self.owner), ("repository", &self.repository)] {
            let valid = path::relative(value).is_ok()
                && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
            let reason =
                format!("`{value}` must consist of letters, digits, `.`, `_` and `-`, since it is part of an address");
            require(valid, format!("{key}.{name}"), reason)?;
        }
        let reason = format!("`{}` must be 40 lower-case hexadecimal digits: a branch or tag can move", self.commit);
        require(is_hex(&self.commit, 40), format!("{key}.commit"), reason)?;
        if !self.directory.is_empty() {
            path::relative(&self.directory).map_err(|reason| (format!("{key}.directory"), reason.to_owned()))?;
        }
        Ok(())
    }
}

impl SourceFile {
    fn check(&self, key: &str) -> Result<(), InvalidValue> {
        path::relative(&self.path).map_err(|reason| (format!("{key}.path"), reason.to_owned()))?;
        require(!self.path.ends_with(path::PART), format!("{key}.path"), "`.part` marks an unfinished download")?;
        for (name, value, digits) in [("sha256", &self.sha256, 64), ("git_blob", &self.git_blob, 40)] {
            let valid = value.as_ref().is_none_or(|value| is_hex(value, digits));
            require(valid, format!("{key}.{name}"), format!("must be {digits} lower-case hexadecimal digits"))?;
        }
        if self.supplied_by_user.is_none() {
            require(self.sha256.is_some(), format!("{key}.sha256"), "is missing; take it from `sha256sum`")?;
            require(self.bytes.is_some(), format!("{key}.bytes"), "is missing; take it from `wc -c`")?;
        } else {
            let known = self.sha256.is_some() || self.git_blob.is_some();
            require(known, key, "needs `sha256` or `git_blob` to verify the supplied file")?;
        }
        let extension = match self.unpack {
            Some(Unpack::Zip) => ".zip",
            Some(Unpack::Gzip) => ".gz",
            None => return Ok(()),
        };
        let stem = self.unpacked_path().unwrap_or_default();
        let valid = !stem.is_empty() && !stem.ends_with('/');
        require(valid, format!("{key}.path"), format!("must end in `{extension}` to be unpacked"))
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
