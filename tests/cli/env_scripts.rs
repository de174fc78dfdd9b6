//! Loaders of R and installs of Stata in whole folders: computed names, locks, files with packages, remotes.

use serde_json::Value;

use super::cran_tree;
use super::index_server::IndexServer;
use super::support::{Called, Place};

fn tree(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (path, text) in files {
        let file = place.path().join("study").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    place
}

fn json(called: &Called) -> Value {
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap()
}

fn survey(files: &[(&str, &str)]) -> Value {
    json(&tree(files).call(&["env", "study", "--json"]))
}

/// Each package as `name certainty version`.
fn packages(survey: &Value) -> Vec<String> {
    let all = survey["packages"].as_array().unwrap().iter();
    all.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("package"), text("certainty"), text("version"))
    })
    .collect()
}

#[test]
fn loaders_are_not_followed_and_computed_names_asked_about() {
    let found = survey(&[
        (
            "code/functions.R",
            "usePackage <- function(p) {\n  if (!is.element(p, installed.packages()[, 1])) install.packages(p)\n  require(p, character.only = TRUE)\n}\nlibrary(margins)\n",
        ),
        (
            "code/a.R",
            "source('functions.R')\nusePackage('margins')\nlapply(readLines('list.txt'), library, character.only = TRUE)\n",
        ),
        (
            "paper.Rmd",
            "```{r, engine='stata'}\nssc install estout\n```\n```{julia}\nusing X\n```\n",
        ),
    ]);
    assert_eq!(
        packages(&found),
        ["margins by-date -", "estout elsewhere -"],
        "{found}"
    );
    let asked: Vec<String> = (found["questions"].as_array().unwrap().iter())
        .map(|one| format!("{}, line {}", one["places"][0]["file"], one["places"][0]["line"]))
        .collect();
    assert_eq!(
        asked,
        ["\"code/a.R\", line 3", "\"code/functions.R\", line 3"],
        "{found}"
    );
    assert!(
        found["not_locked"][0]
            .as_str()
            .unwrap()
            .starts_with("A chunk of paper.Rmd is Julia"),
        "{found}"
    );
}

#[test]
fn a_profile_tells_the_day_and_files_of_other_tools_are_asked_about() {
    let found = survey(&[
        ("packrat/packrat.lock", "PackratFormat: 1.4\nRVersion: 3.5.1\n"),
        ("packrat/lib/x/DESCRIPTION", "Package: x\nImports: never\n"),
        (
            ".Rprofile",
            "options(repos = c(CRAN = \"https://packagemanager.posit.co/cran/2021-03-04\"))\n",
        ),
        (".hidden.R", "library(never)\n"),
        (
            "default.nix",
            "let\n rpkgs = builtins.attrValues { inherit (pkgs.rPackages) data_table dplyr; };\nin pkgs.mkShell {}\n",
        ),
        ("Pipfile", "[packages]\npandas = \"==1.0.3\"\n"),
        ("a.R", "library(dplyr)\n"),
    ]);
    assert_eq!(packages(&found), ["dplyr by-date -"], "{found}");
    assert_eq!(
        (&found["as_of"]["day"], &found["as_of"]["from"]),
        (&"2021-03-04".into(), &"script-snapshot".into())
    );
    let asked: Vec<&str> = (found["questions"].as_array().unwrap().iter())
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(asked, ["Pipfile", "default.nix", "packrat/packrat.lock"]);
}

#[test]
fn packages_of_files_and_remotes_are_asked_of_no_archive() {
    let found = survey(&[
        (
            "a.R",
            "install_local('pkgs/dplyrr_0.1.tar.gz')\ninstall.packages(\"mine2_0.2.tar.gz\", repos = NULL, type = 'source')\nlibrary(dplyrr)\nlibrary(mine2)\n",
        ),
        ("run.sh", "R CMD INSTALL pkgs/third_1.0.tar.gz\n"),
        ("pkgs/dplyrr_0.1.tar.gz", "x"),
        (
            "DESCRIPTION",
            "Package: study\nImports: synthdid\nRemotes: github::o/synthdid@v1\n",
        ),
    ]);
    assert_eq!(
        packages(&found),
        [
            "dplyrr own -",
            "mine2 elsewhere -",
            "synthdid elsewhere -",
            "third elsewhere -"
        ],
        "{found}"
    );
    assert_eq!(found["questions"].as_array().unwrap().len(), 0, "{found}");
    let faults = found["faults"].to_string();
    assert!(
        faults.contains("`mine2_0.2.tar.gz`, which is not in the folder"),
        "{faults}"
    );
    assert!(
        faults.contains("run.sh") && !faults.contains("dplyrr"),
        "{faults}"
    );
}

#[test]
fn bounds_of_a_description_are_held_or_told_in_a_lock() {
    let place = tree(&[
        (
            "DESCRIPTION",
            "Package: study\nImports: here (>= 9.0), ggplot2 (< 3.3)\n",
        ),
        ("a.R", "library(here)\nlibrary(ggplot2)\nlibrary(Dplyr)\n"),
    ]);
    let server = IndexServer::new();
    let archive = "here\t0.1\t2017-05-28\t\nggplot2\t3.0\t2018-07-04\t\nggplot2\t3.3\t2020-03-05\t\ndplyr\t0.8\t2019-02-15\t\n";
    let Some(()) = cran_tree::put(&server, archive, &[]) else {
        return;
    };
    let lock = json(&place.call(&[
        "env",
        "study",
        "--as-of",
        "2020-06-30",
        "--lock",
        "l.json",
        "--json",
        "--cran",
        &server.address,
    ]));
    let versions: Vec<String> = (lock["packages"].as_array().unwrap().iter())
        .map(|one| {
            format!(
                "{} {}",
                one["name"].as_str().unwrap(),
                one["version"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(versions, ["ggplot2 3.0", "here 0.1"], "{lock}");
    let notes = lock["notes"].to_string();
    assert!(
        notes.contains("ask for here >=9.0, and 0.1 is taken") && !notes.contains("ggplot2"),
        "{notes}"
    );
    // A name that the archive alone finds fault with carries the place that loads it.
    let asked = (lock["questions"].as_array().unwrap().iter()).find(|one| one["name"] == "Dplyr");
    assert_eq!(asked.unwrap()["places"][0]["line"], 3, "{lock}");
}

#[test]
fn words_of_the_language_and_values_of_options_are_no_packages() {
    let found = survey(&[
        (
            "a.R",
            "for (p in c('if', 'TRUE', 'dplyr', 'NA')) library(p, character.only = TRUE)\n",
        ),
        ("broken.R", "library(function)\nrequire(repeat)\nlibrary(zoo)\n"),
        (
            "Dockerfile",
            "FROM rocker/r-ver:4.0.2\nRUN install2.r --error --deps TRUE -n 4 fixest\n",
        ),
        (
            "b.do",
            "program define mine\n  args v p\nend\nfasterxtile q = y, n(4)\n",
        ),
    ]);
    assert_eq!(
        packages(&found),
        [
            "dplyr by-date -",
            "fixest by-date -",
            "zoo by-date -",
            "gtools elsewhere -"
        ],
        "{found}"
    );
    assert_eq!(found["questions"], serde_json::json!([]), "{found}");
}

#[test]
fn packages_of_archives_beside_cran_are_elsewhere() {
    let found = survey(&[(
        "a.R",
        "install.packages('INLA', repos = c(getOption('repos'), INLA = 'https://inla.r-inla-download.org/R/stable'))\n\
         install.packages(c(\"cmdstanr\"), repos = \"https://mc-stan.org/r-packages/\")\n\
         install.packages('mice', repos = 'http://www.stats.bris.ac.uk/R/')\n\
         library(INLA)\nlibrary(cmdstanr)\nlibrary(mice)\n",
    )]);
    assert_eq!(
        packages(&found),
        ["INLA elsewhere -", "cmdstanr elsewhere -", "mice by-date -"],
        "{found}"
    );
}
