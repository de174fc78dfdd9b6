//! Broken scripts, run under the interpreters of this machine: each is diagnosed, mended as far as may be,
//! and run again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reprise::domain::rescue::{Basis, KnownFault, Risk};
use reprise::environment::language::Language;
use reprise::environment::rescue::find::{self, Evidence};
use reprise::environment::rescue::propose::{self, Terms};
use reprise::environment::rescue::script::Script;
use reprise::environment::rescue::shim;
use reprise::environment::rescue::table::Table;
use reprise::environment::rescue::version::Version;
use serde::Deserialize;

use super::need;
use super::outputs::same;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    /// It imports packages that Python alone does not have.
    #[serde(default)]
    packages: bool,
    /// A package of R that a mend brings in.
    wants: Option<String>,
    cause: String,
    mend: Way,
    truth: String,
    #[allow(dead_code, reason = "it is for readers")]
    known: String,
}

/// The least that brings the true result back.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Way {
    Rule,
    MayChange,
    Shim,
    Hand,
    None,
}

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rescue/scripts");
/// Rounds of run, diagnosis and mend: a script can be broken in several places.
const ROUNDS: usize = 8;
/// The least of all cases that must be diagnosed, of 30 or more (the issue's own measure).
const SHARE: f64 = 27.0 / 30.0;

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(format!("{HERE}/cases.toml")).unwrap();
    toml::from_str::<Cases>(&text).unwrap().case
}

struct Outcome {
    succeeded: bool,
    stdout: String,
    printed: String,
}

/// The interpreters, and where the scripts run.
struct Bench {
    python: PathBuf,
    python_release: Version,
    r_release: Version,
}

impl Bench {
    fn new(python: PathBuf) -> Option<Self> {
        let said = |program: &Path, arguments: &[&str]| {
            let output = Command::new(program)
                .args(arguments)
                .stdin(Stdio::null())
                .output()
                .ok()?;
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let python_release = said(
            &python,
            &["-c", "import platform; print(platform.python_version())"],
        )
        .and_then(|text| text.parse::<Version>().ok());
        let python_release = need::need(python_release.ok_or("Python does not run here: install python3"))?;
        need::need_that(
            python_release >= "3.11".parse().unwrap(),
            "this Python is older than 3.11, under which the scripts are broken",
        )?;
        let r_release = said(Path::new("Rscript"), &["-e", "cat(as.character(getRversion()))"])
            .and_then(|text| text.parse::<Version>().ok());
        let r_release = need::need(r_release.ok_or("R does not run here: install r-base-core"))?;
        need::need_that(
            r_release >= "4.2".parse().unwrap(),
            "this R is older than 4.2, under which the scripts are broken",
        )?;
        Some(Self {
            python,
            python_release,
            r_release,
        })
    }

    fn release(&self, language: Language) -> &Version {
        match language {
            Language::R => &self.r_release,
            _ => &self.python_release,
        }
    }

    /// Runs a text as the script of a case, beside the cases' data.
    fn run(&self, case: &Case, text: &str, profile: Option<&Path>) -> Outcome {
        let place = tempfile::tempdir().unwrap();
        let name = Path::new(&case.file).file_name().unwrap();
        fs::create_dir(place.path().join("data")).unwrap();
        for file in fs::read_dir(format!("{HERE}/data")).unwrap() {
            let path = file.unwrap().path();
            fs::copy(&path, place.path().join("data").join(path.file_name().unwrap())).unwrap();
        }
        fs::write(place.path().join(name), text).unwrap();
        let mut command = match language(case) {
            Language::R => Command::new("Rscript"),
            _ => Command::new(&self.python),
        };
        command
            .arg(name)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .env("LC_ALL", "C.UTF-8")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONWARNINGS", "ignore")
            // No package is to be fetched by a script.
            .env("http_proxy", "http://127.0.0.1:9")
            .env("https_proxy", "http://127.0.0.1:9");
        if let Some(profile) = profile {
            command.env("R_PROFILE_USER", profile);
        }
        let output = command.output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        Outcome {
            succeeded: output.status.success(),
            printed: format!("{stdout}{}", String::from_utf8_lossy(&output.stderr)),
            stdout,
        }
    }

    fn find(&self, case: &Case, text: &str, printed: &str) -> Vec<KnownFault> {
        let evidence = Evidence {
            language: language(case),
            interpreter: Some(self.release(language(case))),
            printed,
            script: Some(Script {
                path: &case.file,
                text,
            }),
            installed: &[],
        };
        find::find(Table::embedded().unwrap(), evidence)
    }

    /// Runs and mends until it runs through or no mend is left; the last outcome, and if there were mends.
    fn mended(&self, case: &Case, most: Risk) -> Mended {
        let mut text = source(case);
        let files = data_files();
        let terms = Terms {
            language: language(case),
            most,
            files: &files,
        };
        let mut mends = Vec::new();
        let mut outcome = self.run(case, &text, None);
        for _ in 0..ROUNDS {
            let findings = self.find(case, &text, &outcome.printed);
            let script = Script {
                path: &case.file,
                text: &text,
            };
            let proposal = propose::propose(Table::embedded().unwrap(), script, &findings, terms);
            if proposal.mends.is_empty() {
                break;
            }
            mends.extend(proposal.mends.into_iter().map(|mend| mend.id));
            text = proposal.text;
            outcome = self.run(case, &text, None);
        }
        Mended { outcome, mends }
    }
}

struct Mended {
    outcome: Outcome,
    mends: Vec<String>,
}

fn language(case: &Case) -> Language {
    match case.file.ends_with(".R") {
        true => Language::R,
        false => Language::Python,
    }
}

fn source(case: &Case) -> String {
    fs::read_to_string(Path::new(HERE).join(&case.file)).unwrap()
}

fn data_files() -> Vec<String> {
    let mut files: Vec<String> = fs::read_dir(format!("{HERE}/data"))
        .unwrap()
        .map(|file| format!("data/{}", file.unwrap().file_name().to_string_lossy()))
        .collect();
    files.sort();
    files
}

#[derive(Default)]
struct Tally {
    cases: usize,
    diagnosed: usize,
    blind: usize,
    blind_diagnosed: usize,
    by_rule: usize,
    with_more: usize,
    by_shim: usize,
    changed: Vec<String>,
    faults: Vec<String>,
}

fn tally(bench: &Bench, cases: &[Case], profile: &Path) -> Tally {
    let mut tally = Tally::default();
    for case in cases {
        let blind = case.file.starts_with("blind/");
        tally.cases += 1;
        tally.blind += usize::from(blind);
        let text = source(case);
        let before = bench.run(case, &text, None);
        assert!(
            !(before.succeeded && same(&before.stdout, &case.truth)) || case.mend == Way::Hand,
            "{} is not broken here",
            case.file
        );
        let findings = bench.find(case, &text, &before.printed);
        let diagnosed = findings.iter().any(|finding| finding.id == case.cause);
        tally.diagnosed += usize::from(diagnosed);
        tally.blind_diagnosed += usize::from(blind && diagnosed);
        let by = findings
            .iter()
            .find(|finding| finding.id == case.cause)
            .map_or("", |finding| match finding.basis {
                Basis::Message => "by its message",
                Basis::Script => "by its script",
            });
        let mut reached = None;
        for (way, most) in [(Way::Rule, Risk::None), (Way::MayChange, Risk::MayChange)] {
            let mended = bench.mended(case, most);
            let right = same(&mended.outcome.stdout, &case.truth);
            if mended.outcome.succeeded && !mended.mends.is_empty() && !right {
                tally.changed.push(format!(
                    "{} by {way:?} ({}): {}",
                    case.file,
                    mended.mends.join(", "),
                    mended.outcome.stdout
                ));
            }
            if mended.outcome.succeeded && right && !mended.mends.is_empty() && reached.is_none() {
                reached = Some(way);
            }
        }
        if reached.is_none()
            && language(case) == Language::R
            && findings.iter().any(|one| one.mend.contains("the shim"))
        {
            let outcome = bench.run(case, &text, Some(profile));
            if same(&outcome.stdout, &case.truth) {
                reached = Some(Way::Shim);
            }
        }
        match reached {
            Some(Way::Rule) => tally.by_rule += 1,
            Some(Way::MayChange) => tally.with_more += 1,
            Some(Way::Shim) => tally.by_shim += 1,
            _ => {}
        }
        println!(
            "{:<26} {} {by}; {}",
            case.file,
            if diagnosed { "diagnosed" } else { "NOT DIAGNOSED" },
            match reached {
                Some(Way::Rule) => "true result by mends that change none",
                Some(Way::MayChange) => "true result with mends that may change some",
                Some(Way::Shim) => "true result under R's old defaults",
                _ if case.mend == Way::None => "left alone",
                _ => "a person's edit is wanted",
            }
        );
        let expected = !matches!(case.mend, Way::Hand | Way::None);
        if expected && reached != Some(case.mend) || !expected && reached.is_some() {
            tally.faults.push(format!(
                "{}: {:?} was expected, and {reached:?} came",
                case.file, case.mend
            ));
        }
    }
    tally
}

fn hold(bench: &Bench, cases: &[Case]) {
    let profile = tempfile::NamedTempFile::new().unwrap();
    fs::write(profile.path(), shim::R3_SHIM).unwrap();
    let tally = tally(bench, cases, profile.path());
    println!(
        "{} of {} broken scripts diagnosed ({} of the {} that were written before the table); true result: {} by \
         mends that change none, {} with mends that may, {} under R's old defaults; changed by a mend: {}",
        tally.diagnosed,
        tally.cases,
        tally.blind_diagnosed,
        tally.blind,
        tally.by_rule,
        tally.with_more,
        tally.by_shim,
        tally.changed.len()
    );
    assert!(tally.changed.is_empty(), "results changed: {:#?}", tally.changed);
    assert!(tally.faults.is_empty(), "{:#?}", tally.faults);
    assert!(
        tally.diagnosed as f64 >= SHARE * tally.cases as f64,
        "too few are diagnosed: {} of {}",
        tally.diagnosed,
        tally.cases
    );
}

/// True if R has the package that a mend of the case brings in.
fn has_package(case: &Case) -> bool {
    case.wants.as_ref().is_none_or(|package| {
        let code = format!("quit(status = as.integer(!requireNamespace('{package}', quietly = TRUE)))");
        let status = Command::new("Rscript")
            .args(["-e", &code])
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    })
}

#[test]
fn broken_scripts_are_diagnosed_and_no_mend_changes_a_result() {
    let Some(bench) = Bench::new(PathBuf::from("python3")) else {
        return;
    };
    let mut cases = cases();
    cases.retain(|case| !case.packages);
    cases.retain(|case| {
        let there = has_package(case);
        if !there {
            println!("passed over: {} wants R's package {:?}", case.file, case.wants);
        }
        there
    });
    hold(&bench, &cases);
}

/// Needs the Python index: an environment with numpy and pandas is made below the build folder.
#[test]
#[ignore = "it installs numpy and pandas: .ci/run long"]
fn broken_scripts_with_packages_are_diagnosed_as_well() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rescue-python");
    let python = folder.join("bin/python");
    if !python.exists() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status();
        let made = made.is_ok_and(|status| status.success());
        let Some(()) = need::need_that(made, "no environment can be made: install python3-venv") else {
            return;
        };
    }
    let installed = Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "numpy==2.2.6", "pandas==2.2.3"])
        .status();
    let installed = installed.is_ok_and(|status| status.success());
    let Some(()) = need::need_that(
        installed,
        "numpy and pandas cannot be installed from the Python index",
    ) else {
        return;
    };
    let Some(bench) = Bench::new(python) else {
        return;
    };
    hold(&bench, &cases());
}
