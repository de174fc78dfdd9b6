//! `reprise new`.

use std::path::PathBuf;

use clap::Args;

use crate::settings::Settings;
use crate::study::draft::{DraftError, StudyDraft};

use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use super::study_check::check_studies;
use super::terminal;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise new studies/mine
  reprise new studies/mine --paper paper.pdf --data survey.csv --data codebook.pdf --code scripts/ \\
      --claim 'Income is positively associated with prestige (b = 0.599, SE = 0.120)'")]
pub struct NewArgs {
    /// The study's folder; it must not exist or be empty.
    pub study: PathBuf,
    /// The paper, as a PDF.
    #[arg(long, value_name = "PDF")]
    pub paper: Option<PathBuf>,
    /// Data: a file, or a folder whose contents are taken. Can be repeated.
    #[arg(long, value_name = "FILE|FOLDER")]
    pub data: Vec<PathBuf>,
    /// The study's code, which lies beside the data: a file, or a folder whose contents are taken.
    /// Can be repeated.
    #[arg(long, value_name = "FILE|FOLDER")]
    pub code: Vec<PathBuf>,
    /// The focal claim, in the paper's words and with its numbers.
    #[arg(long, value_name = "TEXT")]
    pub claim: Option<String>,
    /// The hypothesis behind it.
    #[arg(long, value_name = "TEXT")]
    pub hypothesis: Option<String>,
    /// The study's title [default: the folder's name].
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// How the paper is cited.
    #[arg(long, value_name = "TEXT")]
    pub citation: Option<String>,
    /// Print what `check` says as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Lays a study out, asks for what is missing, and checks it.
///
/// # Errors
/// A part that is missing where nobody can be asked, or one that cannot be used.
pub fn new(settings: &Settings, printer: Printer, args: NewArgs) -> Result<Status, Failure> {
    let paper = match args.paper {
        Some(paper) => paper,
        None => PathBuf::from(needed(printer, "--paper PDF", "The paper (a PDF):")?),
    };
    let mut materials = [args.data, args.code].concat();
    if materials.is_empty() {
        needed(
            printer,
            "--data FILE",
            "Data and code, one file or folder a line; an empty line ends:",
        )
        .map(|first| materials.push(PathBuf::from(first)))?;
        while let Some(next) = terminal::asked(printer, "…") {
            materials.push(PathBuf::from(next));
        }
    }
    let claim = match args.claim {
        Some(claim) => claim,
        None => needed(
            printer,
            "--claim TEXT",
            "The claim, in the paper's words and with its numbers:",
        )?,
    };
    let draft = StudyDraft {
        title: args.title,
        citation: args.citation,
        claim,
        hypotheses: args.hypothesis,
        paper,
        materials,
    };
    let laid_out = draft.lay_out(&args.study).map_err(failure)?;
    for file in &laid_out.left_out {
        printer.note(format!("left out: {}", printable(file)));
    }
    let shown = args.study.display().to_string();
    printer.note(format!(
        "Files of data and code: {}. What the study says of itself is in {}: fill in the published result below \
         `[original]` and where the data come from, then `reprise check {}`.",
        laid_out.files,
        printable(&args.study.join("study.toml").display().to_string()),
        printable(&shown),
    ));
    check_studies(settings, printer, &[args.study], args.json)
}

/// What was asked for at the terminal; where there is none, the flag that gives it is named.
fn needed(printer: Printer, flag: &str, question: &str) -> Result<String, Failure> {
    terminal::asked(printer, question).ok_or_else(|| {
        Failure::usage(format!(
            "`{flag}` is missing, and nobody at a terminal gave it: nothing was written"
        ))
    })
}

fn failure(error: DraftError) -> Failure {
    let status = match error {
        DraftError::Study(_) | DraftError::SameName { .. } => Status::StudyInvalid,
        _ => Status::Usage,
    };
    Failure::new(status, error.to_string())
}
