//! Files that people leave beside scripts, by whatever name and of whatever program.

use serde_json::Value;

use super::env_evidence::{index, lock, survey, versions, write};
use super::support::Place;
use crate::need;

/// Each package as `name certainty version`.
fn packages(survey: &Value) -> Vec<String> {
    let all = survey["packages"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    all.map(|one| {
        let all = [&one["package"], &one["certainty"], &one["version"]];
        all.map(text).join(" ").trim().to_owned()
    })
    .collect()
}

fn sentences(survey: &Value, key: &str) -> String {
    survey[key].to_string()
}

#[test]
fn a_list_of_conda_is_no_question_and_names_its_python() {
    let place = Place::new();
    write(&place, "study/a.py", "import pandas\n");
    let list = "# This file may be used to create an environment using:\n# platform: linux-64\n_libgcc_mutex=0.1=main\n\
                numpy=1.18.1=py37h4f9e942_0\npandas=1.0.1=py37h0573a6f_0\npip=20.0=py37_0\npython=3.7.6=h0371630_2\n";
    write(&place, "study/requirements.txt", list);
    let survey = survey(&place, "study");
    assert_eq!(packages(&survey), ["numpy exact 1.18.1", "pandas exact 1.0.1"]);
    assert_eq!(survey["interpreters"][0]["version"], "3.7.6");
    assert_eq!(
        (sentences(&survey, "questions"), sentences(&survey, "faults")),
        ("[]".to_owned(), "[]".to_owned())
    );
}

#[test]
fn files_that_requirements_take_in_count_and_those_of_development_do_not() {
    let place = Place::new();
    write(&place, "study/a.py", "import pandas\nimport scipy\n");
    write(
        &place,
        "study/requirements.txt",
        "pandas\n-c limits.txt\n-r more.txt\n",
    );
    write(&place, "study/limits.txt", "pandas==1.0.3\nflask==1.0\n");
    write(&place, "study/more.txt", "numpy==1.18.1\n-r requirements.txt\n");
    write(&place, "study/requirements-dev.txt", "black\nscipy==1.4.1\n");
    let survey = survey(&place, "study");
    assert_eq!(
        packages(&survey),
        ["numpy exact 1.18.1", "pandas exact 1.0.3", "scipy exact 1.4.1"]
    );
    let left = sentences(&survey, "left_out");
    assert!(
        left.contains("no script loads flask") && left.contains("no script loads black"),
        "{left}"
    );
    let faults = survey["faults"].as_array().unwrap();
    assert!(
        faults.len() == 1 && faults[0]["problem"].to_string().contains("leads back"),
        "{faults:?}"
    );
}

#[test]
fn versions_beside_the_day_of_a_copy_are_told_and_date_a_lock() {
    let place = Place::new();
    let server = index();
    write(&place, "study/a.py", "import pandas\n");
    write(&place, "study/requirements.txt", "pandas==1.0.3\nnumpy\n");
    let found = survey(&place, "study");
    assert!(
        sentences(&found, "contradictions").contains("(pandas 1.0.3): the Python of that day"),
        "{found:#}"
    );
    let made = lock(&place, &server, "study", &[]);
    assert_eq!(made["as_of"]["day"], "2020-03-18");
    assert!(versions(&made).contains(&"numpy 1.18.0".to_owned()), "{made:#}");
    // The folder of a build tells no version and no day: it is asked about.
    write(
        &place,
        "study/requirements.txt",
        "pandas==1.0.3\nnumpy @ file:///croot/numpy_1588550400000/work\n",
    );
    let found = survey(&place, "study");
    assert_eq!(packages(&found), ["numpy by-date", "pandas exact 1.0.3"]);
    let asked = sentences(&found, "questions");
    assert!(
        asked.contains("requirements.txt, line 2: a folder of conda's builds"),
        "{asked}"
    );
    let made = lock(&place, &server, "study", &[]);
    assert_eq!(made["as_of"]["day"], "2020-03-18");
    assert!(versions(&made).contains(&"numpy 1.18.0".to_owned()), "{made:#}");
}

#[test]
fn what_a_script_installs_and_hidden_files_name_is_evidence() {
    let place = Place::new();
    let script = "import subprocess, sys\nsubprocess.check_call([sys.executable, \"-m\", \"pip\", \"install\", \"plotly==4.5.0\"])\n\
                  import os\nos.system('pip install pan' + 'das')\n";
    write(&place, "study/a.py", script);
    write(&place, "study/.python-version", "my-venv\n3.7.5\n");
    write(
        &place,
        "study/.binder/environment.yml",
        "channels: [x]\ndependencies: [lxml=4.5.0=0]\n",
    );
    write(
        &place,
        "study/.git/environment.yml",
        "channels: [x]\ndependencies: [seaborn=0.9.0=0]\n",
    );
    let survey = survey(&place, "study");
    assert_eq!(packages(&survey), ["lxml exact 4.5.0", "plotly exact 4.5.0"]);
    assert_eq!(survey["interpreters"][0]["version"], "3.7.5");
}

#[test]
fn a_slip_that_is_declared_and_loaded_is_asked_about_until_it_has_a_version() {
    let place = Place::new();
    write(&place, "study/a.py", "import reqeusts\n");
    write(
        &place,
        "study/requirements.txt",
        "reqeusts\npkg-resources==0.0.0\n",
    );
    let found = survey(&place, "study");
    assert_eq!(packages(&found), ["reqeusts unknown"]);
    assert!(
        sentences(&found, "questions").contains("nearly `requests`, and no version of it is given"),
        "{found}"
    );
    write(&place, "study/requirements.txt", "reqeusts==2.0\n");
    assert_eq!(packages(&survey(&place, "study")), ["reqeusts exact 2.0"]);
}

/// A folder of the shared cases, surveyed where it is.
fn case(place: &Place, below: &str) -> Option<Value> {
    let path = need::shared(&format!("cases/{below}"))?;
    let called = place.call(&["env", path.to_str().unwrap(), "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    Some(serde_json::from_str(&called.stdout).unwrap())
}

#[test]
fn the_standard_lock_names_python_and_versions_and_leaves_other_systems_out() {
    let place = Place::new();
    let Some(survey) = case(&place, "23-pylock/in") else {
        return;
    };
    let packages = packages(&survey).join("\n");
    for right in [
        "pandas exact 2.2.2",
        "numpy exact 1.26.4",
        "statsmodels exact 0.14.2",
    ] {
        assert!(packages.contains(right), "{packages}");
    }
    assert!(!packages.contains("pywin32"), "{packages}");
    assert!(sentences(&survey, "interpreters").contains("3.12"), "{survey}");
}

#[test]
fn a_hyphen_and_an_underscore_are_one_name() {
    let place = Place::new();
    let Some(survey) = case(&place, "26-notebook-install-slip/in") else {
        return;
    };
    let packages = packages(&survey);
    for name in ["scikit-survival", "scikit-posthocs", "factor-analyzer", "dynesty"] {
        assert!(
            packages
                .iter()
                .any(|one| one.starts_with(&format!("{name} by-date"))),
            "{packages:?}"
        );
    }
    assert_eq!(survey["questions"], serde_json::json!([]), "{survey}");
}
