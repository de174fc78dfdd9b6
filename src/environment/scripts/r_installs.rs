//! Packages that a script of R installs.

use super::super::evidence::{EvidenceKind, Pin};
use super::super::language::Language;
use super::super::need::MentionForm;
use super::findings::place;
use super::package_file::{PACKAGE, PackageFile};
use super::r::CallReader;
use super::r_calls::CallArgument;
use super::r_tokens::RTokenKind;
use super::r_values::{self, RNames};

/// Functions that install from a repository of code or an address.
const ELSEWHERE: [&str; 8] = [
    "install_github",
    "install_gitlab",
    "install_bitbucket",
    "install_git",
    "install_url",
    "install_local",
    "p_load_gh",
    "p_install_gh",
];

/// Parts of the addresses of archives that are not CRAN's.
const OTHER_ARCHIVES: [&str; 5] = [
    "r-forge.r-project",
    "rforge.net",
    "r-inla",
    "mc-stan.org",
    ".r-universe.dev",
];

/// Whether a call names an archive that is not CRAN's.
fn has_other_archive(arguments: &[CallArgument<'_>]) -> bool {
    let repositories = arguments.iter().filter(|argument| argument.name == Some("repos"));
    let mut tokens = repositories.flat_map(|argument| argument.tokens.iter());
    tokens.any(|token| match &token.kind {
        RTokenKind::Text(text) => {
            let lower = text.to_ascii_lowercase();
            OTHER_ARCHIVES.iter().any(|other| lower.contains(other))
        }
        _ => false,
    })
}

impl<'a> CallReader<'_, 'a> {
    /// A call that may install something, or say from where.
    pub fn installing(&mut self, name: &str, at: usize) {
        match name {
            name if ELSEWHERE.contains(&name) => self.elsewhere(&self.arguments(at), at),
            "install_version" => {
                let arguments = self.arguments(at);
                self.install(&arguments, at);
                self.version(&arguments, at);
                self.repositories(&arguments, at);
            }
            "install.packages" | "install_cran" | "p_install" => {
                let arguments = self.arguments(at);
                self.install(&arguments, at);
                self.repositories(&arguments, at);
            }
            // `devtools::install("folder")`
            "install" if self.is_inside("devtools", at) => self.elsewhere(&self.arguments(at), at),
            // `BiocManager::install("x")`, and what pak and remotes have under this name.
            "install" | "biocLite" | "pkg_install" => self.install(&self.arguments(at), at),
            "pak" if self.is_inside("pak", at) => self.install(&self.arguments(at), at),
            "options" | "setRepositories" => self.repositories(&self.arguments(at), at),
            _ => {}
        }
    }

    pub fn install(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let named = |argument: &&CallArgument<'a>| matches!(argument.name, Some("package" | "pkgs" | "pkg"));
        let first = arguments.iter().find(named);
        let first = first.or_else(|| arguments.iter().find(|argument| argument.name.is_none()));
        let value = first.map_or_else(RNames::unknown, |first| r_values::of_argument(self.syntax, first));
        let is_file = arguments.iter().any(|argument| {
            argument.name == Some("repos")
                && matches!(argument.single(), Some(RTokenKind::Name(name)) if name == "NULL")
        });
        let is_other = has_other_archive(arguments);
        for name in &value.names {
            let bare = name.strip_prefix("cran::").or_else(|| name.strip_prefix("any::"));
            let bare = bare.unwrap_or(name);
            if is_file || PackageFile::is_archive(bare) {
                self.package_file(bare, at);
            } else if bare.contains(['/', ':']) {
                self.elsewhere_name(bare, at);
            } else if is_other {
                self.mention(bare, MentionForm::InstallsElsewhere, at);
            } else {
                self.install_name(bare, at);
            }
        }
    }

    /// `pak::pkg_install("dplyr@1.0.2")`
    fn install_name(&mut self, name: &str, at: usize) {
        let (name, version) = name
            .split_once('@')
            .map_or((name, None), |(name, version)| (name, Some(version)));
        self.mention(name, MentionForm::Installs, at);
        if let Some(version) = version {
            self.pin(name, version, at);
        }
    }

    /// A file that holds a package, of the folder or at an address.
    fn package_file(&mut self, path: &str, at: usize) {
        let Some(file) = PackageFile::parse(path, place(self.file, self.line(at))) else {
            return;
        };
        if file.is_of_cran() {
            self.mention(&file.name, MentionForm::Installs, at);
            if let Some(version) = &file.version {
                self.pin(&file.name, version, at);
            }
        } else if path.contains("://") {
            self.mention(&file.name, MentionForm::InstallsElsewhere, at);
        } else {
            self.mention(&file.name, MentionForm::InstallsElsewhere, at);
            self.findings.package_files.push(file);
        }
    }

    /// `install_version("lme4", version = "1.1-21")`: by names, else in this order.
    fn version(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let text = |argument: &CallArgument<'a>| match argument.single() {
            Some(RTokenKind::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let named = |name: &str| arguments.iter().find(|argument| argument.name == Some(name));
        let mut rest = arguments.iter().filter(|argument| argument.name.is_none());
        let package = named("package").or_else(|| rest.next()).and_then(text);
        let version = named("version").or_else(|| rest.next()).and_then(text);
        if let (Some(package), Some(version)) = (package, version) {
            self.pin(package, version, at);
        }
    }

    fn pin(&mut self, name: &str, version: &str, at: usize) {
        if !PACKAGE.is_match(name) || version.trim().is_empty() {
            return;
        }
        let line = self.line(at);
        let pin = Pin::new(Language::R, name, EvidenceKind::ScriptSnapshot, self.file, line);
        let version = version.trim();
        self.findings
            .pins
            .push(match version.starts_with(['<', '>', '=', '!']) {
                true => Pin {
                    bounds: Some(version.chars().filter(|letter| !letter.is_whitespace()).collect()),
                    ..pin
                },
                false => pin.with_version(Some(version.to_owned())),
            });
    }

    fn elsewhere(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let named = |name| matches!(name, None | Some("repo" | "path" | "url" | "pkg"));
        for argument in arguments.iter().filter(|argument| named(argument.name)) {
            let value = r_values::of_argument(self.syntax, argument);
            for name in &value.names {
                match PackageFile::is_archive(name) {
                    true => self.package_file(name, at),
                    false => self.elsewhere_name(name, at),
                }
            }
        }
    }

    /// `owner/package@ref`, or an address that ends in the package's name.
    pub fn elsewhere_name(&mut self, address: &str, at: usize) {
        let bare = address.split(['@', '#']).next().unwrap_or_default();
        let last = bare
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()
            .unwrap_or_default();
        let name = last
            .split('_')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".git");
        self.mention(name, MentionForm::InstallsElsewhere, at);
    }
}
