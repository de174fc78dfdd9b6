//! Runs in containers: under the lock of a day, held to its files, and under R's old defaults.

use std::collections::BTreeMap;
use std::fs;

use reprise::domain::digest::Digest;
use reprise::sandbox::docker::image::owned;
use serde_json::{Value, json};

use crate::served::{Served, wheel};
use crate::studies::scripted_study::{self, Script, arguments, events};
use crate::studies::support::{Called, Place, called};
use crate::support::{daemon, sandbox};

const PYTHON: &str = "import reprisedated
from importlib.metadata import version
print('dated', version('reprisedated'))
print('dose N 4 estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167')
";

const R: &str = "x <- data.frame(a = c('u', 'v'))
cat('levels', levels(x$a), '\\n')
set.seed(1)
cat('drawn', sample(10, 3), '\\n')
";

/// The index with two versions of one package, a year apart.
async fn index() -> Served {
    let mut files = BTreeMap::new();
    let mut page = json!({"meta": {"api-version": "1.1"}, "name": "reprisedated", "files": []});
    for (version, day) in [("1.0", "2019-01-01"), ("2.0", "2021-01-01")] {
        let file = format!("reprisedated-{version}-py3-none-any.whl");
        let bytes = wheel("reprisedated", version);
        let entry = json!({
            "filename": file, "url": format!("/files/{file}"), "upload-time": format!("{day}T00:00:00Z"),
            "hashes": {"sha256": Digest::compute(&bytes).hex()},
        });
        page["files"].as_array_mut().unwrap().push(entry);
        files.insert(format!("/files/{file}"), bytes);
    }
    files.insert("/simple/reprisedated/".to_owned(), page.to_string().into_bytes());
    Served::start(files).await
}

fn place(name: &str, text: &str, python: &[&str]) -> Place {
    let place = Place::new();
    let script = Script {
        name,
        text,
        edits: &[],
        python,
        again: false,
    };
    scripted_study::study(&place, &script);
    place
}

/// What is typed to run a scripted study in containers.
pub fn in_containers<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let typed = arguments(out, more).into_iter();
    typed
        .map(|word| if word == "local" { "docker" } else { word })
        .collect()
}

fn run(place: &Place, out: &str, served: Option<&Served>, more: &[&str]) -> Called {
    let mut command = place.with_daemon(&in_containers(out, more));
    command
        .env("REPRISE_CACHE", place.path().join("cache"))
        .env("REPRISE_UV", "off");
    if let Some(served) = served {
        command
            .env("PIP_INDEX_URL", format!("http://{}/simple/", served.address))
            .env("PIP_TRUSTED_HOST", &served.host);
    }
    called(command.output().unwrap())
}

/// What the first execution of a run printed.
pub fn printed(place: &Place, out: &str) -> String {
    let ended = &events(place, out, "execution_finished")[0];
    scripted_study::content(place, out, &ended["stdout"])
}

/// Removes the images of a run's environments.
pub async fn forget(place: &Place, out: &str) {
    for built in events(place, out, "built") {
        let id = built["result"]["ready"]["id"].as_str().unwrap_or_default();
        let hex = id.trim_start_matches("sha256:");
        let _ = owned::remove_image(&daemon().await, &format!("reprise/environment:{hex}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_in_a_container_makes_the_lock_of_a_day_and_is_held_to_its_files() {
    if sandbox().await.is_none() {
        return;
    }
    let served = index().await;
    let place = place("slope.py", PYTHON, &["reprisedated"]);
    let ran = run(&place, "out", Some(&served), &["--as-of", "2019-06-30"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        printed(&place, "out").contains("dated 1.0"),
        "{}",
        printed(&place, "out")
    );
    let built = events(&place, "out", "built")[0]["result"]["ready"]["versions"].clone();
    assert_eq!(built["files"], "held to the lock's SHA-256 digests", "{built}");
    let made = &events(&place, "out", "lock_made")[0];
    let text = scripted_study::content(&place, "out", &made["lock"]);
    let mut lock: Value = serde_json::from_str(&text).unwrap();
    let release = lock["interpreters"][0]["version"].as_str().unwrap().to_owned();
    assert!(
        built["python"]
            .as_str()
            .unwrap()
            .starts_with(&format!("{release}.")),
        "{release}, {built}"
    );
    // The same lock with the digest of another file.
    lock["packages"][0]["sha256"] = json!("ab".repeat(32));
    fs::write(place.path().join("other.lock.json"), lock.to_string()).unwrap();
    let refused = run(&place, "refused", Some(&served), &["--lock", "other.lock.json"]);
    assert_eq!(refused.status, 7, "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("another SHA-256"), "{}", refused.stderr);
    assert!(events(&place, "refused", "execution_started").is_empty());
    forget(&place, "out").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the shim itself runs in the gate, without a container: .ci/run long"]
async fn a_study_of_r_3_is_run_under_its_defaults_in_a_container() {
    if sandbox().await.is_none() {
        return;
    }
    let place = place("slope.R", R, &[]);
    let manifest = place.path().join("slope/study.toml");
    let plain = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{plain}[environment]\nr_defaults = \"3\"\n")).unwrap();
    run(&place, "old", None, &[]);
    let old = printed(&place, "old")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(old.contains("levels u v drawn 3 4 5"), "{old}");
    forget(&place, "old").await;
}
