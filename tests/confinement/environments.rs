//! Environments: made once, shared, and refused with a reason.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use reprise::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use reprise::domain::failure::FailureCause;
use reprise::sandbox::contract::Sandbox;
use reprise::sandbox::local::sandbox::LocalSandbox;
use reprise::sandbox::local::settings::LocalSettings;
use tokio_util::sync::CancellationToken;

use crate::harness::{LOCAL, Range, sandbox, settings};
use crate::need::need;

async fn prepare(sandbox: &dyn Sandbox, spec: &EnvironmentSpec) -> Result<Environment, BuildFailure> {
    sandbox
        .prepare(spec, &CancellationToken::new(), &|line| println!("  {line}"))
        .await
}

pub fn python(requirements: &[&str]) -> EnvironmentSpec {
    EnvironmentSpec {
        python: Some(requirements.iter().map(|&text| text.to_owned()).collect()),
        ..EnvironmentSpec::default()
    }
}

/// A sandbox with a cache of its own, in a folder that others can pass.
pub fn fresh(
    tier: Tier,
    change: impl FnOnce(&mut LocalSettings),
) -> Option<(LocalSandbox, tempfile::TempDir)> {
    sandbox(tier)?;
    let cache = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let mut settings = LocalSettings {
        scratch: cache.path().join("scratch"),
        cache: cache.path().to_owned(),
        ..settings(Some(tier))
    };
    change(&mut settings);
    Some((LocalSandbox::detect(settings).unwrap(), cache))
}

#[tokio::test]
async fn two_at_once_share_one_build_and_a_half_built_one_is_rebuilt() {
    for tier in LOCAL {
        let Some((sandbox, _cache)) = fresh(tier, |_| {}) else {
            continue;
        };
        let spec = python(&[]);
        let found = sandbox.resolve(&spec).await;
        let Some(id) = need(found.map_err(|failure| format!("{tier:?} resolves nothing: {failure:?}")))
        else {
            continue;
        };
        let (one, two) = tokio::join!(prepare(&sandbox, &spec), prepare(&sandbox, &spec));
        let (one, two) = (one.unwrap(), two.unwrap());
        assert_eq!((one.id, two.id), (id, id));
        assert_eq!(u8::from(one.built) + u8::from(two.built), 1, "{tier:?}");
        assert!(one.versions.contains_key("python") && !one.versions.contains_key("pip"));
        std::fs::remove_file(format!("{}/ready.json", one.location)).unwrap();
        std::fs::remove_dir_all(format!("{}/venv/lib", one.location)).unwrap();
        assert!(prepare(&sandbox, &spec).await.unwrap().built);
    }
}

#[tokio::test]
async fn what_cannot_be_installed_is_named() {
    let Some(uv) = crate::uv::program() else { return };
    for tier in LOCAL {
        let Some((sandbox, _cache)) = fresh(tier, |settings| {
            // Nothing listens there: the index cannot be reached.
            settings
                .operator
                .insert("PIP_INDEX_URL".to_owned(), "http://127.0.0.1:9/simple".to_owned());
            settings.operator.insert("PIP_RETRIES".to_owned(), "0".to_owned());
            settings.operator.insert("REPRISE_UV".to_owned(), uv.clone());
            settings.operator.remove("PIP_FIND_LINKS");
        }) else {
            continue;
        };
        let found = sandbox.resolve(&python(&[])).await;
        if need(found.map_err(|failure| format!("{tier:?} resolves nothing: {failure:?}"))).is_none() {
            continue;
        }
        let offline = prepare(&sandbox, &python(&["pandas==2.2.3"])).await.unwrap_err();
        assert_eq!(offline.cause, FailureCause::Infrastructure, "{offline:?}");
        let system = EnvironmentSpec {
            system: vec!["no-such-library-dev".to_owned()],
            ..EnvironmentSpec::default()
        };
        let failure = prepare(&sandbox, &system).await.unwrap_err();
        assert_eq!(
            (failure.cause, failure.packages),
            (FailureCause::Setup, vec!["no-such-library-dev".to_owned()])
        );
        assert_eq!(
            sandbox
                .resolve(&python(&["not a package"]))
                .await
                .unwrap_err()
                .cause,
            FailureCause::Setup
        );
    }
}

/// Needs the package index that the operator's settings name.
#[tokio::test]
#[ignore = "fetches packages from the index: run it with --ignored"]
async fn packages_are_fetched_in_the_confinement() {
    for tier in LOCAL {
        let Some((sandbox, _cache)) = fresh(tier, |_| {}) else {
            continue;
        };
        let lines = Mutex::new(0);
        let environment = sandbox
            .prepare(&python(&["six==1.16.0"]), &CancellationToken::new(), &|line| {
                println!("  {line}");
                *lines.lock().unwrap() += 1;
            })
            .await
            .unwrap();
        assert_eq!(environment.versions["six"], "1.16.0");
        assert!(*lines.lock().unwrap() > 0);
        let mut range = Range::open(tier).await.unwrap();
        (range.sandbox, range.environment) = (Arc::new(sandbox.clone()), environment);
        assert_eq!(
            range.python("import six; print(six.__version__)").await.text(),
            "1.16.0\n"
        );
        for (requirement, part) in [
            ("six==99.0", "The newest version that fits is "),
            ("reprise-no-such-package-x", "no Python package"),
        ] {
            let failure = prepare(&sandbox, &python(&[requirement])).await.unwrap_err();
            println!("{failure:?}");
            assert_eq!(failure.cause, FailureCause::Setup);
            assert!(failure.summary.contains(part), "{}", failure.summary);
        }
    }
}

#[tokio::test]
async fn r_comes_from_the_machine() {
    for tier in LOCAL {
        let Some(mut range) = Range::open(tier).await else {
            continue;
        };
        let spec = |package: &str| EnvironmentSpec {
            r: Some(BTreeMap::from([(package.to_owned(), None)])),
            ..EnvironmentSpec::default()
        };
        let environment = match prepare(range.sandbox.as_ref(), &spec("stats")).await {
            Ok(environment) => environment,
            Err(failure) => {
                assert_eq!(failure.cause, FailureCause::Infrastructure);
                need::<()>(Err(format!("{failure} {}", failure.log)));
                continue;
            }
        };
        assert!(environment.versions["R"].starts_with(|digit: char| digit.is_ascii_digit()));
        range.environment = environment;
        let came = range
            .run(&[
                "Rscript",
                "-e",
                "x <- c(1, 2, 3, 4); cat(coef(lm(x ~ I(x * 2)))[2])",
            ])
            .await
            .unwrap();
        assert_eq!(came.text(), "0.5", "{}", came.errors());
        let failure = prepare(range.sandbox.as_ref(), &spec("noSuchPackage"))
            .await
            .unwrap_err();
        assert_eq!(failure.packages, ["noSuchPackage"]);
    }
}
