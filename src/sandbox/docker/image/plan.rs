//! The plan of an image, and the digest that names it.

use std::collections::BTreeMap;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::base::{BaseImage, Fetch, base};
use super::operator_settings::{Fetching, sources};
use super::packages::{r_packages, system_packages};
use super::probe::{Probed, probe};
use super::scripts;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, EnvironmentSpec, LockedFiles};
use crate::sandbox::contract::Lines;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::setup;
use crate::sandbox::held_files::FileDigests;
use crate::sandbox::requirements::canonical;
use crate::sandbox::supported;
use crate::sandbox::uv_release::{OFF, SETTING, UvRelease};

/// Raised when images are laid out differently, so that old ones are not taken for new.
const LAYOUT: u32 = 1;

/// A specification, resolved against what the daemon has.
#[derive(Debug, Clone)]
pub struct ImagePlan {
    pub id: Digest,
    pub base: BaseImage,
    pub probed: Probed,
    /// Canonical requirements; `None` when no Python is needed, or that of the image is taken as it is.
    pub python: Option<Vec<String>>,
    /// The version of the image's Python 2, into which nothing is installed.
    pub python2: Option<String>,
    /// Whether the files of Python packages are held to a lock's digests.
    pub digests: FileDigests,
    /// Packages to versions; `None` when no R is needed.
    pub r: Option<BTreeMap<String, Option<String>>>,
    /// Debian packages, those that Python and R themselves need included.
    pub system: Vec<String>,
    /// Where each layer's packages come from, without credentials.
    pub sources: Sources,
    /// The line that holds the fetch of uv to its digest; `None` where pip installs.
    pub uv: Option<String>,
}

/// A digest of the places that each layer's packages come from.
#[derive(Debug, Clone, Serialize)]
pub struct Sources {
    pub system: Digest,
    pub r: Digest,
    pub python: Digest,
}

#[derive(Serialize)]
struct Identity<'a> {
    layout: u32,
    scripts: Digest,
    base: &'a str,
    python: &'a Option<Vec<String>>,
    r: &'a Option<BTreeMap<String, Option<String>>>,
    system: &'a [String],
    sources: &'a Sources,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<&'a [String]>,
}

impl ImagePlan {
    /// Resolves a specification. A base image that is not here is fetched, since
    /// only its content names the environment; nothing is built.
    ///
    /// # Errors
    /// A package or version that is none, a base image that is not allowed or cannot be had, or a daemon
    /// that fails.
    pub async fn resolve(
        daemon: &Daemon,
        settings: &DockerSettings,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Self, BuildFailure> {
        // What is wrong with the packages is told before anything is fetched.
        let python = spec.python.as_deref().map(canonical).transpose()?;
        let r = spec.r.as_ref().map(r_packages).transpose()?;
        let system = system_packages(&spec.system)?;
        let base = base(daemon, settings, spec, Fetch { cancel, progress }).await?;
        let probed = probe(daemon, settings, &base.id, &base.name).await?;
        let declared = DeclaredPackages {
            python,
            files: spec.python_files.as_ref(),
            r,
            system,
        };
        Self::from_probed(settings, base, probed, declared)
    }

    /// The Python of the image that a specification starts from; `None` of one that would come from packages of
    /// a release that no table knows.
    ///
    /// # Errors
    /// A base image that is not allowed or cannot be had, or a daemon that fails.
    pub async fn python_of(
        daemon: &Daemon,
        settings: &DockerSettings,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
    ) -> Result<Option<String>, BuildFailure> {
        let fetch = Fetch {
            cancel,
            progress: &|_| {},
        };
        let base = base(daemon, settings, spec, fetch).await?;
        let probed = probe(daemon, settings, &base.id, &base.name).await?;
        Ok(python_here(&probed))
    }

    fn from_probed(
        settings: &DockerSettings,
        base: BaseImage,
        probed: Probed,
        declared: DeclaredPackages<'_>,
    ) -> Result<Self, BuildFailure> {
        let DeclaredPackages {
            mut python,
            files,
            r,
            mut system,
        } = declared;
        let here = python_here(&probed);
        let python2 = here
            .clone()
            .filter(|here| python.is_some() && here.starts_with("2."));
        if let Some(here) = &python2 {
            let names = python.take().unwrap_or_default();
            if !names.is_empty() {
                return Err(setup(
                    format!(
                        "The base image `{}` has Python {here}, and nothing is installed into a Python 2: do without \
                         the packages, or name a base image with a Python 3.",
                        base.name
                    ),
                    names,
                ));
            }
        }
        if let (Some(requirements), Some(here)) = (&python, &here) {
            supported::check(requirements, here)?;
        }
        let digests = match &python {
            Some(requirements) => FileDigests::of(requirements, files, here.as_deref().unwrap_or_default()),
            None => FileDigests::None,
        };
        if python.is_some() && probed.python.is_none() {
            system.extend(["python3", "python3-venv"].map(str::to_owned));
        } else if python.is_some() && !probed.direct && !probed.venv {
            system.push("python3-venv".to_owned());
        }
        if r.is_some() && probed.r.is_none() {
            system.push("r-base-core".to_owned());
        }
        system.sort();
        system.dedup();
        let needs_apt = !system.is_empty() || r.as_ref().is_some_and(|packages| !packages.is_empty());
        if needs_apt && !probed.apt {
            return Err(setup(
                format!(
                    "The base image `{}` is not made of Debian or Ubuntu, so nothing can be installed into it but \
                     Python packages: name another base image, or leave `base_image` empty.",
                    base.name
                ),
                vec![base.name],
            ));
        }
        let of = |fetching| sources(&settings.operator, fetching);
        let sources = Sources {
            system: of(Fetching::Debian),
            r: of(Fetching::R),
            python: of(Fetching::Python),
        };
        let id = Digest::compute_json(&Identity {
            layout: LAYOUT,
            scripts: scripts::digest(),
            base: &base.id,
            python: &python,
            r: &r,
            system: &system,
            sources: &sources,
            held: digests.lines(),
        });
        Ok(Self {
            id,
            base,
            probed,
            python,
            python2,
            digests,
            r,
            system,
            sources,
            uv: uv(settings),
        })
    }

    /// Whether Python packages go into a virtual environment of our own.
    pub fn venv(&self) -> bool {
        !self.probed.direct
    }

    /// The Python that requirements are installed for, for messages.
    pub fn python_version(&self) -> String {
        python_here(&self.probed).unwrap_or_else(|| "3".to_owned())
    }
}

/// The release of uv that installs, unless the operator has switched it off.
fn uv(settings: &DockerSettings) -> Option<String> {
    let set = settings.operator.get(SETTING).map(|value| value.trim());
    let release = UvRelease::known().ok().filter(|_| set != Some(OFF))?;
    release.requirement(std::env::consts::ARCH)
}

/// The Python of an image: its own, else that of its distribution's packages.
fn python_here(probed: &Probed) -> Option<String> {
    let own = probed.python.clone();
    own.or_else(|| supported::python_of_release(&probed.release))
}

/// The packages that a specification names, in canonical spelling.
struct DeclaredPackages<'a> {
    /// Requirements; `None` when no Python is needed.
    python: Option<Vec<String>>,
    /// The files that a lock holds them to.
    files: Option<&'a LockedFiles>,
    /// Packages to versions; `None` when no R is needed.
    r: Option<BTreeMap<String, Option<String>>>,
    /// Debian packages.
    system: Vec<String>,
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A plan over a base image that is not there.
    pub fn plan(spec: &EnvironmentSpec, probed: Probed, operator: BTreeMap<String, String>) -> ImagePlan {
        attempt(spec, probed, operator).unwrap()
    }

    fn attempt(
        spec: &EnvironmentSpec,
        probed: Probed,
        operator: BTreeMap<String, String>,
    ) -> Result<ImagePlan, BuildFailure> {
        let base = BaseImage {
            name: "test:1".to_owned(),
            id: format!("sha256:{}", "0".repeat(64)),
            path: "/usr/bin:/bin".to_owned(),
        };
        let declared = DeclaredPackages {
            python: spec.python.as_deref().map(canonical).transpose().unwrap(),
            files: spec.python_files.as_ref(),
            r: spec.r.as_ref().map(r_packages).transpose().unwrap(),
            system: system_packages(&spec.system).unwrap(),
        };
        ImagePlan::from_probed(&DockerSettings::new("/nowhere", operator), base, probed, declared)
    }

    fn debian() -> Probed {
        Probed {
            distribution: "debian".to_owned(),
            release: "bookworm".to_owned(),
            apt: true,
            ..Probed::default()
        }
    }

    #[test]
    fn what_python_and_r_themselves_need_is_added_only_where_it_is_missing() {
        let spec = EnvironmentSpec {
            python: Some(vec!["six".to_owned()]),
            r: Some(BTreeMap::new()),
            ..EnvironmentSpec::default()
        };
        let bare = plan(&spec, debian(), BTreeMap::new());
        assert_eq!(bare.system, ["python3", "python3-venv", "r-base-core"]);
        assert!(bare.venv());
        let whole = Probed {
            python: Some("3.11.2".to_owned()),
            direct: true,
            r: Some("4.2.2".to_owned()),
            ..debian()
        };
        assert!(plan(&spec, whole, BTreeMap::new()).system.is_empty());
    }

    #[test]
    fn python_2_is_taken_as_it_is_and_nothing_is_installed_into_it() {
        let old = Probed {
            python: Some("2.7.18".to_owned()),
            ..debian()
        };
        let declaring = |python: &[&str]| EnvironmentSpec {
            python: Some(python.iter().map(|&name| name.to_owned()).collect()),
            ..EnvironmentSpec::default()
        };
        let plain = plan(&declaring(&[]), old.clone(), BTreeMap::new());
        assert_eq!((plain.python, plain.system), (None, Vec::new()));
        assert_eq!(plain.python2.as_deref(), Some("2.7.18"));
        let refused = attempt(&declaring(&["numpy==1.9"]), old, BTreeMap::new()).unwrap_err();
        assert_eq!(refused.packages, ["numpy==1.9"]);
        assert!(refused.summary.contains("has Python 2.7.18"), "{refused}");
        let newer = Probed {
            python: Some("3.9.2".to_owned()),
            direct: true,
            ..debian()
        };
        let plain = plan(&declaring(&[]), newer, BTreeMap::new());
        assert_eq!((plain.python, plain.python2), (Some(Vec::new()), None));
    }

    #[test]
    fn the_digest_follows_what_changes_the_result_and_nothing_else() {
        let spec = |python: &str| EnvironmentSpec {
            python: Some(vec![python.to_owned()]),
            ..EnvironmentSpec::default()
        };
        let with = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let of = |spec, operator| plan(&spec, debian(), operator).id;
        let plain = of(spec("six==1.16.0"), BTreeMap::new());
        assert_eq!(plain, of(spec("six == 1.16.0"), BTreeMap::new()));
        assert_ne!(plain, of(spec("six==1.15.0"), BTreeMap::new()));
        assert_ne!(
            plain,
            of(spec("six==1.16.0"), with("PIP_INDEX_URL", "https://x.example"))
        );
        assert_eq!(
            plain,
            of(spec("six==1.16.0"), with("HTTP_PROXY", "http://x.example"))
        );
    }
}
