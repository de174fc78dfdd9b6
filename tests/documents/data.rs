//! Every data file of the shared studies, beside pandas, pyreadstat and pyreadr.

use std::path::{Path, PathBuf};
use std::process::Command;

use reprise::documents::kind::Kind;
use reprise::documents::limits::Limits;
use reprise::documents::read::read;
use reprise::documents::sniff::sniff;
use reprise::documents::table::column::{Column, DataType, Key, Table};
use serde_json::Value;

use crate::shared;

/// The name under which the oracle reads a kind of file.
fn oracle_kind(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Dta(_) => "dta",
        Kind::Sav | Kind::Zsav => "sav",
        Kind::Rds | Kind::RData => "rds",
        Kind::Xlsx => "xlsx",
        Kind::Xls => "xls",
        Kind::Ods => "ods",
        Kind::Sas7bdat => "sas7bdat",
        Kind::Parquet => "parquet",
        Kind::Arrow => "feather",
        Kind::Delimited(b';') => "csv;",
        Kind::Delimited(_) => "csv",
        _ => return None,
    })
}

fn ask(files: &[(String, PathBuf)]) -> Option<Vec<Value>> {
    let arguments = files
        .iter()
        .map(|(kind, path)| format!("{kind}={}", path.display()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/read_data.py");
    let output = Command::new(shared::python()?)
        .arg(script)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// Differences between a table and what the oracle says of it.
fn differences(ours: &Table, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let rows = theirs["rows"].as_u64().unwrap() as usize;
    if rows != ours.rows {
        found.push(format!("{} rows instead of {rows}", ours.rows));
    }
    let columns = theirs["columns"].as_array().unwrap();
    let mine: Vec<&Column> = ours
        .columns
        .iter()
        .filter(|column| column.name != "(row names)")
        .collect();
    if mine.len() != columns.len() {
        found.push(format!("{} columns instead of {}", mine.len(), columns.len()));
        return found;
    }
    for (column, expected) in mine.iter().zip(columns) {
        let missing = expected["missing"].as_u64().unwrap() as usize;
        if column.values.missing() != missing {
            found.push(format!(
                "`{}`: {} missing instead of {missing}",
                column.name,
                column.values.missing()
            ));
        }
        let (Some(mean), Some(own)) = (expected["mean"].as_f64(), column.mean()) else {
            let (theirs, own) = (expected["mean"].as_f64(), column.mean());
            if theirs.is_some() != own.is_some() {
                found.push(format!(
                    "`{}` ({:?}): mean {own:?} instead of {theirs:?}",
                    column.name, column.sort
                ));
            }
            continue;
        };
        // A moment column whose moments are all midnights is one of days to the oracle.
        let days = expected["unit"] == "days" && column.sort == DataType::DateTime;
        let own = if days { own / 86_400.0 } else { own };
        if (mean - own).abs() > 1e-9 * mean.abs().max(1e-9) {
            found.push(format!(
                "`{}` ({:?}): mean {own} instead of {mean}",
                column.name, column.sort
            ));
        }
    }
    for (name, label) in theirs["labels"].as_object().into_iter().flatten() {
        let own = ours.column(name).and_then(|column| column.label.clone());
        // The reference reader cuts long labels.
        let label = label.as_str().unwrap();
        if !own.as_deref().unwrap_or_default().starts_with(label.trim_end()) {
            found.push(format!("`{name}`: label {own:?} instead of {label}"));
        }
    }
    for (name, count) in theirs["values"].as_object().into_iter().flatten() {
        let labels = ours.column(name).map_or(&[][..], |column| &column.labels);
        let own = labels
            .iter()
            .filter(|(key, _)| !matches!(key, Key::Missing(_)))
            .count();
        if own as u64 != count.as_u64().unwrap() && labels.len() as u64 != count.as_u64().unwrap() {
            found.push(format!("`{name}`: {own} value labels instead of {count}"));
        }
    }
    found
}

fn compare(files: Vec<(String, PathBuf)>) {
    let Some(answers) = ask(&files) else {
        return;
    };
    let mut wrong = Vec::new();
    for answer in answers {
        let path = answer["path"].as_str().unwrap();
        let name = Path::new(path)
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(path).unwrap();
        let document = read(&name, &bytes, &Limits::default());
        if let Some(error) = answer["error"].as_str() {
            println!("{name}: the oracle fails ({error}); ours: {}", document.is_ok());
            continue;
        }
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        for theirs in answer["tables"].as_array().unwrap() {
            let table = document
                .tables
                .iter()
                .find(|table| table.name == theirs["name"].as_str().unwrap())
                .or_else(|| document.tables.first());
            let Some(table) = table else {
                wrong.push(format!("{name}: no table"));
                continue;
            };
            let found = differences(table, theirs);
            println!(
                "{name}: {} rows, {} columns, {} differences",
                table.rows,
                table.columns.len(),
                found.len()
            );
            wrong.extend(
                found
                    .into_iter()
                    .map(|difference| format!("{name}: {difference}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shared_data_reads_as_the_reference_readers_read_it() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    let files = shared::files(&folder)
        .into_iter()
        .filter_map(|path| Some((oracle_kind(&sniff(&std::fs::read(&path).ok()?))?.to_owned(), path)))
        .collect::<Vec<_>>();
    assert!(
        files.len() >= 10,
        "only {} data files below {}",
        files.len(),
        folder.display()
    );
    compare(files);
}

#[test]
fn files_of_other_writers_read_as_the_reference_readers_read_them() {
    let Some(python) = shared::python() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/write_data.py");
    let output = Command::new(python)
        .arg(script)
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut files = Vec::new();
    for path in shared::files(folder.path()) {
        let kind = sniff(&std::fs::read(&path).unwrap());
        if matches!(kind, Kind::Parquet | Kind::Arrow) && !cfg!(feature = "columnar") {
            println!("left out: {} needs the feature `columnar`", path.display());
            continue;
        }
        match oracle_kind(&kind).or((kind == Kind::Json).then_some("json")) {
            Some(kind) => files.push((kind.to_owned(), path)),
            None => panic!("{} was taken for {kind:?}", path.display()),
        }
    }
    assert!(files.len() >= 12, "{files:?}");
    compare(files);
}
