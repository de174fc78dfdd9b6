//! Images: what is built, reused, refused and recorded.

use reprise::domain::execution::{BuildFailure, Environment, EnvironmentSpec};
use reprise::sandbox::contract::Sandbox as _;
use reprise::sandbox::docker::sandbox::DockerSandbox;
use tokio_util::sync::CancellationToken;

use crate::support::sandbox;

fn python(requirements: &[&str]) -> EnvironmentSpec {
    EnvironmentSpec {
        python: Some(requirements.iter().map(|text| (*text).to_owned()).collect()),
        ..EnvironmentSpec::default()
    }
}

async fn prepare(sandbox: &DockerSandbox, spec: &EnvironmentSpec) -> Result<Environment, BuildFailure> {
    let print = |line: &str| println!("{line}");
    sandbox.prepare(spec, &CancellationToken::new(), &print).await
}

#[tokio::test]
async fn a_pinned_package_is_built_once() {
    let Some(sandbox) = sandbox().await else { return };
    let spec = python(&["six==1.16.0"]);
    let environment = prepare(&sandbox, &spec).await.unwrap();
    assert_eq!(environment.versions["six"], "1.16.0");
    assert!(environment.versions["python"].starts_with("3."));
    let again = prepare(&sandbox, &spec).await.unwrap();
    assert!(!again.built);
    assert_eq!(again.location, environment.location);
    assert_eq!(again.id, sandbox.resolve(&spec).await.unwrap());
}

#[tokio::test]
async fn an_r_package_of_debian_is_taken_and_the_step_recorded() {
    let Some(sandbox) = sandbox().await else { return };
    let spec = EnvironmentSpec {
        r: Some([("jsonlite".to_owned(), None)].into()),
        ..EnvironmentSpec::default()
    };
    let environment = prepare(&sandbox, &spec).await.unwrap();
    assert!(environment.versions.contains_key("R: jsonlite"));
    assert_eq!(
        environment.versions["R: jsonlite from"],
        "Debian package r-cran-jsonlite (no version was asked for)"
    );
    assert!(environment.versions["R"].starts_with("4."));
}
