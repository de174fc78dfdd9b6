//! Every published folder, as it is: checked, and carried as far as its data allow.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::replicatorbench::place::{Called, call, fresh, recording, studies, tree};
use crate::replicatorbench::ran::json;

/// The first line of a Git LFS pointer.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// Folders with a data file that is there; counted by hand.
const WITH_DATA: [&str; 7] = ["3", "4", "11", "13", "30", "33", "37"];

/// Every folder, by its number.
fn folders(studies: &Path) -> Vec<(String, PathBuf)> {
    let mut folders: Vec<(String, PathBuf)> = fs::read_dir(studies)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    folders.sort_by_key(|(name, _)| name.parse::<u32>().unwrap());
    assert!(folders.len() >= 15);
    folders
}

/// The spoilt data of a folder, for a person to be told.
struct Spoilt {
    pointers: Vec<String>,
    empty: Vec<String>,
}

fn spoilt(folder: &Path) -> Spoilt {
    let data = tree(&folder.join("input/replication_data"));
    let named = |fits: &dyn Fn(&[u8]) -> bool| -> Vec<String> {
        let found = data.iter().filter(|(_, bytes)| fits(bytes));
        found
            .map(|(name, _)| format!("`replication_data/{}`", name.display()))
            .collect()
    };
    Spoilt {
        pointers: named(&|bytes| bytes.starts_with(POINTER)),
        empty: named(&|bytes| bytes.is_empty()),
    }
}

#[test]
fn every_folder_is_checked_as_it_is() {
    let Some(studies) = studies() else { return };
    for (name, folder) in folders(&studies) {
        let called = call(&["check", folder.to_str().unwrap(), "--json"]);
        let checked = json(&called);
        let runs = WITH_DATA.contains(&name.as_str());
        assert_eq!(called.status, if runs { 0 } else { 3 }, "{name}");
        assert_eq!(checked["runnable"], runs, "{name}");
        assert!(checked["claim"]["statement"].as_str().unwrap().len() > 40);
        assert!(checked["claim"]["hypotheses"].as_str().unwrap().len() > 20);
        let sentences: Vec<&str> = checked["problems"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|problem| problem["sentence"].as_str())
            .collect();
        let Spoilt { pointers, empty } = spoilt(&folder);
        for (files, way_out) in [
            (&pointers, "git lfs pull"),
            (&empty, "fetch it again or remove it"),
        ] {
            for file in files {
                let told = sentences
                    .iter()
                    .any(|one| one.contains(file) && one.contains(way_out));
                assert!(told, "{name} says nothing of {file}: {sentences:?}");
            }
        }
        let files = checked["files"].as_array().unwrap().len();
        println!(
            "{name}: {files} files, {} pointers, {} empty, can be run: {runs}",
            pointers.len(),
            empty.len()
        );
        assert_eq!(files, tree(&folder.join("input/replication_data")).len());
    }
}

fn run(folder: &Path, out: &Path, stages: &str, mode: &str) -> Called {
    let model = format!("scripted:{}", recording("any").display());
    let (folder, out) = (folder.to_str().unwrap(), out.to_str().unwrap());
    call(&[
        "run",
        folder,
        "--model",
        &model,
        "--code-mode",
        mode,
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--stages",
        stages,
        "--out",
        out,
    ])
}

#[test]
fn every_folder_is_read_and_searched_as_it_is() {
    let Some(studies) = studies() else { return };
    for (name, folder) in folders(&studies) {
        let before = tree(&folder);
        let out = fresh(&format!("any-{name}"));
        let called = run(&folder, &out, "extract..search", "native");
        assert_eq!(called.status, 0, "{name}: {}{}", called.stdout, called.stderr);
        assert!(tree(&folder) == before, "{name} was written");
        let workspace = out.join("workspace");
        let left_behind = spoilt(&folder).pointers;
        for (file, bytes) in tree(&folder.join("input/replication_data")) {
            let (data, work) = (
                workspace.join("replication_data").join(&file),
                workspace.join("work").join(&file),
            );
            let quoted = format!("`replication_data/{}`", file.display());
            if left_behind.contains(&quoted) {
                assert!(!data.exists() && !work.exists(), "{name}: {quoted}");
            } else {
                let staged = if data.exists() { data } else { work };
                assert!(fs::read(&staged).unwrap() == bytes, "{name}: {quoted}");
            }
        }
        let answer: Value =
            serde_json::from_slice(&fs::read(out.join("artifacts/post_registration.json")).unwrap()).unwrap();
        assert!(answer["original_study"].is_object());
        println!("{name}: {}", called.stdout.lines().next().unwrap_or_default());
    }
}

#[test]
fn a_folder_without_data_is_refused_by_name() {
    let Some(studies) = studies() else { return };
    for (name, folder) in folders(&studies) {
        if WITH_DATA.contains(&name.as_str()) {
            continue;
        }
        let out = fresh(&format!("refused-{name}"));
        // In native mode a machine without Stata is named first.
        let called = run(&folder, &out, "extract..interpret", "python");
        assert_eq!(called.status, 3, "{name}: {}", called.stderr);
        let Spoilt { pointers, empty } = spoilt(&folder);
        for file in pointers.iter().chain(&empty) {
            assert!(
                called.stderr.contains(file.as_str()),
                "{name} says nothing of {file}: {}",
                called.stderr
            );
        }
        println!("{}", called.stderr.trim());
    }
}
