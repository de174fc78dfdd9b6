//! Images: what is built, reused, refused, recorded, and never left in one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bollard::query_parameters::{TagImageOptionsBuilder, WaitContainerOptionsBuilder};
use futures::StreamExt as _;
use reprise::domain::execution::{BuildFailure, Environment, EnvironmentSpec, LockedFiles};
use reprise::domain::failure::FailureCause;
use reprise::sandbox::contract::Sandbox as _;
use reprise::sandbox::docker::daemon::Daemon;
use reprise::sandbox::docker::image::owned;
use reprise::sandbox::docker::sandbox::DockerSandbox;
use reprise::sandbox::docker::settings::DockerSettings;
use tokio_util::sync::CancellationToken;

use crate::served::{Hung, Served, r_source, wheel};
use crate::support::{daemon, sandbox};

/// Stands for every secret of the operator's.
const CANARY: &str = "canary7f3e9b51";

fn python(requirements: &[&str]) -> EnvironmentSpec {
    EnvironmentSpec {
        python: Some(requirements.iter().map(|text| (*text).to_owned()).collect()),
        ..EnvironmentSpec::default()
    }
}

fn r(packages: &[(&str, Option<&str>)]) -> EnvironmentSpec {
    EnvironmentSpec {
        r: Some(
            packages
                .iter()
                .map(|(name, version)| ((*name).to_owned(), version.map(str::to_owned)))
                .collect(),
        ),
        ..EnvironmentSpec::default()
    }
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("docker-cache")
}

/// A sandbox whose operator has set a few things more.
async fn sandbox_with(settings: &[(&str, &str)]) -> DockerSandbox {
    let mut operator: BTreeMap<String, String> = std::env::vars().collect();
    operator.extend(
        settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    DockerSandbox::connect(DockerSettings::new(cache(), operator))
        .await
        .unwrap()
}

/// Makes an environment; where a registry was out of reach for a while, which is nobody's fault here, again.
async fn prepare(sandbox: &DockerSandbox, spec: &EnvironmentSpec) -> Result<Environment, BuildFailure> {
    let print = |line: &str| println!("{line}");
    let mut tries = 1;
    loop {
        match sandbox.prepare(spec, &CancellationToken::new(), &print).await {
            Err(failure)
                if failure.cause == FailureCause::Infrastructure
                    && failure.summary.contains("cannot be reached")
                    && tries < 5 =>
            {
                println!("a registry is out of reach ({tries} of 5): {failure}");
                tries += 1;
                tokio::time::sleep(Duration::from_secs(20)).await;
            }
            ended => return ended,
        }
    }
}

/// The name of the image that a specification makes, and the log of its build.
async fn tag_and_log(sandbox: &DockerSandbox, spec: &EnvironmentSpec) -> (String, PathBuf) {
    let hex = sandbox.resolve(spec).await.unwrap().hex();
    (
        format!("reprise/environment:{hex}"),
        cache().join("builds").join(format!("{hex}.log")),
    )
}

/// Removes the image of a specification, if it is there.
async fn forget(sandbox: &DockerSandbox, spec: &EnvironmentSpec) {
    let (tag, _) = tag_and_log(sandbox, spec).await;
    let _ = owned::remove_image(&daemon().await, &tag).await;
}

#[tokio::test]
async fn two_at_once_share_one_build_and_a_third_finds_it_ready() {
    let Some(sandbox) = sandbox().await else { return };
    let spec = python(&["six==1.16.0"]);
    forget(&sandbox, &spec).await;
    let (one, other) = tokio::join!(prepare(&sandbox, &spec), prepare(&sandbox, &spec));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!(usize::from(one.built) + usize::from(other.built), 1);
    assert_eq!(one.location, other.location);
    assert_eq!(one.versions["six"], "1.16.0");
    assert!(one.versions["python"].starts_with("3."), "{:?}", one.versions);
    let (tag, log) = tag_and_log(&sandbox, &spec).await;
    let before = std::fs::metadata(&log).unwrap().modified().unwrap();
    let again = prepare(&sandbox, &spec).await.unwrap();
    assert!(!again.built);
    assert_eq!((again.id, &again.versions), (one.id, &one.versions));
    assert_eq!(again.id, sandbox.resolve(&spec).await.unwrap());
    // No layer was built: the log of the only build is as it was.
    assert_eq!(std::fs::metadata(&log).unwrap().modified().unwrap(), before);
    let ours = owned::images(&daemon().await).await.unwrap();
    assert!(ours.iter().any(|image| image.tags.contains(&tag)), "{ours:?}");
    forget(&sandbox, &spec).await;
    let ours = owned::images(&daemon().await).await.unwrap();
    assert!(!ours.iter().any(|image| image.tags.contains(&tag)), "{ours:?}");
}

/// The digest of the only wheel of six 1.16.0.
const SIX: &str = "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254";

#[tokio::test]
#[ignore = "four builds, two of them by a uv that each fetches: .ci/run long"]
async fn a_build_is_held_to_the_digests_of_a_lock_by_uv_and_by_pip() {
    let Some(plain) = sandbox().await else { return };
    let python = plain.python_of(&python(&["six==1.16.0"])).await.unwrap().unwrap();
    let held = |digest: &str| EnvironmentSpec {
        python: Some(vec!["six==1.16.0".to_owned()]),
        python_files: Some(LockedFiles {
            python: python.clone(),
            sha256: BTreeMap::from([("six".to_owned(), digest.to_owned())]),
        }),
        ..EnvironmentSpec::default()
    };
    for (setting, installer) in [("", "uv "), ("off", "pip")] {
        let sandbox = sandbox_with(&[("REPRISE_UV", setting)]).await;
        let spec = held(SIX);
        forget(&sandbox, &spec).await;
        let made = prepare(&sandbox, &spec).await.unwrap();
        assert_eq!(made.versions["files"], "held to the lock's SHA-256 digests");
        assert!(
            made.versions["installed by"].starts_with(installer),
            "{:?}",
            made.versions
        );
        forget(&sandbox, &spec).await;
        // Another file than the lock's, under the same name and version.
        let other = held(&"ab".repeat(32));
        let failure = prepare(&sandbox, &other).await.unwrap_err();
        assert_eq!(failure.cause, FailureCause::Infrastructure, "{failure:?}");
        assert!(failure.summary.contains("another SHA-256"), "{failure:?}");
        let (tag, _) = tag_and_log(&sandbox, &other).await;
        let ours = owned::images(&daemon().await).await.unwrap();
        assert!(!ours.iter().any(|image| image.tags.contains(&tag)), "{ours:?}");
    }
}

#[tokio::test]
async fn the_image_is_that_of_the_python_that_is_wanted_or_of_the_next_newer_one() {
    let Some(sandbox) = sandbox().await else { return };
    let release = async |wanted: Option<&str>| {
        let spec = EnvironmentSpec {
            python_version: wanted.map(str::to_owned),
            ..python(&[])
        };
        let version = sandbox.python_of(&spec).await.unwrap().unwrap();
        let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    };
    let usual = release(None).await;
    assert_eq!(release(Some(&format!("{}.{}", usual.0, usual.1))).await, usual);
    // What no image has is stood in for by the nearest that is not older, of those that are here.
    let old = release(Some("3.2")).await;
    assert!(old > (3, 2) && old <= usual, "{old:?}, {usual:?}");
    assert_eq!(release(Some("3.99")).await, usual);
}

#[tokio::test]
async fn a_changed_python_package_keeps_the_layers_below_and_every_failure_is_listed() {
    let Some(sandbox) = sandbox().await else { return };
    let spec = |requirement: &str| EnvironmentSpec {
        python: Some(vec![requirement.to_owned()]),
        ..r(&[("jsonlite", None), ("stats", None)])
    };
    let (first, second) = (spec("six==1.16.0"), spec("six==1.15.0"));
    for spec in [&first, &second] {
        forget(&sandbox, spec).await;
    }
    let made = prepare(&sandbox, &first).await.unwrap();
    assert_eq!(
        made.versions["R: jsonlite from"],
        "Debian package r-cran-jsonlite (no version was asked for)"
    );
    assert_eq!(made.versions["R: stats from"], "base image (it is there)");
    assert_eq!(made.versions["six"], "1.16.0");
    let changed = prepare(&sandbox, &second).await.unwrap();
    assert_eq!(changed.versions["six"], "1.15.0");
    assert_eq!(changed.versions["R: jsonlite"], made.versions["R: jsonlite"]);
    let (_, log) = tag_and_log(&sandbox, &second).await;
    let log = std::fs::read_to_string(log).unwrap();
    let cached = |script: &str| {
        let step = log
            .split("Step ")
            .find(|step| step.contains("RUN") && step.contains(script))
            .unwrap_or_else(|| panic!("no step runs {script}:\n{log}"));
        step.contains("Using cache")
    };
    assert!(
        cached("system.sh") && cached("r.sh") && cached("venv.sh"),
        "{log}"
    );
    assert!(!cached("python.sh"), "{log}");

    let wrong = EnvironmentSpec {
        python: Some(vec![
            "six==1.16.0".to_owned(),
            "reprise-no-such-package".to_owned(),
        ]),
        ..r(&[("jsonlite", Some("0.0.1")), ("repriseNoSuchPackage", None)])
    };
    let failure = prepare(&sandbox, &wrong).await.unwrap_err();
    assert_eq!(failure.cause, FailureCause::Setup, "{failure:?}");
    assert_eq!(
        failure.packages,
        ["jsonlite", "repriseNoSuchPackage", "reprise-no-such-package"],
        "{failure:?}"
    );
    for spec in [&first, &second] {
        forget(&sandbox, spec).await;
    }
}

#[tokio::test]
async fn unknown_names_of_all_kinds_are_listed_and_no_tag_is_left() {
    let Some(sandbox) = sandbox().await else { return };
    let spec = EnvironmentSpec {
        system: vec!["reprise-no-such-a".to_owned(), "reprise-no-such-b".to_owned()],
        ..python(&["reprise-no-such-c", "six==1.16.0", "pip==0.0.99"])
    };
    let daemon = daemon().await;
    let (tag, log) = tag_and_log(&sandbox, &spec).await;
    // A build that is ended while its failed layer is in the builder's cache.
    let mut served = Served::start(BTreeMap::new()).await;
    let index = format!("http://{}/hang/simple/", served.address);
    let hanging = sandbox_with(&[("PIP_INDEX_URL", &index), ("PIP_TRUSTED_HOST", &served.host)]).await;
    tokio::select! {
        ended = prepare(&hanging, &spec) => panic!("{ended:?}"),
        came = served.hung.recv() => assert_eq!(came, Some(Hung::Came)),
    }
    // An image of that name that is not what it says.
    let (repository, digest) = tag.split_once(':').unwrap();
    let options = TagImageOptionsBuilder::default()
        .repo(repository)
        .tag(digest)
        .build();
    daemon
        .client
        .tag_image(crate::support::PYTHON, Some(options))
        .await
        .unwrap();
    for _ in 0..2 {
        let failure = prepare(&sandbox, &spec).await.unwrap_err();
        assert_eq!(failure.cause, FailureCause::Setup, "{failure:?}");
        assert_eq!(
            failure.packages,
            [
                "reprise-no-such-a",
                "reprise-no-such-b",
                "pip",
                "reprise-no-such-c"
            ],
            "{failure:?}"
        );
        assert!(
            failure
                .summary
                .contains("There is no Debian package `reprise-no-such-a`")
        );
        assert!(daemon.client.inspect_image(&tag).await.is_err());
    }
    // What failed once is tried again, since it may have been the world's fault.
    let log = std::fs::read_to_string(log).unwrap();
    let step = log
        .split("Step ")
        .find(|step| step.contains("system.sh\"]"))
        .unwrap();
    assert!(!step.contains("Using cache"), "{log}");
}

#[tokio::test]
async fn a_base_image_that_cannot_be_had_is_refused_with_those_that_can() {
    let Some(sandbox) = sandbox().await else { return };
    for (image, why) in [
        ("python:0.0-no-such-tag", "is not on this machine"),
        ("evil.example/python:3.11", "is not one that may be used"),
        ("reprise/environment:x", "is not one that may be used"),
        ("python:3.11-slim\nRUN id", "is not one that may be used"),
    ] {
        let spec = EnvironmentSpec {
            base_image: Some(image.to_owned()),
            ..python(&[])
        };
        let failure = sandbox.resolve(&spec).await.unwrap_err();
        assert_eq!(failure.cause, FailureCause::Setup, "{failure:?}");
        assert!(failure.summary.contains(why), "{failure}");
        assert!(
            failure.summary.contains(&format!("`{}`", crate::support::PYTHON)),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_pin_of_another_python_is_refused_before_anything_is_built() {
    let Some(sandbox) = sandbox().await else { return };
    let failure = sandbox.resolve(&python(&["numpy==1.19.5"])).await.unwrap_err();
    assert_eq!(failure.packages, ["numpy"]);
    assert!(failure.summary.contains("3.6 to 3.9"), "{failure}");
}

/// Every byte of an image's layers, its configuration and its history, searched.
async fn holds(daemon: &Daemon, image: &str, secret: &str) -> bool {
    let history = format!("{:?}", daemon.client.image_history(image).await.unwrap());
    let configuration = format!("{:?}", daemon.client.inspect_image(image).await.unwrap());
    if history.contains(secret) || configuration.contains(secret) {
        return true;
    }
    let finder = memchr::memmem::Finder::new(secret.as_bytes());
    let mut tail: Vec<u8> = Vec::new();
    let mut layers = std::pin::pin!(daemon.client.export_image(image));
    let mut bytes = 0;
    while let Some(part) = layers.next().await {
        let part = part.unwrap();
        bytes += part.len();
        tail.extend_from_slice(&part);
        if finder.find(&tail).is_some() {
            return true;
        }
        tail.drain(..tail.len().saturating_sub(secret.len()));
    }
    assert!(bytes > 1 << 20, "only {bytes} bytes were searched");
    false
}

/// Fails if a secret is in an image, in its log or in what was shown.
async fn no_trace(environment: &Environment, log: &Path, shown: &str) {
    let daemon = daemon().await;
    let log = std::fs::read_to_string(log).unwrap();
    // The search finds what is there.
    assert!(holds(&daemon, &environment.location, "org.reprise.environment").await);
    assert!(!holds(&daemon, &environment.location, CANARY).await);
    assert!(!log.contains(CANARY), "{log}");
    assert!(!shown.contains(CANARY), "{shown}");
    let recorded = serde_json::to_string(environment).unwrap();
    assert!(!recorded.contains(CANARY), "{recorded}");
}

/// Prepares, and returns what progress said besides.
async fn prepare_watched(sandbox: &DockerSandbox, spec: &EnvironmentSpec) -> (Environment, String) {
    let shown = Arc::new(Mutex::new(String::new()));
    let keep = shown.clone();
    let progress = move |line: &str| {
        println!("{line}");
        keep.lock().unwrap().push_str(&format!("{line}\n"));
    };
    let environment = sandbox
        .prepare(spec, &CancellationToken::new(), &progress)
        .await
        .unwrap();
    let shown = shown.lock().unwrap().clone();
    (environment, shown)
}

#[tokio::test]
async fn nothing_of_the_index_its_certificates_or_proxies_is_left() {
    if sandbox().await.is_none() {
        return;
    }
    let token = format!("token-{CANARY}-of-a-path");
    let file = "repriseindex-1.0-py3-none-any.whl";
    let page = format!("<html><body><a href=\"/{token}/files/{file}\">{file}</a></body></html>");
    let served = Served::start(BTreeMap::from([
        (format!("/{token}/simple/repriseindex/"), page.into_bytes()),
        (format!("/{token}/files/{file}"), wheel("repriseindex", "1.0")),
    ]))
    .await;
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.pem");
    std::fs::write(&bundle, format!("# {CANARY}\n")).unwrap();
    let sandbox = sandbox_with(&[
        (
            "PIP_INDEX_URL",
            &format!("http://user-{CANARY}:{CANARY}@{}/{token}/simple/", served.address),
        ),
        ("PIP_TRUSTED_HOST", &served.host),
        ("NO_PROXY", &format!("{},{CANARY}.example", served.host)),
        ("REPRISE_CA_BUNDLE", &bundle.display().to_string()),
    ])
    .await;
    let spec = python(&["repriseindex==1.0"]);
    let (environment, shown) = prepare_watched(&sandbox, &spec).await;
    assert_eq!(environment.versions["repriseindex"], "1.0");
    let (_, log) = tag_and_log(&sandbox, &spec).await;
    no_trace(&environment, &log, &shown).await;
    forget(&sandbox, &spec).await;
}

#[tokio::test]
async fn r_packages_come_from_a_dated_snapshot_or_an_archive_and_leave_no_trace_of_it() {
    if sandbox().await.is_none() {
        return;
    }
    let index = |name: &str, version: &str| {
        format!("Package: {name}\nVersion: {version}\nNeedsCompilation: no\n").into_bytes()
    };
    let snapshot = "/snapshot/2023-04-01/src/contrib";
    let cran = "/cran/src/contrib";
    let served = Served::start(BTreeMap::from([
        (format!("{snapshot}/PACKAGES"), index("repriseone", "1.0")),
        (
            format!("{snapshot}/repriseone_1.0.tar.gz"),
            r_source("repriseone", "1.0"),
        ),
        (format!("{cran}/PACKAGES"), index("reprisetwo", "2.0")),
        (
            format!("{cran}/Archive/reprisetwo/reprisetwo_0.9-1.tar.gz"),
            r_source("reprisetwo", "0.9-1"),
        ),
    ]))
    .await;
    let with = |path: &str| format!("http://user-{CANARY}:{CANARY}@{}{path}", served.address);
    let sandbox = sandbox_with(&[
        ("REPRISE_CRAN_SNAPSHOT", &with("/snapshot/2023-04-01")),
        ("REPRISE_CRAN", &with("/cran/")),
        (
            "REPRISE_DEBIAN_MIRROR",
            &format!("http://user:{CANARY}@deb.debian.org/debian"),
        ),
    ])
    .await;
    let spec = r(&[("repriseone", None), ("reprisetwo", Some("0.9-1"))]);
    let (environment, shown) = prepare_watched(&sandbox, &spec).await;
    let versions = &environment.versions;
    assert_eq!(
        (
            versions["R: repriseone"].as_str(),
            versions["R: reprisetwo"].as_str()
        ),
        ("1.0", "0.9-1")
    );
    assert_eq!(
        versions["R: repriseone from"],
        "CRAN snapshot 2023-04-01 (there is no Debian package)"
    );
    assert_eq!(
        versions["R: reprisetwo from"],
        "CRAN archive (there is no Debian package, CRAN has 2.0)"
    );
    let (_, log) = tag_and_log(&sandbox, &spec).await;
    no_trace(&environment, &log, &shown).await;
    forget(&sandbox, &spec).await;
}

#[tokio::test]
async fn a_cancelled_or_dropped_build_leaves_no_container_and_no_image() {
    if sandbox().await.is_none() {
        return;
    }
    for dropped in [false, true] {
        let mut served = Served::start(BTreeMap::new()).await;
        let index = format!("http://{}/hang/simple/", served.address);
        let sandbox = sandbox_with(&[("PIP_INDEX_URL", &index), ("PIP_TRUSTED_HOST", &served.host)]).await;
        let spec = python(&["six==1.16.0"]);
        let cancel = CancellationToken::new();
        let task = {
            let (sandbox, spec, cancel) = (sandbox.clone(), spec.clone(), cancel.clone());
            tokio::spawn(async move { sandbox.prepare(&spec, &cancel, &|_| {}).await })
        };
        assert_eq!(served.hung.recv().await, Some(Hung::Came));
        if dropped {
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        } else {
            cancel.cancel();
            assert_eq!(task.await.unwrap().unwrap_err().cause, FailureCause::Cancelled);
        }
        // The process in the build container is ended, so its connection is.
        assert_eq!(served.hung.recv().await, Some(Hung::Went));
        let (tag, log) = tag_and_log(&sandbox, &spec).await;
        let log = std::fs::read_to_string(log).unwrap();
        let container = log
            .lines()
            .filter_map(|line| line.strip_prefix(" ---> Running in "))
            .next_back()
            .unwrap();
        let daemon = daemon().await;
        let options = WaitContainerOptionsBuilder::default()
            .condition("removed")
            .build();
        let mut gone = std::pin::pin!(daemon.client.wait_container(container, Some(options)));
        let _ = gone.next().await;
        assert!(daemon.client.inspect_container(container, None).await.is_err());
        assert!(daemon.client.inspect_image(&tag).await.is_err());
    }
}
