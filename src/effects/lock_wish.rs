//! The wish for a lock of a day: the packages that an environment is to have, for the interpreter that the sandbox has.

use crate::domain::execution::EnvironmentSpec;
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::environment::dated::DatedNeeds;
use crate::environment::lock_draft::LockDraft;
use crate::environment::release_span::release_numbers;
use crate::sandbox::contract::Sandbox;

/// An environment as it is asked for, before it is held to a lock.
#[derive(Debug, Clone, PartialEq)]
pub struct LockWish {
    pub spec: EnvironmentSpec,
    /// Whether its image stands although it is of an interpreter alone, since the operator chose it.
    pub keeps_image: bool,
}

impl LockWish {
    /// The wish of a plan, whose image of an interpreter gives way to that of the day.
    pub fn of_plan(spec: &EnvironmentSpec) -> Self {
        Self {
            spec: spec.clone(),
            keeps_image: false,
        }
    }

    /// The draft of its lock.
    ///
    /// # Errors
    /// A sandbox that fails.
    pub async fn draft(
        &self,
        dated: &DatedNeeds,
        sandbox: Option<&dyn Sandbox>,
    ) -> Result<LockDraft, EngineError> {
        let python = match sandbox.filter(|_| self.spec.python.is_some()) {
            Some(sandbox) => python_here(sandbox, &self.of_the_day(dated)).await?,
            None => None,
        };
        Ok(dated.draft(&self.spec, python.as_deref()))
    }

    /// The draft with the releases of Python that may stand in the chosen one's place and that the sandbox has.
    ///
    /// # Errors
    /// A sandbox that fails.
    pub async fn with_releases(
        &self,
        draft: LockDraft,
        dated: &DatedNeeds,
        sandbox: Option<&dyn Sandbox>,
    ) -> Result<LockDraft, EngineError> {
        let Some(sandbox) = sandbox.filter(|_| draft.may_change_release()) else {
            return Ok(draft);
        };
        let asked = self.of_the_day(dated);
        let Ok(seem) = sandbox.python_releases(&asked).await else {
            return Ok(draft);
        };
        let draft = draft.with_releases(seem);
        let mut had = Vec::new();
        for release in draft.python_releases().order.into_iter().skip(1) {
            let spec = EnvironmentSpec {
                python_version: Some(release.clone()),
                ..asked.clone()
            };
            let here = python_here(sandbox, &spec).await?;
            if here.is_some_and(|here| release_numbers(&here) == release_numbers(&release)) {
                had.push(release);
            }
        }
        Ok(draft.with_releases(had))
    }

    fn of_the_day(&self, dated: &DatedNeeds) -> EnvironmentSpec {
        let asked = dated.of_the_day(&self.spec);
        match self.keeps_image {
            true => EnvironmentSpec {
                base_image: self.spec.base_image.clone(),
                ..asked
            },
            false => asked,
        }
    }
}

/// The Python that a sandbox has for an environment; `None` where it is the environment that is wrong.
async fn python_here(sandbox: &dyn Sandbox, asked: &EnvironmentSpec) -> Result<Option<String>, EngineError> {
    match sandbox.python_of(asked).await {
        Ok(python) => Ok(python),
        Err(failure) if failure.cause == FailureCause::Infrastructure => {
            Err(EngineError::Environment(failure))
        }
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
#[path = "lock_wish_tests.rs"]
mod tests;
