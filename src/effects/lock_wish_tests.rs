use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, Tier};
use crate::domain::ids::RunId;
use crate::environment::date::AsOf;
use crate::environment::evidence::EvidenceKind;
use crate::environment::interpreter::InterpreterChoice;
use crate::environment::language::Language;
use crate::sandbox::contract::{Ended, Execution, Lines, SandboxError};

/// A sandbox with some Pythons, and programs of some more releases that make no environment.
struct Pythons {
    works: &'static [&'static str],
    seems: &'static [&'static str],
}

#[async_trait]
impl Sandbox for Pythons {
    fn tier(&self) -> Tier {
        Tier::Namespaces
    }

    /// That of the release, else the next newer one.
    async fn python_of(&self, spec: &EnvironmentSpec) -> Result<Option<String>, BuildFailure> {
        let wanted = spec.python_version.as_deref().and_then(release_numbers);
        let here = self.works.iter().find(|one| release_numbers(one) >= wanted);
        Ok(here.map(|&one| format!("{one}.1")))
    }

    async fn python_releases(&self, _: &EnvironmentSpec) -> Result<Vec<String>, BuildFailure> {
        let all = self.works.iter().chain(self.seems);
        Ok(all.map(|&one| one.to_owned()).collect())
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        Ok(Digest::compute_json(spec))
    }

    async fn prepare(
        &self,
        _: &EnvironmentSpec,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        panic!("nothing is to be made");
    }

    async fn execute(&self, _: &Execution, _: &CancellationToken) -> Result<Ended, SandboxError> {
        panic!("nothing is to be run");
    }

    async fn sweep(&self, _: &RunId) -> Result<(), SandboxError> {
        Ok(())
    }
}

fn dated(interpreters: Vec<InterpreterChoice>) -> DatedNeeds {
    DatedNeeds {
        as_of: AsOf {
            instant: "2019-06-30T23:59:59Z".parse().unwrap(),
            day: "2019-06-30".parse().unwrap(),
            from: EvidenceKind::Told,
            reason: "A person says so.".to_owned(),
            weak: false,
        },
        interpreters,
        packages: Vec::new(),
        own: Vec::new(),
        notes: Vec::new(),
    }
}

async fn order(dated: &DatedNeeds, sandbox: &Pythons, packages: &[&str]) -> Vec<String> {
    let wish = LockWish::of_plan(&EnvironmentSpec {
        python: Some(packages.iter().map(|&name| name.to_owned()).collect()),
        ..EnvironmentSpec::default()
    });
    let draft = wish.draft(dated, Some(sandbox)).await.unwrap();
    let wished = draft.digest();
    let draft = wish.with_releases(draft, dated, Some(sandbox)).await.unwrap();
    assert_eq!(
        draft.digest(),
        wished,
        "the same wish whatever else the sandbox has"
    );
    draft.python_releases().order
}

#[tokio::test]
async fn releases_that_the_sandbox_has_and_that_work_may_stand_in_for_that_of_the_day() {
    let sandbox = Pythons {
        works: &["3.6", "3.7", "3.11"],
        seems: &["3.8", "2.7"],
    };
    assert_eq!(
        order(&dated(Vec::new()), &sandbox, &["numpy"]).await,
        ["3.7", "3.6", "3.11"]
    );
    // Without a package there is nothing to choose by.
    assert_eq!(order(&dated(Vec::new()), &sandbox, &[]).await, ["3.7"]);
    let named = InterpreterChoice::new(
        Language::Python,
        Some("3.7".to_owned()),
        "A lock says so.".to_owned(),
    );
    assert_eq!(
        order(&dated(vec![named.clone()]), &sandbox, &["numpy"]).await,
        ["3.7"]
    );
    // Where the named one is not had, those that are newer are as good as the next.
    let newer = Pythons {
        works: &["3.6", "3.9", "3.11"],
        seems: &["3.10"],
    };
    assert_eq!(
        order(&dated(vec![named]), &newer, &["numpy"]).await,
        ["3.9", "3.11"]
    );
}
