//! Projects and compendia: bounds at both ends, extras and groups, and the folder's own package.

use serde_json::Value;

use super::cran_tree;
use super::index_server::IndexServer;
use super::support::{Called, Place};

const ARCHIVE: &str = "\
ggplot2\t3.0\t2018-07-04\t\nggplot2\t3.3\t2020-03-05\t\ndplyr\t0.8\t2019-02-15\t\nlmerTest2\t1.0\t2018-01-01\t\n\
lme4a\t1.0\t2018-01-01\t\ndevtools\t2.0\t2019-01-01\t\nhere\t0.1\t2017-05-28\t\n";

fn tree(place: &Place, files: &[(&str, &str)]) {
    for (path, text) in files {
        let file = place.path().join("study").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

fn json(called: &Called) -> Value {
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

fn survey(place: &Place) -> Value {
    json(&place.call(&["env", "study", "--as-of", "2023-06-30", "--json"]))
}

fn locked(place: &Place, server: &IndexServer, day: &str) -> Value {
    let simple = format!("{}/simple", server.address);
    let called = place.call(&[
        "env",
        "study",
        "--as-of",
        day,
        "--lock",
        "l.json",
        "--json",
        "--index",
        &simple,
        "--cran",
        &server.address,
    ]);
    json(&called)
}

/// Each package as `name certainty version`.
fn packages(survey: &Value) -> Vec<String> {
    let all = survey["packages"].as_array().unwrap().iter();
    all.map(|one| {
        let version = one["version"].as_str().unwrap_or("-");
        let bounds = one["bounds"].as_array().into_iter().flatten();
        let bounds: String = bounds
            .map(|bound| format!(" {}", bound.as_str().unwrap()))
            .collect();
        format!(
            "{} {} {version}{bounds}",
            one["package"].as_str().unwrap(),
            one["certainty"].as_str().unwrap()
        )
    })
    .collect()
}

fn names(lock: &Value, part: &str) -> Vec<String> {
    let all = lock[part].as_array().into_iter().flatten();
    all.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_upper_bound_of_a_project_bounds_python() {
    let place = Place::new();
    tree(
        &place,
        &[
            ("a.py", "import pandas\n"),
            (
                "pyproject.toml",
                "[project]\nname = \"x\"\nrequires-python = \">=3.7,<3.10\"\ndependencies = [\"pandas>=1.2,<1.4\"]\n",
            ),
        ],
    );
    let found = survey(&place);
    assert_eq!(found["interpreters"][0]["version"], "3.9", "{found}");
    let reason = found["interpreters"][0]["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("pyproject.toml, line 3: The project is for Python >=3.7,<3.10."),
        "{reason}"
    );
    assert_eq!(packages(&found), ["pandas by-date - >=1.2,<1.4"]);
    assert_eq!(found["contradictions"].as_array().unwrap().len(), 0, "{found}");
    // A lock whose Python lies outside of them is told.
    tree(&place, &[("README.md", "Run with Python 3.11.\n")]);
    let found = survey(&place);
    assert_eq!(found["interpreters"][0]["version"], "3.11");
    assert!(
        found["contradictions"]
            .to_string()
            .contains("<3.10. The chosen version is 3.11."),
        "{found}"
    );
}

#[test]
fn bounds_of_poetry_are_read_where_they_are_the_standards() {
    let place = Place::new();
    tree(
        &place,
        &[
            ("a.py", "import numpy\n"),
            (
                "pyproject.toml",
                "[tool.poetry.dependencies]\npython = \">=2.7,<3 || >=3.6,<3.9\"\nnumpy = \">=1.19, <1.21\"\n",
            ),
        ],
    );
    let found = survey(&place);
    assert_eq!(found["interpreters"][0]["version"], "3.8", "{found}");
    assert_eq!(packages(&found), ["numpy by-date - >=1.19,<1.21"]);
    tree(
        &place,
        &[(
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = \"^3.6\"\nnumpy = \"^1.19\"\n",
        )],
    );
    let found = survey(&place);
    assert_eq!(packages(&found), ["numpy by-date -"]);
    assert!(
        found["faults"]
            .to_string()
            .contains("`^3.6` on Python cannot be read")
    );
    let asked = found["questions"].to_string();
    assert!(
        asked.contains("pyproject.toml has bounds in Poetry's own form (`numpy ^1.19`)"),
        "{asked}"
    );
}

#[test]
fn extras_and_groups_count_where_a_script_loads_them() {
    let place = Place::new();
    tree(
        &place,
        &[
            ("a.py", "import pandas, seaborn, yaml\n"),
            (
                "pyproject.toml",
                "[project]\nname = \"my-study\"\ndependencies = [\"pandas\", \"my-study[io]\"]\n\
                 [project.optional-dependencies]\nplots = [\"seaborn==0.11.2\", \"plotly\"]\nio = [\"pyarrow>=6\"]\n\
                 [dependency-groups]\nread = [\"PyYAML<6\"]\ndev = [\"pytest\", {include-group = \"read\"}]\n",
            ),
        ],
    );
    let found = survey(&place);
    assert_eq!(
        packages(&found),
        [
            "pandas by-date -",
            "pyarrow by-date - >=6",
            "pyyaml by-date - <6",
            "seaborn exact 0.11.2"
        ]
    );
    assert_eq!(
        found["left_out"],
        serde_json::json!([
            "pyproject.toml: of the extra `plots` no script loads plotly: not taken.",
            "pyproject.toml: of the group `dev` no script loads pytest: not taken."
        ])
    );
    assert_eq!(found["questions"].as_array().unwrap().len(), 0, "{found}");
    let shown = place.call(&["env", "study", "--as-of", "2023-06-30"]).stdout;
    assert!(
        shown.contains("left out\n  pyproject.toml: of the extra `plots`"),
        "{shown}"
    );
}

#[test]
fn a_compendium_is_its_own_package_and_is_asked_of_no_archive() {
    let place = Place::new();
    tree(
        &place,
        &[
            (
                "DESCRIPTION",
                "Package: votestudy\nType: Compendium\nVersion: 0.1.0\nImports: dplyr, ggplot2\n",
            ),
            ("R/models.R", "fit <- function(x) dplyr::filter(x)\n"),
            (
                "analysis/paper.Rmd",
                "```{r}\nlibrary(votestudy)\ndevtools::load_all()\nlibrary(here)\nvotestudy::fit(1)\n```\n",
            ),
            (
                "log.txt",
                "R version 3.6.1 (2019-07-05)\n\nother attached packages:\n[1] votestudy_0.1.0 here_0.1\n",
            ),
        ],
    );
    let found = survey(&place);
    assert_eq!(
        packages(&found),
        [
            "devtools by-date -",
            "dplyr by-date -",
            "ggplot2 by-date -",
            "here exact 0.1",
            "votestudy own -"
        ]
    );
    let server = IndexServer::new();
    // An archive where somebody took the name.
    let Some(()) = cran_tree::put(&server, &format!("{ARCHIVE}votestudy\t9.9\t2018-01-01\t\n"), &[]) else {
        return;
    };
    let lock = locked(&place, &server, "2020-06-30");
    assert_eq!(names(&lock, "own"), ["votestudy"], "{lock}");
    let reasons = lock["own"][0]["reasons"].to_string();
    assert!(
        reasons.contains("DESCRIPTION describes it")
            && reasons.contains("analysis/paper.Rmd, line 2 loads it."),
        "{reasons}"
    );
    assert_eq!(names(&lock, "packages"), ["devtools", "dplyr", "ggplot2", "here"]);
    assert_eq!(names(&lock, "not_had"), Vec::<String>::new());
    let shown = place.call(&[
        "env",
        "study",
        "--as-of",
        "2020-06-30",
        "--lock",
        "m.json",
        "--cran",
        &server.address,
    ]);
    assert!(
        shown
            .stdout
            .contains("this folder's own\n  R votestudy: DESCRIPTION"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_description_of_a_known_package_is_no_compendium_without_its_code() {
    let place = Place::new();
    tree(
        &place,
        &[
            (
                "DESCRIPTION",
                "Package: dplyr\nVersion: 0.1.0\nImports: ggplot2\n",
            ),
            ("a.R", "library(dplyr)\nlibrary(patched)\n"),
            (
                "lib/patched/DESCRIPTION",
                "Package: patched\nVersion: 1.0\nBuilt: R 4.0.3\n",
            ),
        ],
    );
    assert_eq!(
        packages(&survey(&place)),
        ["dplyr by-date -", "ggplot2 by-date -", "patched by-date -"]
    );
}

#[test]
fn a_project_of_python_is_its_own_package() {
    let place = Place::new();
    tree(
        &place,
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"vote-study\"\ndependencies = [\"numpy\"]\n",
            ),
            ("src/vote_study/__init__.py", "import numpy\n"),
            ("src/vote_study/fit.py", "from vote_study import x\n"),
            (
                "scripts/run.py",
                "from vote_study.fit import fit\nfrom cleaning.read import read\nimport plain\nimport requests\n",
            ),
            ("scripts/plain.py", ""),
            ("cleaning/read.py", "import numpy\n"),
            ("requirements.txt", "-e .\n./\nrequests\n"),
        ],
    );
    let found = survey(&place);
    assert_eq!(
        packages(&found),
        [
            "cleaning own -",
            "numpy by-date -",
            "requests by-date -",
            "vote-study own -"
        ]
    );
    assert_eq!(found["questions"].as_array().unwrap().len(), 0, "{found}");
    assert_eq!(found["faults"].as_array().unwrap().len(), 0, "{found}");
    let server = IndexServer::new();
    server
        .wheel("vote_study 6.6 2020-01-01")
        .wheel("numpy 1.19.0 2020-06-20")
        .wheel("requests 2.24.0 2020-06-17");
    let lock = locked(&place, &server, "2020-06-30");
    assert_eq!(names(&lock, "own"), ["cleaning", "vote-study"], "{lock}");
    assert_eq!(names(&lock, "packages"), ["numpy", "requests"]);
}

#[test]
fn a_project_named_as_what_it_uses_is_not_its_own_package() {
    let place = Place::new();
    tree(
        &place,
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"pandas\"\ndependencies = [\"pandas==1.5.3\"]\n",
            ),
            ("a.py", "import pandas\n"),
        ],
    );
    assert_eq!(packages(&survey(&place)), ["pandas exact 1.5.3"]);
}

#[test]
fn a_misspelt_package_of_r_is_held_against_all_names_of_the_archive() {
    let place = Place::new();
    tree(
        &place,
        &[(
            "a.R",
            "library(ggPlot2)\nlibrary(Dplyr)\nlibrary(lmertset2)\nlibrary(lme4a)\nlibrary(nonsuch)\nlibrary(here)\n",
        )],
    );
    // Without an archive, `lme4a` is nearly `lme4`.
    let found = survey(&place);
    assert!(
        packages(&found).contains(&"lme4a unknown -".to_owned()),
        "{found}"
    );
    let server = IndexServer::new();
    let Some(()) = cran_tree::put(&server, ARCHIVE, &[]) else {
        return;
    };
    let lock = locked(&place, &server, "2020-06-30");
    // The archive has `lme4a`, so that it is no slip.
    assert_eq!(names(&lock, "packages"), ["here", "lme4a"], "{lock}");
    assert_eq!(
        names(&lock, "not_had"),
        ["Dplyr", "ggPlot2", "lmertset2", "nonsuch"]
    );
    let why: Vec<&str> = lock["not_had"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["why"].as_str().unwrap())
        .collect();
    let none = "the archive has no package of this name";
    assert_eq!(
        why,
        [
            format!("{none}; near it is `dplyr`"),
            format!("{none}; near it is `ggplot2`"),
            format!("{none}; near it is `lmerTest2`"),
            none.to_owned()
        ]
    );
    let mut asked = names(&lock, "questions");
    asked.sort();
    assert_eq!(asked, ["Dplyr", "ggPlot2", "lmertset2"], "{lock}");
    assert!(
        lock["notes"]
            .to_string()
            .contains("`lme4a` lies near the name of another package"),
        "{lock}"
    );
}
