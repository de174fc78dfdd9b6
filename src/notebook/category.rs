//! The category of a Masked task, by its name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The trouble that a Masked task is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::EnumIter,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Dependencies,
    Cpu,
    Configuration,
    Data,
    Issue,
    Goal,
    Other,
}

impl Category {
    /// The category of a task `REPOSITORY_LABEL`: the first of several labels counts, and
    /// `customgoal` is a goal, as the published table counts them.
    pub fn of_masked(id: &str) -> Self {
        let labels = id.rsplit_once('_').map_or("", |(_, labels)| labels);
        match labels.split(',').next().unwrap_or_default() {
            "dependencies" => Self::Dependencies,
            "cpu" => Self::Cpu,
            "configuration" => Self::Configuration,
            "data" => Self::Data,
            "issue" => Self::Issue,
            "goal" | "customgoal" => Self::Goal,
            _ => Self::Other,
        }
    }

    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dependencies => "dependencies",
            Self::Cpu => "cpu",
            Self::Configuration => "configuration",
            Self::Data => "data",
            Self::Issue => "issue",
            Self::Goal => "goal",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_label_counts_whatever_else_is_in_the_name() {
        for (id, category) in [
            ("colbert_cpu", Category::Cpu),
            ("conv_graph_configuration,data", Category::Configuration),
            ("g-transformer_goal,dependencies", Category::Goal),
            ("align-to-distill_customgoal", Category::Goal),
            ("quantifying-stereotypes-in-language_custom", Category::Other),
            ("data_label_alignment_issue", Category::Issue),
            ("nothing", Category::Other),
        ] {
            assert_eq!(Category::of_masked(id), category, "{id}");
        }
    }
}
