//! The tools that a client is offered: those of every stage that its run goes through.

use serde_json::json;

use crate::app::toolset::Toolset;
use crate::domain::track::StageRange;
use crate::model::chat::ToolSpec;
use crate::tools::registry::UnknownTool;
use crate::tools::submit;

/// The tools of the stages of a range, each once, with one by which answers are handed in.
///
/// # Errors
/// A stage that names a tool that there is none of.
pub fn offered(toolset: &Toolset, stages: StageRange) -> Result<Vec<ToolSpec>, UnknownTool> {
    let catalog = toolset.catalog();
    let covered = catalog.track().range(stages).iter();
    let mut names: Vec<&str> = Vec::new();
    for definition in covered.filter_map(|place| catalog.stage(place.stage)) {
        for name in &definition.tools {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
    }
    let mut specs = toolset.tools().specs(names.iter().copied())?;
    if !names.contains(&submit::NAME) {
        specs.push(stage_answer());
    }
    Ok(specs)
}

/// The tool by which the answer of a stage is handed in that has none of its own.
fn stage_answer() -> ToolSpec {
    ToolSpec {
        name: submit::NAME.to_owned(),
        description: "Hands in the answer of the stage, which ends it; the next stage begins with the reply. Call it alone."
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "answers": {
                    "type": "object",
                    "description": "The stage's answer: one JSON object in the shape that the task gives.",
                    "additionalProperties": true,
                }
            },
            "required": ["answers"],
            "additionalProperties": false,
        }),
    }
}
