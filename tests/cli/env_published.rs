//! Locks of the published studies whose scripts are of R, against an archive on loopback.

use serde_json::Value;

use super::cran_tree;
use super::index_server::IndexServer;
use super::need::shared;
use super::support::Place;

/// Studies with scripts of R, and the day that a person names where their files tell none.
const STUDIES: [(u32, Option<&str>); 6] = [
    (1, Some("2020-11-30")),
    (2, None),
    (4, None),
    (7, Some("2020-11-30")),
    (11, Some("2020-11-30")),
    (13, None),
];

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
struct LockRow {
    study: u32,
    day: String,
    exact: usize,
    by_date: usize,
    not_had: Vec<String>,
}

fn count(lock: &Value, certainty: &str) -> usize {
    let packages = lock["packages"].as_array().unwrap();
    packages
        .iter()
        .filter(|one| one["certainty"] == certainty)
        .count()
}

fn row(server: &IndexServer, original: &std::path::Path, study: u32, told: Option<&str>) -> LockRow {
    let place = Place::new();
    let folder = original.join(study.to_string());
    let mut arguments = vec!["env", folder.to_str().unwrap(), "--lock", "r.json", "--json"];
    arguments.extend(["--cran", &server.address]);
    arguments.extend(told.iter().flat_map(|day| ["--as-of", day]));
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "study {study}: {}", called.stderr);
    let lock: Value = serde_json::from_str(&called.stdout).unwrap();
    let day = lock["as_of"]["day"].as_str().unwrap().to_owned();
    let mut before: Vec<&str> = Vec::new();
    for package in lock["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        // Nothing came behind the day, and what a package needs stands before it.
        let came = package["came"].as_str().unwrap();
        assert!(
            &came[..10] <= day.as_str(),
            "study {study}: {name} came on {came}, behind {day}"
        );
        for other in package["required_by"].as_array().into_iter().flatten() {
            assert!(
                !before.contains(&other.as_str().unwrap()),
                "study {study}: {name}"
            );
        }
        before.push(name);
    }
    let not_had = lock["not_had"].as_array().unwrap().iter();
    LockRow {
        study,
        day,
        exact: count(&lock, "exact"),
        by_date: count(&lock, "by-date"),
        not_had: not_had
            .map(|one| {
                format!(
                    "{} ({})",
                    one["name"].as_str().unwrap(),
                    one["why"].as_str().unwrap()
                )
            })
            .collect(),
    }
}

#[test]
fn published_studies_of_r_get_a_lock_from_an_archive() {
    let Some(original) = shared("data/replicatorbench/original") else {
        return;
    };
    let server = IndexServer::new();
    let gone = ["panelAR"];
    let Some(()) = cran_tree::put(&server, include_str!("cran_packages.tsv"), &gone) else {
        return;
    };
    let rows: Vec<LockRow> = STUDIES
        .iter()
        .map(|(study, told)| row(&server, &original, *study, *told))
        .collect();
    println!("| study | as of | exact | by date | wanted and not had |");
    println!("|---|---|---|---|---|");
    for row in &rows {
        println!(
            "| {} | {} | {} | {} | {} |",
            row.study,
            row.day,
            row.exact,
            row.by_date,
            row.not_had.join("; ")
        );
    }
    let counted: Vec<(u32, usize, usize)> = rows
        .iter()
        .map(|row| (row.study, row.exact, row.not_had.len()))
        .collect();
    assert_eq!(
        counted,
        [(1, 0, 0), (2, 0, 2), (4, 0, 0), (7, 0, 0), (11, 0, 0), (13, 0, 0)]
    );
    assert!(rows.iter().all(|row| row.by_date >= 2), "{rows:?}");
    assert_eq!(
        rows[1].not_had,
        [
            "metaRNASeq (the archive has no package of this name)",
            "multtest (it is not had from an index by date)"
        ]
    );
}
