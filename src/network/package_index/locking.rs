//! A lock, made by asking the indexes.

use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::environment::python_index::first_day::PinnedDay;
use crate::environment::python_index::platform::TargetPlatform;
use crate::environment::python_index::release_choice::CandidateReleases;
use crate::settings::Settings;

use super::addresses::IndexAddress;
use super::client::IndexClient;
use super::error::IndexError;
use super::news::IndexNews;
use super::python;

/// The indexes that are asked, and who is told how it goes.
#[derive(Clone, Copy)]
pub struct AskedIndexes<'a> {
    pub settings: &'a Settings,
    /// The index of Python in place of the settings'.
    pub python: Option<&'a str>,
    /// Told of each request, with its language.
    pub on_news: &'a (dyn Fn(Language, &IndexNews) + Send + Sync),
}

impl AskedIndexes<'_> {
    /// Settles a draft. Nothing is kept of an index that fails half-way.
    ///
    /// # Errors
    /// An index that cannot be asked, that does not answer, or that gives no dates.
    pub async fn settle(&self, draft: LockDraft) -> Result<EnvironmentLock, IndexError> {
        Ok(self.python(draft).await?.finish())
    }

    /// The version of Python's packages that came last, of some.
    ///
    /// # Errors
    /// An index that cannot be asked, that does not answer, or that gives no dates.
    pub async fn newest_of(&self, pinned: &[(String, String)]) -> Result<Option<PinnedDay>, IndexError> {
        let address = IndexAddress::python(self.python, self.settings)?;
        let on_news = |news: IndexNews| (self.on_news)(Language::Python, &news);
        let client = IndexClient::new(&address.url, self.settings, &on_news)?;
        let days = python::first_days(&client, pinned).await?;
        Ok(days.into_iter().max_by_key(|day| day.came))
    }

    async fn python(&self, mut draft: LockDraft) -> Result<LockDraft, IndexError> {
        let roots = draft.python_roots();
        if !roots.iter().any(|root| root.is_wanted) {
            return Ok(draft);
        }
        let releases = draft.python_releases();
        let targets = |releases: &[String]| -> Vec<TargetPlatform> {
            let all = releases.iter();
            all.filter_map(|one| TargetPlatform::new(one, std::env::consts::ARCH))
                .collect()
        };
        let mut order = releases.order;
        if let (Some(first), Some(full)) = (order.first_mut(), draft.full_python()) {
            full.clone_into(first);
        }
        let candidates = CandidateReleases {
            order: targets(&order),
            others: targets(&releases.others),
        };
        if candidates.order.is_empty() {
            draft.not_asked(
                Language::Python,
                "no version of Python is told that files could fit",
            );
            return Ok(draft);
        }
        let address = IndexAddress::python(self.python, self.settings)?;
        let on_news = |news: IndexNews| (self.on_news)(Language::Python, &news);
        let client = IndexClient::new(&address.url, self.settings, &on_news)?;
        if let Some(chosen) = python::resolve(&client, candidates, draft.until(), roots).await? {
            draft.take_python(address.shown(), &chosen);
        }
        Ok(draft)
    }
}
