//! The averages of gradings as JSON and as a table.

use serde_json::{Map, Value, json};

use crate::grading::comparison::averages::{ReleasedMeans, STAGES, StageAverage, StageMean, groups};
use crate::grading::discovery::graded_folder::GradedFolder;

use crate::cli::text_table::{TextTable, percent_or_dash};

/// The stages that are printed.
const PRINTED: [&str; 4] = ["extract", "design", "execute", "interpret"];

fn cell(mean: StageMean) -> String {
    format!("{} ({})", percent_or_dash(mean.mean), mean.n)
}

fn mean_json(mean: StageMean) -> Value {
    json!({"mean": mean.mean, "n": mean.n})
}

/// The averages by group, for programs.
pub fn as_json(graded: &[GradedFolder]) -> Vec<Value> {
    let groups = groups(graded).into_iter().map(|group| {
        let stages = STAGES.iter().map(|stage| {
            let of = group.stage(stage);
            let mut value = mean_json(of.mean);
            if let Some(released) = of.released {
                value["compat_over_the_same"] = mean_json(released.same);
                value["compat_over_all"] = mean_json(released.all);
            }
            ((*stage).to_owned(), value)
        });
        json!({
            "group": group.name,
            "gradings": group.members.len(),
            "stages": stages.collect::<Map<_, _>>(),
        })
    });
    groups.collect()
}

/// The averages by group as a table; below corrected ones the released ones over
/// the same gradings, and where some are refused over all.
pub fn lines(graded: &[GradedFolder]) -> Vec<String> {
    let mut table = TextTable::new(["mean (n)", "extract", "design", "execute", "interpret"]);
    let mut refused = Vec::new();
    for group in groups(graded) {
        let name = group.name;
        let stages = PRINTED.map(|stage| group.stage(stage));
        let row = |label: String, cells: [String; 4]| [label].into_iter().chain(cells);
        table.row(row(name.to_owned(), stages.map(|stage| cell(stage.mean))));
        let released = |of: fn(ReleasedMeans) -> StageMean| {
            stages.map(|stage: StageAverage| stage.released.map(of).map_or_else(String::new, cell))
        };
        if stages.iter().any(|stage| stage.released.is_some()) {
            table.row(row(
                "  released arithmetic, the same gradings".to_owned(),
                released(|means| means.same),
            ));
        }
        let fewer: Vec<String> = (PRINTED.iter().zip(&stages))
            .filter(|(_, stage)| stage.refused() > 0)
            .map(|(name, stage)| format!("{name} {} of {}", stage.refused(), stage.mean.n + stage.refused()))
            .collect();
        if !fewer.is_empty() {
            table.row(row(
                "  released arithmetic, all gradings".to_owned(),
                released(|means| means.all),
            ));
            refused.push(format!("{name}: {} gradings are refused.", fewer.join(", ")));
        }
    }
    let mut lines = table.lines();
    if !refused.is_empty() {
        lines.extend(refused);
        lines.push(
            "Where gradings are refused, a corrected mean is over fewer runs than the released one over all: compare it \
             with the released mean over the same gradings. A refusal can be the judge's fault, which forgot fields, or \
             the agent's, whose answer lacks them."
                .to_owned(),
        );
    }
    lines
}
