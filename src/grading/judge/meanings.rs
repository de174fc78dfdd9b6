//! The meaning of each field, in the words of its schema: the description, which
//! agents are shown as well, or the title of a field whose name says enough to
//! whoever writes it.

use serde_json::Value;

use crate::scoring::aggregate::items::ROOTS;

/// A line for each field that the schema describes: its path and what belongs
/// there. The items of a list share their lines, with `[]` for the position.
pub fn meanings<'a>(schema: &Value, paths: impl Iterator<Item = &'a str>) -> String {
    let schema = below_root(schema);
    let mut known: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for path in paths {
        let kind = without_positions(path);
        if known.contains(&kind) {
            continue;
        }
        if let Some(meaning) = meaning(schema, &kind) {
            lines.push(format!("- `{kind}`: {}", meaning.replace('\n', " ")));
        }
        known.push(kind);
    }
    lines.join("\n")
}

/// The schema of what stands below the root of an answer, if it has one.
pub(super) fn below_root(schema: &Value) -> &Value {
    let mut inner = schema;
    for root in ROOTS {
        inner = inner.pointer(&format!("/properties/{root}")).unwrap_or(inner);
    }
    inner
}

/// The alternative of a schema that is not null.
pub(super) fn not_null(schema: &Value) -> &Value {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let real = choices.and_then(|choices| {
        choices
            .iter()
            .find(|choice| choice.get("type").and_then(Value::as_str) != Some("null"))
    });
    real.unwrap_or(schema)
}

fn without_positions(path: &str) -> String {
    let mut kind = String::new();
    let mut inside = false;
    for character in path.chars() {
        inside &= character != ']';
        if !inside {
            kind.push(character);
        }
        inside |= character == '[';
    }
    kind
}

fn meaning<'s>(schema: &'s Value, kind: &str) -> Option<&'s str> {
    let mut part = schema;
    for step in kind.split('.') {
        let name = step.strip_suffix("[]").unwrap_or(step);
        part = not_null(part).get("properties")?.get(name)?;
        if name != step {
            part = not_null(part).get("items")?;
        }
    }
    let said = part.get("description").or_else(|| part.get("title"))?;
    said.as_str()
}

#[cfg(test)]
mod tests {
    use crate::catalog::schemas;
    use crate::domain::stage::Stage;
    use crate::grading::judge::meanings::*;
    use crate::grading::judge::sheet;
    use crate::scoring::aggregate::grading::GradedStage;
    use serde_json::json;

    #[test]
    fn a_list_has_its_lines_once_and_the_words_are_the_schemas() {
        let paths = [
            "claim.statement",
            "results.numerical_results[0].unit",
            "results.numerical_results[1].unit",
            "results.numerical_results[11].confidence_interval.level",
            "claim.invented",
            "2.1.1",
        ];
        let schema = schemas::for_stage(Stage::EXTRACT);
        let text = meanings(schema, paths.into_iter());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let words = schema
            .pointer("/properties/original_study/properties/results/properties/numerical_results/items/properties/unit/description")
            .and_then(Value::as_str)
            .unwrap();
        assert_eq!(lines[1], format!("- `results.numerical_results[].unit`: {words}"));
        assert!(lines[2].starts_with("- `results.numerical_results[].confidence_interval.level`: "));
    }

    #[test]
    fn every_field_that_a_judge_marks_has_a_meaning() {
        let said = |stage, sheet: &sheet::Sheet| {
            for field in &sheet.fields {
                let line = meanings(schemas::for_stage(stage), std::iter::once(field.path.as_str()));
                assert!(
                    line.len() > field.path.len() + 6,
                    "{stage}: `{}` has no meaning",
                    field.path
                );
            }
        };
        let one = json!({"results": {"numerical_results": [{"value": 1}]}});
        said(Stage::EXTRACT, &sheet::extraction(&one, &one, 3));
        let items = json!({"failure_handling": [{}], "fidelity_assessment": {"deviations": [{}]}});
        for document in [items, json!({})] {
            let interpret = schemas::for_stage(Stage::INTERPRET);
            said(
                Stage::INTERPRET,
                &sheet::from_schema(GradedStage::Interpret, interpret, &document),
            );
        }
        said(
            Stage::DESIGN,
            &sheet::from_schema(GradedStage::Design, schemas::for_stage(Stage::DESIGN), &json!({})),
        );
    }
}
