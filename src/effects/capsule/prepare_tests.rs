//! Steps from the published environment to one that can be had.

use std::sync::Mutex;

use async_trait::async_trait;

use super::*;
use crate::domain::ids::RunId;
use crate::sandbox::contract::{Ended, Execution, SandboxError};

/// A sandbox whose index has some packages in one version each, `name==version`.
struct Index {
    tier: Tier,
    has: &'static [&'static str],
    has_r: bool,
    is_reached: bool,
    asked: Mutex<Vec<EnvironmentSpec>>,
}

impl Index {
    fn new(has: &'static [&'static str]) -> Self {
        Self {
            tier: Tier::Docker,
            has,
            has_r: true,
            is_reached: true,
            asked: Mutex::default(),
        }
    }
}

fn failure(cause: FailureCause, packages: Vec<String>) -> BuildFailure {
    BuildFailure {
        cause,
        summary: "It failed.".to_owned(),
        packages,
        log: String::new(),
    }
}

#[async_trait]
impl Sandbox for Index {
    fn tier(&self) -> Tier {
        self.tier
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        match spec.r {
            Some(_) if !self.has_r => Err(failure(FailureCause::Infrastructure, Vec::new())),
            _ => Ok(Digest::compute_json(spec)),
        }
    }

    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        self.asked.lock().unwrap().push(spec.clone());
        if !self.is_reached {
            return Err(failure(FailureCause::Infrastructure, Vec::new()));
        }
        let has = |wanted: &str| {
            self.has
                .iter()
                .any(|one| *one == wanted || name_of(one) == wanted)
        };
        let missing = spec.python.iter().flatten().filter(|wanted| !has(wanted));
        let mut missing: Vec<String> = missing.map(|wanted| name_of(wanted).to_owned()).collect();
        missing.extend(spec.system.iter().filter(|name| !has(name)).cloned());
        missing.extend(spec.base_image.iter().filter(|name| !has(name)).cloned());
        if !missing.is_empty() {
            // The installer names the one that it stumbled over, which may be another's.
            missing
                .iter_mut()
                .filter(|name| *name == "needy")
                .for_each(|name| *name = "brought-along".to_owned());
            return Err(failure(FailureCause::Setup, missing));
        }
        Ok(Environment {
            id: Digest::compute_json(spec),
            versions: [("python".to_owned(), "3.11.2".to_owned())].into(),
            location: String::new(),
            built: true,
        })
    }

    async fn execute(&self, _: &Execution, _: &CancellationToken) -> Result<Ended, SandboxError> {
        Err(SandboxError::Failed("not asked for".to_owned()))
    }

    async fn sweep(&self, _: &RunId) -> Result<(), SandboxError> {
        Ok(())
    }
}

fn asking(python: &[&str]) -> WantedEnvironment {
    let mut wanted = WantedEnvironment::plain(CodeLanguage::Python);
    wanted.spec.python = Some(python.iter().map(|text| (*text).to_owned()).collect());
    wanted
}

async fn made(index: &Index, wanted: WantedEnvironment) -> Result<PreparedEnvironment, BuildFailure> {
    prepare(index, wanted, &CancellationToken::new(), &|_| {}).await
}

fn last(index: &Index) -> EnvironmentSpec {
    index.asked.lock().unwrap().last().unwrap().clone()
}

#[tokio::test]
async fn a_version_that_nobody_has_is_dropped_and_a_package_after_it() {
    let index = Index::new(&["six==1.16.0", "numpy==2"]);
    let prepared = made(&index, asking(&["gone", "numpy==1", "six==1.16.0"]))
        .await
        .unwrap();
    assert_eq!(last(&index).python.unwrap(), ["numpy", "six==1.16.0"]);
    assert_eq!(index.asked.lock().unwrap().len(), 2);
    assert_eq!(
        prepared.notes,
        [
            "The published environment could not be made: It failed. In its place, any version is taken of `numpy==1`, \
             and `gone` is left out."
        ]
    );
    let lost = Index::new(&["six==1.16.0"]);
    let prepared = made(&lost, asking(&["gone==1", "six==1.16.0"])).await.unwrap();
    assert_eq!(last(&lost).python.unwrap(), ["six==1.16.0"]);
    assert_eq!(prepared.notes.len(), 2, "{:?}", prepared.notes);
}

#[tokio::test]
async fn what_was_brought_along_has_all_versions_dropped_and_then_nothing_is_left() {
    let index = Index::new(&["six==1.16.0", "needy==2"]);
    let prepared = made(&index, asking(&["needy==1", "six==1.16.0"])).await.unwrap();
    assert_eq!(last(&index).python.unwrap(), ["needy", "six"]);
    assert_eq!(prepared.notes.len(), 1);
    let lost = Index::new(&["six==1.16.0"]);
    let prepared = made(&lost, asking(&["needy==1", "six==1.16.0"])).await.unwrap();
    assert_eq!(last(&lost), plain(CodeLanguage::Python));
    assert!(
        prepared.notes[1].ends_with("In its place, nothing but Python is there."),
        "{:?}",
        prepared.notes
    );
}

#[tokio::test]
async fn images_and_system_packages_that_are_not_there_are_left_out() {
    let index = Index::new(&["git"]);
    let mut wanted = asking(&[]);
    wanted.spec.base_image = Some("lab/x:1.0".to_owned());
    wanted.spec.system = vec!["git".to_owned(), "libx-dev".to_owned()];
    wanted.versions.insert("python", "3.8.12".to_owned());
    let prepared = made(&index, wanted).await.unwrap();
    assert_eq!(
        (last(&index).base_image, last(&index).system),
        (None, vec!["git".to_owned()])
    );
    assert_eq!(
        prepared.notes[1],
        "Python 3.11.2 stands in for the published 3.8.12."
    );
}

#[tokio::test]
async fn an_index_that_is_not_reached_is_no_fault_of_the_packages() {
    let index = Index {
        is_reached: false,
        ..Index::new(&[])
    };
    let failed = made(&index, asking(&["six==1"])).await.unwrap_err();
    assert_eq!(failed.cause, FailureCause::Infrastructure);
    assert_eq!(index.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_language_that_a_machine_lacks_is_left_out_where_it_is_not_the_capsules_own() {
    let with_r = |language| {
        let mut wanted = asking(&["six"]);
        wanted.language = language;
        wanted.spec.r = Some([("zoo".to_owned(), None)].into());
        wanted
    };
    let on = |tier| Index {
        tier,
        has_r: false,
        ..Index::new(&["six==1"])
    };
    let local = on(Tier::Landlock);
    let prepared = made(&local, with_r(CodeLanguage::Python)).await.unwrap();
    assert_eq!((last(&local).r, prepared.notes.len()), (None, 1));
    for (tier, language) in [
        (Tier::Landlock, CodeLanguage::R),
        (Tier::Docker, CodeLanguage::Python),
    ] {
        let failed = made(&on(tier), with_r(language)).await.unwrap_err();
        assert_eq!(failed.cause, FailureCause::Infrastructure, "{tier:?}");
    }
}
