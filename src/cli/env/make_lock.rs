//! A lock, made by asking the indexes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;

use super::args::EnvArgs;
use crate::app::r_versions;
use crate::cli::exit::Failure;
use crate::cli::output::{Printer, one_line};
use crate::domain::excerpt;
use crate::effects::analyse::ado;
use crate::engine::error::EngineError;
use crate::environment::ado_folder::AdoFolder;
use crate::environment::evidence::{Evidence, EvidenceKind};
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::environment::python_index::first_day::PinnedDay;
use crate::environment::survey::{EnvironmentSurvey, survey_with};
use crate::network::package_index::locking::AskedIndexes;
use crate::network::package_index::news::IndexNews;
use crate::settings::Settings;

/// Packages of which the index is asked for the day of the pinned version.
const MOST_PINNED: usize = 200;

/// Makes the lock of what a folder needs. Nothing is kept of an index that fails half-way.
///
/// # Errors
/// No date, an index that cannot be asked, or one without dates.
pub async fn make_lock(
    settings: &Settings,
    printer: Printer,
    args: &EnvArgs,
    survey: &EnvironmentSurvey,
) -> Result<EnvironmentLock, Failure> {
    let as_of = survey.as_of.clone().ok_or_else(|| {
        Failure::usage("nothing tells the date of the analysis: say it with `--as-of DATE`".to_owned())
    })?;
    let day = as_of.day;
    let mut draft = LockDraft::new(survey, as_of, &EnvironmentLock::platform_here());
    let set = settings.secret(ado::SETTING).map(PathBuf::from);
    if let Some(folder) = args.ado.clone().or(set) {
        let folder = AdoFolder::open(&folder, day);
        draft.take_ado(&folder.map_err(|error| Failure::usage(format!("--ado: {error}")))?);
    }
    let live = LiveLine::new(printer);
    let tell = |language, news: &IndexNews| live.show(language, news);
    let asked = asked(settings, args, &tell);
    let draft = r_versions::settle(settings, args.cran.as_deref(), draft).await?;
    Ok(asked.settle(draft).await.map_err(EngineError::from)?)
}

/// The survey of a folder; where its date is vague, with the day on which the newest file of what it pins came.
///
/// # Errors
/// An index that cannot be asked, or one without dates.
pub async fn dated_by_pins(
    settings: &Settings,
    printer: Printer,
    args: &EnvArgs,
    folder: &Path,
    found: EnvironmentSurvey,
) -> Result<EnvironmentSurvey, Failure> {
    let mut pinned = found.pinned_python();
    if !found.is_date_vague() || pinned.is_empty() {
        return Ok(found);
    }
    pinned.truncate(MOST_PINNED);
    let live = LiveLine::new(printer);
    let tell = |language, news: &IndexNews| live.show(language, news);
    let asked = asked(settings, args, &tell);
    let newest = asked.newest_of(&pinned).await.map_err(EngineError::from)?;
    let Some(PinnedDay { name, version, came }) = newest else {
        return Ok(found);
    };
    let came = came.to_zoned(TimeZone::UTC).date();
    let says = format!("The newest version that the files give, {name} {version}, came on {came}.");
    let evidence = Evidence::new(EvidenceKind::LockFile, ".", says).dated(Some(came));
    survey_with(folder, args.as_of, &[evidence]).map_err(|error| Failure::usage(error.to_string()))
}

/// The indexes of the command line, else those of the settings.
fn asked<'a>(
    settings: &'a Settings,
    args: &'a EnvArgs,
    on_news: &'a (dyn Fn(Language, &IndexNews) + Send + Sync),
) -> AskedIndexes<'a> {
    AskedIndexes {
        settings,
        python: args.index.as_deref(),
        on_news,
    }
}

/// A line on a terminal that says what is asked, gone when it is dropped; elsewhere lines on an index that does not answer.
struct LiveLine {
    printer: Printer,
    bar: Arc<ProgressBar>,
}

impl LiveLine {
    fn new(printer: Printer) -> Self {
        let bar = ProgressBar::new_spinner();
        if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            printer,
            bar: Arc::new(bar),
        }
    }

    fn show(&self, language: Language, news: &IndexNews) {
        if let Some(sentence) = news.wait_sentence() {
            match self.bar.is_hidden() {
                true => self.printer.note(one_line(&sentence)),
                false => self.bar.set_message(one_line(&sentence)),
            }
            return;
        }
        let asked = excerpt::shortened(&one_line(&news.asked), 60);
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
