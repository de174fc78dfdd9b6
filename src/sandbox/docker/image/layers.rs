//! The Dockerfile and the files beside it.
//!
//! Layers stand in the order base, system, R, Python; the study's code is mounted
//! when it runs, and never part of an image. What was declared is copied in as a
//! data file right before the layer that reads it, so that a change rebuilds that
//! layer and those above it. No declared string stands in the Dockerfile or on a
//! command line: fixed scripts read the data files.

use std::io;

use minijinja::{Environment, UndefinedBehavior, context};

use super::plan::Plan;
use crate::domain::digest::Digest;
use crate::sandbox::docker::labels;

const TEMPLATE: &str = include_str!("layers/Dockerfile.j2");
const SCRIPTS: &[(&str, &str)] = &[
    ("common.sh", include_str!("layers/common.sh")),
    ("system.sh", include_str!("layers/system.sh")),
    ("r.sh", include_str!("layers/r.sh")),
    ("r.R", include_str!("layers/r.R")),
    ("venv.sh", include_str!("layers/venv.sh")),
    ("python.sh", include_str!("layers/python.sh")),
    ("python.py", include_str!("layers/python.py")),
    ("finish.sh", include_str!("layers/finish.sh")),
    ("facts.py", include_str!("layers/facts.py")),
    ("facts.R", include_str!("layers/facts.R")),
];

/// Where the scripts and data files are in an image.
pub const HOME: &str = "/opt/reprise";

/// A digest of the template and the scripts.
pub fn digest() -> Digest {
    Digest::of_json(&(TEMPLATE, SCRIPTS))
}

/// The Dockerfile.
///
/// # Errors
/// A template that does not fit the values, which the tests below rule out.
pub fn dockerfile(plan: &Plan) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.render_str(
        TEMPLATE,
        context! {
            base => &plan.base.id,
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
pub fn data(plan: &Plan) -> Vec<(&'static str, String)> {
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
        files.push(("requirements.txt", lines(python.iter().cloned())));
    }
    files
}

fn lines(every: impl Iterator<Item = String>) -> String {
    every.map(|line| line + "\n").collect()
}

/// The build context as an uncompressed tar archive; the same for the same plan.
pub fn archive(plan: &Plan) -> io::Result<Vec<u8>> {
    let dockerfile = dockerfile(plan).map_err(io::Error::other)?;
    let scripts = SCRIPTS.iter().map(|(name, text)| (*name, (*text).to_owned()));
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in scripts.chain(data(plan)).chain([("Dockerfile", dockerfile)]) {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        header.set_cksum();
        archive.append_data(&mut header, name, text.as_bytes())?;
    }
    archive.into_inner()
}
