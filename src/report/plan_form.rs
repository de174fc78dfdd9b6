//! A plan as answers to the questions of a preregistration, in the order of the OSF's form.

use serde::{Deserialize, Serialize};

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::claim::Claim;

use super::rule;
use super::study_kind::StudyKindView;

/// A section of the form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormSection {
    pub heading: String,
    pub items: Vec<FormItem>,
}

/// A question of the form, with what the plan says to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormItem {
    pub question: String,
    /// Paragraphs; none where the plan says nothing.
    pub answer: Vec<String>,
}

/// The answers to one question: what is empty is left out.
pub(super) fn item(question: &str, answers: impl IntoIterator<Item = String>) -> FormItem {
    let answers = answers.into_iter().map(|answer| answer.trim().to_owned());
    let mut answer: Vec<String> = answers.filter(|answer| !answer.is_empty()).collect();
    // A plan often repeats the claim's words.
    answer.dedup();
    FormItem {
        question: question.to_owned(),
        answer,
    }
}

/// An answer behind what it is about; empty where there is none.
pub(super) fn labelled(label: &str, answer: &str) -> String {
    match answer.trim() {
        "" => String::new(),
        answer => format!("{label}: {answer}"),
    }
}

pub(super) fn numbered(steps: &[String]) -> impl Iterator<Item = String> + '_ {
    steps
        .iter()
        .zip(1..)
        .map(|(step, number)| format!("{number}. {step}"))
}

/// The answers of a plan.
pub fn sections(claim: &Claim, kind: &StudyKindView, info: &ReplicationInfo) -> Vec<FormSection> {
    let study = &info.replication_study;
    let (data, method) = (&study.data_plan, &study.planned_method);
    let used = &study.data_used;
    let rule = study.criterion.as_ref();
    let sentence = rule.map(rule::sentence).unwrap_or_default();
    let rows = used.expected_rows.number();
    let rows = rows.map_or_else(String::new, |rows| {
        format!("{rows} rows are expected in the focal model.")
    });
    let entry_points = study.entry_points.iter().map(|entry| entry.path.as_str());
    let variants = study.variants.iter().map(|variant| {
        format!(
            "Variant {}, which does not decide: {}",
            variant.name, variant.changes
        )
    });
    vec![
        FormSection {
            heading: "Study information".to_owned(),
            items: vec![
                item("Description", [format!("{}: {}.", kind.name, kind.about), claim.statement.clone()]),
                item("Hypotheses", [claim.hypotheses.clone(), study.hypothesis.clone()]),
            ],
        },
        FormSection {
            heading: "Design plan".to_owned(),
            items: vec![
                item("Study type", [study.study_type.clone()]),
                item(
                    "Study design",
                    [
                        labelled("Unit of analysis", &data.unit_of_analysis),
                        labelled("Similar to the original", &data.qualification.similarity_to_original),
                        labelled("Different from the original", &data.qualification.deviation_from_original),
                        data.qualification.explanation.clone(),
                    ],
                ),
            ],
        },
        FormSection {
            heading: "Sampling plan".to_owned(),
            items: vec![
                item(
                    "Existing data",
                    [
                        "The data exist. Their structure was inspected, and nothing was executed on them in this run before \
                         the plan was fixed."
                            .to_owned(),
                        labelled("Data", &data.dataset_identifier),
                        labelled("Source", &data.source_type),
                        labelled("Access", &data.access_details),
                        labelled("Files", &used.files.join(", ")),
                    ],
                ),
                item("Sample size", [data.sample_size.clone(), rows]),
                item("Subset", [data.wave_or_subset.clone()]),
            ],
        },
        FormSection {
            heading: "Variables".to_owned(),
            items: vec![
                item("Outcome", [method.outcome_variable.clone()]),
                item("Predictors", [method.independent_variables.clone()]),
                item("Covariates", [method.control_variables.clone()]),
                item("Recoding, exclusions and weights", [data.notes.clone()]),
            ],
        },
        FormSection {
            heading: "Analysis plan".to_owned(),
            items: vec![
                item(
                    "Statistical models",
                    [
                        method.models.clone(),
                        method.planned_estimation_and_test.estimation.clone(),
                        method.planned_estimation_and_test.test.clone(),
                    ]
                    .into_iter()
                    .chain(numbered(&method.steps)),
                ),
                item(
                    "Inference criteria",
                    [
                        sentence,
                        rule.map_or_else(String::new, |rule| labelled("Reason", &rule.reason)),
                        method.inference_criteria.clone(),
                        labelled("Multiple testing", &method.multiple_testing_policy),
                    ],
                ),
                item("Missing data", [method.missing_data_handling.clone()]),
                item("Other analyses", variants),
            ],
        },
        FormSection {
            heading: "Code and environment".to_owned(),
            items: vec![
                item("Run, in this order", [entry_points.collect::<Vec<_>>().join(", ")]),
                item(
                    "Scripts",
                    study.codebase.files.iter().map(|(path, what)| labelled(path, what)),
                ),
                item(
                    "Environment",
                    [
                        labelled("Base image", &study.docker_specs.base_image),
                        labelled("Python", &study.docker_specs.packages.python.join(", ")),
                        labelled("R", &study.docker_specs.packages.r.join(", ")),
                        method.tools_software.clone(),
                    ],
                ),
                item("Notes", [study.codebase.notes.clone(), study.analysis.comparison_metrics.clone()]),
            ],
        },
    ]
}
