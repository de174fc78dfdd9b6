//! The form that a judge's answer is held to, where its provider can do that.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::catalog::rubrics::definition::Rubric;
use crate::model::response_schema::ResponseSchema;

/// Most fields of a form; the providers bound their schemas, at different sizes.
const MOST_FIELDS: usize = 100;

/// One mark for each field, on the rubric's scale; `None` where there are too many.
pub fn form(rubric: &Rubric, fields: &[String]) -> Option<Arc<ResponseSchema>> {
    if fields.is_empty() || fields.len() > MOST_FIELDS {
        return None;
    }
    let mut scores: Vec<Value> = rubric.scores.iter().map(|score| json!(score)).collect();
    scores.extend(rubric.not_applicable.as_ref().map(|_| json!("NA")));
    scores.push(json!("cannot_judge"));
    let mark = json!({
        "type": "object",
        "properties": {
            "evidence": {"type": "string"},
            "explanation": {"type": "string"},
            "score": {"enum": scores},
        },
        "required": ["evidence", "explanation", "score"],
        "additionalProperties": false,
    });
    let properties: Map<String, Value> = fields.iter().map(|field| (field.clone(), mark.clone())).collect();
    Some(Arc::new(ResponseSchema {
        name: "marks".to_owned(),
        schema: json!({
            "type": "object",
            "properties": properties,
            "required": fields,
            "additionalProperties": false,
        }),
    }))
}

#[cfg(test)]
mod tests {
    use crate::catalog::rubrics::load::Rubrics;
    use crate::domain::stage::Stage;
    use crate::grading::judge::form::*;
    use crate::grading::judge::reading;

    #[test]
    fn what_fits_the_form_is_read_without_a_fault() {
        let rubric = Rubrics::load(None).unwrap().get(Stage::EXTRACT).unwrap().clone();
        let fields = vec!["claim.focal".to_owned(), "sample_size".to_owned()];
        let form = form(&rubric, &fields).unwrap();
        assert!(form.is_strict());
        let mark = |score: Value| json!({"evidence": "e", "explanation": "x", "score": score});
        let highest = mark(json!(rubric.highest()));
        let answer = json!({"claim.focal": highest, "sample_size": mark(json!("cannot_judge"))});
        let validator = jsonschema::validator_for(&form.schema).unwrap();
        assert!(validator.is_valid(&answer));
        assert!(!validator.is_valid(&json!({"claim.focal": mark(json!(99)), "sample_size": mark(json!(1))})));
        let read = reading::read(&answer.to_string(), &fields, &rubric);
        assert_eq!((read.given.len(), read.faults.len()), (2, 0));
    }

    #[test]
    fn a_form_of_too_many_fields_is_left_out() {
        let rubric = Rubrics::load(None).unwrap().get(Stage::EXTRACT).unwrap().clone();
        let fields: Vec<String> = (0..=MOST_FIELDS).map(|at| at.to_string()).collect();
        assert!(form(&rubric, &fields).is_none() && form(&rubric, &[]).is_none());
        assert!(form(&rubric, &fields[1..]).is_some());
    }
}
