//! The environment that a plan declares, as typed packages; and what of it is
//! never honoured.

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::fault::AnswerFault;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::number_text;

/// The most packages of one kind.
const MOST: usize = 300;

/// The packages that a plan declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredEnvironment {
    /// `None` where the answer names none.
    pub base_image: Option<String>,
    /// Requirements as written, without remarks in parentheses; not yet parsed as PEP 508.
    pub python: Vec<String>,
    pub r: Vec<DeclaredRPackage>,
    /// Debian package names.
    pub system: Vec<String>,
}

/// An R package that the plan asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredRPackage {
    pub name: String,
    /// `None` means any version.
    pub version: Option<String>,
}

static IMAGE: LazyRegex = LazyRegex::new(
    r"^[a-z0-9][a-z0-9._/-]*(?::[0-9]+/[a-z0-9._/-]+)?(?::[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@sha256:[0-9a-f]{64})?$",
);
static R_PACKAGE: LazyRegex =
    LazyRegex::new(r"^([A-Za-z][A-Za-z0-9.]*)(?:\s*(?:@|==|=|\(\s*(?:==|=)?)\s*v?([0-9][0-9.\-]*)\s*\)?)?$");
static DEBIAN: LazyRegex = LazyRegex::new(r"^[a-z0-9][a-z0-9+.-]+$");

impl ReplicationInfo {
    /// The declared packages. Prose and shell characters are faults that name
    /// the entry; nothing here is ever put on a command line unparsed.
    ///
    /// # Errors
    /// Each entry that is no package, no version or no image, and more than 300 packages of one kind.
    pub fn environment(&self) -> Result<DeclaredEnvironment, Vec<AnswerFault>> {
        const ROOT: &str = "/replication_study/docker_specs";
        let specs = &self.replication_study.docker_specs;
        let mut faults = Vec::new();
        let image = specs.base_image.trim();
        let base_image = (!number_text::is_absent(image)).then(|| image.to_owned());
        if base_image.as_deref().is_some_and(|image| !IMAGE.is_match(image)) {
            faults.push(AnswerFault::new(
                format!("{ROOT}/base_image"),
                format!("`{}` is not the name of an image", short(image)),
                "a name with an optional tag and nothing else, such as python:3.12-slim",
            ));
        }
        let mut environment = DeclaredEnvironment {
            base_image,
            ..DeclaredEnvironment::default()
        };
        let kinds = [&specs.packages.python, &specs.packages.r, &specs.packages.other];
        for (kind, names) in ["python", "r", "other"].into_iter().zip(kinds) {
            if names.len() > MOST {
                faults.push(AnswerFault::new(
                    format!("{ROOT}/packages/{kind}"),
                    format!("{} packages are listed", names.len()),
                    format!("at most {MOST}"),
                ));
            }
        }
        for (index, name) in specs.packages.python.iter().take(MOST).enumerate() {
            match python(name) {
                Ok(requirement) => environment.python.extend(requirement),
                Err(problem) => faults.push(AnswerFault::new(
                    format!("{ROOT}/packages/python/{index}"),
                    problem,
                    "one PEP 508 requirement, such as pandas>=2.0",
                )),
            }
        }
        for (index, name) in specs.packages.r.iter().take(MOST).enumerate() {
            let bare = name.trim();
            if number_text::is_absent(bare) {
                continue;
            }
            let found = R_PACKAGE
                .captures(bare)
                .or_else(|| R_PACKAGE.captures(without_remark(bare)));
            match found {
                Some(found) => environment.r.push(DeclaredRPackage {
                    name: found[1].to_owned(),
                    version: found.get(2).map(|version| version.as_str().to_owned()),
                }),
                None => faults.push(AnswerFault::new(
                    format!("{ROOT}/packages/r/{index}"),
                    format!("`{}` is not the name of an R package", short(bare)),
                    "one package name, such as lme4, with an optional version such as lme4==1.1-35",
                )),
            }
        }
        for (index, name) in specs.packages.other.iter().take(MOST).enumerate() {
            let bare = without_remark(name);
            if number_text::is_absent(bare) {
                continue;
            }
            if DEBIAN.is_match(bare) {
                environment.system.push(bare.to_owned());
            } else {
                faults.push(AnswerFault::new(
                    format!("{ROOT}/packages/other/{index}"),
                    format!("`{}` is not the name of a Debian package", short(bare)),
                    "one package name, such as libxml2-dev; put R packages under packages.r",
                ));
            }
        }
        if faults.is_empty() {
            Ok(environment)
        } else {
            Err(faults)
        }
    }

    /// What the answer asks of the sandbox that is never honoured, each in words.
    pub fn ignored(&self) -> Vec<String> {
        let specs = &self.replication_study.docker_specs;
        let mut ignored: Vec<String> = specs
            .volumes
            .iter()
            .filter(|volume| !number_text::is_absent(volume))
            .take(MOST)
            .map(|volume| format!("the volume `{}`", short(volume)))
            .collect();
        let gpu = specs.hardware.gpu_support.trim().to_ascii_lowercase();
        if matches!(gpu.as_str(), "true" | "yes" | "required") {
            ignored.push("a graphics processor".to_owned());
        }
        // Everything that the plan knows no key for lands in `extra`.
        for key in specs.extra.keys().take(MOST) {
            ignored.push(format!("the container option `{}`", short(key)));
        }
        for key in specs.packages.extra.keys().take(MOST) {
            ignored.push(format!("the packages of kind `{}`", short(key)));
        }
        ignored
    }
}

/// The text without one remark in parentheses at its end.
fn without_remark(text: &str) -> &str {
    let text = text.trim();
    match text.split_once(" (") {
        Some((name, rest)) if rest.ends_with(')') => name.trim_end(),
        _ => text,
    }
}

fn python(name: &str) -> Result<Option<String>, String> {
    let bare = name.trim();
    // `pandas (>=2.0)` is a version in the old spelling, not a remark.
    let bare = match bare.split_once(" (") {
        Some((_, rest)) if rest.starts_with(['<', '>', '=', '!', '~']) => bare,
        _ => without_remark(bare),
    };
    if number_text::is_absent(bare) {
        return Ok(None);
    }
    let starts_well = bare.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || bare.contains(['\n', '\r', '\0', '`', '$', '|', '&']) || bare.len() > 300 {
        return Err(format!("`{}` is not a Python requirement", short(bare)));
    }
    Ok(Some(bare.to_owned()))
}

fn short(text: &str) -> String {
    excerpt::start(text, 80).escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn info(specs: Value) -> ReplicationInfo {
        serde_json::from_value(json!({"replication_study": {"docker_specs": specs}})).unwrap()
    }

    #[test]
    fn packages_are_read_and_prose_is_refused() {
        let read = info(json!({"base_image": "rocker/r-ver:4.4.2", "packages": {
            "python": ["pandas>=2.0", "numpy (for arrays)", "scipy (>=1.9)"],
            "r": ["lme4", "plm==2.6-3", "haven (reads dta)"],
            "other": ["git (optional)", "none"]}}))
        .environment()
        .unwrap();
        assert_eq!(read.python, ["pandas>=2.0", "numpy", "scipy (>=1.9)"]);
        assert_eq!(
            read.r
                .iter()
                .map(|package| (package.name.as_str(), package.version.as_deref()))
                .collect::<Vec<_>>(),
            [("lme4", None), ("plm", Some("2.6-3")), ("haven", None)]
        );
        assert_eq!(read.system, ["git"]);
        let faults = info(json!({"base_image": "rocker/verse for R.", "packages": {
            "python": ["--index-url=http://x", "a; rm -rf / $(x)"], "r": ["install.packages('x')"],
            "other": ["apt-get install x"]}}))
        .environment()
        .unwrap_err();
        assert_eq!(faults.len(), 5, "{faults:#?}");
    }

    #[test]
    fn privileges_are_named_and_not_honoured() {
        let info = info(json!({"volumes": ["/:/host"], "extra": {"privileged": true, "user": "root"}}));
        assert_eq!(
            info.ignored(),
            [
                "the volume `/:/host`",
                "the container option `privileged`",
                "the container option `user`"
            ]
        );
    }
}
