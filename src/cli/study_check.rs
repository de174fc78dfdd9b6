//! The check of a study, as it is printed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::app;
use crate::documents::document::Page;
use crate::documents::limits::Limits;
use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::FixedCriterion;
use crate::domain::doubt::Doubt;
use crate::domain::execution::Tier;
use crate::domain::format::{bytes, count, sentence};
use crate::domain::plan::Interpreter;
use crate::effects::analyse::available::{self, AvailablePrograms};
use crate::sandbox::inside;
use crate::settings::Settings;
use crate::study::check::{Problem, Severity};
use crate::study::gold::Gold;
use crate::study::kind::Kind;
use crate::study::layout::{MANIFEST, PAPER};
use crate::study::open::Study;
use crate::study::reference::Original;
use crate::tools::inspect_data::DataReader;
use crate::verdict::coherence::reported::ReportedEffect;
use crate::verdict::coherence::row;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, styled};

/// The level at which significance is told where nothing else is fixed.
const USUAL_LEVEL: f64 = 0.05;

/// A study's check.
struct StudyCheck {
    folder: PathBuf,
    /// Absent where the study cannot be opened.
    study: Option<Study>,
    paper: Option<PaperFacts>,
    problems: Vec<Problem>,
    /// Why the study cannot be run.
    hindrance: Option<String>,
}

/// The paper, as its reader finds it.
#[derive(Debug, Clone, Serialize)]
struct PaperFacts {
    pages: usize,
    characters: usize,
    /// Pages that hold a picture and hardly any text.
    scanned_pages: usize,
}

/// Says whether studies can be run, and all that is wrong with them.
///
/// # Errors
/// A program that cannot find itself, or a standard output that cannot be written.
pub fn check_studies(
    settings: &Settings,
    printer: Printer,
    folders: &[PathBuf],
    as_json: bool,
) -> Result<Status, Failure> {
    let mut checks = Vec::new();
    for folder in folders {
        checks.push(StudyCheck::new(settings, folder)?);
    }
    match (as_json, checks.as_slice()) {
        (true, [one]) => printer.json(&one.json())?,
        (true, several) => {
            let studies: Vec<Value> = several.iter().map(StudyCheck::json).collect();
            printer.json(&json!({ "studies": studies }))?;
        }
        (false, several) => {
            for (index, one) in several.iter().enumerate() {
                if index > 0 {
                    printer.line("");
                }
                one.print(printer);
            }
        }
    }
    let runnable = checks.iter().all(|one| one.hindrance.is_none());
    Ok(if runnable {
        Status::Done
    } else {
        Status::StudyInvalid
    })
}

impl StudyCheck {
    fn new(settings: &Settings, folder: &Path) -> Result<Self, Failure> {
        let study = match Study::open(folder) {
            Ok(study) => study,
            Err(error) => {
                return Ok(Self {
                    folder: folder.to_owned(),
                    study: None,
                    paper: None,
                    problems: Vec::new(),
                    hindrance: Some(error.to_string()),
                });
            }
        };
        let mut problems = study.check();
        let mut hindrance = study.ensure_usable_data().err().map(|error| error.to_string());
        match study.archive_problems() {
            Ok(archives) => {
                let refused = archives
                    .iter()
                    .find(|problem| problem.severity == Severity::Error);
                let refused = refused.map(|problem| problem.sentence.trim_end_matches('.').to_owned());
                hindrance = hindrance.or(refused);
                problems.extend(archives);
            }
            Err(error) => hindrance = hindrance.or_else(|| Some(error.to_string())),
        }
        match Gold::open(&study) {
            Ok(gold) => {
                problems.extend(gold.check());
                problems.extend(gold.original.iter().flat_map(incoherent));
            }
            Err(error) => hindrance = hindrance.or_else(|| Some(error.to_string())),
        }
        problems.extend(absent_columns(&study)?);
        problems.extend(unavailable(settings, &study));
        let (paper, paper_problems) = paper(&study)?;
        problems.extend(paper_problems);
        problems.sort_by_key(|problem| problem.severity);
        Ok(Self {
            folder: folder.to_owned(),
            study: Some(study),
            paper,
            problems,
            hindrance,
        })
    }

    fn json(&self) -> Value {
        let study = self.study.as_ref();
        json!({
            "folder": self.folder,
            "study": study.map(Study::id),
            "claim": study.map(Study::claim),
            "paper": self.paper,
            "files": study.map(|study| study.files().iter().map(|file| json!({
                "path": file.path, "kind": file.kind, "size": file.size,
            })).collect::<Vec<_>>()),
            "problems": self.problems,
            "runnable": self.hindrance.is_none(),
            "hindrance": self.hindrance,
        })
    }

    fn print(&self, printer: Printer) {
        if let Some(study) = &self.study {
            print_study(printer, study);
        }
        if let Some(paper) = &self.paper {
            printer.line(format!(
                "  paper     {} pages, {} characters of text",
                paper.pages,
                count(paper.characters as u64)
            ));
        }
        for problem in &self.problems {
            let style = match problem.severity {
                Severity::Error => paint::BAD,
                Severity::Warning => paint::WARN,
                Severity::Note => paint::FAINT,
            };
            let name = problem.severity.to_string();
            printer.line(format!("{}: {}", styled(style, name), problem.sentence));
        }
        match &self.hindrance {
            Some(why) if self.study.is_none() => {
                printer.failure(&Failure::new(Status::StudyInvalid, why.clone()));
            }
            None => printer.line("The study can be run."),
            Some(why) => printer.line(format!("The study cannot be run: {why}.")),
        }
    }
}

fn print_study(printer: Printer, study: &Study) {
    printer.line(format!(
        "{} {}",
        styled(paint::STRONG, study.id()),
        study.claim().statement
    ));
    if study.claim().criterion == Some(FixedCriterion::usual()) {
        printer.line(
            "The study fixes no criterion: significance at .05, two-sided, with the claim's sign, and a plan that \
             departs from it has to say why.",
        );
    } else if let Some(fixed) = &study.claim().criterion {
        printer.line(format!(
            "The study fixes the criterion {}{}, and a plan that takes another has to say why.",
            fixed.rule,
            match fixed.direction {
                Some(ClaimedEffect::NoEffect) => " for a claim of no effect",
                _ => "",
            }
        ));
    }
    for file in study.files() {
        printer.line(format!(
            "  {:<9} {} ({})",
            kind(file.kind),
            file.path,
            bytes(file.size)
        ));
    }
}

/// The paper as its reader finds it, and what is wrong with it.
fn paper(study: &Study) -> Result<(Option<PaperFacts>, Vec<Problem>), Failure> {
    /// A page with fewer characters has no text worth the name.
    const HARDLY_ANY: usize = 100;
    let helper = app::toolset::document_helper()?;
    let problem = |severity, sentence| Problem {
        severity,
        file: PAPER.to_owned(),
        sentence,
    };
    // A paper that cannot be opened is told of by the study's own check.
    let Ok(file) = study.paper() else {
        return Ok((None, Vec::new()));
    };
    let document = match helper.read(PAPER, &file, &Limits::default()) {
        Ok(document) => document,
        Err(error) => {
            let sentence = format!("`{PAPER}` cannot be read: {error}: put a PDF there that opens.");
            return Ok((None, vec![problem(Severity::Error, sentence)]));
        }
    };
    let is_scanned = |page: &&Page| page.images > 0 && page.text.chars().count() < HARDLY_ANY;
    let facts = PaperFacts {
        pages: document.pages.len(),
        characters: document.pages.iter().map(|page| page.text.chars().count()).sum(),
        scanned_pages: document.pages.iter().filter(is_scanned).count(),
    };
    let mut problems: Vec<Problem> = document
        .notes
        .iter()
        .map(|note| problem(Severity::Warning, format!("`{PAPER}`: {}", sentence(note))))
        .collect();
    if facts.scanned_pages > 0 {
        problems.push(problem(
            Severity::Warning,
            format!(
                "{} of {} pages of `{PAPER}` are pictures without text: agents cannot read them, and a model that sees \
                 looks at them one by one; `reprise read --ocr` shows what optical recognition makes of them.",
                facts.scanned_pages, facts.pages
            ),
        ));
    } else if facts.pages > 0 && facts.characters < HARDLY_ANY {
        problems.push(problem(
            Severity::Warning,
            format!(
                "`{PAPER}` has hardly any text ({} characters): is it the paper?",
                facts.characters
            ),
        ));
    }
    Ok((Some(facts), problems))
}

/// Numbers of the published result that do not fit together.
fn incoherent(original: &Original) -> Vec<Problem> {
    let finding = original.finding();
    let misfits = row::check(&finding, &ReportedEffect::default(), USUAL_LEVEL).misfits;
    let problem = |misfit: Doubt| Problem {
        severity: Severity::Warning,
        file: MANIFEST.to_owned(),
        sentence: format!(
            "The numbers of `[original]` do not fit together: {}",
            sentence(&misfit.detail)
        ),
    };
    misfits.into_iter().map(problem).collect()
}

/// Scripts that need a program which neither this machine nor an image of the operator's has.
fn unavailable(settings: &Settings, study: &Study) -> Vec<Problem> {
    let images = settings.images();
    let mut told = BTreeSet::new();
    let mut problems = Vec::new();
    for file in study.files_of_kind(Kind::Code) {
        let Ok(interpreter) = Interpreter::from_path(&file.path) else {
            continue;
        };
        let is_here = interpreter.image_setting().is_none()
            || images.contains_key(&interpreter)
            || inside::is_installed(interpreter.program());
        if is_here || !told.insert(interpreter) {
            continue;
        }
        let offer = AvailablePrograms {
            tier: Tier::Docker,
            images: &images,
            installed: &inside::is_installed,
        };
        problems.extend(
            available::missing(interpreter, file.path.as_str(), offer).map(|sentence| Problem {
                severity: Severity::Warning,
                file: file.path.to_string(),
                sentence: format!("Native mode: {sentence}"),
            }),
        );
    }
    problems
}

/// Columns that `study.toml` allows to be shown, and no data file has.
fn absent_columns(study: &Study) -> Result<Vec<Problem>, Failure> {
    let mut absent: Vec<&String> = study.shown_columns().iter().collect();
    if absent.is_empty() {
        return Ok(Vec::new());
    }
    let readers = app::toolset::native_readers()?;
    for file in study.files_of_kind(Kind::Data) {
        let Ok(bytes) = study.bytes_of(file) else { continue };
        let Ok(document) = DataReader::read(&readers, file.path.file_name(), &bytes) else {
            continue;
        };
        let columns = || document.tables.iter().flat_map(|table| &table.columns);
        absent.retain(|name| !columns().any(|column| column.name == **name));
    }
    let problem = |name: &String| Problem {
        severity: Severity::Warning,
        file: MANIFEST.to_owned(),
        sentence: format!(
            "{MANIFEST} shows the column `{name}`, which no data file has: correct `personal.show`."
        ),
    };
    Ok(absent.into_iter().map(problem).collect())
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Data => "data",
        Kind::Code => "code",
        Kind::Document => "document",
    }
}
