//! Scripts of their time: `env` tells of which, and `run` takes them up under the interpreters that can be had.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::need::{self, need_that};
use super::scripted_study::{self, Script, arguments, events};
use super::support::{Called, Place, called};

/// The row that every script prints, by hand from the four plots.
const RESULT: &str = "dose N 4 estimate 1.94 SE 0.0905539 t 21.4237 p 0.00217167";

/// A script, the day that its head tells, and the interpreter of that day.
struct OldScript {
    name: &'static str,
    day: &'static str,
    interpreter: &'static str,
    /// What it needs, with the version of the day that its own index has.
    package: Option<(&'static str, &'static str)>,
}

const PYTHON: [OldScript; 4] = [
    python("slope_2017.py", "2017-09-15", "3.6", "pandas", "0.20.3"),
    python("slope_2019.py", "2019-06-30", "3.7", "pandas", "0.24.2"),
    python("slope_2021.py", "2021-06-30", "3.9", "pandas", "1.2.5"),
    python("slope_2023.py", "2023-08-20", "3.11", "numpy", "1.25.2"),
];

const R: [OldScript; 3] = [
    plain("slope_2016.R", "2016-06-01", "3.3.0"),
    plain("slope_2019.R", "2019-06-30", "3.6.0"),
    plain("slope_2021.R", "2021-06-30", "4.1.0"),
];

/// Run in the images of their time by `tests/docker/old_scripts.rs`.
const IN_IMAGES: [OldScript; 4] = [
    plain("slope_2015.py", "2015-05-04", "2.7"),
    plain("slope_2020.R", "2020-12-01", "4.0.3"),
    plain("slope_2025.py", "2025-05-20", "3.13"),
    plain("slope_2025.R", "2025-05-20", "4.5.0"),
];

const fn python(
    name: &'static str,
    day: &'static str,
    interpreter: &'static str,
    package: &'static str,
    version: &'static str,
) -> OldScript {
    OldScript {
        name,
        day,
        interpreter,
        package: Some((package, version)),
    }
}

const fn plain(name: &'static str, day: &'static str, interpreter: &'static str) -> OldScript {
    OldScript {
        name,
        day,
        interpreter,
        package: None,
    }
}

/// A study with that script alone.
fn study(script: &OldScript) -> Place {
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
    let data = place.path().join("slope/input/replication_data");
    for shell in ["helper.sh", "slope.sh"] {
        fs::remove_file(data.join(shell)).unwrap();
    }
    place
}

fn run(place: &Place, cache: &Path) -> Called {
    let mut command = place.command(&arguments("out", &["--as-of", "evidence"]));
    command.env("REPRISE_CACHE", cache);
    // The operator's interpreters and certificates.
    for name in ["PYENV_ROOT", "PIP_INDEX_URL", "PIP_CERT"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    if let Some(home) = std::env::var_os("HOME").filter(|_| std::env::var_os("PYENV_ROOT").is_none()) {
        command.env("PYENV_ROOT", Path::new(&home).join(".pyenv"));
    }
    called(command.output().unwrap())
}

/// Whether the interpreter that was made is that of the time; where it is not, the lock says so.
fn is_of_its_time(place: &Place, script: &OldScript, key: &str) -> bool {
    let built = events(place, "out", "built")[0]["result"]["ready"]["versions"].take();
    let here = built[key].as_str().unwrap().to_owned();
    let is_it = here == script.interpreter || here.starts_with(&format!("{}.", script.interpreter));
    if !is_it {
        let reported = place.call(&["report", "out", "--format", "md"]);
        assert_eq!(reported.status, 0, "{}", reported.stderr);
        let report = fs::read_to_string(place.path().join("out/report.md")).unwrap();
        let made = events(place, "out", "lock_made")[0]["lock"].take();
        let lock = scripted_study::content(place, "out", &made);
        let told = lock + &report;
        assert!(
            told.contains(script.interpreter) && told.contains(&here),
            "{}: {told}",
            script.name
        );
    }
    is_it
}

fn printed(place: &Place) -> String {
    let finished = events(place, "out", "execution_finished");
    finished[0]["stdout"]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn every_old_script_has_a_plan_of_its_time() {
    for script in PYTHON.iter().chain(&R).chain(&IN_IMAGES) {
        let place = study(script);
        let surveyed = place.call(&["env", "slope", "--json"]);
        assert_eq!(surveyed.status, 0, "{}: {}", script.name, surveyed.stderr);
        let survey: Value = serde_json::from_str(&surveyed.stdout).unwrap();
        assert_eq!(survey["as_of"]["day"], script.day, "{survey}");
        let interpreters = survey["interpreters"].as_array().unwrap();
        assert_eq!(interpreters.len(), 1, "{survey}");
        assert_eq!(interpreters[0]["version"], script.interpreter, "{survey}");
        let packages = survey["packages"].as_array().unwrap().iter();
        let packages: Vec<&str> = packages.filter_map(|one| one["package"].as_str()).collect();
        let needed: Vec<&str> = script.package.iter().map(|(name, _)| *name).collect();
        assert_eq!(packages, needed, "{survey}");
    }
}

#[test]
fn old_scripts_of_r_run_under_the_r_that_there_is_and_the_run_says_which_was_wanted() {
    let Some(()) = need::program("Rscript", "apt-get install r-base-core") else {
        return;
    };
    for script in &R {
        let place = study(script);
        let ran = run(&place, &place.path().join("cache"));
        assert_eq!(ran.status, 0, "{}: {}{}", script.name, ran.stdout, ran.stderr);
        is_of_its_time(&place, script, "R");
        assert!(
            printed(&place).contains(RESULT),
            "{}: {}",
            script.name,
            printed(&place)
        );
    }
}

#[test]
#[ignore = "fetches numpy and pandas of 2017 to 2023 from the index: .ci/run long"]
fn old_scripts_of_python_run_under_the_packages_of_their_time() {
    let cache = tempfile::tempdir().unwrap();
    for script in &PYTHON {
        let place = study(script);
        let ran = run(&place, cache.path());
        let is_down = ran.status == 7;
        let Some(()) = need_that(!is_down, "no index with dates is in reach") else {
            return;
        };
        let is_it = is_of_its_time(&place, script, "python");
        let built = events(&place, "out", "built")[0]["result"]["ready"]["versions"].take();
        println!(
            "{}: Python {} of {}, {}",
            script.name, built["python"], script.interpreter, built
        );
        // Under a newer Python its packages are those of the day that have a file for it, if any.
        if is_it {
            let (package, version) = script.package.unwrap();
            assert_eq!(built[package], version, "{built}");
            assert_eq!(ran.status, 0, "{}: {}{}", script.name, ran.stdout, ran.stderr);
            assert!(
                printed(&place).contains(RESULT),
                "{}: {}",
                script.name,
                printed(&place)
            );
        }
    }
}
