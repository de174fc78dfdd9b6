//! Every script of a folder.

use super::super::evidence::{Evidence, EvidenceKind, FileFault, Pin};
use super::super::language::Language;
use super::super::script_kind::ScriptKind;
use super::super::source_tree::SourceTree;
use super::findings::{OtherChunk, ScriptFindings, place};
use super::{documents, installs, python, r, shell, spss, stata};

/// Bytes of a script at most; what is larger is data that looks like one.
const LARGEST_SCRIPT: u64 = 8 << 20;

/// The findings of every script, and the scripts that cannot be read.
#[derive(Debug, Default)]
pub struct ScriptReading {
    pub findings: ScriptFindings,
    pub faults: Vec<FileFault>,
}

/// Reads every script of a folder.
pub fn read(tree: &SourceTree) -> ScriptReading {
    let mut reading = ScriptReading::default();
    for file in &tree.files {
        if matches!(file.extension().as_str(), "sh" | "bash") && file.size <= LARGEST_SCRIPT {
            let text = file.text().unwrap_or_default();
            shell::read(&file.path, &text, &mut reading.findings);
        }
        let Some(kind) = ScriptKind::of(file.name()) else {
            continue;
        };
        let mut fault = |problem: String| {
            reading.faults.push(FileFault {
                file: file.path.clone(),
                problem,
            });
        };
        if kind != ScriptKind::Notebook && file.size > LARGEST_SCRIPT {
            fault(format!(
                "it has {} bytes, more than the {LARGEST_SCRIPT} that a script is read of: it is taken as data",
                file.size
            ));
            continue;
        }
        match file.text() {
            Err(error) => fault(error.to_string()),
            Ok(text) => {
                if let Err(error) = one(&file.path, kind, &text, &mut reading.findings) {
                    fault(format!("it is no notebook: {error}"));
                }
            }
        }
    }
    reading.findings.mentions.sort();
    reading.findings.mentions.dedup();
    reading
}

fn one(
    file: &str,
    kind: ScriptKind,
    text: &str,
    findings: &mut ScriptFindings,
) -> Result<(), serde_json::Error> {
    match kind {
        ScriptKind::Script(language) => script(file, language, text, findings),
        ScriptKind::Document => {
            let document = documents::document(text);
            for part in document.parts {
                script(file, part.language, &part.text, findings);
            }
            let engines = document.engines.into_iter();
            findings.other_languages.extend(engines.map(|engine| OtherChunk {
                file: file.to_owned(),
                engine,
            }));
        }
        ScriptKind::Notebook => notebook(file, text, findings)?,
    }
    Ok(())
}

fn notebook(file: &str, text: &str, findings: &mut ScriptFindings) -> Result<(), serde_json::Error> {
    let notebook = documents::notebook(text)?;
    if let (Some(language), Some(version)) = (notebook.language, &notebook.version) {
        let says = format!("The notebook was last run with {language} {version}.");
        let evidence = Evidence::new(EvidenceKind::SessionInfo, file, says);
        findings.evidence.push(evidence.of_the_time_of(language, version));
    }
    for part in notebook.parts {
        let cell = part.cell.unwrap_or(1);
        let mut inside = ScriptFindings::default();
        script(file, part.language, &part.text, &mut inside);
        for install in &part.installs {
            installs::take(&place(file, cell), install, &mut inside);
        }
        findings.languages.extend(inside.languages);
        findings.pins.extend(inside.pins.into_iter().map(|pin| Pin {
            kind: EvidenceKind::ScriptSnapshot,
            line: cell,
            ..pin
        }));
        for mut question in inside.questions {
            question.places = vec![place(file, cell)];
            findings.questions.push(question);
        }
        for mut package in inside.package_files {
            package.place.line = cell;
            findings.package_files.push(package);
        }
        for mut mention in inside.mentions {
            mention.place.line = cell;
            findings.mentions.push(mention);
        }
        for evidence in inside.evidence {
            findings.evidence.push(evidence.at(cell));
        }
    }
    Ok(())
}

fn script(file: &str, language: Language, text: &str, findings: &mut ScriptFindings) {
    if !text.trim().is_empty() {
        findings.languages.insert(language);
    }
    match language {
        Language::Python => python::read(file, text, findings),
        Language::R => r::read(file, text, findings),
        Language::Stata => stata::read(file, text, findings),
        Language::Spss => spss::read(file, text, findings),
    }
}
