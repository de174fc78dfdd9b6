//! The page on all keys of a criterion, which the design stage's agent reads if it needs more
//! than the prompt shows.

use serde_json::Value;

use crate::catalog::outline::outline;
use crate::catalog::schemas;
use crate::domain::stage::Stage;

/// What the keys are for.
const INTRODUCTION: &str = include_str!("../../helpers/criterion.md");

/// The page, as Markdown.
pub fn criterion_page() -> String {
    let design = schemas::for_stage(Stage::DESIGN);
    let criterion = design.pointer("/properties/replication_study/properties/criterion");
    let shape = outline(criterion.unwrap_or(&Value::Null), &[]);
    format!("{INTRODUCTION}```\n{shape}\n```\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_the_prompt_leaves_out_is_on_the_page() {
        let page = criterion_page();
        let criterion = "/replication_study/criterion/";
        let left_out: Vec<&str> = schemas::left_out(Stage::DESIGN)
            .iter()
            .filter_map(|pointer| pointer.strip_prefix(criterion))
            .collect();
        assert_eq!(left_out.len(), 14);
        for key in left_out {
            assert!(page.contains(&format!("\n  \"{key}\": ")), "{key}:\n{page}");
        }
    }

    #[test]
    fn every_key_that_a_prompt_leaves_out_exists() {
        for stage in [Stage::EXTRACT, Stage::DESIGN] {
            for pointer in schemas::left_out(stage) {
                let mut schema = schemas::for_stage(stage);
                for key in pointer.split('/').skip(1) {
                    schema = &crate::catalog::outline::chosen(schema)["properties"][key];
                }
                assert!(schema.is_object(), "{stage}: {pointer}");
            }
        }
    }
}
