//! The indexes of the operator's settings, asked for the locks of runs.

use std::sync::Arc;

use async_trait::async_trait;

use crate::effects::ports::{DatedIndexes, ToldOfWaits};
use crate::engine::error::EngineError;
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::network::package_index::locking::AskedIndexes;
use crate::network::package_index::news::IndexNews;
use crate::run::event::CallRef;
use crate::settings::Settings;

use super::r_versions;

/// The indexes that the settings name.
pub struct LiveIndexes {
    settings: Settings,
}

impl LiveIndexes {
    /// The indexes of some settings, as a port.
    pub fn shared(settings: &Settings) -> Arc<dyn DatedIndexes> {
        Arc::new(Self {
            settings: settings.clone(),
        })
    }
}

/// The lock of a draft; `told` gets a sentence every some seconds in which an index does not answer.
///
/// # Errors
/// An index that cannot be asked, that does not answer, or that gives no dates.
pub async fn settle(
    settings: &Settings,
    draft: LockDraft,
    told: ToldOfWaits<'_>,
) -> Result<EnvironmentLock, EngineError> {
    let on_news = |_: Language, news: &IndexNews| {
        if let Some(sentence) = news.wait_sentence() {
            told(&sentence);
        }
    };
    let asked = AskedIndexes {
        settings,
        python: None,
        on_news: &on_news,
    };
    let draft = r_versions::settle(settings, None, draft).await?;
    Ok(asked.settle(draft).await?)
}

#[async_trait]
impl DatedIndexes for LiveIndexes {
    async fn settle(
        &self,
        _: CallRef,
        draft: LockDraft,
        told: ToldOfWaits<'_>,
    ) -> Result<EnvironmentLock, EngineError> {
        settle(&self.settings, draft, told).await
    }
}
