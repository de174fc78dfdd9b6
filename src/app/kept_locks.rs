//! The locks of days that several runs have in common: each is made once, and kept in a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use crate::effects::dated_lock::parse;
use crate::effects::ports::{DatedIndexes, ToldOfWaits};
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::run::event::CallRef;
use crate::settings::Settings;

use super::live_indexes;

/// A folder of locks by what they were made for, with the indexes behind it.
pub struct KeptLocks {
    settings: Settings,
    folder: PathBuf,
}

impl KeptLocks {
    /// The locks of a folder, which need not be there.
    pub fn new(settings: &Settings, folder: &Path) -> Self {
        Self {
            settings: settings.clone(),
            folder: folder.to_owned(),
        }
    }

    /// The same, as a port.
    pub fn shared(settings: &Settings, folder: &Path) -> Arc<dyn DatedIndexes> {
        Arc::new(Self::new(settings, folder))
    }

    /// The lock of a draft: the one that is kept, else one that is made and kept.
    ///
    /// # Errors
    /// An index that does not answer, or a folder or a file in it that cannot be used.
    pub async fn lock(&self, draft: LockDraft) -> Result<EnvironmentLock, EngineError> {
        self.lock_told(draft, &|_| {}).await
    }

    async fn lock_told(
        &self,
        draft: LockDraft,
        told: ToldOfWaits<'_>,
    ) -> Result<EnvironmentLock, EngineError> {
        let path = self.folder.join(format!("{}.json", draft.content_digest().hex()));
        if let Some(kept) = kept(&path)? {
            return Ok(kept);
        }
        let made = live_indexes::settle(&self.settings, draft, told).await?;
        let text = made.text();
        let text =
            text.map_err(|error| EngineError::Unusable(format!("the lock cannot be kept: {error}")))?;
        fs::create_dir_all(&self.folder).map_err(|error| EngineError::io(&self.folder, error))?;
        match atomic_file::create(&path, text.as_bytes()) {
            Ok(()) => Ok(made),
            // Another run was faster, and its lock stands.
            Err(error) => kept(&path)?.ok_or(error),
        }
    }
}

/// The lock of a file; `None` where there is no such file.
fn kept(path: &Path) -> Result<Option<EnvironmentLock>, EngineError> {
    match fs::read(path) {
        Ok(text) => parse(&text).map(Some).map_err(|error| {
            EngineError::Unusable(format!(
                "{}: {error}; remove it to have it made anew",
                path.display()
            ))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io(path, error)),
    }
}

#[async_trait]
impl DatedIndexes for KeptLocks {
    async fn settle(
        &self,
        _: CallRef,
        draft: LockDraft,
        told: ToldOfWaits<'_>,
    ) -> Result<EnvironmentLock, EngineError> {
        self.lock_told(draft, told).await
    }
}
