//! A Dockerfile as the packages that it installs.

use std::path::Path;

use super::base_image::{python_version, r_version};
use super::base_table;
use super::error::DockerfileError;
use super::instructions::{Instruction, instructions};
use super::published::{NotFollowedReason, PublishedEnvironment};
use super::reading::{CapsuleFiles, Reading};
use super::run;
use super::shell::{self, ShellWord, assignment};
use super::text::{LARGEST, decoded};
use super::variables::Variables;
use crate::domain::excerpt;

/// Stages, files of requirements and copies that are looked into at most.
const MOST: usize = 32;

/// A stage of a Dockerfile.
struct DockerfileStage {
    line: usize,
    name: String,
    base: String,
    reading: Reading,
}

/// Files that `COPY` and `ADD` put into the image.
struct CopiedFile {
    from: String,
    to: String,
}

/// Reads a Dockerfile. `files` gives a file of the capsule by its path in the folder of the
/// Dockerfile or in that of the capsule.
///
/// # Errors
/// A file of more than a mebibyte, and one that is no text.
pub fn read(content: &[u8], files: CapsuleFiles<'_>) -> Result<PublishedEnvironment, DockerfileError> {
    if content.len() > LARGEST {
        return Err(DockerfileError::TooLarge);
    }
    let text = decoded(content).ok_or(DockerfileError::NoText)?;
    let mut variables = Variables::default();
    let mut stages: Vec<DockerfileStage> = Vec::new();
    let mut copied: Vec<CopiedFile> = Vec::new();
    let asked = std::cell::Cell::new(0);
    let mut before = Reading::default();
    for instruction in instructions(&text) {
        let keyword = instruction.keyword.as_str();
        let reading = match stages.last_mut() {
            Some(stage) => &mut stage.reading,
            None => &mut before,
        };
        if instruction.has_here_document {
            reading.refuse(
                instruction.line,
                &whole(&instruction),
                NotFollowedReason::HereDocument,
            );
            continue;
        }
        match keyword {
            "FROM" => {
                let stage = stage(&instruction, &mut variables, &stages);
                // The oldest ones are those that the last is least likely to begin with.
                if stages.len() >= MOST {
                    stages.remove(0);
                }
                stages.push(stage);
            }
            "ARG" | "ENV" => assign(&instruction, &mut variables),
            "RUN" => {
                let file = |path: &str| {
                    asked.set(asked.get() + 1);
                    (asked.get() <= MOST)
                        .then(|| named(path, &copied, files))
                        .flatten()
                };
                run::read(&instruction, &mut variables, &file, reading);
            }
            // Neither installs anything.
            "MAINTAINER" | "LABEL" | "EXPOSE" | "CMD" | "WORKDIR" => {}
            _ => {
                if matches!(keyword, "COPY" | "ADD") && copied.len() < MOST {
                    copied.extend(copies(&instruction, &mut variables));
                }
                reading.refuse(
                    instruction.line,
                    &whole(&instruction),
                    NotFollowedReason::Instruction,
                );
            }
        }
    }
    Ok(published(stages, before))
}

fn whole(instruction: &Instruction) -> String {
    format!("{}{}", instruction.keyword, instruction.text)
}

/// The words behind a keyword, without its flags.
fn words(instruction: &Instruction, variables: &mut Variables) -> Vec<ShellWord> {
    let commands = shell::commands(&instruction.text, variables);
    variables.end_run();
    let words = commands.into_iter().flat_map(|command| command.words);
    words.skip_while(|word| word.text.starts_with("--")).collect()
}

fn stage(
    instruction: &Instruction,
    variables: &mut Variables,
    stages: &[DockerfileStage],
) -> DockerfileStage {
    let words = words(instruction, variables);
    let text = |index: usize| words.get(index).map_or("", |word| word.text.as_str());
    let name = match text(1).eq_ignore_ascii_case("as") {
        true => text(2).to_ascii_lowercase(),
        false => String::new(),
    };
    let base = excerpt::start(text(0), 300).to_owned();
    let earlier = stages
        .iter()
        .rev()
        .find(|stage| !stage.name.is_empty() && stage.name.eq_ignore_ascii_case(&base));
    match earlier {
        Some(earlier) => DockerfileStage {
            line: earlier.line,
            name,
            base: earlier.base.clone(),
            reading: earlier.reading.clone(),
        },
        None => DockerfileStage {
            line: instruction.line,
            name,
            base,
            reading: Reading::default(),
        },
    }
}

/// `NAME=value ...`, or `NAME the value`.
fn assign(instruction: &Instruction, variables: &mut Variables) {
    let text = instruction.text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    if !first.contains('=') {
        if instruction.keyword == "ENV" {
            let value = text.get(first.len()..).unwrap_or_default().trim();
            variables.set(first, value);
        }
        return;
    }
    // A word before them keeps them from being a shell's own.
    for word in words_of_assignments(text, variables) {
        if let Some(found) = assignment(&word.text).filter(|_| !word.is_dynamic) {
            variables.set(found.name, found.value);
        }
    }
}

fn words_of_assignments(text: &str, variables: &mut Variables) -> Vec<ShellWord> {
    let commands = shell::commands(&format!("set {text}"), variables);
    variables.end_run();
    commands.into_iter().flat_map(|command| command.words).collect()
}

fn copies(instruction: &Instruction, variables: &mut Variables) -> Vec<CopiedFile> {
    let json: Option<Vec<String>> = serde_json::from_str(instruction.text.trim()).ok();
    let words = json.unwrap_or_else(|| {
        let words = words(instruction, variables).into_iter();
        words.map(|word| word.text).collect()
    });
    let Some((to, from)) = words.split_last() else {
        return Vec::new();
    };
    let is_several = from.len() > 1;
    let copy = |from: &String| {
        let name = file_name(from);
        let is_folder = is_several || to.ends_with(['/', '.']) || !file_name(to).contains('.');
        CopiedFile {
            from: from.clone(),
            to: match is_folder {
                true => format!("{}/{name}", to.trim_end_matches(['/', '.'])),
                false => to.clone(),
            },
        }
    };
    from.iter().take(MOST).map(copy).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// A file that a command names: where it was copied from, or of its name.
fn named(path: &str, copied: &[CopiedFile], files: CapsuleFiles<'_>) -> Option<Vec<u8>> {
    let bare = |path: &str| path.trim_start_matches(['.', '/']).to_owned();
    let by_path = copied.iter().rev().find(|file| bare(&file.to) == bare(path));
    let by_name = || {
        copied
            .iter()
            .rev()
            .find(|file| file_name(&file.to) == file_name(path))
    };
    let from = by_path.or_else(by_name).map(|file| bare(&file.from));
    let candidates = [from, Some(bare(path)), Some(file_name(path).to_owned())];
    let is_inside = |path: &String| {
        let mut parts = Path::new(path).components();
        !path.is_empty() && parts.all(|part| matches!(part, std::path::Component::Normal(_)))
    };
    candidates
        .into_iter()
        .flatten()
        .filter(is_inside)
        .find_map(|path| files(&path))
}

/// The last stage, and the lines of those that it does not begin with.
fn published(mut stages: Vec<DockerfileStage>, before: Reading) -> PublishedEnvironment {
    let last = stages.pop();
    let mut environment = PublishedEnvironment::default();
    let mut not_followed = before.not_followed;
    let Some(DockerfileStage {
        line,
        base,
        mut reading,
        ..
    }) = last
    else {
        environment.not_followed = not_followed;
        return environment;
    };
    for stage in stages.iter().filter(|stage| stage.line != line) {
        let mut earlier = Reading::default();
        earlier.refuse(
            stage.line,
            &format!("FROM {}", stage.base),
            NotFollowedReason::EarlierStage,
        );
        not_followed.append(&mut earlier.not_followed);
    }
    not_followed.append(&mut reading.not_followed);
    let adapted = [
        (
            reading.has_conda,
            "packages of conda are taken from the Python index, by their names there",
        ),
        (
            reading.has_debian_versions,
            "Debian packages are those of the image's release, in whichever version it has them",
        ),
    ];
    PublishedEnvironment {
        languages: base_table::languages(&base),
        python_version: reading.python_version.or_else(|| python_version(&base)),
        r_version: reading.r_version.or_else(|| r_version(&base)),
        base: Some(base).filter(|base| !base.is_empty()),
        python: reading.python.into_values().collect(),
        r: reading.r,
        system: reading.system,
        adapted: adapted
            .into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, words)| words.to_owned())
            .collect(),
        not_followed,
    }
}
