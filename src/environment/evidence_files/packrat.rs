//! `packrat.lock`: R's version, its repositories, and packages with their versions and sources.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::json_locks::snapshot_day;

/// A field of the file and the line on which it stands.
struct LockField<'a> {
    name: &'a str,
    value: String,
    line: usize,
}

/// Reads a `packrat.lock`: records of fields, the first of the lock itself.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut record = Vec::new();
    let mut is_known = false;
    for (at, line) in text.lines().chain(std::iter::once("")).enumerate() {
        if line.trim().is_empty() {
            is_known |= !record.is_empty();
            take(file, &std::mem::take(&mut record), found);
        } else if line.starts_with([' ', '\t']) {
            if let Some(LockField { value, .. }) = record.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let value = value.trim().to_owned();
            let line = at + 1;
            record.push(LockField {
                name: name.trim(),
                value,
                line,
            });
        }
    }
    if !is_known {
        found.fault(file, "it is no such lock: it has no field");
    }
}

fn take(file: &str, record: &[LockField<'_>], found: &mut FoundEvidence) {
    let field = |name: &str| record.iter().find(|field| field.name == name);
    let value = |name: &str| {
        field(name)
            .map(|field| field.value.as_str())
            .filter(|value| !value.is_empty())
    };
    let kind = EvidenceKind::LockFile;
    if let Some(version) = value("RVersion") {
        let says = format!("The lock was made with R {version}.");
        let evidence = Evidence::new(kind, file, says).at(field("RVersion").map_or(1, |field| field.line));
        found.evidence.push(evidence.of_the_time_of(Language::R, version));
    }
    for address in value("Repos").into_iter().flat_map(|all| all.split(',')) {
        let address = address
            .split_once('=')
            .map_or(address, |(_, address)| address)
            .trim();
        if let Some(day) = snapshot_day(address) {
            let says = format!("The lock takes packages of {day}.");
            let line = field("Repos").map_or(1, |field| field.line);
            let evidence = Evidence::new(kind, file, says).at(line);
            found.evidence.push(evidence.dated(Some(day)));
        }
    }
    let Some(package) = field("Package") else { return };
    let pin = Pin::new(Language::R, &package.value, kind, file, package.line);
    let pin = pin.with_version(value("Version").map(str::to_owned));
    found.pins.push(
        match value("Source").unwrap_or("CRAN").to_ascii_lowercase().as_str() {
            "github" | "gitlab" | "bitbucket" | "git" => {
                let part =
                    |name: &str| value(&format!("Github{name}")).or_else(|| value(&format!("Remote{name}")));
                let named = [part("Username"), part("Repo")].into_iter().flatten();
                let name = named.collect::<Vec<_>>().join("/");
                let commit = value("GithubSha1")
                    .or_else(|| value("RemoteSha"))
                    .or_else(|| part("Ref"));
                let at = commit.map_or(String::new(), |commit| format!("@{commit}"));
                pin.with_source(PinSource::Elsewhere(format!("{name}{at}")))
            }
            source @ ("source" | "local" | "bioconductor") => pin.with_source(PinSource::Elsewhere(
                value("SourcePath").unwrap_or(source).to_owned(),
            )),
            _ => pin,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn a_lock_gives_r_a_day_and_versions() {
        let text = "PackratFormat: 1.4\nPackratVersion: 0.5.0\nRVersion: 3.5.1\nRepos: CRAN=https://mran.microsoft.com/snapshot/2018-08-01,\n    \
                    Own=https://own.example/repo\n\nPackage: dplyr\nSource: CRAN\nVersion: 0.7.6\nRequires: R6,\n    Rcpp\n\n\
                    Package: synth\nSource: github\nVersion: 0.1\nGithubRepo: synth\nGithubUsername: o\nGithubSha1: abc\n\n\
                    Package: limma\nSource: Bioconductor\nVersion: 3.36.2\n\nPackage: mine\nSource: source\nVersion: 1\nSourcePath: pkgs/mine\n";
        let mut found = FoundEvidence::default();
        read("packrat/packrat.lock", text, &mut found);
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, "3.5.1");
        let days: Vec<String> = found.evidence[1..]
            .iter()
            .filter_map(|one| one.date)
            .map(|day| day.to_string())
            .collect();
        assert_eq!(days, ["2018-08-01"]);
        assert_eq!(
            shown_pins(&found),
            ["dplyr|0.7.6|", "synth|0.1|", "limma|3.36.2|", "mine|1|"]
        );
        let elsewhere: Vec<&str> = (found.pins.iter())
            .filter_map(|pin| match &pin.source {
                PinSource::Elsewhere(address) => Some(address.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(elsewhere, ["o/synth@abc", "bioconductor", "pkgs/mine"]);
        assert_eq!(found.pins[1].line, 13);
        read("packrat.lock", "{}", &mut found);
        assert_eq!(found.faults.len(), 1);
    }
}
