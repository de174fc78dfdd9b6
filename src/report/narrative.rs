//! The written part of a report: what the stages' answers say, in the order of a paper.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::post_registration::{NumericalResult, OriginalStudy, PostRegistration};
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::artifacts::scalar::Scalar;
use crate::catalog::artifacts::search_results::SearchResults;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};

use super::plan_form::{self, FormItem, FormSection, item, labelled, numbered};
use super::study_kind::StudyKindView;

/// The narrative of a run on the study, the plan and the result; parts of stages without an answer
/// are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Narrative {
    pub original: Option<OriginalText>,
    pub sources: Option<SourceList>,
    /// The plan.
    pub plan: Vec<FormSection>,
    pub differences: Option<DifferenceList>,
    pub discussion: Option<Discussion>,
    /// Files of the run that hold what is told here, as paths in its folder.
    pub files: Vec<String>,
}

/// The original study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OriginalText {
    pub items: Vec<FormItem>,
    pub results: Vec<OriginalResult>,
}

/// A result of the original, as printed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OriginalResult {
    pub name: String,
    pub value: String,
    pub unit: String,
    pub standard_error: String,
    pub statistic: String,
    pub p_value: String,
    pub n: String,
    pub location: String,
}

/// Sources that were looked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceList {
    pub found: Vec<FoundSource>,
    pub missing: Vec<MissingSource>,
}

/// A source that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundSource {
    pub url: String,
    pub name: String,
    pub kind: String,
    pub why: String,
}

/// A source that was not found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingSource {
    pub name: String,
    pub queries: String,
    pub why: String,
}

/// The ways in which the replication differs from the original, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferenceList {
    /// How closely the analysis follows the original and the plan, in paragraphs.
    pub alignment: Vec<String>,
    /// From the original, as planned.
    pub planned: Vec<String>,
    /// From the original, as the interpretation lists them.
    pub departures: Vec<Departure>,
}

/// A difference or a failure, with what it does to the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Departure {
    pub what: String,
    pub effect: String,
}

/// The results side by side, and what they mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Discussion {
    pub hypothesis: String,
    pub original: String,
    pub replication: String,
    pub answer: String,
    /// In paragraphs.
    pub text: Vec<String>,
    /// What failed on the way, and what became of it.
    pub failures: Vec<Departure>,
}

impl Narrative {
    /// What a run's answers say.
    ///
    /// # Errors
    /// An answer that the store lacks, or that no longer fits its type.
    pub fn from_run(run: &RunReader) -> Result<Self, EngineError> {
        let (state, store) = (&run.state, &run.store);
        let registered = run_reader::answer::<PostRegistration>(state, store, Stage::EXTRACT)?;
        let searched = run_reader::answer::<SearchResults>(state, store, Stage::SEARCH)?;
        let planned = run_reader::answer::<ReplicationInfo>(state, store, Stage::DESIGN)?;
        let interpreted = run_reader::answer::<InterpretResults>(state, store, Stage::INTERPRET)?;
        let plan = match (&planned, &state.started) {
            (Some(info), Some(started)) => {
                plan_form::sections(&started.claim, &StudyKindView::from_state(state), info)
            }
            _ => Vec::new(),
        };
        Ok(Self {
            original: registered.map(|registered| original(&registered.original_study)),
            sources: searched.map(sources),
            plan,
            differences: differences(planned.as_ref(), interpreted.as_ref()),
            discussion: interpreted.map(discussion),
            files: files(run),
        })
    }
}

fn original(study: &OriginalStudy) -> OriginalText {
    let (claim, data, method) = (&study.claim, &study.data, &study.method);
    let items = vec![
        item(
            "Claim",
            [
                claim.statement.clone(),
                labelled("Where", &claim.statement_location),
            ],
        ),
        item("Design", [claim.study_type.clone()]),
        item(
            "Data",
            [
                data.source.clone(),
                labelled("Subset", &data.wave_or_subset),
                labelled("Sample", &data.sample_size),
                labelled("Unit of analysis", &data.unit_of_analysis),
                labelled("Access", &data.access_details),
                data.notes.clone(),
            ],
        ),
        item(
            "Method",
            [method.description.clone(), method.models.clone()]
                .into_iter()
                .chain(numbered(&method.steps)),
        ),
        item(
            "Variables",
            [
                labelled("Outcome", &method.outcome_variable),
                labelled("Predictors", &method.independent_variables),
                labelled("Covariates", &method.control_variables),
            ],
        ),
        item("Software", [method.tools_software.clone()]),
        item("Result", [study.results.summary.clone()]),
    ];
    OriginalText {
        items: items.into_iter().filter(|item| !item.answer.is_empty()).collect(),
        results: study.results.numerical_results.iter().map(result).collect(),
    }
}

fn result(result: &NumericalResult) -> OriginalResult {
    let text = |value: &Scalar| match value {
        Scalar::Absent => String::new(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => text.clone(),
    };
    OriginalResult {
        name: result.outcome_name.clone(),
        value: text(&result.value),
        unit: result.unit.clone(),
        standard_error: text(&result.standard_error),
        statistic: text(&result.statistic),
        p_value: text(&result.p_value),
        n: text(&result.n),
        location: result.location.clone(),
    }
}

fn sources(searched: SearchResults) -> SourceList {
    SourceList {
        found: searched
            .urls
            .into_iter()
            .map(|one| FoundSource {
                url: one.url,
                name: one.resource_name,
                kind: one.kind.unwrap_or_default(),
                why: one.why_needed,
            })
            .collect(),
        missing: searched
            .missing
            .into_iter()
            .map(|one| MissingSource {
                name: one.resource_name,
                queries: one.search_query,
                why: one.why,
            })
            .collect(),
    }
}

fn differences(
    planned: Option<&ReplicationInfo>,
    interpreted: Option<&InterpretResults>,
) -> Option<DifferenceList> {
    let qualification = planned.map(|info| &info.replication_study.data_plan.qualification);
    let fidelity = interpreted.map(|results| &results.fidelity_assessment);
    let list = DifferenceList {
        alignment: fidelity.map_or_else(Vec::new, |fidelity| paragraphs([&fidelity.method_alignment])),
        planned: qualification.map_or_else(Vec::new, |one| paragraphs([&one.deviation_from_original])),
        departures: fidelity.map_or_else(Vec::new, |fidelity| {
            let parts = fidelity.deviations.iter();
            parts
                .map(|one| Departure {
                    what: one.issue_description.clone(),
                    effect: one.impact.clone(),
                })
                .collect()
        }),
    };
    (list != DifferenceList::default()).then_some(list)
}

fn discussion(results: InterpretResults) -> Discussion {
    let compared = results.results_comparison;
    Discussion {
        hypothesis: compared.hypothesis_tested,
        original: compared.original_results,
        replication: compared.replication_results,
        answer: compared.overall_answer,
        text: paragraphs([
            &results.interpretation_summary,
            &results.replication_report,
            &results.notes,
        ]),
        failures: results
            .failure_handling
            .into_iter()
            .map(|one| Departure {
                what: one.failure_type,
                effect: one.suggestions,
            })
            .collect(),
    }
}

/// Texts in paragraphs, as empty lines part them.
fn paragraphs<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut paragraphs = Vec::new();
    for text in texts {
        let mut paragraph = String::new();
        for line in text.lines().chain([""]) {
            if line.trim().is_empty() {
                if !paragraph.is_empty() {
                    paragraphs.push(std::mem::take(&mut paragraph));
                }
            } else {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line.trim());
            }
        }
    }
    paragraphs
}

/// The answers of the stages, and the scripts that the agent wrote.
fn files(run: &RunReader) -> Vec<String> {
    let state = &run.state;
    let answered = state
        .stages
        .iter()
        .filter(|(_, stage)| stage.artifact().is_some());
    let answers = answered.filter_map(|(stage, _)| state.track().artifact(*stage));
    let mut files: Vec<String> = answers.map(|name| format!("artifacts/{name}")).collect();
    let changes = state.stages.values().flat_map(|stage| stage.changes());
    let written: BTreeSet<String> = changes
        .map(|(_, change)| change.path.as_str())
        .filter(|path| path.starts_with("work/"))
        .map(|path| format!("workspace/{path}"))
        .collect();
    files.extend(written);
    files.retain(|file| run.folder.path().join(file).is_file());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_part_paragraphs() {
        let texts = [
            "One\nline.\n\n\nTwo.".to_owned(),
            String::new(),
            " Three. ".to_owned(),
        ];
        assert_eq!(paragraphs(&texts), ["One line.", "Two.", "Three."]);
    }
}
