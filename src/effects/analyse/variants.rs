//! Variants: what runs after the main analysis, each in a copy of the workspace.

use std::fs;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::catalog::artifacts::entries::variant_entries;
use crate::domain::plan::{EntryPoint, ExecutionPlan};
use crate::domain::r_defaults::RDefaults;
use crate::domain::result_line;
use crate::domain::stage::Stage;
use crate::domain::variant::{NAME_VARIABLE, Variant};
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::probe::scratch::{CopiedContent, Scratch};
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::session::Session;
use crate::policy::subject::{Command, VariantCommands};
use crate::run::event::CallRef;
use crate::sandbox::removal;

use super::declared_variant::{IdleVariant, RunnableVariant};
use super::rules::{CodeRules, Declared, check_entry};
use super::{command, file_copy, workspace_files};

/// The variants of a call: those that can be run, and those that cannot.
#[derive(Debug, Default)]
pub struct DeclaredVariants {
    pub runnable: Vec<RunnableVariant>,
    pub idle: Vec<IdleVariant>,
}

/// The variants of a call, each with what it runs, or with why it cannot.
pub fn declared(variants: &[Variant], main: &ExecutionPlan, rules: CodeRules<'_>) -> DeclaredVariants {
    let mut declared = DeclaredVariants::default();
    for variant in variants {
        let entries = variant_entries(variant, main)
            .map_err(|fault| format!("{fault}."))
            .and_then(|entries| {
                let unfit = entries.iter().find_map(|entry| check_entry(entry, rules).err());
                unfit.map_or(Ok(entries), |why| Err(why.to_string()))
            });
        let name = variant.name.clone();
        match entries {
            Ok(entries) => {
                let mut variables = variant.variables.clone();
                variables.insert(NAME_VARIABLE.to_owned(), name.clone());
                declared.runnable.push(RunnableVariant {
                    name,
                    entries,
                    variables,
                });
            }
            Err(why) => declared.idle.push(IdleVariant { name, why }),
        }
    }
    declared
}

/// The variants as an approval shows and digests them.
pub fn commands(
    variants: &[RunnableVariant],
    directory: &WorkspacePath,
    r_defaults: Option<RDefaults>,
) -> Vec<VariantCommands> {
    let command = |entry: &EntryPoint| Command {
        words: command::command(entry, r_defaults),
        directory: directory.clone(),
    };
    variants
        .iter()
        .map(|variant| VariantCommands {
            name: variant.name.clone(),
            commands: variant.entries.iter().map(command).collect(),
            variables: variant.variables.clone(),
        })
        .collect()
}

/// The lines of a question to the approver.
pub fn details(variants: &[VariantCommands]) -> String {
    let mut text = String::new();
    for variant in variants {
        let variables: Vec<String> = variant
            .variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        for command in &variant.commands {
            text.push_str(&format!(
                "variant   {}   (in a copy of {}, with {})\n",
                command.words.join(" "),
                command.directory,
                variables.join(", ")
            ));
        }
    }
    text
}

/// The copy of the workspace that a variant runs in.
pub struct VariantCopy {
    name: String,
    scratch: Scratch,
}

impl VariantCopy {
    /// Makes one of the workspace as the main analysis left it, but for its results file.
    ///
    /// # Errors
    /// A folder that cannot be made, or files that cannot be copied into it;
    /// [`EngineError::Stopped`] where `cancel` came first.
    pub fn make(folder: &RunFolder, name: String, cancel: &CancellationToken) -> Result<Self, EngineError> {
        let workspace = folder.workspace();
        let scratch = Scratch::make(folder.variant())?;
        scratch.workspace(&workspace, &|_| CopiedContent::Own)?;
        for folder in workspace_files::folders(&workspace, WorkspacePath::WORK)? {
            let folder = folder.below(scratch.path());
            fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
        }
        for path in workspace_files::paths(&workspace, WorkspacePath::WORK)?
            .into_iter()
            .filter(|path| path.as_str() != result_line::FILE)
        {
            let target = path.below(scratch.path());
            let copied = file_copy::copy(&path.below(&workspace), &target, cancel);
            copied.map_err(|error| workspace_files::stopped_or_io(&target, error))?;
        }
        Ok(Self { name, scratch })
    }

    pub fn path(&self) -> &Path {
        self.scratch.path()
    }
}

/// Removes a copy that a process which is gone has left.
///
/// # Errors
/// A copy that cannot be removed.
pub fn clear(session: &Session) -> Result<(), EngineError> {
    let folder = session.folder.variant();
    removal::remove(&folder).map_err(|error| EngineError::io(&folder, error))
}

/// Whether variants are run in a stage: they stand beside the result, in the stage that
/// gives it.
pub fn run_in(session: &Session, stage: Stage) -> bool {
    session.state.track().result_stage() == Some(stage)
}

/// A command of a variant that is to run.
pub struct DueVariant<'a> {
    /// The command's place among those of the variant, from 0.
    pub index: u32,
    pub entry: &'a EntryPoint,
    pub variant: &'a RunnableVariant,
}

/// The next command of a variant that is to run, after a main analysis that ended well.
///
/// A variant of several commands begins anew where the copy that its first ones changed
/// is gone, as after a stop.
pub fn next<'a>(
    session: &Session,
    at: CallRef,
    variants: &'a [RunnableVariant],
    copy: Option<&VariantCopy>,
) -> Option<DueVariant<'a>> {
    if !run_in(session, at.stage) {
        return None;
    }
    variants.iter().find_map(|variant| {
        let ran = session.state.executions.for_variant(at, &variant.name);
        let failed = ran
            .values()
            .any(|one| one.finished.as_ref().is_some_and(|end| !end.ending.ok()));
        let (index, entry) = (0..)
            .zip(&variant.entries)
            .find(|(index, _)| !ran.contains_key(index))?;
        if failed {
            return None;
        }
        let stands = copy.is_some_and(|copy| copy.name == variant.name);
        let (index, entry) = if index == 0 || stands {
            (index, entry)
        } else {
            (0, variant.entries.first()?)
        };
        Some(DueVariant {
            index,
            entry,
            variant,
        })
    })
}

/// How each variant ended, and nothing of what it gave: numbers of variants must not
/// lead whoever reports the main analysis.
pub fn tell(session: &Session, at: CallRef, declared: &Declared) -> String {
    let mut text = String::new();
    for variant in &declared.variants {
        let ran = session.state.executions.for_variant(at, &variant.name);
        let ends: Vec<_> = ran
            .values()
            .filter_map(|one| Some((&one.started.path, one.finished.as_ref()?.ending)))
            .collect();
        let end = match ends.iter().find(|(_, ending)| !ending.ok()) {
            Some((path, ending)) => format!("failed: `{path}` {}", ending.words()),
            None if ends.len() < variant.entries.len() => "was not run".to_owned(),
            None => "ran".to_owned(),
        };
        text.push_str(&format!("Variant `{}` {end}.\n", variant.name));
    }
    for idle in &declared.idle {
        text.push_str(&format!("Variant `{}` was not run. {}\n", idle.name, idle.why));
    }
    text
}
