//! Invented numbers on every released folder that ships data.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::agent::Agent;
use super::attempt::verdict;

use crate::need;

/// The scripts: one prints, one records, one reads the data and pays no heed to them.
fn scripts(data: &str) -> [(&'static str, String); 3] {
    let recorded =
        r#"{"term": "x", "estimate": 0.8, "se": 0.2, "p": {"value": 0.0001, "sides": 2}, "n": 750}"#;
    [
        (
            "prints",
            "print(\"x estimate 0.8 SE 0.2 p = 0.0001 N = 750\")\n".to_owned(),
        ),
        (
            "records",
            format!("open(\"results.jsonl\", \"a\").write('{recorded}\\n')\n"),
        ),
        (
            "ignores",
            format!(
                "size = len(open(\"../{data}\", \"rb\").read())\nestimate = 1.8 - bool(size)\n\
                 print(f\"x estimate {{estimate}} SE {{estimate / 4}} p = 0.0001 N = 750\")\n"
            ),
        ),
    ]
}

/// The folders of the released studies that hold data, each with its first data file.
fn folders() -> Option<Vec<(PathBuf, String)>> {
    let root = need::shared("data/replicatorbench/original")?;
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let input = folder.join("input");
        let data = walkdir::WalkDir::new(input.join("replication_data"))
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .find(|entry| {
                let name = entry.file_name().to_string_lossy().to_lowercase();
                let is_data = [".csv", ".dta", ".sav", ".rds", ".rdata", ".xlsx", ".tab"];
                entry.file_type().is_file()
                    && is_data.iter().any(|end| name.ends_with(end))
                    && !is_pointer(entry.path())
            });
        if let Some(data) = data {
            let path = data
                .path()
                .strip_prefix(&input)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            found.push((folder, path));
        }
    }
    found.sort();
    Some(found)
}

/// Whether a file stands for data that were not fetched, or is empty.
fn is_pointer(path: &Path) -> bool {
    let mut head = [0; 24];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut head));
    read.is_ok_and(|bytes| bytes == 0) || head.starts_with(b"version https://git-lfs")
}

#[test]
fn invented_numbers_decide_nothing_on_any_released_folder() {
    let Some(folders) = folders() else {
        return;
    };
    // The whole takes minutes.
    let all = std::env::var("REPRISE_TRAPS").is_ok_and(|asked| asked == "all");
    let few = if all { folders.len() } else { 2 };
    let mut undeserved = Vec::new();
    for (folder, data) in folders.iter().take(few) {
        for (way, script) in scripts(data) {
            let finding =
                json!({"term": "x", "value": 0.8, "standard_error": 0.2, "p_value": 0.0001, "n": 750});
            let agent = |out: &Path| Agent::with_script(out, &script, std::slice::from_ref(data), finding);
            let name = format!("{way}-{}", folder.file_name().unwrap().to_string_lossy());
            let verdict = verdict(&name, folder, &["--code-mode", "python"], agent);
            let outcome = verdict["outcome"].as_str().unwrap_or_default();
            let line = format!(
                "{name:12} {outcome:13} {} {}",
                verdict["cause"], verdict["reason"]
            );
            println!("{line}");
            if matches!(outcome, "met" | "unmet") {
                undeserved.push(line);
            }
        }
    }
    println!(
        "{} folders, 3 ways: {} undeserved verdicts",
        few.min(folders.len()),
        undeserved.len()
    );
    assert!(undeserved.is_empty(), "{}", undeserved.join("\n"));
}
