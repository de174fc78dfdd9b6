//! The fields that the benchmark's judges were to mark, by stage.
//!
//! Source: the paths of the released gradings, which are those of the
//! benchmark's templates. What holds a list or a map of the agent's own making
//! can be empty, so it is known and not required.

use std::collections::BTreeMap;

use super::grading::GradedStage;
use super::items::ItemPath;
use crate::scoring::fields::document::RESULT_FIELDS;

/// A list of objects; each item that is there has all of its fields.
struct List {
    name: &'static str,
    fields: &'static [&'static str],
}

/// The fields of a stage outside its lists, and its lists.
pub struct Schema {
    required: &'static [&'static str],
    /// Lists and maps without fields of their own, which may hold nothing.
    optional: &'static [&'static str],
    lists: &'static [List],
}

const NONE: Schema = Schema {
    required: &[],
    optional: &[],
    lists: &[],
};

const EXTRACT: Schema = Schema {
    required: &[
        "claim.hypotheses",
        "claim.hypotheses_location",
        "claim.statement",
        "claim.statement_location",
        "claim.study_type",
        "data.source",
        "data.wave_or_subset",
        "data.sample_size",
        "data.unit_of_analysis",
        "data.access_details",
        "data.notes",
        "method.description",
        "method.steps",
        "method.models",
        "method.outcome_variable",
        "method.independent_variables",
        "method.control_variables",
        "method.tools_software",
        "results.summary",
        "metadata.original_paper_id",
        "metadata.original_paper_title",
        "metadata.original_paper_code",
        "metadata.original_paper_data",
    ],
    optional: &[],
    lists: &[List {
        name: "results.numerical_results",
        fields: &RESULT_FIELDS,
    }],
};

const DESIGN: Schema = Schema {
    required: &[
        "hypothesis",
        "study_type",
        "data_plan.dataset_identifier",
        "data_plan.source_type",
        "data_plan.wave_or_subset",
        "data_plan.sample_size",
        "data_plan.unit_of_analysis",
        "data_plan.access_details",
        "data_plan.qualification.explanation",
        "data_plan.qualification.similarity_to_original",
        "data_plan.qualification.deviation_from_original",
        "data_plan.notes",
        "planned_method.steps",
        "planned_method.models",
        "planned_method.outcome_variable",
        "planned_method.independent_variables",
        "planned_method.control_variables",
        "planned_method.tools_software",
        "planned_method.planned_estimation_and_test.estimation",
        "planned_method.planned_estimation_and_test.test",
        "planned_method.missing_data_handling",
        "planned_method.multiple_testing_policy",
        "planned_method.inference_criteria",
        "codebase.notes",
        "docker_specs.base_image",
        "docker_specs.hardware.gpu_support",
        "docker_specs.hardware.min_gpu_memory_gb",
        "docker_specs.hardware.min_ram_gb",
        "analysis.instructions",
        "analysis.comparison_metrics",
    ],
    optional: &[
        "codebase.files",
        "docker_specs.packages.python",
        "docker_specs.packages.r",
        "docker_specs.packages.other",
        "docker_specs.volumes",
    ],
    lists: &[],
};

const INTERPRET: Schema = Schema {
    required: &[
        "interpretation_summary",
        "execute_status",
        "fidelity_assessment.method_alignment",
        "results_comparison.hypothesis_tested",
        "results_comparison.original_results",
        "results_comparison.replication_results",
        "results_comparison.overall_answer",
        "replication_report",
        "notes",
    ],
    optional: &[],
    lists: &[
        List {
            name: "fidelity_assessment.deviations",
            fields: &["issue_description", "impact"],
        },
        List {
            name: "failure_handling",
            fields: &["failure_type", "suggestions"],
        },
    ],
};

/// The schema of a stage; that of the execution is its ten checkpoints, and empty here.
pub fn for_stage(stage: GradedStage) -> &'static Schema {
    match stage {
        GradedStage::Extract => &EXTRACT,
        GradedStage::Design => &DESIGN,
        GradedStage::Execute => &NONE,
        GradedStage::Interpret => &INTERPRET,
    }
}

/// The fields and aspects that a grading has no item of.
#[derive(Debug, Default, PartialEq)]
pub struct Missing {
    /// The first few, by path.
    pub named: Vec<String>,
    pub count: usize,
}

impl Missing {
    /// Most paths that are named.
    const MOST: usize = 6;

    /// Counts one, and keeps its path while they are few.
    pub fn add(&mut self, path: impl FnOnce() -> String) {
        if self.named.len() < Self::MOST {
            self.named.push(path());
        }
        self.count += 1;
    }
}

impl Schema {
    /// The field that a path without root and positions is of: what stands
    /// below a field belongs to it, and a list or a group of fields below an
    /// aspect may be marked as one. Each of `codebase.files` is its own.
    pub fn field<'l>(&self, leaf: &'l str) -> Option<&'l str> {
        let belongs = |name: &str| is_below(leaf, name).then(|| &leaf[..name.len()]);
        if let Some(found) = self.required.iter().find_map(|name| belongs(name)) {
            return Some(found);
        }
        if let Some(name) = self.optional.iter().find(|name| is_below(leaf, name)) {
            return Some(if *name == "codebase.files" {
                leaf
            } else {
                &leaf[..name.len()]
            });
        }
        if let Some(list) = self.lists.iter().find(|list| is_below(leaf, list.name)) {
            let Some(inner) = leaf[list.name.len()..].strip_prefix('.') else {
                return Some(leaf);
            };
            let field = list.fields.iter().find(|field| is_below(inner, field));
            let whole = list.fields.iter().any(|field| is_below(field, inner));
            return match field {
                Some(field) => Some(&leaf[..list.name.len() + 1 + field.len()]),
                None => whole.then_some(leaf),
            };
        }
        let names = || self.required.iter().chain(self.optional);
        (leaf.contains('.') && names().any(|name| is_below(name, leaf))).then_some(leaf)
    }

    /// The fields that none of the items is of.
    pub fn missing(&self, items: &[ItemPath]) -> Missing {
        let mut missing = Missing::default();
        for name in self.required {
            if !items.iter().any(|item| covers(&item.leaf, name)) {
                missing.add(|| (*name).to_owned());
            }
        }
        for list in self.lists {
            let mut rows: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for item in items.iter().filter(|item| is_below(&item.leaf, list.name)) {
                let inner = item.leaf[list.name.len()..].trim_start_matches('.');
                rows.entry(&item.row).or_default().push(inner);
            }
            if rows.is_empty() {
                missing.add(|| list.name.to_owned());
            }
            for (row, inner) in rows {
                let position = if row.is_empty() {
                    String::new()
                } else {
                    format!("[{row}]")
                };
                for field in list.fields {
                    let is_there =
                        |inner: &&str| inner.is_empty() || is_below(inner, field) || is_below(field, inner);
                    if !inner.iter().any(is_there) {
                        missing.add(|| format!("{}{position}.{field}", list.name));
                    }
                }
            }
        }
        missing
    }
}

/// True if a mark of `leaf` is one of the field: at it, below it, or of a group
/// with it in an aspect.
fn covers(leaf: &str, field: &str) -> bool {
    is_below(leaf, field) || (leaf.contains('.') && is_below(field, leaf))
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::aggregate::items::place;

    #[test]
    fn a_path_is_of_the_field_at_or_above_it_or_of_a_group() {
        let field = |leaf| EXTRACT.field(leaf);
        assert_eq!(field("data.sample_size.treated"), Some("data.sample_size"));
        assert_eq!(
            field("results.numerical_results.confidence_interval"),
            Some("results.numerical_results.confidence_interval")
        );
        assert_eq!(
            field("results.numerical_results"),
            Some("results.numerical_results")
        );
        for unknown in [
            "claim",
            "claim.x",
            "claim.statements",
            "hats",
            "results.numerical_results.foo",
        ] {
            assert_eq!(field(unknown), None, "{unknown}");
        }
        assert_eq!(
            DESIGN.field("codebase.files.a.1.py"),
            Some("codebase.files.a.1.py")
        );
        assert_eq!(
            DESIGN.field("docker_specs.hardware"),
            Some("docker_specs.hardware")
        );
        assert_eq!(DESIGN.field("codebase.entry"), None);
        assert_eq!(INTERPRET.field("failure_handling"), Some("failure_handling"));
    }

    #[test]
    fn every_item_of_a_list_has_all_of_its_fields() {
        let places =
            |keys: &[&str]| -> Vec<ItemPath> { keys.iter().map(|key| place(&[(*key).to_owned()])).collect() };
        let missing = |keys: &[&str]| {
            let all: Vec<&str> = INTERPRET.required.iter().chain(keys).copied().collect();
            INTERPRET.missing(&places(&all)).named
        };
        let whole = ["fidelity_assessment.deviations", "failure_handling"];
        assert_eq!(missing(&whole), Vec::<String>::new());
        assert_eq!(missing(&whole[..1]), ["failure_handling"]);
        let items = [
            "failure_handling[0].failure_type",
            "failure_handling.0.suggestions",
            "failure_handling.[1].suggestions",
        ];
        assert_eq!(
            missing(&[&whole[..1], &items].concat()),
            ["failure_handling[1].failure_type"]
        );
    }
}
