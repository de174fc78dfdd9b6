//! Forms of `execution_results.json`.

use serde_json::Value;

use super::moves::{Deviations, Object, members, note, object, rename};
use crate::catalog::fault::AnswerDeviationKind;
use crate::catalog::fit::plain;

pub(super) fn reshape(root: &mut Object, deviations: &mut Deviations) {
    let Some(results) = object(root, "results") else {
        return;
    };
    for (index, finding) in members(results, "findings_summary").into_iter().enumerate() {
        let path = format!("/results/findings_summary/{index}");
        for name in ["degrees_of_freedom", "dof"] {
            rename(finding, &path, name, "df", deviations);
        }
        let Some(given) = finding.get_mut("confidence_interval") else {
            continue;
        };
        let text = match &*given {
            Value::Array(pair) if pair.len() == 2 => format!("[{}, {}]", plain(&pair[0]), plain(&pair[1])),
            Value::Object(parts) => match (parts.get("lower"), parts.get("upper")) {
                (Some(lower), Some(upper)) => format!("[{}, {}]", plain(lower), plain(upper)),
                _ => continue,
            },
            _ => continue,
        };
        *given = Value::String(text);
        note(
            deviations,
            format!("{path}/confidence_interval"),
            AnswerDeviationKind::Type,
            "An interval is not given as a text.",
        );
    }
}
