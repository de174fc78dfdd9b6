//! The items of a grading, sorted by the fields that it should have.

use std::collections::{HashMap, HashSet};

use super::few::{FirstLines, listed};
use super::grading::{GradedStage, Mark, off_scale, short};
use super::items::{GradedItems, ItemPath, UnusableItem, place};
use super::schema::{self, Missing, Schema};
use crate::domain::format;

/// The aspects of a stage's schema; none for the execution.
pub fn aspects(stage: GradedStage) -> &'static [&'static str] {
    match stage {
        GradedStage::Extract => &["claim", "data", "method", "results", "metadata"],
        GradedStage::Design => &[
            "hypothesis",
            "study_type",
            "data_plan",
            "planned_method",
            "codebase",
            "docker_specs",
            "analysis",
        ],
        GradedStage::Execute => &[],
        GradedStage::Interpret => &[
            "interpretation_summary",
            "execute_status",
            "fidelity_assessment",
            "results_comparison",
            "replication_report",
            "failure_handling",
            "notes",
        ],
    }
}

/// The fields that a grading should have.
pub(super) struct Fields<'a> {
    schema: &'static Schema,
    /// Those that the writer says were to be marked, in place of the schema's.
    asked: Option<&'a [String]>,
    known: HashSet<&'a str>,
    pub(super) aspects: &'static [&'static str],
}

/// The items of a grading by aspect and field.
#[derive(Default)]
pub(super) struct Sorted {
    pub(super) groups: HashMap<&'static str, Vec<(String, Mark)>>,
    /// All items that are there, those without a usable mark included.
    pub(super) places: Vec<ItemPath>,
    paths: HashSet<String>,
}

impl<'a> Fields<'a> {
    /// Those of a stage's schema, or those that were asked for.
    pub(super) fn new(stage: GradedStage, asked: Option<&'a [String]>) -> Self {
        Self {
            schema: schema::for_stage(stage),
            asked,
            known: asked.unwrap_or_default().iter().map(String::as_str).collect(),
            aspects: aspects(stage),
        }
    }

    /// Sorts items by field; what is off the scale or of no field is named and left out.
    pub(super) fn sort(&self, found: GradedItems, file: &str, problems: &mut Vec<String>) -> Sorted {
        let mut sorted = Sorted::default();
        let (mut unusable, mut unknown) = (FirstLines::default(), FirstLines::default());
        // What cannot be used is there all the same, so its field is not missing.
        for UnusableItem { path, what } in found.unusable {
            unusable.add(|| format!("`{file}`: `{}` {what} and is left out.", short(&path.join("."))));
            self.keep(&path, &mut sorted);
        }
        for item in found.items {
            let Some((aspect, field)) = self.keep(&item.path, &mut sorted) else {
                unknown.add(|| {
                    format!(
                        "`{file}`: the schema does not have the field `{}`, which is left out.",
                        short(&item.path.join("."))
                    )
                });
                continue;
            };
            let off = match item.mark {
                Mark::Score(score) => off_scale(score, 3, self.asked.is_some()).map(|why| (score, why)),
                Mark::NotApplicable => None,
            };
            match off {
                Some((score, why)) => unusable.add(|| {
                    format!(
                        "`{file}`: `{}` has the score {score}, {why}, and is left out.",
                        short(&item.path.join("."))
                    )
                }),
                None => sorted.groups.entry(aspect).or_default().push((field, item.mark)),
            }
        }
        unusable.tell(problems, |more| {
            format!("`{file}`: and {more} more without a mark that can be used.")
        });
        unknown.tell(problems, |more| {
            format!("`{file}`: and {more} more fields that the schema does not have.")
        });
        sorted
    }

    /// Notes that an item is there; its aspect and field, where it is of one.
    fn keep(&self, path: &[String], sorted: &mut Sorted) -> Option<(&'static str, String)> {
        let place = place(path);
        let joined = path.join(".");
        let field = match self.schema.field(&place.leaf) {
            Some(field) => field.to_owned(),
            None if self.known.contains(joined.as_str()) => place.leaf.clone(),
            None => return None,
        };
        let name = field.split('.').next().unwrap_or_default();
        let aspect = *self.aspects.iter().find(|aspect| **aspect == name)?;
        sorted.groups.entry(aspect).or_default();
        sorted.places.push(place);
        sorted.paths.insert(joined);
        Some((aspect, field))
    }

    /// The fields of which there is no item.
    pub(super) fn missing(&self, sorted: &Sorted) -> Missing {
        let Some(asked) = self.asked else {
            return self.schema.missing(&sorted.places);
        };
        let mut missing = Missing::default();
        for path in asked.iter().filter(|path| !sorted.paths.contains(*path)) {
            missing.add(|| path.clone());
        }
        missing
    }
}

/// Why a file is refused, in one line: the aspects that it has nothing of, else
/// the fields.
pub(super) fn incomplete(
    missing: &Missing,
    fields: &Fields<'_>,
    sorted: &Sorted,
    stage: GradedStage,
) -> String {
    let absent = fields
        .aspects
        .iter()
        .filter(|aspect| !sorted.groups.contains_key(*aspect));
    let absent = listed(absent.copied());
    let what = if absent.is_empty() {
        let more = match missing.count - missing.named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let fields = format::plural(missing.count, "field", "fields");
        let named = listed(missing.named.iter().map(|path| short(path)));
        format!("lacks {} {fields}, {named}{more}", missing.count)
    } else {
        format!("has no item of {absent}")
    };
    format!(
        "`{}` {what}, so it is incomplete or of another schema and {stage} is not scored.",
        stage.file_name()
    )
}
