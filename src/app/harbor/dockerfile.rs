//! The Dockerfile of an agent's image.

use serde_json::json;

use crate::domain::execution::EnvironmentSpec;

/// The folder that an agent starts in.
pub const WORKSPACE: &str = "/workspace";
/// What stands for no image at all.
const WITH_PYTHON: &str = "python:3.11-slim";
const WITH_R: &str = "r-base:4.2.2";

/// A capsule's files in an image.
pub struct CopiedCapsule<'a> {
    /// Its folder, beside the Dockerfile.
    pub from: &'a str,
    /// Its folder below [`WORKSPACE`].
    pub to: &'a str,
}

/// The Dockerfile of an environment with a capsule in it.
pub fn dockerfile(spec: &EnvironmentSpec, capsule: CopiedCapsule<'_>) -> String {
    let has_r = spec.r.is_some();
    let base = spec.base_image.as_deref();
    let mut text = format!(
        "FROM {}\n",
        base.unwrap_or(if has_r { WITH_R } else { WITH_PYTHON })
    );
    let python = spec.python.as_deref().unwrap_or_default();
    let mut system = spec.system.clone();
    if has_r && spec.python.is_some() {
        system.extend(["python3".to_owned(), "python3-pip".to_owned()]);
    }
    if !system.is_empty() {
        text.push_str(&format!(
            "RUN apt-get update && apt-get install -y --no-install-recommends {} && rm -rf /var/lib/apt/lists/*\n",
            system.join(" ")
        ));
    }
    if !python.is_empty() {
        // Debian's own Python takes no packages otherwise; the images of Python have no such lock.
        let mut words = vec!["python3", "-m", "pip", "install", "--no-cache-dir"];
        if has_r {
            words.push("--break-system-packages");
        }
        words.extend(python.iter().map(String::as_str));
        text.push_str(&format!("RUN {}\n", json!(words)));
    }
    for (name, version) in spec.r.iter().flatten() {
        text.push_str(&format!(
            "RUN {}\n",
            json!(["Rscript", "-e", r_call(name, version.as_deref())])
        ));
    }
    text.push_str(&format!(
        "WORKDIR {WORKSPACE}\nCOPY {} {WORKSPACE}/{}\n",
        capsule.from, capsule.to
    ));
    text
}

/// The call of R that installs a package, and fails where that is not to be had.
fn r_call(name: &str, version: Option<&str>) -> String {
    let install = match version {
        None => format!("install.packages(\"{name}\", repos = \"https://cloud.r-project.org\")"),
        Some(version) => format!(
            "if (!requireNamespace(\"remotes\")) install.packages(\"remotes\", repos = \"https://cloud.r-project.org\"); \
             remotes::install_version(\"{name}\", \"{version}\", repos = \"https://cloud.r-project.org\")"
        ),
    };
    format!("{install}; library(\"{name}\", character.only = TRUE)")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPSULE: CopiedCapsule<'static> = CopiedCapsule {
        from: "capsule-0000001",
        to: "environment/capsule-0000001",
    };
    const END: &str = "WORKDIR /workspace\nCOPY capsule-0000001 /workspace/environment/capsule-0000001\n";

    #[test]
    fn a_language_alone_is_an_image_and_nothing_installed() {
        let python = EnvironmentSpec {
            python: Some(Vec::new()),
            ..EnvironmentSpec::default()
        };
        assert_eq!(
            dockerfile(&python, CAPSULE),
            format!("FROM python:3.11-slim\n{END}")
        );
        let r = EnvironmentSpec {
            r: Some(Default::default()),
            ..EnvironmentSpec::default()
        };
        assert_eq!(dockerfile(&r, CAPSULE), format!("FROM r-base:4.2.2\n{END}"));
    }

    #[test]
    fn packages_are_installed_without_a_shell_between() {
        let spec = EnvironmentSpec {
            base_image: Some("rocker/r-ver:4.2.2".to_owned()),
            python: Some(vec!["numpy==1.26.4; python_version < \"3.12\"".to_owned()]),
            r: Some(
                [
                    ("car".to_owned(), Some("3.1-2".to_owned())),
                    ("boot".to_owned(), None),
                ]
                .into(),
            ),
            system: vec!["libgsl-dev".to_owned()],
            ..EnvironmentSpec::default()
        };
        let text = dockerfile(&spec, CAPSULE);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "FROM rocker/r-ver:4.2.2");
        assert!(lines[1].contains("libgsl-dev python3 python3-pip"), "{text}");
        assert!(
            lines[2].starts_with("RUN [\"python3\"") && lines[2].contains("< \\\"3.12\\\""),
            "{text}"
        );
        assert!(
            lines[3].contains("boot") && !lines[3].contains("remotes"),
            "{text}"
        );
        assert!(lines[4].contains("install_version"), "{text}");
    }
}
