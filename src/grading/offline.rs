//! The scores that need no judge, as lines of a report.

use serde_json::Value;

use crate::catalog::artifacts::search_results::SearchResults;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::model::name::is_recording;
use crate::run::standing::not_reached;
use crate::scoring::checkpoints::decide::decide;
use crate::scoring::fields::document::RegistrationFields;
use crate::scoring::fields::score::{DocumentScore, compare};
use crate::scoring::fields::statement::StatementKind;
use crate::scoring::url_match::files::PredictedUrl;
use crate::scoring::url_match::gold::{GoldCase, GoldResource};
use crate::scoring::url_match::levels;
use crate::scoring::url_match::limit::Limit;
use crate::statistics::proportion::Proportion;
use crate::study::gold::{Gold, PostRegistration, UnreadReferences};

use crate::grading::execution_facts;
use crate::grading::score_line::{Baseline, Headline, ScoreLine};

type Scores = (Vec<Headline>, Vec<ScoreLine>);

/// Scores a run; what needs a reference that cannot be had says why. A task of another track has
/// its own grader.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn score(
    run: &RunReader,
    gold: &Result<Gold, UnreadReferences>,
    planned_data: &[String],
) -> Result<Scores, EngineError> {
    let (mut headlines, mut lines) = (Vec::new(), Vec::new());
    if !run.state.track().is_replication() {
        return Ok((headlines, lines));
    }
    match gold {
        Err(reason) => {
            headlines.extend([EXTRACTION, SEARCH].map(|label| unscored(label, reason.to_string())))
        }
        Ok(gold) => {
            for (headline, found) in [extraction(run, gold)?, search(run, gold)?] {
                headlines.push(headline);
                lines.extend(found);
            }
        }
    }
    let (headline, found) = checkpoints(run, planned_data)?;
    headlines.push(headline);
    lines.extend(found);
    if is_recorded(run) {
        for headline in headlines.iter_mut().filter(|headline| headline.value.is_some()) {
            headline
                .note
                .push_str(" The answers come from a recording, so this says nothing about any agent.");
        }
    }
    Ok((headlines, lines))
}

/// True if the answers were written or recorded beforehand.
fn is_recorded(run: &RunReader) -> bool {
    let model = run
        .state
        .started
        .as_ref()
        .map_or("", |started| started.settings.model.as_str());
    is_recording(model)
}

const CHECKPOINTS: &str = "Execution checkpoints that code can decide";

/// The ten checkpoints of ReplicatorBench's Figure 7.
fn checkpoints(run: &RunReader, planned_data: &[String]) -> Result<(Headline, Vec<ScoreLine>), EngineError> {
    if !run.state.stages.contains_key(&Stage::EXECUTE) {
        let reason = "the run did not come to the execute stage".to_owned();
        return Ok((unscored(CHECKPOINTS, reason), Vec::new()));
    }
    let mut decisions = decide(&execution_facts::gather(run, planned_data)?);
    let unfinished = not_reached(&run.state, Stage::EXECUTE);
    if let Some(why) = &unfinished {
        decisions.iter_mut().for_each(|decision| decision.leave_open(why));
    }
    let passed = Proportion::count(decisions.iter().filter_map(|decision| decision.passed));
    let open = decisions.len() as u64 - passed.of;
    let headline = match unfinished {
        // What has come to pass so far is no share of anything.
        Some(why) => unscored(
            CHECKPOINTS,
            format!("{why}; {} of {} have come to pass", passed.hits, decisions.len()),
        ),
        None => Headline {
            label: CHECKPOINTS.to_owned(),
            value: passed.share(),
            max: 1.0,
            n: passed.of,
            scored: passed.of,
            total: decisions.len() as u64,
            interval: passed.wilson(),
            baseline: None,
            note: format!("{open} left to a judge."),
        },
    };
    let lines = decisions
        .into_iter()
        .map(|decision| ScoreLine {
            group: "execution checkpoints".to_owned(),
            key: decision.checkpoint.key().to_owned(),
            label: decision.checkpoint.question().to_owned(),
            value: decision.passed.map(f64::from),
            max: 1.0,
            note: decision.evidence,
        })
        .collect();
    Ok((headline, lines))
}

const EXTRACTION: &str = "Post-registration, overlap with the reference (ROUGE-L F1)";
const SEARCH: &str = "Search, required resources found (strict addresses)";

fn unscored(label: &str, note: String) -> Headline {
    Headline {
        label: label.to_owned(),
        value: None,
        max: 1.0,
        n: 0,
        scored: 0,
        total: 0,
        interval: None,
        baseline: None,
        note,
    }
}

/// The post-registration against each reference; the best variant is shown.
fn extraction(run: &RunReader, gold: &Gold) -> Result<(Headline, Vec<ScoreLine>), EngineError> {
    let Some(content) = run
        .state
        .stages
        .get(&Stage::EXTRACT)
        .and_then(|stage| stage.artifact())
    else {
        return Ok((
            unscored(EXTRACTION, "the run has no post-registration".to_owned()),
            Vec::new(),
        ));
    };
    let value: Value = serde_json::from_str(&run.text(content)?)
        .map_err(|error| EngineError::Unusable(format!("the post-registration is not JSON: {error}")))?;
    let document = RegistrationFields::read(&value);
    let best = gold
        .post_registrations
        .iter()
        .map(|reference| {
            (
                reference,
                compare(&document, &RegistrationFields::read(&reference.value)),
            )
        })
        .filter(|(_, score)| score.means.stated.is_some())
        .max_by(|(_, one), (_, other)| {
            one.means
                .stated
                .partial_cmp(&other.means.stated)
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    let Some((reference, score)) = best else {
        let reason = match gold.unreadable.first() {
            Some(one) => format!("{} could not be read: {}", one.file, one.reason),
            None => "the study has no reference post-registration".to_owned(),
        };
        return Ok((unscored(EXTRACTION, reason), Vec::new()));
    };
    Ok((extraction_headline(reference, &score), field_lines(&score)))
}

fn extraction_headline(reference: &PostRegistration, score: &DocumentScore) -> Headline {
    let stated = score
        .fields
        .iter()
        .filter(|field| field.reference == StatementKind::Stated)
        .count() as u64;
    Headline {
        label: EXTRACTION.to_owned(),
        value: score.means.stated,
        max: 1.0,
        n: stated,
        scored: stated,
        total: score.fields.len() as u64,
        interval: None,
        baseline: score.floor.stated.map(|value| Baseline {
            label: "every field `not stated`, over the same fields".to_owned(),
            value,
        }),
        note: format!(
            "Overlap of words with {}, over the fields that it states; it says nothing about whether \
             other words mean the same. {} of these fields are stated here too.{}",
            reference.file,
            score.coverage,
            mended(reference)
        ),
    }
}

/// The repairs that reading the reference took, as a sentence.
fn mended(reference: &PostRegistration) -> String {
    if reference.repairs.is_empty() {
        return String::new();
    }
    format!(
        " The reference was mended to be read: {}.",
        reference.repairs.join("; ")
    )
}

fn field_lines(score: &DocumentScore) -> Vec<ScoreLine> {
    score
        .fields
        .iter()
        .map(|field| {
            let number = match field.same_number {
                Some(true) => "the same number",
                Some(false) => "another number",
                None => "",
            };
            let note = match (field.reference, field.document) {
                (StatementKind::Stated, StatementKind::Stated) => number.to_owned(),
                (StatementKind::Stated, _) => "stated in the reference alone".to_owned(),
                (_, StatementKind::Stated) => "not stated in the reference".to_owned(),
                _ => "stated in neither".to_owned(),
            };
            ScoreLine {
                group: "post-registration (ROUGE-L)".to_owned(),
                key: field.path.clone(),
                label: field
                    .path
                    .rsplit('.')
                    .next()
                    .unwrap_or_default()
                    .replace('_', " "),
                value: (field.reference == StatementKind::Stated).then_some(field.score),
                max: 1.0,
                note,
            }
        })
        .collect()
}

/// The proposed addresses against the gold resources.
fn search(run: &RunReader, gold: &Gold) -> Result<(Headline, Vec<ScoreLine>), EngineError> {
    let Some(results) = run_reader::answer::<SearchResults>(&run.state, &run.store, Stage::SEARCH)? else {
        return Ok((
            unscored(SEARCH, "the run has no search results".to_owned()),
            Vec::new(),
        ));
    };
    if gold.resources.is_empty() {
        return Ok((
            unscored(SEARCH, "the study names no gold resources".to_owned()),
            Vec::new(),
        ));
    }
    let case = GoldCase {
        id: 0.into(),
        resources: gold
            .resources
            .iter()
            .map(|resource| GoldResource {
                id: resource.id.clone(),
                kind: resource.kind.clone(),
                required: resource.required,
                filename: resource.filename.clone().unwrap_or_default(),
                url: resource.url.clone().unwrap_or_default(),
                aliases: resource.aliases.clone(),
            })
            .collect(),
    };
    let predicted: Vec<PredictedUrl> = results
        .urls
        .iter()
        .map(|found| PredictedUrl {
            url: found.url.clone(),
            kind: found.kind.clone().unwrap_or_default(),
            name: found.resource_name.clone(),
            why: found.why_needed.clone(),
        })
        .collect();
    let matches = levels::matches(&case, &predicted, &[]);
    let strict = matches.count(Limit::Strict);
    let domain = matches.count(Limit::Domain);
    let found = Proportion {
        hits: strict.found as u64,
        of: (strict.found + strict.missed) as u64,
    };
    let headline = Headline {
        label: SEARCH.to_owned(),
        value: found.share(),
        max: 1.0,
        n: found.of,
        scored: found.of,
        total: found.of,
        interval: found.wilson(),
        baseline: None,
        note: format!(
            "{} of {} proposed addresses are a resource; counting any page of the right domain, as the \
             published scorer does, {} of {} resources would be found.",
            strict.right,
            strict.right + strict.wrong,
            domain.found,
            domain.found + domain.missed
        ),
    };
    let lines = matches
        .resources
        .iter()
        .map(|resource| {
            let closest = resource.closest.and_then(|(position, level)| {
                predicted
                    .get(position)
                    .map(|predicted| (predicted.url.clone(), level))
            });
            ScoreLine {
                group: "search (addresses)".to_owned(),
                key: resource.resource.clone(),
                label: resource.resource.clone(),
                value: Some(match &closest {
                    Some((_, level)) if Limit::Strict.admits(*level) => 1.0,
                    _ => 0.0,
                }),
                max: 1.0,
                note: closest.map_or_else(
                    || "not found".to_owned(),
                    |(url, level)| format!("{}: {url}", level.words()),
                ),
            }
        })
        .collect();
    Ok((headline, lines))
}
