//! A lock, made by asking the indexes.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::EnvArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::one_line;
use crate::environment::date::AsOf;
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::environment::python_index::platform::TargetPlatform;
use crate::environment::survey::EnvironmentSurvey;
use crate::network::package_index::addresses::IndexAddress;
use crate::network::package_index::client::IndexClient;
use crate::network::package_index::error::IndexError;
use crate::network::package_index::news::IndexNews;
use crate::network::package_index::{python, r};
use crate::settings::Settings;

/// Makes the lock of what a folder needs. Nothing is kept of an index that fails half-way.
///
/// # Errors
/// No date, an index that cannot be asked, or one without dates.
pub async fn make_lock(
    settings: &Settings,
    args: &EnvArgs,
    survey: &EnvironmentSurvey,
) -> Result<EnvironmentLock, Failure> {
    let as_of = survey.as_of.clone().ok_or_else(|| {
        Failure::usage("nothing tells the date of the analysis: say it with `--as-of DATE`".to_owned())
    })?;
    let machine = std::env::consts::ARCH;
    let draft = LockDraft::new(survey, as_of.clone(), &format!("linux-{machine}"));
    let live = LiveLine::new();
    let asked = Asking {
        settings,
        args,
        as_of: &as_of,
        live: &live,
    };
    let draft = asked.python(draft, machine).await?;
    let draft = asked.r(draft).await?;
    Ok(draft.finish())
}

struct Asking<'a> {
    settings: &'a Settings,
    args: &'a EnvArgs,
    as_of: &'a AsOf,
    live: &'a LiveLine,
}

impl Asking<'_> {
    async fn python(&self, mut draft: LockDraft, machine: &str) -> Result<LockDraft, Failure> {
        let roots = draft.python_roots();
        if roots.is_empty() {
            return Ok(draft);
        }
        let version = draft.interpreter(Language::Python).unwrap_or_default();
        let Some(target) = TargetPlatform::new(version, machine) else {
            draft.not_asked(
                Language::Python,
                "no version of Python is told that files could fit",
            );
            return Ok(draft);
        };
        let address = IndexAddress::python(self.args.index.as_deref(), self.settings).map_err(failure)?;
        let on_news = |news: IndexNews| self.live.show("Python", &news);
        let client = IndexClient::new(&address.url, self.settings, &on_news).map_err(failure)?;
        let resolved = python::resolve(&client, target, self.as_of.instant, roots).await;
        draft.take_python(address.shown(), &resolved.map_err(failure)?);
        Ok(draft)
    }

    async fn r(&self, mut draft: LockDraft) -> Result<LockDraft, Failure> {
        let roots = draft.r_roots();
        if roots.is_empty() {
            return Ok(draft);
        }
        let day = self.as_of.day.to_string();
        let address = IndexAddress::r(self.args.cran.as_deref(), self.settings, &day).map_err(failure)?;
        let on_news = |news: IndexNews| self.live.show("R", &news);
        let client = IndexClient::new(&address.url, self.settings, &on_news).map_err(failure)?;
        let resolved = r::resolve(&client, &address, self.as_of.instant, roots).await;
        draft.take_r(address.shown(), &resolved.map_err(failure)?);
        Ok(draft)
    }
}

fn failure(error: IndexError) -> Failure {
    let status = match error {
        IndexError::Address { .. } | IndexError::Certificates { .. } | IndexError::NoDates { .. } => {
            Status::Usage
        }
        _ => Status::Infrastructure,
    };
    Failure::new(status, error.to_string())
}

/// A line on a terminal that says what is asked; gone when it is dropped.
struct LiveLine {
    bar: Arc<ProgressBar>,
}

impl LiveLine {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar: Arc::new(bar) }
    }

    fn show(&self, language: &str, news: &IndexNews) {
        let asked: String = one_line(&news.asked).chars().take(60).collect();
        self.bar.set_message(format!(
            "{language}: {} answers, asking for {asked}",
            news.answered
        ));
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
