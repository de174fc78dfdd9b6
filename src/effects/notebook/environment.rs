//! The environment of a notebook's session: the kernel, what is installed besides, and the lock that
//! both are held to.

use crate::domain::execution::{BuildFailure, EnvironmentSpec};
use crate::engine::request::NotebookRequest;
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::sandbox::session::kernel;

/// The package by which cells clone repositories.
const GIT: &str = "git";

/// An environment that is asked for, and what is to be known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct WantedKernel {
    pub spec: EnvironmentSpec,
    /// A sentence each.
    pub notes: Vec<String>,
}

/// The packages that a lock lacks or has in another version, as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the packages do not fit the lock: {0}")]
pub struct LockMisfit(String);

/// The environment of an attempt. Under a lock all of the lock's Python packages are installed, in its
/// versions, and what is asked for besides has to be among them.
///
/// # Errors
/// Packages that the lock lacks or has in another version.
pub fn wanted(
    notebook: Option<&NotebookRequest>,
    lock: Option<&EnvironmentLock>,
    needs_git: bool,
) -> Result<WantedKernel, LockMisfit> {
    let Some(notebook) = notebook else {
        return Ok(WantedKernel {
            spec: kernel::environment(&[]),
            notes: Vec::new(),
        });
    };
    let mut wanted = match lock {
        Some(lock) => held(&notebook.packages, lock)?,
        None => WantedKernel {
            spec: kernel::environment(&notebook.packages),
            notes: Vec::new(),
        },
    };
    wanted.spec.system.clone_from(&notebook.system);
    if needs_git && !wanted.spec.system.iter().any(|name| name == GIT) {
        wanted.spec.system.push(GIT.to_owned());
    }
    Ok(wanted)
}

/// A lock's packages with those of the kernel: in the lock's versions and held to its files where the
/// lock has the kernel's, else beside them as the index has them.
fn held(packages: &[String], lock: &EnvironmentLock) -> Result<WantedKernel, LockMisfit> {
    let of_lock = lock
        .packages_of(Language::Python)
        .map(|package| format!("{}=={}", package.name, package.version));
    let asked: Vec<String> = packages.iter().cloned().chain(of_lock).collect();
    let has_kernel = ["ipykernel", "jupyter_client"]
        .iter()
        .all(|name| lock.has(Language::Python, name));
    let spec = match has_kernel {
        true => kernel::environment(&asked),
        false => EnvironmentSpec {
            python: Some(asked),
            ..EnvironmentSpec::default()
        },
    };
    let spec = lock.held_to(&spec).map_err(|refused| {
        let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
        LockMisfit(refused.join("; "))
    })?;
    let mut notes = vec![format!(
        "Packages are those of the lock {}, as of {}.",
        lock.digest().short(),
        lock.as_of.day
    )];
    let spec = match has_kernel {
        true => spec,
        false => {
            notes.push(
                "The lock lacks the kernel's own packages (ipykernel, jupyter_client), which are the index's, so that no file \
                 is held to the lock's digests."
                    .to_owned(),
            );
            let held = spec.python.unwrap_or_default();
            EnvironmentSpec {
                python_version: spec.python_version.filter(|version| kernel::runs_on(version)),
                ..kernel::environment(&held)
            }
        }
    };
    Ok(WantedKernel { spec, notes })
}

/// A failure to make an environment, with what a machine has to have for one.
pub fn without_kernel(failure: BuildFailure) -> BuildFailure {
    BuildFailure {
        summary: format!(
            "{} A notebook needs {} in its sandbox, which are installed once from the package index of Python: let this \
             machine reach it, name a mirror of it in PIP_INDEX_URL, or run where they were installed before.",
            failure.summary,
            kernel::PACKAGES.join(" and ")
        ),
        ..failure
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::notebook::limits::NotebookLimits;
    use crate::notebook::task_set::TaskSet;
    use crate::notebook::terms::Cleaning;

    fn lock(packages: &[(&str, &str)]) -> EnvironmentLock {
        let package = |(name, version): &(&str, &str)| {
            json!({
                "language": "python", "name": name, "version": version, "file": "f", "url": "u", "build": false,
                "certainty": "by-date", "required_by": [], "reasons": [],
            })
        };
        let text = json!({
            "format": "reprise-lock/1",
            "as_of": {
                "instant": "2024-06-30T23:59:59Z", "day": "2024-06-30", "from": "told", "reason": "A person says so.",
                "weak": false,
            },
            "platform": "linux-x86_64",
            "interpreters": [{ "language": "python", "version": "3.11", "reason": "." }],
            "sources": [],
            "packages": packages.iter().map(package).collect::<Vec<_>>(),
            "not_had": [],
            "questions": [],
            "notes": [],
        });
        EnvironmentLock::parse(text.to_string().as_bytes()).unwrap()
    }

    fn request(packages: &[&str]) -> NotebookRequest {
        NotebookRequest {
            tasks: "tasks.jsonl".to_owned(),
            id: "a".to_owned(),
            mirror: None,
            hosts: Vec::new(),
            packages: packages.iter().map(|name| (*name).to_owned()).collect(),
            system: Vec::new(),
            limits: NotebookLimits::published(TaskSet::Expert),
            cleaning: Cleaning::Off,
            lost_session: crate::engine::request::LostSession::default(),
            agent: None,
        }
    }

    #[test]
    fn a_locks_packages_are_installed_in_its_versions() {
        let of =
            |lock: &EnvironmentLock, packages: &[&str]| wanted(Some(&request(packages)), Some(lock), true);
        let small = lock(&[("numpy", "1.26.4")]);
        let made = of(&small, &["numpy>=1"]).unwrap();
        let python = made.spec.python.unwrap();
        assert!(python.contains(&"numpy==1.26.4".to_owned()), "{python:?}");
        assert!(
            python.iter().any(|one| one.starts_with("ipykernel")),
            "{python:?}"
        );
        assert_eq!(made.spec.system, ["git"]);
        assert!(
            made.notes[1].contains("lacks the kernel's own packages"),
            "{:?}",
            made.notes
        );
        let whole = lock(&[
            ("numpy", "1.26.4"),
            ("ipykernel", "6.29.5"),
            ("jupyter_client", "8.6.3"),
        ]);
        let made = of(&whole, &[]).unwrap();
        let mut python = made.spec.python.unwrap();
        python.sort();
        assert_eq!(
            python,
            ["ipykernel==6.29.5", "jupyter_client==8.6.3", "numpy==1.26.4"]
        );
        assert_eq!(made.notes.len(), 1);
        let refused = of(&small, &["numpy>=2"]).unwrap_err().to_string();
        assert!(refused.contains("numpy 1.26.4"), "{refused}");
        let refused = of(&small, &["torch"]).unwrap_err().to_string();
        assert!(refused.contains("no Python package `torch`"), "{refused}");
    }
}
