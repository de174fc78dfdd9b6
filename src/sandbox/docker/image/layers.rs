//! The Dockerfile and the files beside it.
//!
//! Layers stand in the order base, system, R, Python; the study's code is mounted
//! when it runs, and never part of an image. What was declared is copied in as a
//! data file right before the layer that reads it, so that a change rebuilds that
//! layer and those above it. No declared string stands in the Dockerfile or on a
//! command line: fixed scripts read the data files.

use std::io;

use minijinja::{Environment, UndefinedBehavior, context};

use super::plan::ImagePlan;
use super::scripts::{SCRIPTS, TEMPLATE};
use crate::sandbox::docker::labels;

/// Where the scripts and data files are in an image.
pub const HOME: &str = "/opt/reprise";

/// The Dockerfile.
///
/// # Errors
/// A template that does not fit the values, which the tests below rule out.
pub fn dockerfile(plan: &ImagePlan) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.render_str(
        TEMPLATE,
        context! {
            // Without its prefix, which Podman takes for the name of a registry.
            base => plan.base.id.trim_start_matches("sha256:"),
            path => &plan.base.path,
            owner => labels::OWNER,
            shared => labels::SHARED,
            system => !plan.system.is_empty(),
            r => plan.r.is_some(),
            python => plan.python.is_some(),
            venv => plan.venv(),
        },
    )
}

/// The data files that the scripts read: names and contents.
pub fn data(plan: &ImagePlan) -> Vec<(&'static str, String)> {
    let mut files = vec![
        ("system.sources", plan.sources.system.to_string()),
        ("r.sources", plan.sources.r.to_string()),
        ("python.sources", plan.sources.python.to_string()),
    ];
    files.push(("system.txt", lines(plan.system.iter().cloned())));
    if let Some(r) = &plan.r {
        files.push((
            "r.txt",
            lines(
                r.iter()
                    .map(|(name, version)| format!("{name}\t{}", version.as_deref().unwrap_or_default())),
            ),
        ));
    }
    if let Some(python) = &plan.python {
        let held = plan.digests.lines().unwrap_or(python);
        files.push(("requirements.txt", lines(held.iter().cloned())));
        files.push(("uv.txt", lines(plan.uv.iter().cloned())));
    }
    files
}

fn lines(every: impl Iterator<Item = String>) -> String {
    every.map(|line| line + "\n").collect()
}

/// The build context as an uncompressed tar archive; the same for the same plan.
pub fn archive(plan: &ImagePlan) -> io::Result<Vec<u8>> {
    let dockerfile = dockerfile(plan).map_err(io::Error::other)?;
    let scripts = SCRIPTS.iter().map(|(name, text)| (*name, (*text).to_owned()));
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in scripts.chain(data(plan)).chain([("Dockerfile", dockerfile)]) {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_cksum();
        archive.append_data(&mut header, name, text.as_bytes())?;
    }
    archive.into_inner()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::str::FromStr as _;

    use pep508_rs::{Requirement, VerbatimUrl};
    use serde_json::Value;

    use super::*;
    use crate::domain::execution::EnvironmentSpec;
    use crate::sandbox::docker::image::plan::tests::plan;
    use crate::sandbox::docker::image::probe::Probed;
    use crate::sandbox::requirements::canonical;

    fn probed(python: bool, r: bool) -> Probed {
        Probed {
            distribution: "debian".to_owned(),
            release: "bookworm".to_owned(),
            apt: true,
            python: python.then(|| "3.11.2".to_owned()),
            venv: python,
            direct: python,
            r: r.then(|| "4.2.2".to_owned()),
        }
    }

    fn spec(python: Option<&[&str]>, r: Option<&[&str]>, system: &[&str]) -> EnvironmentSpec {
        let owned = |every: &[&str]| every.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        EnvironmentSpec {
            base_image: None,
            python: python.map(owned),
            r: r.map(|every| owned(every).into_iter().map(|name| (name, None)).collect()),
            system: owned(system),
            ..EnvironmentSpec::default()
        }
    }

    #[test]
    fn dockerfiles_have_only_the_layers_that_are_needed() {
        let cases = [
            (
                "python on python",
                spec(Some(&["six==1.16.0"]), None, &[]),
                probed(true, false),
            ),
            (
                "R on R",
                spec(None, Some(&["lme4"]), &["libxml2-dev"]),
                probed(false, true),
            ),
            ("both on R", spec(Some(&[]), Some(&[]), &[]), probed(false, true)),
            ("neither", spec(None, None, &[]), probed(false, false)),
        ];
        let mut text = String::new();
        for (name, spec, probed) in cases {
            let dockerfile = dockerfile(&plan(&spec, probed, BTreeMap::new())).unwrap();
            text.push_str(&format!("# {name}\n{dockerfile}\n\n"));
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn no_declared_string_stands_in_the_dockerfile_or_a_script() {
        let declared = spec(
            Some(&["zq-python-marker==1.2.3"]),
            Some(&["zqRmarker"]),
            &["zq-system-marker"],
        );
        let plan = plan(&declared, probed(false, false), BTreeMap::new());
        let archive = archive(&plan).unwrap();
        let mut seen = Vec::new();
        for entry in tar::Archive::new(archive.as_slice()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            let mut text = String::new();
            std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
            if text.contains("zq") {
                seen.push(name);
            }
        }
        assert_eq!(seen, ["system.txt", "r.txt", "requirements.txt"]);
    }

    #[test]
    fn the_same_plan_is_the_same_archive() {
        let make = || {
            let plan = plan(
                &spec(Some(&["six"]), None, &[]),
                probed(true, false),
                BTreeMap::new(),
            );
            archive(&plan).unwrap()
        };
        assert_eq!(make(), make());
    }

    /// Every Python requirement below `value`, wherever agents put them.
    fn requirements(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::Array(every) if key == "python" => {
                            found.extend(every.iter().filter_map(Value::as_str).map(str::to_owned));
                        }
                        other => requirements(other, found),
                    }
                }
            }
            Value::Array(every) => every.iter().for_each(|value| requirements(value, found)),
            _ => {}
        }
    }

    /// ReplicatorBench's released runs lost most version constraints between
    /// `replication_info.json` and the image; those of 30 of them are at hand.
    #[test]
    fn pins_of_released_runs_arrive_unchanged() {
        let Some(root) = crate::need::shared("data") else {
            return;
        };
        let mut every = Vec::new();
        for entry in walkdir::WalkDir::new(&root).into_iter().flatten() {
            if entry.file_name() != "replication_info.json" {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                requirements(&value, &mut every);
            }
        }
        let (mut arrived, mut constrained) = (0, 0);
        for text in &every {
            let Ok(wanted) = Requirement::<VerbatimUrl>::from_str(text.trim()) else {
                continue;
            };
            let Ok(canonical) = canonical(std::slice::from_ref(text)) else {
                continue;
            };
            let lines = lines(canonical.into_iter());
            let read = Requirement::<VerbatimUrl>::from_str(lines.trim_end()).unwrap();
            assert_eq!(
                (&read.name, &read.extras),
                (&wanted.name, &wanted.extras),
                "{text}"
            );
            let versions = |requirement: &Requirement<VerbatimUrl>| {
                let mut parts: Vec<String> = requirement
                    .version_or_url
                    .iter()
                    .flat_map(|found| match found {
                        pep508_rs::VersionOrUrl::VersionSpecifier(all) => {
                            all.iter().map(ToString::to_string).collect()
                        }
                        pep508_rs::VersionOrUrl::Url(url) => vec![url.to_string()],
                    })
                    .collect();
                parts.sort();
                parts
            };
            assert_eq!(versions(&read), versions(&wanted), "{text}");
            arrived += 1;
            constrained += usize::from(!versions(&wanted).is_empty());
        }
        println!(
            "{} strings, {arrived} requirements, {constrained} with versions",
            every.len()
        );
        assert!(
            constrained > 100,
            "only {constrained} of {} have versions",
            every.len()
        );
    }
}
