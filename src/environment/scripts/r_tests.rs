//! Tests of the reader of R's scripts.

use super::*;
use crate::environment::scripts::findings::ScriptFindings;

fn found(text: &str) -> Vec<String> {
    let mut findings = ScriptFindings::default();
    read("a.R", text, &mut findings);
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
    read("a.R", text, &mut findings);
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
        read("a.R", text, &mut findings);
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

/// The packages of a text, and the lines of loaders whose packages it does not name.
fn packages(text: &str) -> String {
    let mut findings = ScriptFindings::default();
    read("a.R", text, &mut findings);
    findings.mentions.sort();
    findings.mentions.dedup();
    let names = findings.mentions.iter().map(|one| one.name.clone());
    let asked = findings
        .questions
        .iter()
        .map(|one| format!("?{}", one.places[0].line));
    names.chain(asked).collect::<Vec<_>>().join(" ")
}

#[test]
fn loops_and_lists_load_what_they_go_through() {
    for (text, expected) in [
        (
            "for (p in c(\"plm\", 'lfe')) library(p, character.only=TRUE)",
            "lfe plm",
        ),
        (
            "libs = list(\"lme4\", # one\n 'mgcv')\nfor (l in libs) { require(l, character.only=T) }",
            "lme4 mgcv",
        ),
        (
            "c('lme4') -> libs\nfor(l in libs)\n{\n  if (!require(l, char = TRUE))\n    install.packages(l)\n}",
            "lme4 lme4",
        ),
        (
            "lapply(X = c('zoo'), FUN = library, character.only = TRUE)",
            "zoo",
        ),
        (
            "Map(library, c('zoo'), character.only = TRUE); mapply(require, 'plm', character.only = TRUE)",
            "plm zoo",
        ),
        (
            "vapply(c('zoo'), requireNamespace, logical(1), quietly = TRUE)",
            "zoo",
        ),
        (
            "purrr::walk(c('zoo'), library, character.only = TRUE)",
            "purrr zoo",
        ),
        ("for (p in c('boot')) install.packages(p)", "boot"),
        // A variable that is set once may be set in a function that runs earlier, or behind a condition.
        (
            "f <- function() lapply(pk, library, character.only = TRUE)\nif (x) pk <- c('zoo')",
            "zoo",
        ),
        ("one <- 'plm'\nlibrary(one, character.only = TRUE)", "plm"),
        (
            "pk <- c('a1', NULL, c('b1'))\nlapply(pk, library, character.only = TRUE)",
            "a1 b1",
        ),
    ] {
        assert_eq!(packages(text), expected, "{text}");
    }
}

#[test]
fn what_only_a_run_would_tell_is_asked_about() {
    for (text, expected) in [
        (
            "pk <- c('lme4')\npk <- c(pk, 'mgcv')\nlapply(pk, require, character.only = TRUE)",
            "?3",
        ),
        (
            "pk <- c('lme4')\nfor (i in seq_along(pk)) { require(pk[[i]], character.only = TRUE) }",
            "?2",
        ),
        ("c('mice') |> lapply(library, character.only = TRUE)", "?1"),
        ("walk(c('zoo'), ~ library(.x, character.only = TRUE))", "?1"),
        (
            "sapply(c('zoo'), function(p) {\n suppressMessages(library(p, character.only = TRUE)) })",
            "?2",
        ),
        ("do.call(\"library\", list(\"boot\"))", "?1"),
        ("pk <- unique(c('zoo'))\nlibrary(pk, character.only = TRUE)", "?2"),
        (
            "ipak <- function(pkg){\nnew.pkg <- pkg[!(pkg %in% installed.packages()[, \"Package\"])]\n\
             install.packages(new.pkg)\nsapply(pkg, require, character.only = TRUE)\n}\npkg <- 'lfe'\nipak(pkg)",
            "?4",
        ),
        (
            "pk <- 'zoo'\nfor (pk in x) print(pk)\nlibrary(pk, character.only = TRUE)",
            "?3",
        ),
        ("parLapply(cl, c('zoo'), library, character.only = TRUE)", "?1"),
        // A name that is a parameter of a function around it is not a package's.
        ("use_it = function(p) library(p)\nuse_it('lfe')", "?1"),
    ] {
        assert_eq!(packages(text), expected, "{text}");
    }
    // Lists inside lists end.
    let mut nested = "a0 <- 'zoo'\n".to_owned();
    for at in 1..8 {
        nested.push_str(&format!(
            "a{at} <- c({})\n",
            vec![format!("a{}", at - 1); 50].join(",")
        ));
    }
    nested.push_str("library(a7, character.only = TRUE)");
    assert_eq!(packages(&nested), "?9");
}

#[test]
fn names_that_are_computed_are_asked_about() {
    for (text, expected) in [
        ("library(paste0('l', 'fe'), character.only = TRUE)", "?1"),
        (
            "\nlapply(readLines('pk.txt'), library, character.only = TRUE)",
            "?2",
        ),
        (
            "pk <- c('lfe')\nif (x) pk <- c('plm')\nlapply(pk, library, character.only = TRUE)",
            "?3",
        ),
        (
            "pk <- 'lfe'\npk <- 'plm'\nf <- function() lapply(pk, library, character.only = TRUE)",
            "?3",
        ),
        (
            "pk <- c('lfe'); pk[2] <- readline()\nlapply(pk, library, character.only = TRUE)",
            "?2",
        ),
        (
            "pk <- c('lfe', other)\nlapply(pk, library, character.only = TRUE)",
            "lfe ?2",
        ),
        (
            "lapply(paste0('rd', c('robust')), require, character.only = TRUE)",
            "?1",
        ),
        ("install.packages(paste0('rd', 'robust'))", ""),
        (
            "# library(x, character.only = TRUE)\nf(pk = c('lfe'))\nlapply(pk, library, character.only = TRUE)",
            "?3",
        ),
    ] {
        assert_eq!(packages(text), expected, "{text}");
    }
}

#[test]
fn other_ways_to_name_a_package() {
    for (text, expected) in [
        ("easypackages::libraries('car', \"AER\")", "AER car easypackages"),
        (
            "library(easypackages)\npackages('car', c('AER'))",
            "AER car easypackages",
        ),
        ("libraries('car'); packages('AER')", ""),
        (
            "xfun::pkg_attach(\"psych\"); xfun::pkg_attach2(c('zoo'))",
            "psych xfun zoo xfun",
        ),
        ("data(Chile, package = \"carData\"); data('x')", "carData"),
        ("read.csv(system.file('x.csv', package='rdrobust'))", "rdrobust"),
        (
            "attachNamespace('zoo'); requireNamespace(\"plm\", quietly = TRUE)",
            "plm zoo",
        ),
        (
            "pak::pkg_install(c('zoo', 'any::plm')); pak::pak('lfe')",
            "lfe pak plm zoo",
        ),
        ("renv::install(c('zoo@1.8-1', 'o/own'))", "own renv zoo"),
    ] {
        let mut shown: Vec<String> = packages(text).split(' ').map(str::to_owned).collect();
        let mut expected: Vec<String> = expected.split(' ').map(str::to_owned).collect();
        shown.sort();
        shown.dedup();
        expected.sort();
        expected.dedup();
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn files_with_packages_are_no_names_of_an_archive() {
    let mut findings = ScriptFindings::default();
    let text = "install_local(\"pkgs/mine_0.1.tar.gz\")\ninstall.packages('mine2_0.2.tar.gz', repos = NULL, type='source')\n\
                install.packages('https://cran.r-project.org/src/contrib/Archive/lfe/lfe_2.8.tar.gz', repos = NULL)\n\
                install.packages('folder/own', repos = NULL)\n";
    read("a.R", text, &mut findings);
    let files: Vec<&str> = findings
        .package_files
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(files, ["mine", "mine2", "own"]);
    let pins: Vec<&str> = findings
        .pins
        .iter()
        .filter_map(|pin| pin.version.as_deref())
        .collect();
    assert_eq!(pins, ["2.8"]);
}

#[test]
fn dated_repositories_are_found_where_they_stand() {
    let days = |text: &str| {
        let mut findings = ScriptFindings::default();
        read("a.R", text, &mut findings);
        let days = findings.evidence.iter().filter_map(|one| one.date);
        days.map(|day| day.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        days(
            "local({r <- getOption('repos'); r['CRAN'] <- 'https://mran.microsoft.com/snapshot/2018-08-01'; options(repos=r)})"
        ),
        "2018-08-01"
    );
    assert_eq!(
        days(
            "day <- '2021-03-04'\noptions(repos = c(CRAN = paste0('https://packagemanager.posit.co/cran/', day)))"
        ),
        "2021-03-04"
    );
    assert_eq!(
        days(
            "options(repos = c(RSPM='https://packagemanager.rstudio.com/all/__linux__/focal/2021-03-04+Y3Jh'))"
        ),
        "2021-03-04"
    );
    assert_eq!(
        days("options(start = '2019-01-01'); x <- 'https://example.org/data/2019-01-01/a.csv'"),
        ""
    );
}
