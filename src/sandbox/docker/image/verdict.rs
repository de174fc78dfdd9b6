//! The verdict on a failed build, from what its scripts noted.

use super::compiling;
use super::plan::ImagePlan;
use crate::domain::excerpt;
use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::sandbox::failure::{classify, infrastructure, is_disk_full, is_network, last, setup};

/// A line that a script notes something with.
const MARK: &str = "@reprise ";

/// The layer that a noted failure comes from, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    System,
    R,
    Python,
}

impl Layer {
    /// The script that makes it.
    pub fn script(self) -> &'static str {
        match self {
            Self::System => "system.sh",
            Self::R => "r.sh",
            Self::Python => "python.sh",
        }
    }
}

/// One failure, as a script noted it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Noted {
    layer: Layer,
    /// A package or a requirement; empty for all of the layer together.
    name: String,
    lines: Vec<String>,
}

/// A failed build, and the first layer with a failure in it.
pub struct BuildVerdict {
    pub failure: BuildFailure,
    pub layer: Option<Layer>,
}

/// Names the cause of a failed build. `named` says whether the operator named
/// where CRAN is.
pub fn verdict(lines: &[String], error: &str, plan: &ImagePlan, named: bool) -> BuildVerdict {
    let noted = noted(lines);
    let layer = noted.iter().map(|one| one.layer).min();
    let failures: Vec<BuildFailure> = noted
        .iter()
        .map(|one| match one.layer {
            Layer::System => system(one),
            Layer::R => r(one, named),
            Layer::Python => python(one, plan),
        })
        .collect();
    let failure = match combined(failures) {
        Some(failure) => BuildFailure {
            log: last(&without_marks(lines)),
            ..failure
        },
        None => stopped(lines, error, plan),
    };
    BuildVerdict { failure, layer }
}

/// The failures that the last layer told.
fn noted(lines: &[String]) -> Vec<Noted> {
    let mut found = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        if line != "@reprise failure" {
            continue;
        }
        let Some((kind, name)) = rest.next().and_then(|head| head.split_once('\t')) else {
            continue;
        };
        let layer = match kind {
            "system" => Layer::System,
            "r" => Layer::R,
            "python" => Layer::Python,
            _ => continue,
        };
        let lines = rest
            .by_ref()
            .take_while(|line| *line != "@reprise end")
            .cloned()
            .collect();
        found.push(Noted {
            layer,
            name: excerpt::start(name, 300).to_owned(),
            lines,
        });
    }
    found
}

/// All failures as one: every sentence once, every package once.
fn combined(failures: Vec<BuildFailure>) -> Option<BuildFailure> {
    let mut failures = failures.into_iter();
    let mut all = failures.next()?;
    for one in failures {
        if one.cause == FailureCause::Infrastructure {
            all.cause = one.cause;
        }
        if !all.summary.contains(&one.summary) {
            all.summary = format!("{} {}", all.summary, one.summary);
        }
        for package in one.packages {
            if !all.packages.contains(&package) {
                all.packages.push(package);
            }
        }
    }
    Some(all)
}

fn without_marks(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .filter(|line| !line.starts_with(MARK) && !is_builders(line))
        .cloned()
        .collect()
}

/// Whether the builder itself, rather than a command, wrote a line.
pub fn is_builders(line: &str) -> bool {
    [" --->", "--> ", "Removing intermediate container"]
        .iter()
        .any(|start| line.starts_with(start))
}

fn system(noted: &Noted) -> BuildFailure {
    let name = &noted.name;
    if let Some(failure) = outside(&noted.lines) {
        return failure;
    }
    let summary = if noted.lines.iter().any(|line| line == "unknown name") {
        format!("There is no Debian package `{name}` here: correct the name or leave it out.")
    } else {
        format!("The Debian package `{name}` cannot be installed: choose another one or leave it out.")
    };
    setup(summary, vec![name.clone()])
}

/// A fault of the network or the disk that lines tell of.
fn outside(lines: &[String]) -> Option<BuildFailure> {
    let log = || last(lines);
    if lines.iter().any(|line| is_disk_full(line)) {
        return Some(infrastructure(
            "The packages could not be installed: the disk is full.",
            log(),
        ));
    }
    if lines.iter().any(|line| is_network(line) || is_apt_network(line)) {
        return Some(infrastructure(
            "The packages could not be fetched: their index or mirror cannot be reached.",
            log(),
        ));
    }
    None
}

fn is_apt_network(line: &str) -> bool {
    [
        "Temporary failure resolving",
        "Could not resolve",
        "Could not connect",
        "Unable to connect",
        "Connection failed",
        "Connection timed out",
        "Failed to fetch",
        "Certificate verification failed",
        "no longer has a Release file",
        "does not have a Release file",
    ]
    .iter()
    .any(|word| line.contains(word))
}

fn python(noted: &Noted, plan: &ImagePlan) -> BuildFailure {
    let requirements = match (&noted.name, &plan.python) {
        (name, Some(all)) if name.is_empty() => all.clone(),
        (name, _) => vec![name.clone()],
    };
    classify(&noted.lines, &requirements, &plan.python_version())
}

fn r(noted: &Noted, named: bool) -> BuildFailure {
    let name = &noted.name;
    let reason = noted
        .lines
        .first()
        .and_then(|line| line.strip_prefix("reason\t"))
        .unwrap_or_default();
    let rest = noted.lines.get(1..).unwrap_or_default();
    let packages = vec![name.clone()];
    let known = rest
        .iter()
        .filter(|line| !line.starts_with("asked for:"))
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match reason {
        "unknown" => setup(
            format!("There is no R package `{name}` in Debian or on CRAN: correct the name or leave it out."),
            packages,
        ),
        "version" => setup(
            format!(
                "The R package `{name}` is not to be had in the version asked for ({known}): change or leave out the version."
            ),
            packages,
        ),
        // Where the operator named a place, it is theirs to mend; else this
        // machine simply has no CRAN, which the agent can work around.
        "unreachable" if named => BuildFailure {
            packages,
            ..infrastructure(
                format!(
                    "The R package `{name}` could not be looked for ({known}): check REPRISE_CRAN and REPRISE_CRAN_SNAPSHOT."
                ),
                last(rest),
            )
        },
        "unreachable" => setup(
            format!(
                "The R package `{name}` cannot be had on this machine ({known}): do without it or without its version, or ask the operator to name a CRAN mirror in REPRISE_CRAN."
            ),
            packages,
        ),
        "load" => setup(
            format!("The R package `{name}` was installed and cannot be loaded: {known}."),
            packages,
        ),
        "other" => setup(format!("The R package `{name}`: {known}."), packages),
        _ => {
            if let Some(failure) = outside(rest) {
                return failure;
            }
            BuildFailure {
                log: last(rest),
                ..setup(compiling::summary(name, rest), packages)
            }
        }
    }
}

/// A build that a script ended, or that ended without a word.
fn stopped(lines: &[String], error: &str, plan: &ImagePlan) -> BuildFailure {
    let log = last(&without_marks(lines));
    if let Some(failure) = outside(&lines[lines.len().saturating_sub(400)..]) {
        return BuildFailure { log, ..failure };
    }
    let why = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix("@reprise stop "));
    match why {
        Some(why @ "the Debian packages cannot be installed together") => BuildFailure {
            log,
            ..setup(
                format!("Some of the packages contradict each other: {why}. Leave out what is not needed."),
                plan.system.clone(),
            )
        },
        Some(why) => infrastructure(format!("The image could not be built: {why}."), log),
        None => infrastructure(format!("The image could not be built: {error}."), log),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::execution::EnvironmentSpec;
    use crate::sandbox::docker::image::plan::tests::plan;
    use crate::sandbox::docker::image::probe::Probed;

    fn read(text: &str, named: bool) -> BuildVerdict {
        let spec = EnvironmentSpec {
            python: Some(vec!["numpy==9.9".to_owned(), "six".to_owned()]),
            system: vec!["libone".to_owned()],
            ..EnvironmentSpec::default()
        };
        let probed = Probed {
            apt: true,
            python: Some("3.11.2".to_owned()),
            direct: true,
            ..Probed::default()
        };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        verdict(&lines, "returned 1", &plan(&spec, probed, BTreeMap::new()), named)
    }

    const SEVERAL: &str = "some output
@reprise failure
python\tnumpy==9.9
ERROR: Could not find a version that satisfies the requirement numpy==9.9 (from versions: 1.25.0, 1.26.4)
@reprise end
@reprise failure
system\tlibnone
unknown name
@reprise end
@reprise failure
r\txml2
reason\tinstall
xml2_init.c:1:10: fatal error: libxml/parser.h: No such file or directory
@reprise end";

    #[test]
    fn every_failure_is_told_and_the_first_layer_is_known() {
        let BuildVerdict { failure, layer } = read(SEVERAL, false);
        assert_eq!(failure.cause, FailureCause::Setup);
        assert_eq!(failure.packages, ["numpy", "libnone", "xml2"]);
        assert_eq!(layer, Some(Layer::System));
        for part in [
            "`numpy==9.9` on Python 3.11.2",
            "no Debian package `libnone`",
            "add `libxml2-dev`",
        ] {
            assert!(failure.summary.contains(part), "{failure}");
        }
        assert!(failure.log.contains("some output") && !failure.log.contains("@reprise"));
    }

    #[test]
    fn what_is_outside_is_not_the_packages_fault() {
        for (text, part) in [
            (
                "Err:1 http://deb.debian.org bookworm InRelease\n  Temporary failure resolving 'deb.debian.org'\n@reprise stop the Debian package index cannot be read",
                "cannot be reached",
            ),
            (
                "cp: error: No space left on device\n@reprise stop x",
                "disk is full",
            ),
            (
                "@reprise failure\npython\t\nWARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)'\n@reprise end",
                "cannot be reached",
            ),
            ("nothing that is known", "returned 1"),
        ] {
            let failure = read(text, false).failure;
            assert_eq!(failure.cause, FailureCause::Infrastructure, "{text}");
            assert!(failure.summary.contains(part), "{failure}");
        }
    }

    #[test]
    fn an_archive_out_of_reach_is_the_operators_where_they_named_it() {
        let text = "@reprise failure\nr\tlme4\nreason\tunreachable\nDebian has 1.1-31\nCRAN cannot be reached\n@reprise end";
        let failure = read(text, true).failure;
        assert_eq!(failure.cause, FailureCause::Infrastructure);
        assert!(failure.summary.contains("REPRISE_CRAN"), "{failure}");
        let failure = read(text, false).failure;
        assert_eq!(
            (failure.cause, failure.packages),
            (FailureCause::Setup, vec!["lme4".to_owned()])
        );
    }
}
