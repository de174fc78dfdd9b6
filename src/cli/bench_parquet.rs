//! The cells of a bench as a Parquet file, with the feature `columnar`.

use std::collections::BTreeSet;

use crate::analysis::bench::cell::BenchCell;
use crate::documents::table::parquet_file::{UnwrittenParquet, WrittenColumn, WrittenValues, write};

/// Cells as a file with a column for each of their properties, and one for each setting that has arms.
///
/// # Errors
/// Settings whose names are those of other columns.
pub fn cells(cells: &[&BenchCell]) -> Result<Vec<u8>, UnwrittenParquet> {
    let text = |name: &str, of: &dyn Fn(&BenchCell) -> Option<String>| WrittenColumn {
        name: name.to_owned(),
        values: WrittenValues::Text(cells.iter().map(|cell| of(cell)).collect()),
    };
    let number = |name: &str, of: &dyn Fn(&BenchCell) -> Option<f64>| WrittenColumn {
        name: name.to_owned(),
        values: WrittenValues::Number(cells.iter().map(|cell| of(cell)).collect()),
    };
    let count = |name: &str, of: &dyn Fn(&BenchCell) -> Option<u64>| WrittenColumn {
        name: name.to_owned(),
        values: WrittenValues::Count(
            (cells.iter())
                .map(|cell| of(cell).map(|count| i64::try_from(count).unwrap_or(i64::MAX)))
                .collect(),
        ),
    };
    let mut columns = vec![
        text("cell", &|cell| Some(cell.cell.clone())),
        text("kind", &|cell| Some(cell.kind.word().to_owned())),
        text("task", &|cell| Some(cell.task.clone())),
        text("agent", &|cell| Some(cell.agent.clone())),
        count("repeat", &|cell| Some(u64::from(cell.repeat))),
        count("attempt", &|cell| Some(u64::from(cell.attempt))),
        text("folder", &|cell| Some(cell.folder.display().to_string())),
        text("result", &|cell| Some(cell.result.word().to_owned())),
        text("words", &|cell| Some(cell.words.clone())),
        number("score", &|cell| cell.score),
        count("tokens", &|cell| Some(cell.tokens)),
        number("cost_usd", &|cell| cell.cost.map(|cost| cost.0 as f64 / 1e6)),
        number("seconds", &|cell| cell.seconds),
        text("field", &|cell| cell.details.field.clone()),
        text("language", &|cell| cell.details.language.clone()),
        text("level", &|cell| cell.details.level.clone()),
        text("failed_stage", &|cell| cell.details.failed_stage.clone()),
        text("cause", &|cell| {
            cell.details.cause.map(|cause| cause.name().to_owned())
        }),
    ];
    let settings: BTreeSet<&String> = cells.iter().flat_map(|cell| cell.arm.keys()).collect();
    for setting in settings {
        columns.push(text(&format!("arm_{setting}"), &|cell| {
            cell.arm.get(setting).cloned()
        }));
    }
    write(columns)
}
