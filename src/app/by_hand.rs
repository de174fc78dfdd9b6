//! A person in the place of a run's model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use crate::agent::by_hand::code::{self, Script};
use crate::agent::by_hand::desk::{Desk, HandWork};
use crate::agent::by_hand::files::{self, HandFiles};
use crate::agent::by_hand::filled_form::{self, FormRules, FormSyntax};
use crate::agent::by_hand::person::{PersonModel, Workplace};
use crate::catalog::stages::load::Catalog;
use crate::domain::conversation::ChatResponse;
use crate::domain::stage::Stage;
use crate::effects::ports::Person;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::name::HUMAN;
use crate::settings::Settings;
use crate::study::open::Study;

/// The name of a person whose name the environment does not tell.
const NAMELESS: &str = "unnamed";

/// A person without a desk: what `--model human` means before there is a run.
pub struct AbsentPerson;

#[async_trait]
impl ChatModel for AbsentPerson {
    fn name(&self) -> &str {
        HUMAN
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatResponse, ModelError> {
        Err(ModelError::Misconfigured(
            "a person can be the model of a run, and of nothing else".to_owned(),
        ))
    }
}

/// Work that a person has done before the run begins.
#[derive(Debug, Clone, Default)]
pub struct GivenWork {
    /// The answer of the design stage, in JSON or as its form.
    pub plan: Option<PathBuf>,
    /// A folder of scripts.
    pub code: Option<PathBuf>,
}

impl GivenWork {
    /// True where nothing is given.
    pub fn is_nothing(&self) -> bool {
        self.plan.is_none() && self.code.is_none()
    }

    /// Holds the plan and the scripts to what a run takes, before there is one.
    ///
    /// # Errors
    /// A plan that does not fit, with every fault and its line, or scripts that cannot be taken.
    pub fn check(&self) -> Result<(), EngineError> {
        if let Some(path) = &self.plan {
            let rules = FormRules {
                stage: Stage::DESIGN,
                own_schema: None,
                criterion: None,
            };
            let form =
                files::read(path, syntax(path)).map_err(|error| EngineError::Unusable(error.to_string()))?;
            filled_form::read(&form.text, form.syntax, rules).map_err(|faults| {
                let faults: Vec<String> = faults.iter().map(|fault| format!("- {fault}")).collect();
                EngineError::Unusable(format!(
                    "{} is no plan that can be carried out:\n{}",
                    path.display(),
                    faults.join("\n")
                ))
            })?;
        }
        self.scripts().map(|_| ())
    }

    /// Lays plan and scripts down in the folder of a run.
    ///
    /// # Errors
    /// A folder that cannot be written, or files that cannot be read any more.
    pub fn lay_out(&self, folder: &RunFolder) -> Result<(), EngineError> {
        if self.is_nothing() {
            return Ok(());
        }
        let files = HandFiles::new(folder.path());
        let failed = |error: io::Error| EngineError::Unusable(error.to_string());
        files.lay_out().map_err(failed)?;
        if let Some(path) = &self.plan {
            let form = files::read(path, syntax(path)).map_err(failed)?;
            let to = match form.syntax {
                FormSyntax::Json => files.given(Stage::DESIGN),
                FormSyntax::Toml => files.form(Stage::DESIGN),
            };
            files.write_once(&to, &form.text).map_err(failed)?;
        }
        for script in self.scripts()? {
            let to = script.path.below(&files.code());
            let parent = to.parent().unwrap_or(&to);
            fs::create_dir_all(parent).map_err(|error| EngineError::io(parent, error))?;
            fs::write(&to, &script.text).map_err(|error| EngineError::io(&to, error))?;
        }
        Ok(())
    }

    fn scripts(&self) -> Result<Vec<Script>, EngineError> {
        let Some(folder) = &self.code else {
            return Ok(Vec::new());
        };
        code::scripts(folder)
            .map_err(|error| EngineError::Unusable(format!("--code {}: {error}", folder.display())))
    }
}

/// How a plan is written, by its name.
fn syntax(path: &Path) -> FormSyntax {
    match path.extension() {
        Some(extension) if extension == "toml" => FormSyntax::Toml,
        _ => FormSyntax::Json,
    }
}

/// The person who attends a run, as the one who sits at its desk.
struct AttendedDesk(Arc<dyn Person>);

#[async_trait]
impl Desk for AttendedDesk {
    async fn work(&self, work: &HandWork) -> bool {
        self.0.work(work).await
    }
}

/// The person who attends a run as its model.
pub fn person(
    settings: &Settings,
    request: &RunRequest,
    folder: &RunFolder,
    catalog: &Arc<Catalog>,
    person: &Arc<dyn Person>,
) -> PersonModel {
    let study = Study::open(&request.study).ok();
    PersonModel::new(
        HUMAN,
        Workplace {
            files: HandFiles::new(folder.path()),
            workspace: folder.workspace(),
            catalog: catalog.clone(),
            criterion: study.and_then(|study| study.claim().criterion.clone()),
            desk: Arc::new(AttendedDesk(person.clone())),
            author: settings.author().unwrap_or(NAMELESS).to_owned(),
        },
    )
}
