//! `reprise clean`.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use walkdir::WalkDir;

use crate::settings::Settings;

use super::args::CleanArgs;
use super::exit::{Failure, Status};
use super::output::Printer;

/// Removes what reprise keeps in its cache: environments and scratch folders.
/// Runs and studies are never touched.
pub fn clean(settings: &Settings, printer: Printer, args: &CleanArgs) -> Result<Status, Failure> {
    let mut removed = Vec::new();
    for folder in ["environments", "scratch"].map(|name| settings.cache.join(name)) {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let bytes: u64 = WalkDir::new(&path)
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.metadata().ok())
                .map(|metadata| metadata.len())
                .sum();
            if !args.dry_run {
                let gone = if path.is_dir() {
                    fs::remove_dir_all(&path)
                } else {
                    fs::remove_file(&path)
                };
                gone.map_err(|error| {
                    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
                })?;
            }
            removed.push((path, bytes));
        }
    }
    if args.json {
        let list: Vec<_> = removed
            .iter()
            .map(|(path, bytes)| json!({ "path": path, "bytes": bytes }))
            .collect();
        printer.json(&json!({ "dry_run": args.dry_run, "removed": list }))?;
    } else {
        let word = if args.dry_run { "would remove" } else { "removed" };
        for (path, bytes) in &removed {
            printer.line(format!(
                "{word} {} ({:.1} MB)",
                path.display(),
                *bytes as f64 / 1e6
            ));
        }
        let total: u64 = removed.iter().map(|(_, bytes)| bytes).sum();
        printer.line(format!(
            "{word} {} folders and files, {:.1} MB",
            removed.len(),
            total as f64 / 1e6
        ));
    }
    Ok(Status::Done)
}
