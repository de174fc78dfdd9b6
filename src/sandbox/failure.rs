//! Failures of making an environment, told from what its installer printed.

use crate::domain::execution::BuildFailure;
use crate::domain::failure::FailureCause;
use crate::domain::lazy_regex::LazyRegex;

/// Lines of a log that are kept.
const KEPT: usize = 25;

/// A name from outside, fit for a message.
pub fn shown(name: &str) -> String {
    name.escape_debug().take(80).collect()
}

/// The fault of the declared packages.
pub fn setup(summary: impl Into<String>, packages: Vec<String>) -> BuildFailure {
    BuildFailure {
        cause: FailureCause::Setup,
        summary: summary.into(),
        packages,
        log: String::new(),
    }
}

/// The fault of the machine, the network or the operator.
pub fn infrastructure(summary: impl Into<String>, log: String) -> BuildFailure {
    BuildFailure {
        cause: FailureCause::Infrastructure,
        summary: summary.into(),
        packages: Vec::new(),
        log,
    }
}

static NETWORK: LazyRegex = LazyRegex::new(
    r"(?i)name resolution|NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|Max retries exceeded|Connection (refused|reset|aborted)|Network is unreachable|CERTIFICATE_VERIFY_FAILED|ProxyError|SSLError|50[0-9] Server Error|error sending request|HTTP status server error",
);
static DISK: LazyRegex = LazyRegex::new(r"No space left on device|Disk quota exceeded");
static UNMATCHED: LazyRegex = LazyRegex::new(
    r"Could not find a version that satisfies the requirement (?P<what>.+?)(?: \(from [^()]*\([^()]*\)\)| \(from (?:-r|[a-z0-9._-]+->)[^()]*\))? \(from versions: (?P<versions>[^)]*)\)",
);
static CONFLICT: LazyRegex =
    LazyRegex::new(r"ResolutionImpossible|conflicting dependencies|Cannot install (?P<what>.+?) because");
static COMPILE: LazyRegex = LazyRegex::new(
    r"(?:Failed building wheel for|Failed to build(?: installable wheels for some pyproject.toml based projects)?|Could not build wheels for) [(`]?(?P<what>[A-Za-z0-9][A-Za-z0-9._-]*)",
);
static BROKEN: LazyRegex = LazyRegex::new(
    r"metadata-generation-failed|subprocess-exited-with-error|error: command '[^']*(?:gcc|cc|clang|g\+\+)",
);
static TAMPERED: LazyRegex = LazyRegex::new(
    r"DO NOT MATCH THE HASHES|Hash mismatch for|In `?--require-hashes`? mode, all requirements must|Hashes are required in --require-hashes mode|Hash-checking is required, but",
);
static PYTHON: LazyRegex = LazyRegex::new(r"requires a different Python|Requires-Python");
// In uv's words.
static ABSENT: LazyRegex = LazyRegex::new(r"(?P<what>[A-Za-z0-9][\w.-]*) was not found in the ");
static NO_VERSION: LazyRegex = LazyRegex::new(
    r"(?:there (?:is|are) no versions? of (?P<what>[A-Za-z0-9]\S*)|only (?P<only>[A-Za-z0-9]\S*) is available)",
);
static OTHER_PYTHON: LazyRegex = LazyRegex::new(r"(?P<what>[A-Za-z0-9][\w.-]*)\S* depends on Python[<>=]");
static NO_WHEEL: LazyRegex = LazyRegex::new(r"(?P<what>[A-Za-z0-9][\w.-]*)\S* has no (?:usable )?wheels?");
static UNSATISFIABLE: LazyRegex = LazyRegex::new(r"your requirements are unsatisfiable");

static RETRIED: LazyRegex = LazyRegex::new(r"Retrying \(Retry\(total=[1-9]");

/// Whether a line tells of an index that cannot be reached. An attempt that is
/// followed by another says nothing yet.
pub fn is_network(line: &str) -> bool {
    NETWORK.is_match(line) && !RETRIED.is_match(line)
}

/// Whether a line tells of a full disk.
pub fn is_disk_full(line: &str) -> bool {
    DISK.is_match(line)
}

/// Names the cause of a failed installation.
pub fn classify(lines: &[String], requirements: &[String], python: &str) -> BuildFailure {
    let log = last(lines);
    let text = lines.join("\n");
    if DISK.is_match(&text) {
        return infrastructure("The packages could not be installed: the disk is full.", log);
    }
    // Without a network pip finds no versions of anything, which is not the packages' fault.
    if lines.iter().any(|line| is_network(line)) {
        return infrastructure(
            "The packages could not be fetched: the package index cannot be reached.",
            log,
        );
    }
    if TAMPERED.is_match(&text) {
        return infrastructure(
            "What the package index has is not what the run's lock holds: a file has another SHA-256, or a package \
             that is needed is not in the lock. Nothing of it was kept. Look at the log; where the index is to be \
             trusted, make the lock anew with `reprise env`.",
            log,
        );
    }
    let (summary, packages) = declared_fault(&text, requirements, python);
    BuildFailure {
        log,
        ..setup(summary, packages)
    }
}

fn declared_fault(text: &str, requirements: &[String], python: &str) -> (String, Vec<String>) {
    if let Some(captures) = UNMATCHED.captures(text) {
        let what = captures["what"].trim().to_owned();
        let versions = captures["versions"].trim();
        let name = package(&what);
        let summary = if versions.is_empty() || versions == "none" {
            if PYTHON.is_match(text) {
                format!(
                    "No version of the Python package `{name}` runs on Python {python}: choose another package."
                )
            } else {
                format!("There is no Python package `{name}`: correct the name or leave it out.")
            }
        } else {
            let known: Vec<&str> = versions.split(", ").collect();
            let shown = known[known.len().saturating_sub(8)..].join(", ");
            format!(
                "No matching version for the Python requirement `{what}` on Python {python}; the newest versions \
                 there are: {shown}. Correct the version or leave it out."
            )
        };
        return (summary, vec![name]);
    }
    if let Some(captures) = CONFLICT.captures(text) {
        let what = captures
            .name("what")
            .map_or("the requirements", |found| found.as_str());
        return contradiction(what, requirements);
    }
    if let Some(captures) = COMPILE.captures(text) {
        let name = package(&captures["what"]);
        return (
            format!(
                "The Python package `{name}` must be compiled, and that failed here: choose a version with a \
                 wheel for Python {python}, or leave the version out."
            ),
            vec![name],
        );
    }
    if BROKEN.is_match(text) {
        return (
            format!(
                "A Python package must be compiled, and that failed here: choose versions with wheels for Python \
                 {python}, or leave the versions out."
            ),
            requirements.iter().map(|text| package(text)).collect(),
        );
    }
    of_uv(text, requirements, python).unwrap_or_else(|| {
        (
            "The Python packages could not be installed; the log tells why.".to_owned(),
            requirements.iter().map(|text| package(text)).collect(),
        )
    })
}

fn contradiction(what: &str, requirements: &[String]) -> (String, Vec<String>) {
    (
        format!("The Python packages contradict each other ({what}): loosen or leave out versions."),
        requirements.iter().map(|text| package(text)).collect(),
    )
}

/// The package of which no version is what was asked for, by what uv printed.
pub fn without_version(text: &str) -> Option<String> {
    found(&NO_VERSION, text)
}

fn found(pattern: &LazyRegex, text: &str) -> Option<String> {
    let captures = pattern.captures(text)?;
    Some(package(captures.name("what").or(captures.name("only"))?.as_str()))
}

/// The fault that uv reports.
fn of_uv(text: &str, requirements: &[String], python: &str) -> Option<(String, Vec<String>)> {
    let (name, summary) = if let Some(name) = found(&ABSENT, text) {
        let summary = format!("There is no Python package `{name}`: correct the name or leave it out.");
        (name, summary)
    } else if let Some(name) = found(&OTHER_PYTHON, text) {
        let summary = format!(
            "No version of the Python package `{name}` that was asked for runs on Python {python}: choose another one."
        );
        (name, summary)
    } else if let Some(name) = without_version(text) {
        let summary = format!(
            "There is no version of the Python package `{name}` such as was asked for on Python {python}: correct the \
             version or leave it out."
        );
        (name, summary)
    } else if let Some(name) = found(&NO_WHEEL, text) {
        let summary = format!(
            "The Python package `{name}` has no wheel for Python {python} in the version that was asked for: choose a \
             version with one, or leave the version out."
        );
        (name, summary)
    } else {
        return UNSATISFIABLE
            .is_match(text)
            .then(|| contradiction("the requirements", requirements));
    };
    Some((summary, vec![name]))
}

/// The name at the front of a requirement.
pub fn package(requirement: &str) -> String {
    requirement
        .chars()
        .take_while(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
        .collect()
}

/// The last lines, without progress and empty ones.
pub fn last(lines: &[String]) -> String {
    let kept: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.trim().is_empty() && !line.contains("[notice]"))
        .collect();
    kept[kept.len().saturating_sub(KEPT)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> BuildFailure {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        classify(&lines, &["numpy==1.0.1".to_owned()], "3.11.2")
    }

    #[test]
    fn the_package_without_a_fitting_version_is_read() {
        for (log, name) in [
            (
                "Because there is no version of six==99.0 and you require six==99.0, we",
                Some("six"),
            ),
            (
                "  cause: Because only low-pkg<=2.0 is available and you require low-pkg>=3, we",
                Some("low-pkg"),
            ),
            (
                "Because nonesuch was not found in the package registry and you require",
                None,
            ),
        ] {
            assert_eq!(without_version(log).as_deref(), name, "{log}");
        }
    }

    #[test]
    fn each_cause_is_told_from_the_others() {
        let cases = [
            (
                "ERROR: Could not find a version that satisfies the requirement nonesuch (from versions: none)",
                FailureCause::Setup,
                "no Python package `nonesuch`",
            ),
            (
                "ERROR: Could not find a version that satisfies the requirement numpy==9.9 (from versions: 1.25.0, 1.26.4)",
                FailureCause::Setup,
                "1.26.4",
            ),
            (
                "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: Could not find a version that satisfies the requirement numpy (from versions: none)",
                FailureCause::Infrastructure,
                "index cannot be reached",
            ),
            (
                "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
                FailureCause::Infrastructure,
                "disk is full",
            ),
            (
                "ERROR: Failed building wheel for lxml",
                FailureCause::Setup,
                "`lxml` must be compiled",
            ),
            (
                "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.",
                FailureCause::Setup,
                "contradict",
            ),
            (
                "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated",
                FailureCause::Infrastructure,
                "another SHA-256",
            ),
            (
                "ERROR: In --require-hashes mode, all requirements must have their versions pinned with ==. These \
                 do not:\n    tqdm from https://example.org",
                FailureCause::Infrastructure,
                "not in the lock",
            ),
            (
                "error: No solution found when resolving dependencies\n  cause: Because there is no version of six==99.0 \
                 and you require six==99.0, we can conclude that your requirements are unsatisfiable.",
                FailureCause::Setup,
                "no version of the Python package `six`",
            ),
            (
                "  cause: Because only low-pkg<=2.0 is available and you require low-pkg>=3, we can conclude that your \
                 requirements are unsatisfiable.",
                FailureCause::Setup,
                "no version of the Python package `low-pkg`",
            ),
            (
                "  cause: Because nonesuch was not found in the package registry and you require nonesuch, we can",
                FailureCause::Setup,
                "no Python package `nonesuch`",
            ),
            (
                "  cause: Because numpy==1.19.5 has no usable wheels and you require numpy==1.19.5, we can conclude",
                FailureCause::Setup,
                "`numpy` has no wheel for Python 3.11.2",
            ),
            (
                "  cause: Because you require six==1.16 and six==1.15, we can conclude that your requirements are \
                 unsatisfiable.",
                FailureCause::Setup,
                "contradict",
            ),
            (
                "  cause: Because the requested Python version (>=3.8) does not satisfy Python>=3.9 and numpy==2.0.0 \
                 depends on Python>=3.9, we can conclude that numpy==2.0.0 cannot be used.",
                FailureCause::Setup,
                "`numpy` that was asked for runs on Python 3.11.2",
            ),
            (
                "error: Failed to build `lxml==4.2.0`\n  cause: The build backend returned an error",
                FailureCause::Setup,
                "`lxml` must be compiled",
            ),
            (
                "error: Failed to fetch: http://127.0.0.1:9/simple/six/\n  cause: error sending request for url",
                FailureCause::Infrastructure,
                "index cannot be reached",
            ),
            (
                "error: Hash-checking is required, but no trusted hash was provided for: `middle-pkg`",
                FailureCause::Infrastructure,
                "not in the lock",
            ),
        ];
        for (text, cause, part) in cases {
            let failure = read(text);
            assert_eq!(failure.cause, cause, "{text}");
            assert!(failure.summary.contains(part), "{}", failure.summary);
            assert!(!failure.log.is_empty());
        }
        assert_eq!(read(cases[1].0).packages, ["numpy"]);
        let recovered = "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by \
             'NewConnectionError(...)'\nERROR: Could not find a version that satisfies the requirement nonesuch \
             (from versions: none)";
        assert_eq!(read(recovered).cause, FailureCause::Setup);
    }
}
