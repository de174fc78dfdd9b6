//! Tests of what a plan may ask for.

use serde_json::json;

use super::super::available::AvailablePrograms;
use super::*;
use crate::domain::digest::Digest;
use crate::domain::execution::Tier;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::FileRecord;

fn files(paths: &[&str]) -> Vec<FileRecord> {
    paths
        .iter()
        .map(|path| FileRecord {
            path: path.parse().unwrap(),
            digest: Digest::compute(path),
            size: 1,
        })
        .collect()
}

/// Reads a plan with one entry point that exists beside the study's own code.
fn plan(
    entry: &str,
    code: &[&str],
    mode: CodeMode,
    access: CodeAccess,
    images: &[(Interpreter, &str)],
) -> Result<Declared, PlanRefusal> {
    let text = json!({"replication_study": {
        "hypothesis": "h",
        "entry_points": [{"path": entry}],
        "docker_specs": {"base_image": "debian:bookworm-slim", "packages": {"python": [], "r": [], "other": []}},
    }})
    .to_string();
    let images = images
        .iter()
        .map(|(one, image)| (*one, (*image).to_owned()))
        .collect();
    let code = files(code);
    let mut present: Vec<WorkspacePath> = code.iter().map(|file| file.path.clone()).collect();
    present.push(entry.parse().unwrap());
    let rules = CodeRules {
        mode,
        access,
        code: &code,
        present: &present,
        offer: AvailablePrograms {
            tier: Tier::Docker,
            images: &images,
            installed: &|_| false,
        },
        variants: &[],
        lock: None,
    };
    let file = "replication_info.json";
    read(PlanText { file, text: &text }, rules)
}

#[test]
fn native_mode_translates_into_no_other_language() {
    let native = |entry: &str, code: &[&str]| plan(entry, code, CodeMode::Native, CodeAccess::Code, &[]);
    for (entry, code) in [
        ("work/a.py", &["work/a.R"][..]),
        ("work/a.R", &["work/a.do", "work/readme.ado"]),
        ("work/run.sh", &["work/a.R"]),
        ("work/a.R", &["work/a.py"]),
        ("work/a.R", &[]),
    ] {
        let told = native(entry, code).unwrap_err().to_string();
        assert!(
            told.contains("nothing is translated") && told.contains(entry),
            "{told}"
        );
    }
    for (entry, code) in [
        ("work/fixed.R", &["work/a.R"][..]),
        ("work/a.Rmd", &["work/a.R"]),
        ("work/a.R", &["work/a.Rmd"]),
        ("work/a.sh", &["work/b.sh", "work/c.R"]),
    ] {
        assert!(native(entry, code).is_ok(), "{entry}");
    }
    // Without access to the study's code there is nothing to translate.
    assert!(plan("work/a.py", &[], CodeMode::Native, CodeAccess::DataOnly, &[]).is_ok());
}

#[test]
fn python_mode_runs_python_alone() {
    for entry in ["work/a.R", "work/a.Rmd", "work/a.sh", "work/a.do"] {
        let told = plan(entry, &["work/a.R"], CodeMode::Python, CodeAccess::Code, &[])
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("Python mode") && told.contains("translation"),
            "{told}"
        );
    }
    assert!(
        plan(
            "work/a.py",
            &["work/a.R"],
            CodeMode::Python,
            CodeAccess::Code,
            &[]
        )
        .is_ok()
    );
}

#[test]
fn licensed_programs_run_in_the_image_that_the_operator_names_and_nowhere_else() {
    for (entry, interpreter, setting) in [
        ("work/a.do", Interpreter::Stata, "REPRISE_STATA_IMAGE"),
        ("work/a.sps", Interpreter::Spss, "REPRISE_SPSS_IMAGE"),
        ("work/a.m", Interpreter::Matlab, "REPRISE_MATLAB_IMAGE"),
    ] {
        let told = plan(entry, &[entry], CodeMode::Native, CodeAccess::Code, &[])
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("not available here") && told.contains(setting),
            "{told}"
        );
        assert!(told.contains("could not be executed"), "{told}");
        let images = [(interpreter, "ours/licensed:1")];
        let declared = plan(entry, &[entry], CodeMode::Native, CodeAccess::Code, &images).unwrap();
        assert_eq!(
            declared.environment.base_image.as_deref(),
            Some("ours/licensed:1")
        );
    }
    // The operator's image is for its own program alone.
    let images = [(Interpreter::Stata, "ours/licensed:1")];
    let declared = plan(
        "work/a.R",
        &["work/a.R"],
        CodeMode::Native,
        CodeAccess::Code,
        &images,
    )
    .unwrap();
    assert_eq!(
        declared.environment.base_image.as_deref(),
        Some("debian:bookworm-slim")
    );
}

#[test]
fn r_markdown_needs_its_package() {
    let declared = plan(
        "work/a.Rmd",
        &["work/a.Rmd"],
        CodeMode::Native,
        CodeAccess::Code,
        &[],
    )
    .unwrap();
    assert_eq!(
        declared.environment.r,
        Some(BTreeMap::from([("rmarkdown".to_owned(), None)]))
    );
}
