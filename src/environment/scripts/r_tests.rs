//! Tests of the reader of R's scripts.

use super::*;
use crate::environment::scripts::findings::ScriptFindings;

fn found(text: &str) -> Vec<String> {
    let mut findings = ScriptFindings::default();
    read("a.R", text, &OwnFunctions::new(), &mut findings);
    let mentions = findings.mentions.iter();
    mentions
        .map(|mention| format!("{}:{}", mention.place.line, mention.name))
        .collect()
}

#[test]
fn packages_are_loaded_in_many_ways() {
    let text = r##"# library(commented)
library(dplyr); require("lme4")
suppressPackageStartupMessages(library(
  tidyr))
"library(quoted)"
haven::read_dta("x # no comment")
if (!requireNamespace("fixest", quietly = TRUE)) install.packages("fixest")
pacman::p_load(psych, "car", char = c("AER", 'plm'), update = FALSE)
pkgs <- c("sandwich",
          "lmtest")
lapply(pkgs, require, character.only = TRUE)
for (p in pkgs) library(p, character.only = TRUE)
invisible(sapply(c("MASS", "boot"), library, character.only = T))
devtools::install_github("owner/synthdid@v1")
BiocManager::install("multtest")
text <- r"(library(raw))"
library(package = "survey")
import::from(purrr, map)
library()
x$library(y)
"##;
    assert_eq!(
        found(text),
        [
            "2:dplyr",
            "2:lme4",
            "3:tidyr",
            "6:haven",
            "7:fixest",
            "7:fixest",
            "8:pacman",
            "8:psych",
            "8:car",
            "8:AER",
            "8:plm",
            "11:sandwich",
            "11:lmtest",
            "12:sandwich",
            "12:lmtest",
            "13:MASS",
            "13:boot",
            "14:devtools",
            "14:synthdid",
            "15:BiocManager",
            "15:multtest",
            "17:survey",
            "18:import",
            "18:purrr"
        ]
    );
}

#[test]
fn packages_of_box_and_librarian() {
    assert_eq!(
        found(
            "box::use(dplyr[filter, select], tb = tibble,\n  purrr[...], ./own[x], ../other, folder/module, r/core[...])\n"
        ),
        ["1:box", "1:dplyr", "1:tibble", "1:purrr"]
    );
    assert_eq!(
        found("librarian::shelf(lme4, 'car', owner/synthdid, \"o/own\", quiet = TRUE, lib = here)\n"),
        ["1:librarian", "1:lme4", "1:car", "1:synthdid", "1:own"]
    );
    // R's own `use`.
    assert_eq!(found("use('stringr', c('str_sub'))\n"), ["1:stringr"]);
    for text in ["box::use(", "box::use(,)", "shelf()", "shelf(a/)", "checkpoint("] {
        found(text);
    }
}

#[test]
fn a_checkpoint_names_day_and_r() {
    let mut findings = ScriptFindings::default();
    read(
        "a.R",
        "checkpoint('2019-01-01',\n  R.version = \"3.5.2\")\ncheckpoint('2018-01-01', R.version = v)\n",
        &OwnFunctions::new(),
        &mut findings,
    );
    let shown: Vec<String> = (findings.evidence.iter())
        .map(|one| match (&one.interpreter, one.date) {
            (Some(named), _) => format!("R {}", named.version),
            (None, date) => date.unwrap().to_string(),
        })
        .collect();
    assert_eq!(shown, ["R 3.5.2", "2019-01-01", "2018-01-01"]);
}

#[test]
fn versions_that_are_installed_are_pins() {
    let text = r#"install_version("alpha", version="1.0"); remotes::install_version(version = '1.1-21', package = "lme4")
devtools::install_version("psych", "1.8.12", repos = "https://cran.example.org")
remotes::install_version("mice", ">= 3.0, < 4")
pak::pkg_install("dplyr@1.0.2"); renv::install("owner/own@v1")
install_version(name, "2.0"); install_version("beta", version = chosen); install_version("gamma")
# install_version("commented", "1.0")
"install_version('quoted', '1.0')"
"#;
    let mut findings = ScriptFindings::default();
    read("a.R", text, &OwnFunctions::new(), &mut findings);
    let pins = findings.pins.iter();
    let shown: Vec<String> = pins
        .map(|pin| {
            let version = pin.version.as_deref().unwrap_or("");
            format!(
                "{}:{}|{version}|{}",
                pin.line,
                pin.name,
                pin.bounds.as_deref().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "1:alpha|1.0|",
            "1:lme4|1.1-21|",
            "2:psych|1.8.12|",
            "3:mice||>=3.0,<4",
            "4:dplyr|1.0.2|"
        ]
    );
}

#[test]
fn a_script_can_name_the_day_of_its_packages() {
    let days = |text: &str| {
        let mut findings = ScriptFindings::default();
        read("a.R", text, &OwnFunctions::new(), &mut findings);
        let names: Vec<String> = findings.mentions.into_iter().map(|one| one.name).collect();
        let days = findings.evidence.iter().filter_map(|one| one.date);
        (names, days.map(|day| day.to_string()).collect::<Vec<_>>())
    };
    let (names, found) =
        days("day <- '2021-04-01'\npkgs <- c('dplyr', 'ggplot2')\ngroundhog.library(pkgs, day)\n");
    assert_eq!(
        (names, found),
        (vec!["dplyr".into(), "ggplot2".into()], vec!["2021-04-01".into()])
    );
    let (names, found) = days("groundhog.library(lme4, '2020-01-02')\ncheckpoint('2018-02-30')\n");
    assert_eq!((names, found), (vec!["lme4".into()], vec!["2020-01-02".into()]));
    let (_, found) = days("options(repos = c(CRAN = 'https://example.org/cran/2019-05-06'))");
    assert_eq!(found, ["2019-05-06"]);
}

#[test]
fn damaged_text_ends_nowhere_else() {
    for text in [
        "library(",
        "library('open",
        "r\"(open",
        "`open",
        "c(((((",
        "::",
        "pkg::",
        "lapply(",
        "p_load(,,)",
        "groundhog.library()",
        "R'",
        "'\\",
    ] {
        found(text);
    }
    assert_eq!(found(&format!("{}library(a)", "(".repeat(50_000))), ["1:a"]);
}
