//! Scripts of their time in images of their time, which `tests/images/make --suite` makes where it is asked to.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::held_to_lock::{forget, in_containers, printed};
use crate::need::need_that;
use crate::studies::scripted_study::{self, Script, events};
use crate::studies::support::{Place, called};
use crate::support::{daemon, sandbox};

/// The row that every script prints, by hand from the four plots.
const RESULT: &str = "dose N 4 estimate 1.94 SE 0.0905539 t 21.4237 p 0.00217167";

/// A script of `tests/cli/old_scripts`, and the image that it is to run in.
struct ContainedScript {
    name: &'static str,
    image: &'static str,
    suite: &'static str,
    /// The interpreter of the script's day, and the one that the image has.
    wanted: &'static str,
    had: &'static str,
    /// What it needs, with the version of the day.
    package: Option<(&'static str, &'static str)>,
}

/// Each fails under the interpreters of bookworm, or without the package of its day.
const SCRIPTS: [ContainedScript; 5] = [
    ContainedScript {
        name: "slope_2015.py",
        image: "python:2.7-slim",
        suite: "bullseye",
        wanted: "2.7",
        had: "2.7.",
        package: None,
    },
    ContainedScript {
        name: "slope_2020.R",
        image: "rocker/r-ver:4.0",
        suite: "bullseye",
        wanted: "4.0.3",
        had: "4.0.",
        package: None,
    },
    ContainedScript {
        name: "slope_2021.py",
        image: "python:3.9-slim",
        suite: "bullseye",
        wanted: "3.9",
        had: "3.9.",
        package: Some(("pandas", "1.2.5")),
    },
    ContainedScript {
        name: "slope_2025.py",
        image: "python:3.13-slim",
        suite: "trixie",
        wanted: "3.13",
        had: "3.13.",
        package: None,
    },
    ContainedScript {
        name: "slope_2025.R",
        image: "r-base:4.5.0",
        suite: "trixie",
        wanted: "4.5.0",
        had: "4.5.",
        package: None,
    },
];

fn study(script: &ContainedScript) -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/old_scripts");
    let text = fs::read_to_string(folder.join(script.name)).unwrap();
    let needed: Vec<&str> = script.package.iter().map(|(name, _)| *name).collect();
    scripted_study::study(
        &place,
        &Script {
            name: script.name,
            text: &text,
            edits: &[],
            python: &needed,
            again: false,
        },
    );
    // An image of an interpreter gives way to that of the day; one of Debian stands.
    let usual = if script.name.ends_with(".R") {
        "r-base:latest"
    } else {
        "python:3.11-slim"
    };
    let recording = place.path().join("slope/recordings/native.json");
    let text = fs::read_to_string(&recording).unwrap();
    fs::write(&recording, text.replace("debian:bookworm-slim", usual)).unwrap();
    let data = place.path().join("slope/input/replication_data");
    for shell in ["helper.sh", "slope.sh"] {
        fs::remove_file(data.join(shell)).unwrap();
    }
    place
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the images of tests/images/make --suite bullseye and trixie, and the index: .ci/run long"]
async fn old_scripts_run_in_images_of_their_time() {
    if sandbox().await.is_none() {
        return;
    }
    let client = daemon().await.client;
    for script in &SCRIPTS {
        let ContainedScript {
            name, image, suite, ..
        } = script;
        if client.inspect_image(image).await.is_err() {
            // A mirror may no longer have an old Debian, which is no fault of the program.
            println!("skipped: {name}: {image} is not here: tests/images/make --suite {suite}");
            continue;
        }
        let place = study(script);
        let mut command = place.with_daemon(&in_containers("out", &["--as-of", "evidence"]));
        command.env("REPRISE_CACHE", place.path().join("cache"));
        // The operator's index and certificates.
        for setting in ["PIP_INDEX_URL", "PIP_CERT"] {
            if let Some(value) = std::env::var_os(setting) {
                command.env(setting, value);
            }
        }
        let ran = called(command.output().unwrap());
        let Some(()) = need_that(ran.status != 7, &format!("{name}: {}", ran.stderr)) else {
            continue;
        };
        assert_eq!(ran.status, 0, "{name}: {}{}", ran.stdout, ran.stderr);
        let made = &events(&place, "out", "lock_made")[0]["lock"];
        let lock: Value = serde_json::from_str(&scripted_study::content(&place, "out", made)).unwrap();
        assert_eq!(
            lock["interpreters"][0]["version"], script.wanted,
            "{name}: {lock}"
        );
        let built = events(&place, "out", "built")[0]["result"]["ready"]["versions"].take();
        let key = if name.ends_with(".R") { "R" } else { "python" };
        println!("{name}: {key} {} of {}, in {image}", built[key], script.wanted);
        assert!(
            built[key].as_str().unwrap().starts_with(script.had),
            "{name}: {built}"
        );
        if let Some((package, version)) = script.package {
            assert_eq!(built[package], version, "{name}: {built}");
        }
        let said = printed(&place, "out");
        assert!(said.contains(RESULT), "{name}: {said}");
        forget(&place, "out").await;
    }
}
