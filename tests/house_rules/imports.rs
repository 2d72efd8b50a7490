//! The import graph of the source, read from its syntax trees: which file uses items of which other
//! file.
//!
//! A path counts as an import wherever it stands: in a `use` declaration, in code, in a macro,
//! inside `#[cfg(test)]`. `mod child;` and a parent's re-exports of its own descendants do not
//! count. A path through a re-export counts as an import of the file that defines the item.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

/// A module path below the crate root, such as `["cover", "search"]`; empty for the root itself.
type ModulePath = Vec<String>;

/// The source files of a crate by module path, each with the paths it mentions.
pub struct ImportGraph {
    /// File names by module path.
    files: BTreeMap<ModulePath, String>,
    /// Imported modules by importing module.
    edges: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

/// The paths of one file, not yet resolved.
#[derive(Default)]
struct FilePaths {
    /// Paths with the inline module they stand in.
    mentioned: Vec<(ModulePath, Vec<String>)>,
    /// Re-exported paths by the name they get; `*` for all items.
    exported: Vec<(String, Vec<String>)>,
    /// The inline module that is being visited.
    inside: ModulePath,
}

impl FilePaths {
    /// Records a path found in code. A single segment is a local name, or a module that a `use`
    /// declaration introduced.
    fn mention_in_code(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.mention(path);
        }
    }

    fn mention(&mut self, path: Vec<String>) {
        self.mentioned.push((self.inside.clone(), path));
    }

    /// Flattens a `use` tree into paths with the names that they introduce.
    fn flatten(tree: &syn::UseTree, prefix: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
        let with = |prefix: &[String], last: String| [prefix, &[last]].concat();
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                Self::flatten(&path.tree, prefix, found);
                prefix.pop();
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                found.push((prefix.last().cloned().unwrap_or_default(), prefix.clone()));
            }
            syn::UseTree::Name(name) => {
                found.push((name.ident.to_string(), with(prefix, name.ident.to_string())));
            }
            syn::UseTree::Rename(rename) => {
                found.push((rename.rename.to_string(), with(prefix, rename.ident.to_string())));
            }
            syn::UseTree::Glob(_) => found.push(("*".to_owned(), prefix.clone())),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| Self::flatten(item, prefix, found));
            }
        }
    }

    /// Collects `a::b::c` sequences of a macro's tokens.
    fn scan_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        use proc_macro2::TokenTree;
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => self.scan_tokens(group.stream()),
                TokenTree::Ident(ident) => {
                    self.mention_in_code(std::mem::replace(&mut path, vec![ident.to_string()]));
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            self.mention_in_code(std::mem::take(&mut path));
            colons = 0;
        }
        self.mention_in_code(path);
    }
}

impl<'ast> Visit<'ast> for FilePaths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        Self::flatten(&item.tree, &mut Vec::new(), &mut found);
        let is_private = matches!(item.vis, syn::Visibility::Inherited);
        for (name, path) in found {
            if is_private || !self.inside.is_empty() {
                self.mention(path);
            } else {
                self.exported.push((name, path));
            }
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() {
            self.inside.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.inside.pop();
        }
    }

    /// `pub(super)` and `pub(in path)` restrict an item and import nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.mention_in_code(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.scan_tokens(called.tokens.clone());
    }
}

/// Returns the module path of a file name relative to the source directory.
fn module_of(file: &str) -> ModulePath {
    let mut path: ModulePath = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "mod") || path == ["lib"] {
        path.pop();
    }
    path
}

impl ImportGraph {
    /// Reads the import graph of source files, given as names relative to the source directory with
    /// their texts.
    ///
    /// # Panics
    /// If a text is not Rust.
    pub fn read(sources: &[(String, String)]) -> Self {
        let mut parsed: BTreeMap<ModulePath, FilePaths> = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (name, text) in sources {
            let tree = syn::parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut paths = FilePaths::default();
            paths.visit_file(&tree);
            parsed.insert(module_of(name), paths);
            files.insert(module_of(name), name.clone());
        }
        let mut graph = ImportGraph { files, edges: BTreeMap::new() };
        for (module, paths) in &parsed {
            let mut imported: BTreeSet<ModulePath> = BTreeSet::new();
            for (inside, path) in &paths.mentioned {
                let from = [&module[..], inside].concat();
                imported.extend(graph.resolve(&parsed, module, &from, path, 0));
            }
            for (_, path) in &paths.exported {
                let target = graph.resolve(&parsed, module, module, path, 0);
                imported.extend(target.filter(|target| !target.starts_with(module)));
            }
            imported.remove(module);
            graph.edges.insert(module.clone(), imported);
        }
        graph
    }

    /// Returns the module that defines what a path means in module `from` of the file `file`;
    /// `None` if it is not of this crate.
    fn resolve(
        &self,
        parsed: &BTreeMap<ModulePath, FilePaths>,
        file: &ModulePath,
        from: &[String],
        path: &[String],
        depth: usize,
    ) -> Option<ModulePath> {
        let (mut base, mut rest) = (from.to_vec(), path);
        match path.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            child => {
                base = file.clone();
                let is_child = self.files.contains_key(&[&base[..], &[child.to_owned()]].concat());
                if !is_child || from != file.as_slice() {
                    return None;
                }
            }
        }
        let absolute = [base, rest.to_vec()].concat();
        // An inline module belongs to its file.
        let known = (0..=absolute.len()).rev().find(|&n| self.files.contains_key(&absolute[..n]))?;
        let (module, item) = (absolute[..known].to_vec(), absolute.get(known));
        let exported = item.and_then(|item| parsed[&module].exported.iter().find(|(name, _)| name == item));
        match exported {
            Some((_, path)) if depth < 8 => self.resolve(parsed, &module, &module, path, depth + 1).or(Some(module)),
            _ => Some(module),
        }
    }

    /// Returns the top-level modules.
    pub fn layers(&self) -> BTreeSet<&str> {
        self.files.keys().filter_map(|module| module.first()).map(String::as_str).collect()
    }

    /// Returns every import between two top-level modules, as file names.
    pub fn between_layers(&self) -> Vec<(&str, &str, String)> {
        let mut found = Vec::new();
        for (from, targets) in &self.edges {
            for to in targets {
                let (Some(a), Some(b)) = (from.first(), to.first()) else { continue };
                if a != b {
                    found.push((a.as_str(), b.as_str(), format!("{} imports {}", self.files[from], self.files[to])));
                }
            }
        }
        found
    }

    /// Returns what imports items that are defined in the crate root.
    pub fn imports_of_root(&self) -> Vec<&str> {
        self.edges
            .iter()
            .filter(|(_, to)| to.contains(&Vec::new()))
            .map(|(from, _)| self.files[from].as_str())
            .collect()
    }

    /// Returns the import cycles: every set of files that can all reach each other.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let reachable: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
            self.edges.keys().map(|module| (module, self.reachable_from(module))).collect();
        let mut cycles = BTreeSet::new();
        for (&module, reached) in &reachable {
            if reached.contains(module) {
                let both = reached.iter().filter(|&&other| reachable[other].contains(module));
                cycles.insert(both.map(|&other| self.files[other].clone()).collect::<Vec<_>>());
            }
        }
        cycles.into_iter().collect()
    }

    fn reachable_from<'a>(&'a self, module: &ModulePath) -> BTreeSet<&'a ModulePath> {
        let mut reached = BTreeSet::new();
        let mut pending: Vec<&ModulePath> = self.edges[module].iter().collect();
        while let Some(next) = pending.pop() {
            if reached.insert(next) {
                pending.extend(&self.edges[next]);
            }
        }
        reached
    }

    /// Renders the number of importing files by importing layer (rows) and imported layer
    /// (columns).
    pub fn matrix(&self, layers: &[&str]) -> String {
        let edges = self.between_layers();
        let width = layers.iter().map(|layer| layer.len()).max().unwrap_or(0);
        let mut text = format!("{:width$}", "");
        layers.iter().for_each(|layer| text.push_str(&format!(" {layer:>6.6}")));
        for from in layers {
            text.push_str(&format!("\n{from:width$}"));
            for to in layers {
                let count = edges.iter().filter(|(a, b, _)| a == from && b == to).count();
                let cell = if count == 0 { "·".to_owned() } else { count.to_string() };
                text.push_str(&format!(" {cell:>6}"));
            }
        }
        text
    }
}

fn graph_of(sources: &[(&str, &str)]) -> ImportGraph {
    let owned: Vec<(String, String)> = sources.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    ImportGraph::read(&owned)
}

#[test]
fn a_cycle_between_files_is_found_in_code_macros_and_tests() {
    for closing in [
        "use super::b::B;",
        "fn f() { crate::a::b::g(); }",
        "fn f() { println!(\"{}\", crate::a::b::G); }",
        "#[cfg(test)] mod tests { use super::super::b::B; }",
        "use crate::a::B;",
    ] {
        let parent = ("a/mod.rs", "mod b; mod c; pub use b::B;");
        let graph = graph_of(&[("lib.rs", "mod a;"), parent, ("a/b.rs", "use super::c::C;"), ("a/c.rs", closing)]);
        assert_eq!(graph.cycles(), [["a/b.rs", "a/c.rs"]], "{closing}");
    }
}

#[test]
fn a_parent_that_uses_its_child_and_is_used_by_it_is_a_cycle() {
    let child = ("a/b.rs", "use super::Shared;");
    let uses = graph_of(&[("lib.rs", "mod a;"), ("a.rs", "mod b; pub struct Shared; fn f() { b::g() }"), child]);
    assert_eq!(uses.cycles(), [["a.rs", "a/b.rs"]]);
    let exports = graph_of(&[("lib.rs", "mod a;"), ("a.rs", "mod b; pub struct Shared; pub use b::g;"), child]);
    assert!(exports.cycles().is_empty());
}

#[test]
fn an_import_through_a_re_export_is_one_of_the_defining_file() {
    let graph = graph_of(&[
        ("lib.rs", "mod low; mod high; pub use high::Top;"),
        ("low/mod.rs", "mod leaf; pub use leaf::Leaf;"),
        ("low/leaf.rs", "pub(crate) struct Leaf;"),
        ("high.rs", "use crate::low::Leaf; pub struct Top(std::sync::Arc<Leaf>);"),
    ]);
    assert_eq!(graph.between_layers(), [("high", "low", "high.rs imports low/leaf.rs".to_owned())]);
    assert!(graph.imports_of_root().is_empty());
}
