//! The `DESCRIPTION` of a package or compendium of R.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::super::r_archive::description::parse;
use crate::domain::lazy_regex::LazyRegex;

static DATED: LazyRegex = LazyRegex::new(r"(?m)^Date(/Publication)?:[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2})\b");
/// A field of a package that was installed or came from an archive: it is not the analysis itself.
static FOREIGN: LazyRegex = LazyRegex::new(r"(?m)^(?:Built|Repository):");
static NAMED: LazyRegex = LazyRegex::new(r"(?m)^Package:[ \t]*([A-Za-z][A-Za-z0-9.]*)[ \t]*$");
static NAME: LazyRegex = LazyRegex::new(r"^[A-Za-z][A-Za-z0-9.]*$");
static REMOTE_NAME: LazyRegex = LazyRegex::new(r"^([A-Za-z][A-Za-z0-9.]*)=");
static OWN: LazyRegex = LazyRegex::new(r"(?m)^(?:Package|Imports|Depends|Type):");

/// The name of the package that the file describes; `None` where that was installed or came from an archive.
pub fn own_name(text: &str) -> Option<String> {
    let name = NAMED.captures(text).filter(|_| !FOREIGN.is_match(text))?;
    Some(name[1].to_owned())
}

/// Reads what it needs, the least R and its day.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    if FOREIGN.is_match(text) || !OWN.is_match(text) {
        return;
    }
    let description = parse(text);
    let kind = EvidenceKind::LockFile;
    let line_of = |name: &str| {
        let is_word = |line: &&str| {
            line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.')
                .any(|word| word == name)
        };
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with("Package:"));
        lines.find(|(_, line)| is_word(line)).map_or(1, |(at, _)| at + 1)
    };
    if let Some(bound) = &description.r {
        let says = format!("The package is for R {bound}.");
        let evidence = Evidence::new(kind, file, says).at(line_of("R"));
        found.evidence.push(match bound.strip_prefix(">=") {
            Some(least) => evidence.naming(Language::R, &format!(">={}", least.trim())),
            None => evidence,
        });
    }
    for dated in DATED.captures_iter(text) {
        let (kind, does) = match dated.get(1) {
            Some(_) => (EvidenceKind::Deposit, "was published"),
            None => (EvidenceKind::WrittenDate, "is dated"),
        };
        let says = format!("The package {does} {}.", &dated[2]);
        found
            .evidence
            .push(Evidence::new(kind, file, says).dated(dated[2].parse().ok()));
    }
    for remote in description
        .remotes
        .iter()
        .filter_map(|remote| Remote::parse(remote))
    {
        let pin = Pin::new(Language::R, &remote.name, kind, file, line_of(&remote.name));
        found
            .pins
            .push(pin.with_source(PinSource::Elsewhere(remote.address)));
    }
    for need in &description.needs {
        let pin = Pin::new(Language::R, &need.name, kind, file, line_of(&need.name));
        let bound = need.bound.as_deref().map(|bound| bound.replace(' ', ""));
        found.pins.push(
            match bound.as_deref().and_then(|bound| bound.strip_prefix("==")) {
                Some(version) => pin.with_version(Some(version.to_owned())),
                None => Pin { bounds: bound, ..pin },
            },
        );
    }
}

/// A package that comes from elsewhere: `github::owner/name@ref`.
struct Remote {
    name: String,
    /// As the file has it.
    address: String,
}

impl Remote {
    /// Reads an entry of `Remotes:`; `None` of one that an index has, or whose name is not told.
    fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry.starts_with("cran::") || entry.starts_with("any::") {
            return None;
        }
        let (named, rest) = match REMOTE_NAME.captures(entry) {
            Some(found) => (Some(found[1].to_owned()), entry.get(found[0].len()..)?),
            None => (None, entry),
        };
        let bare = rest.rsplit("::").next()?;
        let is_code = !rest.contains("://")
            && !["local::", "bioc", "git::"]
                .iter()
                .any(|kind| rest.starts_with(kind));
        let is_end = |letter: char| matches!(letter, '@' | '#' | '?');
        // A folder inside a repository may hold a package of its name; the repository's name is the usual one.
        let last = match is_code {
            true => bare.split(is_end).next()?.split('/').nth(1)?,
            false => bare
                .trim_end_matches('/')
                .rsplit(['/', ':'])
                .next()?
                .split(is_end)
                .next()?,
        };
        let name = last.split('_').next()?.trim_end_matches(".git");
        let name = named.unwrap_or_else(|| name.to_owned());
        let is_name = NAME.is_match(&name);
        let address = entry.to_owned();
        is_name.then_some(Self { name, address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_come_from_elsewhere() {
        let text = "Package: study\nImports: dplyr, synthdid (>= 0.1),\n  own, sub\nRemotes: github::synth-inference/synthdid@v1,\n    \
                    owner/other, local::./own, url::https://x.example/far_1.0.tar.gz,\n    git::git@x.example:o/gits.git, bioc::3.3/Biobase,\n    \
                    named=owner/repo-name, o/repo.x/folder#12, cran::dplyr, local::.\n";
        let mut found = FoundEvidence::default();
        read("DESCRIPTION", text, &mut found);
        let elsewhere: Vec<&str> = (found.pins.iter())
            .filter(|pin| matches!(pin.source, PinSource::Elsewhere(_)))
            .map(|pin| pin.name.as_str())
            .collect();
        assert_eq!(
            elsewhere,
            [
                "synthdid", "other", "own", "far", "gits", "Biobase", "named", "repo.x"
            ]
        );
    }
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn needs_the_least_r_and_the_day() {
        let text = "Type: Compendium\nPackage: paper\nDate: 2019-05-06\nDepends: R (>= 3.5.0)\nImports:\n    dplyr (>= 0.8.0),\n    \
                    lme4 (== 1.1-21),\n    here\nSuggests: testthat\n";
        let mut found = FoundEvidence::default();
        read("DESCRIPTION", text, &mut found);
        assert_eq!(shown_pins(&found), ["dplyr||>=0.8.0", "here||", "lme4|1.1-21|"]);
        assert_eq!(found.pins[0].line, 6);
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, ">=3.5.0");
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2019-05-06");
        // A package that was installed, and data of that name, are no evidence.
        for other in [
            "Package: dplyr\nImports: rlang\nBuilt: R 4.0.3\n",
            "Prices of houses: in thousands\n",
        ] {
            let mut found = FoundEvidence::default();
            read("lib/DESCRIPTION", other, &mut found);
            assert!(found.pins.is_empty() && found.evidence.is_empty(), "{other}");
        }
    }
}
