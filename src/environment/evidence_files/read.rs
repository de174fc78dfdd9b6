//! Every file of a folder that tells of its time and software.

use std::fs;
use std::path::Path;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence};
use super::super::script_kind::ScriptKind;
use super::super::source_tree::{SourceFile, SourceTree};
use super::listed::Listing;
use super::pyproject::{self, ProjectFile};
use super::{
    conda_file, deposit, description, dockerfile, git, included, renv_lock, script_block, texts, toml_locks,
    unread, version_files, written_dates,
};
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::study::layout::MANIFEST;
use crate::study::open::TEXT_CAP;

static YEAR: LazyRegex = LazyRegex::new(r"\(((?:19|20)[0-9]{2})[a-z]?\)");

/// What a project of Python asks for.
const PROJECT: &str = "pyproject.toml";
/// Bytes of a log or a note at most.
const LARGEST_TEXT: u64 = 4 << 20;
/// Seconds within which files that were written at once lie.
const AT_ONCE: i64 = 120;

/// The kinds of files that tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TellingFile {
    Renv,
    Versions,
    TomlLock,
    Requirements,
    Conda,
    Dockerfile,
    Deposit,
    Project,
    Description,
    Text,
}

fn telling(file: &SourceFile) -> Option<TellingFile> {
    let name = file.name();
    let lower = name.to_ascii_lowercase();
    Some(match lower.as_str() {
        "renv.lock" => TellingFile::Renv,
        name if version_files::is_name(name) => TellingFile::Versions,
        "poetry.lock" | "uv.lock" | "pylock.toml" => TellingFile::TomlLock,
        name if name.starts_with("pylock.") && name.ends_with(".toml") => TellingFile::TomlLock,
        "dockerfile" | "containerfile" => TellingFile::Dockerfile,
        PROJECT => TellingFile::Project,
        "description" if name == "DESCRIPTION" => TellingFile::Description,
        _ if deposit::is_description(&lower) => TellingFile::Deposit,
        _ if included::is_requirements(&file.path) => TellingFile::Requirements,
        _ => match file.extension().as_str() {
            "log" | "out" | "rout" | "smcl" | "md" => TellingFile::Text,
            "yml" | "yaml" => TellingFile::Conda,
            "txt" if lower != "initial_details.txt" => TellingFile::Text,
            "" if lower.starts_with("readme") => TellingFile::Text,
            _ => return None,
        },
    })
}

/// Reads what the files of a folder tell of their time and software.
pub fn read(tree: &SourceTree) -> FoundEvidence {
    let mut found = FoundEvidence::default();
    for file in &tree.files {
        if unread::ask(file, &mut found) {
            continue;
        }
        if let Some(telling) = telling(file) {
            one(file, telling, tree, &mut found);
        } else if ScriptKind::of(file.name()).is_some()
            && file.size <= LARGEST_TEXT
            && let Ok(text) = file.text()
        {
            found.evidence.extend(written_dates::read(&file.path, &text));
            if file.extension() == "py" {
                script_block::read(&file.path, &text, &mut found);
            }
            let comments = comments(&text);
            texts::read(&file.path, &comments, &mut found);
        }
    }
    included::follow(tree, &mut found);
    found.evidence.extend(publication(&tree.root));
    found.evidence.extend(git::newest_commit(&tree.root));
    found.evidence.extend(file_change(tree));
    found
}

/// The comments of a script, each on its line.
fn comments(text: &str) -> String {
    let comment = |line: &str| {
        let trimmed = line.trim_start();
        match trimmed.starts_with(['#', '*']) || trimmed.starts_with("//") {
            true => format!("{}\n", trimmed.trim_start_matches(['#', '*', '/', '>'])),
            false => "\n".to_owned(),
        }
    };
    text.lines().map(comment).collect()
}

fn one(file: &SourceFile, telling: TellingFile, tree: &SourceTree, found: &mut FoundEvidence) {
    let path = file.path.as_str();
    let may_tell_nothing = matches!(
        telling,
        TellingFile::Text | TellingFile::Deposit | TellingFile::Description | TellingFile::Conda
    );
    if may_tell_nothing && file.size > LARGEST_TEXT {
        return;
    }
    if telling == TellingFile::Dockerfile {
        let read = match file.bytes() {
            Ok(bytes) => dockerfile::read(file, &bytes, tree, found).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(problem) = read {
            found.fault(path, problem);
        }
        return;
    }
    let text = match file.text() {
        Ok(text) => text,
        Err(_) if may_tell_nothing => return,
        Err(error) => return found.fault(path, error),
    };
    let read = match telling {
        TellingFile::Renv => renv_lock::read(path, &text, found).map_err(|error| error.to_string()),
        TellingFile::Versions => {
            version_files::read(path, &text, found);
            Ok(())
        }
        TellingFile::TomlLock => {
            let project = project_beside(file, tree);
            toml_locks::read(path, &text, project.as_ref(), found).map_err(|error| error.to_string())
        }
        TellingFile::Project => pyproject::read(path, &text, found).map_err(|error| error.to_string()),
        TellingFile::Description => {
            description::read(path, &text, found);
            Ok(())
        }
        TellingFile::Requirements => {
            included::read(path, &text, found);
            Ok(())
        }
        TellingFile::Conda => {
            conda_file::read(path, &text, found);
            Ok(())
        }
        TellingFile::Deposit => {
            // Data may have such a name, too: what is no description tells nothing.
            found.evidence.extend(deposit::read(path, &text).ok().flatten());
            Ok(())
        }
        TellingFile::Text | TellingFile::Dockerfile => {
            // A log or a note may hold such a list among other lines.
            match Listing::marked(&text).filter(|_| file.extension() == "txt") {
                Some(listing) => listing.read(path, &text, found),
                None => texts::read(path, &text, found),
            }
            Ok(())
        }
    };
    if let Err(problem) = read {
        found.fault(
            path,
            format!("it is no such lock: {}", excerpt::first_line(&problem)),
        );
    }
}

/// The project whose lock a file is.
fn project_beside(lock: &SourceFile, tree: &SourceTree) -> Option<ProjectFile> {
    let is_it = |file: &&SourceFile| file.folder() == lock.folder() && file.name() == PROJECT;
    let text = tree.files.iter().find(is_it)?.text().ok()?;
    ProjectFile::parse(&text).ok()
}

/// The year of the paper, from its citation in `study.toml`, of which nothing else is told.
fn publication(root: &Path) -> Option<Evidence> {
    let manifest = root.join(MANIFEST);
    let known = fs::symlink_metadata(&manifest).ok()?;
    (known.is_file() && known.len() <= TEXT_CAP).then_some(())?;
    let table: toml::Table = toml::from_str(&fs::read_to_string(manifest).ok()?).ok()?;
    let citation = table.get("citation")?.as_str()?;
    let year = &YEAR.captures(citation)?[1];
    let day = format!("{year}-12-31").parse().ok();
    let says = format!("The paper is of {year}; the analysis may be up to two years older.");
    Some(Evidence::new(EvidenceKind::Publication, MANIFEST, says).dated(day))
}

/// The newest change of a script. Where all were written at once it is the day of a copy.
fn file_change(tree: &SourceTree) -> Option<Evidence> {
    let scripts = tree
        .files
        .iter()
        .filter(|file| ScriptKind::of(file.name()).is_some());
    let dated = || scripts.clone().filter(|file| file.changed.is_some());
    let newest = dated().max_by_key(|file| file.changed)?;
    let instant = newest.changed?;
    let day = instant.to_zoned(jiff::tz::TimeZone::UTC).date();
    let all = tree.files.iter().filter_map(|file| file.changed);
    let oldest = all.min().unwrap_or(instant);
    let is_copy = instant.as_second() - oldest.as_second() <= AT_ONCE;
    let (kind, file, says) = match is_copy {
        // Which of them a copy wrote last tells nothing, and is another at the next one.
        true => (
            EvidenceKind::CopyDay,
            dated().min_by_key(|file| &file.path)?,
            format!("All files were written at once, on {day}: the day of this copy, not of the analysis."),
        ),
        false => (
            EvidenceKind::FileChange,
            newest,
            format!("The newest script was changed on {day}."),
        ),
    };
    Some(Evidence::new(kind, &file.path, says).dated(Some(day)))
}
