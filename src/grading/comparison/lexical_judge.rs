//! The lexical judge beside the ones that read: ROUGE-L by field.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde::Serialize;
use serde_json::Value;

use crate::domain::lenient_json::{self, LenientError};
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::grading_files::{self, GradingFile};
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::agreement::bootstrap::{Intervals, ranks_by_paper};
use crate::scoring::agreement::compared::Resampling;
use crate::scoring::agreement::gradings::Marks;
use crate::scoring::agreement::rank::{kendall, spearman};
use crate::scoring::agreement::table::{AgreementTable, Rating};
use crate::scoring::fields::document::RegistrationFields;
use crate::scoring::fields::score::compare;
use crate::study::mend;

/// Steps of the lexical scale: whole percents.
const STEPS: usize = 101;

/// The agreement of one judge with the lexical scores of the same fields.
#[derive(Debug, Serialize)]
pub struct LexicalAgreement {
    pub judge: String,
    /// Fields that both have scored.
    pub items: u64,
    pub spearman: Option<f64>,
    pub kendall: Option<f64>,
    pub intervals: Intervals,
}

/// The gradings that are compared with lexical scores.
#[derive(Debug, Clone, Copy)]
pub struct LexicalComparison<'a> {
    /// The folder below which the gradings lie.
    pub gradings: &'a Path,
    pub judges: &'a [String],
    /// The studies with their references.
    pub studies: &'a Path,
    pub resampling: Resampling,
}

/// One column a judge, over the extractions whose study has a reference.
///
/// # Errors
/// Lexical scores off their scale.
pub fn columns(
    comparison: LexicalComparison<'_>,
    problems: &mut Vec<String>,
) -> Result<Vec<LexicalAgreement>, DiscoveryError> {
    let LexicalComparison {
        gradings: root,
        judges,
        studies,
        resampling,
    } = comparison;
    let mut columns = Vec::new();
    for judge in judges {
        let mut ratings = Vec::new();
        let gradings = grading_files::below(root).into_iter();
        for grading in gradings.filter(|one| one.stage == GradedStage::Extract.name() && one.is_of(judge)) {
            match one(&grading, studies) {
                Ok(found) => ratings.extend(found),
                Err(problem) => problems.push(format!("{}: {problem}.", grading.path.display())),
            }
        }
        let table = AgreementTable::from_ratings(&ratings, STEPS)?;
        let mut rng = StdRng::seed_from_u64(resampling.seed);
        let intervals = ranks_by_paper(&ratings, STEPS, resampling.resamples, 0.95, &mut rng);
        columns.push(LexicalAgreement {
            judge: judge.clone(),
            items: table.n(),
            spearman: spearman(&table),
            kendall: kendall(&table),
            intervals: intervals?,
        });
    }
    Ok(columns)
}

/// The error of an extraction that cannot be compared.
#[derive(Debug, thiserror::Error)]
enum Incomparable {
    #[error("no {0} belongs to it")]
    NoDocument(&'static str),
    #[error(transparent)]
    File(#[from] DiscoveryError),
    #[error("{}: {why}", path.display())]
    Reference { path: PathBuf, why: String },
    #[error("{}: {error}", path.display())]
    Document { path: PathBuf, error: LenientError },
}

/// The judge's marks and the lexical scores of one extraction.
fn one(grading: &GradingFile, studies: &Path) -> Result<Vec<Rating>, Incomparable> {
    let study = &grading.paper;
    let run = grading.path.ancestors().nth(3).unwrap_or(studies);
    let places = [run.to_owned(), run.join("input"), run.join("artifacts")];
    let document = places
        .iter()
        .map(|place| place.join(replication::artifact(Stage::EXTRACT)))
        .find(|file| file.is_file())
        .ok_or(Incomparable::NoDocument(replication::artifact(Stage::EXTRACT)))?;
    let reference = studies.join(study).join("gt/expected_post_registration.json");
    let scored = compare(
        &RegistrationFields::read(&json(&document)?),
        &RegistrationFields::read(&reference_in(&reference)?),
    );
    let mut marks = Marks::default();
    marks.add_json(study, &bounded_file::read(&grading.path)?);
    let by_field: BTreeMap<String, Option<u8>> = (marks.items.into_iter())
        .map(|((_, field), mark)| (field, mark))
        .collect();
    let fields = scored.fields.iter().map(|field| {
        let name = in_document(&field.path, &scored.paired);
        Rating {
            paper: study.clone(),
            judge: name.and_then(|name| by_field.get(&name).copied().flatten()),
            human: Some((field.score * (STEPS - 1) as f64).round() as u8),
        }
    });
    Ok(fields.collect())
}

/// A reference, mended as `reprise check` mends it.
fn reference_in(path: &Path) -> Result<Value, Incomparable> {
    let bytes = bounded_file::read(path)?;
    let parsed = mend::parse(&String::from_utf8_lossy(&bytes));
    parsed
        .map(|(value, _)| value)
        .map_err(|why| Incomparable::Reference {
            path: path.to_owned(),
            why: why.to_string().trim_end_matches('.').to_owned(),
        })
}

fn json(path: &Path) -> Result<Value, Incomparable> {
    let bytes = bounded_file::read(path)?;
    let parsed = lenient_json::parse(&String::from_utf8_lossy(&bytes));
    parsed
        .map(|parsed| parsed.value)
        .map_err(|error| Incomparable::Document {
            path: path.to_owned(),
            error,
        })
}

/// A path whose list position is the reference's, with the document's instead.
fn in_document(path: &str, paired: &[Option<usize>]) -> Option<String> {
    let Some((list, rest)) = path.split_once('[') else {
        return Some(path.to_owned());
    };
    let (position, field) = rest.split_once(']')?;
    let own = paired.get(position.parse::<usize>().ok()?).copied().flatten()?;
    Some(format!("{list}[{own}]{field}"))
}
