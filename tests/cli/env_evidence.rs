//! Evidence of versions and days that is easily taken for more, or for less, than it says.

use serde_json::{Value, json};

use super::index_server::IndexServer;
use super::support::Place;

pub fn write(place: &Place, path: &str, text: &str) {
    let file = place.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// The survey of a folder, as JSON.
pub fn survey(place: &Place, folder: &str) -> Value {
    let called = place.call(&["env", folder, "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

/// The lock of a folder.
pub fn lock(place: &Place, server: &IndexServer, folder: &str, more: &[&str]) -> Value {
    let simple = format!("{}/simple", server.address);
    let file = place.path().join("made.json");
    let file_name = file.to_str().unwrap();
    let mut arguments = vec![
        "env",
        folder,
        "--lock",
        file_name,
        "--index",
        &simple,
        "--cran",
        &server.address,
    ];
    arguments.extend(more);
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

pub fn versions(lock: &Value) -> Vec<String> {
    let all = lock["packages"].as_array().unwrap().iter();
    all.map(|one| {
        format!(
            "{} {}",
            one["name"].as_str().unwrap(),
            one["version"].as_str().unwrap()
        )
    })
    .collect()
}

fn why(lock: &Value, name: &str) -> String {
    let all = lock["not_had"].as_array().unwrap();
    let found = all.iter().find(|one| one["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is had: {lock:#}"));
    found["why"].as_str().unwrap().to_owned()
}

pub fn index() -> IndexServer {
    let server = IndexServer::new();
    let old = "cp35-cp35m-manylinux1_x86_64";
    server.tagged_wheel("pandas 0.24.2 2019-03-12", old, &json!({}));
    server
        .wheel("pandas 1.0.3 2020-03-18 numpy>=1.13|python-dateutil")
        .wheel("pandas 1.1.5 2020-12-07 numpy>=1.15|python-dateutil")
        .wheel("pandas 2.2.0 2024-01-20 numpy>=1.15")
        .wheel("numpy 1.18.0 2019-12-22")
        .wheel("numpy 1.18.4 2020-05-03")
        .wheel("numpy 1.24.4 2023-06-26")
        .wheel("numpy 2.0.2 2023-07-01")
        .wheel("python_dateutil 2.8.1 2019-11-03 six")
        .wheel("python_dateutil 2.9.0 2026-01-01 six")
        .wheel("six 1.14.0 2020-01-15")
        .wheel("pywin32 227 2019-11-14")
        .wheel("matplotlib 3.2.1 2020-03-18 cycler")
        .wheel("cycler 0.9.0 2015-01-01")
        .wheel("cycler 0.10.0 2016-01-01");
    server
}

#[test]
fn pins_for_other_pythons_and_machines_do_not_count() {
    let place = Place::new();
    let server = index();
    write(&place, "study/a.py", "# 2020-05-06\nimport pandas, numpy\n");
    write(
        &place,
        "study/requirements.txt",
        "pandas==0.24.2; python_version < \"3.6\"\npandas==1.0.3; python_version >= \"3.6\"\n\
         pywin32==227; sys_platform == \"win32\"\nnumpy==1.18.4; python_version >\n",
    );
    let made = lock(&place, &server, "study", &[]);
    assert_eq!(made["interpreters"][0]["version"], "3.8");
    assert_eq!(
        versions(&made),
        [
            "numpy 1.18.4",
            "pandas 1.0.3",
            "python-dateutil 2.8.1",
            "six 1.14.0"
        ]
    );
    assert_eq!(made["not_had"], json!([]));
    let notes = made["notes"].to_string();
    assert!(
        notes.contains(
            "pywin32 227 is for `sys_platform == \\\"win32\\\"`, which does not hold for Python 3.8 on Linux"
        ),
        "{notes}"
    );
    let told = place.call(&["env", "study"]).stdout;
    for part in [
        "left out",
        "line 4: the marker `python_version >` of numpy cannot be read",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    write(
        &place,
        "poetry/poetry.lock",
        "[[package]]\nname = \"numpy\"\nversion = \"1.18.0\"\nmarker = \"python_version < \\\"3.7\\\"\"\n\
         [[package]]\nname = \"numpy\"\nversion = \"1.18.4\"\nmarker = \"python_version >= \\\"3.7\\\"\"\n",
    );
    write(&place, "poetry/a.py", "# 2020-05-06\nimport numpy\n");
    assert_eq!(versions(&lock(&place, &server, "poetry", &[])), ["numpy 1.18.4"]);
    write(
        &place,
        "uv/uv.lock",
        "version = 1\nrequires-python = \">=3.8\"\n[[package]]\nname = \"numpy\"\nversion = \"1.24.4\"\nresolution-markers = \
         [\"python_full_version < '3.9'\"]\n[[package]]\nname = \"numpy\"\nversion = \"2.0.2\"\nresolution-markers = \
         [\"python_full_version >= '3.9'\"]\n",
    );
    write(&place, "uv/a.py", "# 2023-07-06\nimport numpy\n");
    let made = lock(&place, &server, "uv", &[]);
    assert_eq!(versions(&made), ["numpy 2.0.2"], "{made:#}");
}

#[test]
fn names_of_conda_are_no_names_of_an_index() {
    let place = Place::new();
    let server = index();
    // What the index has by these names is of other projects.
    for name in ["vc", "tk", "icu", "git-lfs", "readline", "fieldtool"] {
        server.wheel(&format!("{name} 8.0 2018-01-01"));
    }
    write(
        &place,
        "study/a.py",
        "# 2020-05-06\nimport matplotlib\nimport readline\n",
    );
    write(
        &place,
        "study/environment.yml",
        "dependencies:\n  - vc=14\n  - tk=8.0\n  - icu=8.0=h1\n  - git-lfs=8.0=h1\n  - readline=8.0=h1\n  - fieldtool=8.0=h1\n  \
         - cycler=0.9.0=py37_0\n  - numpy=1.18.0=py37_0\n",
    );
    let made = lock(&place, &server, "study", &[]);
    // Another package needs cycler, and has it in conda's version; nobody needs fieldtool.
    assert_eq!(
        versions(&made),
        ["cycler 0.9.0", "matplotlib 3.2.1", "numpy 1.18.0"],
        "{made:#}"
    );
    assert_eq!(
        why(&made, "fieldtool"),
        "it is not known to be a package, and is asked about"
    );
    let questions = made["questions"].to_string();
    assert!(
        questions.contains("Conda's `fieldtool`, `cycler` are not known"),
        "{questions}"
    );
    write(&place, "r/a.R", "library(lme4)\n");
    write(
        &place,
        "r/environment.yml",
        "dependencies:\n  - r-lme4=1.1_26\n  - r-nowhere=1.0=r36\n",
    );
    let told = survey(&place, "r");
    let questions = told["questions"].to_string();
    assert!(
        questions.contains("Conda's `nowhere` are not known to be packages of CRAN"),
        "{questions}"
    );
    let packages = told["packages"].as_array().unwrap();
    let lme4 = packages.iter().find(|one| one["package"] == "lme4").unwrap();
    assert_eq!(
        (&lme4["version"], &lme4["certainty"]),
        (&json!("1.1-26"), &json!("exact"))
    );
}

#[test]
fn a_declared_name_that_is_nearly_anothers_is_asked_about() {
    let place = Place::new();
    let server = index();
    for name in ["panadas", "numpi", "tenserflaw", "pandsa", "boto"] {
        server.wheel(&format!("{name} 1.0 2018-01-01"));
    }
    write(&place, "study/a.py", "# 2020-05-06\nimport pandas\n");
    write(
        &place,
        "study/requirements.txt",
        "panadas\nnumpi==1.0\ntenserflaw>=1\nboto\n",
    );
    write(
        &place,
        "study/n.ipynb",
        r#"{"cells": [{"cell_type": "code", "source": "%pip install pandsa==1.0"}]}"#,
    );
    let made = lock(&place, &server, "study", &[]);
    let had = versions(&made);
    assert!(had.contains(&"boto 1.0".to_owned()), "{had:?}");
    for name in ["panadas", "numpi", "tenserflaw", "pandsa"] {
        assert_eq!(
            why(&made, name),
            "it is not known to be a package, and is asked about"
        );
        assert!(!had.iter().any(|one| one.starts_with(name)), "{had:?}");
    }
    let questions = made["questions"].to_string();
    assert!(
        questions.contains("`numpi` is nearly `numpy`, and no script loads it"),
        "{questions}"
    );
    // A name that only a cell installs is no declaration, also where a script loads it; nor is an import by itself.
    write(
        &place,
        "cells/n.ipynb",
        r#"{"cells": [{"cell_type": "code", "source": "!pip install tenserflaw\nimport tenserflaw, pandsa"}]}"#,
    );
    write(&place, "cells/a.py", "# 2020-05-06\n");
    let made = lock(&place, &server, "cells", &[]);
    assert_eq!(versions(&made), Vec::<String>::new());
    assert!(
        made["questions"]
            .to_string()
            .contains("`tenserflaw` is no known module and nearly `tensorflow`"),
        "{made:#}"
    );
    // Whoever loads it by that name means it.
    write(&place, "study/b.py", "import numpi\n");
    assert!(versions(&lock(&place, &server, "study", &[])).contains(&"numpi 1.0".to_owned()));
    write(&place, "r/a.R", "library(dyplr)\nlibrary(lme)\nlibrary(vroom)\n");
    let questions = survey(&place, "r")["questions"].to_string();
    assert!(
        questions.contains("`dyplr` is no known package and nearly `dplyr`")
            && questions.contains("`lme` is"),
        "{questions}"
    );
    assert!(!questions.contains("vroom"), "{questions}");
}

#[test]
fn versions_that_scripts_install_are_evidence() {
    let place = Place::new();
    write(
        &place,
        "study/a.R",
        "remotes::install_version(\"psych\", version = \"1.8.12\")\nlibrary(psych)\n",
    );
    write(
        &place,
        "study/n.ipynb",
        r#"{"cells": [{"cell_type": "code", "source": ["%pip install pandas==1.0.3\n", "!pip install 'numpy>=1.16,<1.18'\n", "import pandas"]}]}"#,
    );
    let told = survey(&place, "study");
    let packages = told["packages"].as_array().unwrap();
    let of = |name: &str| packages.iter().find(|one| one["package"] == name).unwrap();
    assert_eq!(of("psych")["version"], "1.8.12");
    assert_eq!(of("pandas")["version"], "1.0.3");
    assert_eq!(of("pandas")["reasons"][0], "n.ipynb, line 1 has version 1.0.3.");
    assert_eq!(of("numpy")["bounds"], json!([">=1.16,<1.18"]));
}

#[test]
fn an_interpreter_and_pinned_files_tell_the_time() {
    let place = Place::new();
    let server = index();
    let day = |folder: &str| survey(&place, folder)["as_of"]["day"].clone();
    write(&place, "renv/a.R", "library(lme4)\n");
    write(
        &place,
        "renv/renv.lock",
        r#"{"R": {"Version": "4.0.3"}, "Packages": {}}"#,
    );
    assert_eq!(day("renv"), "2021-02-14");
    write(&place, "docker/a.py", "import pandas\n");
    write(&place, "docker/Dockerfile", "FROM python:3.7-slim\n");
    assert_eq!(day("docker"), "2019-10-13");
    // A day in the time in which that Python was in use is more exact.
    write(&place, "docker/b.py", "# 2021-03-04\n");
    assert_eq!(day("docker"), "2021-03-04");
    write(
        &place,
        "kernel/n.ipynb",
        r#"{"metadata": {"language_info": {"name": "R", "version": "3.6.1"}, "kernelspec": {"language": "R"}}, "cells": [{"cell_type": "code", "source": "library(lme4)"}]}"#,
    );
    assert_eq!(day("kernel"), "2019-12-11");
    // Nothing but the copy's day, and a pin: the files are of no day behind the pinned one.
    write(&place, "pinned/a.py", "import pandas\n");
    write(&place, "pinned/requirements.txt", "pandas==1.1.5\nsix==1.14.0\n");
    let made = lock(&place, &server, "pinned", &[]);
    assert_eq!(made["as_of"]["day"], "2020-12-07", "{}", made["as_of"]);
    assert_eq!(made["as_of"]["from"], "lock-file");
    assert_eq!(made["interpreters"][0]["version"], "3.8");
    assert!(
        versions(&made).contains(&"python-dateutil 2.8.1".to_owned()),
        "{made:#}"
    );
    // A person stands above it.
    let told = lock(&place, &server, "pinned", &["--as-of", "2026-02-01"]);
    assert_eq!(told["as_of"]["day"], "2026-02-01");
}

#[test]
fn broken_versions_and_other_digests_are_said() {
    let place = Place::new();
    let server = index();
    write(&place, "study/a.py", "# 2020-05-06\nimport pandas\nimport six\n");
    let hash = |letters: &str| format!("six==1.14.0 \\\n    --hash=sha256:{}\n", letters.repeat(32));
    write(
        &place,
        "study/requirements.txt",
        &format!("pandas==1.0..3\n{}", hash("00")),
    );
    let made = lock(&place, &server, "study", &[]);
    assert!(why(&made, "six").contains("the index has six-1.14.0-py3-none-any.whl with the SHA-256 abab"));
    assert!(!versions(&made).contains(&"six 1.14.0".to_owned()));
    let packages = made["packages"].as_array().unwrap();
    let pandas = packages.iter().find(|one| one["name"] == "pandas").unwrap();
    assert_eq!(pandas["certainty"], "by-date");
    assert_eq!(
        pandas["reasons"][0],
        "requirements.txt, line 1 asks for it in a version that cannot be read (`1.0..3`): that is not followed."
    );
    let faults = survey(&place, "study")["faults"].to_string();
    assert!(
        faults.contains("`1.0..3` of pandas is no version that can be read"),
        "{faults}"
    );
    write(&place, "study/requirements.txt", &hash("AB"));
    assert!(versions(&lock(&place, &server, "study", &[])).contains(&"six 1.14.0".to_owned()));
}

#[test]
fn notes_in_prose_are_read() {
    let place = Place::new();
    write(&place, "study/a.py", "import pandas\n");
    write(
        &place,
        "study/README.txt",
        "We used Python 3.6.3, pandas 0.21.0 and numpy 1.13.3.\nIt does not run with scipy 1.0.0.\n\
         Analyses were run on 12 January 2018.\n",
    );
    let told = survey(&place, "study");
    assert_eq!(told["as_of"]["day"], "2018-01-12");
    let packages = told["packages"].as_array().unwrap();
    let shown: Vec<String> = packages
        .iter()
        .map(|one| format!("{} {}", one["package"], one["version"]))
        .collect();
    assert_eq!(shown, ["\"numpy\" \"1.13.3\"", "\"pandas\" \"0.21.0\""]);
}

#[test]
fn names_that_stand_for_others_are_told_and_never_locked() {
    let place = Place::new();
    let server = index();
    server
        .wheel("sklearn 0.0 2015-07-15")
        .wheel("scikit_learn 0.22 2019-12-03")
        .wheel("docx 0.2.4 2014-01-01")
        .wheel("python_docx 0.8 2019-01-01")
        .wheel("fitz 0.0.1 2017-01-01");
    write(&place, "study/a.py", "# 2020-05-06\nimport docx\n");
    write(&place, "study/requirements.txt", "sklearn\ndocx\nfitz==0.0.1\n");
    let made = lock(&place, &server, "study", &[]);
    assert_eq!(
        versions(&made),
        ["fitz 0.0.1", "python-docx 0.8", "scikit-learn 0.22"]
    );
    let notes = made["notes"].to_string();
    assert!(
        notes.contains(
            "requirements.txt, line 1 asks for `sklearn`, which holds nothing and stands in the index for \
                        scikit-learn: that is taken in its place."
        ),
        "{notes}"
    );
    assert!(
        notes.contains("requirements.txt, line 3 has `fitz` in a version, which is taken: the module of that name is held by \
                        `pymupdf`"),
        "{notes}"
    );
    let questions = made["questions"].to_string();
    assert!(
        questions.contains("`docx` is the name of a module that `python-docx` holds"),
        "{questions}"
    );
    // Where the true one is pinned, its version stands.
    write(
        &place,
        "study/requirements.txt",
        "sklearn==0.0\nscikit-learn<0.22\n",
    );
    let told = survey(&place, "study");
    let packages = told["packages"].as_array().unwrap();
    let names: Vec<&str> = packages
        .iter()
        .map(|one| one["package"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["python-docx", "scikit-learn"]);
    assert_eq!(packages[1]["bounds"], json!(["<0.22"]));
}
