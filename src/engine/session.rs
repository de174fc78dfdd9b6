//! A run that this process holds: its lock, its journal, its store, its state.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use crate::artifacts::content;
use crate::artifacts::disk::DiskStore;
use crate::artifacts::store::{Store, StoreError};
use crate::domain::clock::Clock;
use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::domain::track::StageRange;
use crate::domain::waiting::Waiting;
use crate::journal::disk::DiskJournal;
use crate::journal::lock::RunLock;
use crate::journal::log::Journal;
use crate::journal::signature::signer::Signer;
use crate::run::event::{Event, Record, Work};
use crate::run::state::State;
use crate::tools::workspace::{CannotRead, Workspace};

use super::error::EngineError;
use super::folder::RunFolder;
use super::watch::Watch;

/// The longest that the time of day may run ahead of the steady clock without a word: it is set a little now and then.
const PAUSE: Duration = Duration::from_secs(5);

/// The only writer of a run.
pub struct Session {
    pub folder: RunFolder,
    pub store: Arc<dyn Store>,
    pub state: State,
    /// No event of this process is in the journal yet.
    fresh: bool,
    /// The clocks at the last event of this process: the time of day, and the steady one.
    last: Option<(jiff::Timestamp, Duration)>,
    /// What a signal would cut short.
    under_way: Work,
    journal: Box<dyn Journal>,
    clock: Arc<dyn Clock>,
    watch: Arc<dyn Watch>,
    /// What the person who is the run's model has to do before it goes on.
    awaited: Option<String>,
    lock: RunLock,
}

/// A layer around the journal, for tests that stop the world at an event.
pub type JournalLayer = Box<dyn FnOnce(Box<dyn Journal>) -> Box<dyn Journal>>;

/// The settings by which a process writes a journal.
#[derive(Default)]
pub struct JournalWriting {
    pub layer: Option<JournalLayer>,
    /// Signs decisions by persons and the end of the run.
    pub signer: Option<Signer>,
}

impl Session {
    /// Takes the run's lock and folds its journal.
    ///
    /// # Errors
    /// A run that another process holds, a workspace that is gone, or a journal with a damaged line
    /// that has its line end.
    pub fn open(
        folder: RunFolder,
        clock: Arc<dyn Clock>,
        watch: Arc<dyn Watch>,
        writing: JournalWriting,
    ) -> Result<Self, EngineError> {
        let lock = RunLock::take(&folder.lock())?;
        let partial = folder.partial();
        match fs::remove_dir_all(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(EngineError::io(&partial, error));
            }
            _ => fs::create_dir_all(&partial).map_err(|error| EngineError::io(&partial, error))?,
        }
        let (journal, found) = DiskJournal::open(&folder.journal(), writing.signer)?;
        let store: Arc<dyn Store> = Arc::new(DiskStore::open(&folder.store())?);
        let state = State::fold(&found.records)?;
        let journal: Box<dyn Journal> = Box::new(journal);
        let journal = match writing.layer {
            Some(layer) => layer(journal),
            None => journal,
        };
        let mut session = Self {
            folder,
            store,
            state,
            fresh: true,
            last: None,
            under_way: Work::default(),
            journal,
            clock,
            watch,
            awaited: None,
            lock,
        };
        if found.torn > 0 {
            session.line(&format!(
                "The journal's last line was torn ({} bytes): it was dropped, and its step is done again.",
                found.torn
            ));
        }
        if session.state.started.is_some() && !session.state.is_finished() {
            let workspace = session.folder.workspace();
            if !workspace.is_dir() {
                return Err(EngineError::Unusable(format!(
                    "{} is gone, so the run cannot go on; `reprise report` still shows what it did",
                    workspace.display()
                )));
            }
            session.settle_last_change()?;
        }
        Ok(session)
    }

    /// Whether everything open in the state belongs to a process that is gone.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Writes an event and folds it in. After an error of the journal the
    /// session is of no more use: its state is ahead of the disk.
    ///
    /// # Errors
    /// An event that does not follow from the ones before it, a run that another process took over, or a journal that
    /// cannot be written.
    pub fn record(&mut self, event: Event) -> Result<(), EngineError> {
        self.lock.ensure_kept()?;
        let at = self.clock.now();
        let steady = self.clock.steady();
        let paused = self.paused(at, steady);
        self.last = Some((at, steady));
        if paused > PAUSE && !self.state.is_finished() {
            let ms = u64::try_from(paused.as_millis()).unwrap_or(u64::MAX);
            self.write(at, Event::Paused { ms })?;
        }
        self.write(at, event)
    }

    /// The time of day since the last event beyond the time in which the machine ran.
    fn paused(&self, at: jiff::Timestamp, steady: Duration) -> Duration {
        let (before, steady_before) = self.last.unwrap_or((at, steady));
        let passed = Duration::try_from(at.duration_since(before)).unwrap_or_default();
        passed.saturating_sub(steady.saturating_sub(steady_before))
    }

    fn write(&mut self, at: jiff::Timestamp, event: Event) -> Result<(), EngineError> {
        // What cannot follow must not reach the journal, where it would stay.
        let expected = Record {
            seq: self.state.seq + 1,
            at,
            event: event.clone(),
        };
        self.state.apply(&expected)?;
        let record = self.journal.append(at, event)?;
        self.fresh = false;
        self.under_way = Work::default();
        self.watch.recorded(&record, &self.state);
        Ok(())
    }

    /// Says what is under way until the next event.
    pub fn begin(&mut self, work: Work) {
        self.under_way = work;
    }

    /// Goes on with a run that is over to the end of `stages`, in this process or a later one.
    ///
    /// # Errors
    /// A run that cannot go on so far, or a journal that cannot be written.
    pub fn extend(&mut self, stages: StageRange, registration: Option<String>) -> Result<(), EngineError> {
        self.record(Event::Extended { stages, registration })?;
        // What follows has to find its way into the run as after any other stop.
        self.fresh = true;
        Ok(())
    }

    /// Notes what the person who is the run's model has to do before it goes on.
    pub fn await_person(&mut self, words: String) {
        self.awaited = Some(words);
    }

    /// What the person who is the run's model has to do before it goes on, in whole sentences.
    pub fn awaited(&self) -> Option<&str> {
        self.awaited.as_deref()
    }

    /// Notes that a signal cut short what was under way; a run that has not begun has
    /// nothing to note.
    ///
    /// # Errors
    /// A journal that cannot be written.
    pub fn interrupted(&mut self, waiting: Waiting) -> Result<(), EngineError> {
        if self.fresh || self.state.is_finished() {
            return Ok(());
        }
        self.record(Event::Interrupted {
            during: self.under_way,
            waiting: self.in_bounds(waiting),
        })
    }

    /// A wait as far as it went: one that was cut short is told of whole when it begins.
    pub fn in_bounds(&self, waiting: Waiting) -> Waiting {
        Waiting {
            ms: waiting.ms.min(self.state.elapsed.since(self.now())),
            ..waiting
        }
    }

    /// Tells whoever looks on.
    pub fn line(&self, text: &str) {
        self.watch.line(text);
    }

    /// The watcher, for effects that report while they wait.
    pub fn watch(&self) -> Arc<dyn Watch> {
        self.watch.clone()
    }

    /// A reading of the run's steady clock, for [`since`](Self::since).
    pub fn steady(&self) -> Duration {
        self.clock.steady()
    }

    /// Milliseconds since a reading of the steady clock, whatever the time of day was set to meanwhile.
    pub fn since(&self, start: Duration) -> u64 {
        let passed = self.clock.steady().saturating_sub(start);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }

    /// The run's time.
    pub fn now(&self) -> jiff::Timestamp {
        self.clock.now()
    }

    /// Keeps bytes and names them.
    ///
    /// # Errors
    /// A store that cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> Result<Content, StoreError> {
        content::keep(bytes, self.store.as_ref())
    }

    /// The bytes behind a name.
    ///
    /// # Errors
    /// Bytes that the store lacks or holds damaged.
    pub fn load(&self, content: &Content) -> Result<Vec<u8>, StoreError> {
        content::load(content, self.store.as_ref())
    }

    /// The text behind a name, with bytes that are not UTF-8 replaced.
    ///
    /// # Errors
    /// Bytes that the store lacks or holds damaged.
    pub fn text(&self, content: &Content) -> Result<String, StoreError> {
        self.load(content)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A journaled file change whose write a crash prevented is written here.
    /// A file that is neither as before nor as after was changed by somebody
    /// else since, and stays.
    fn settle_last_change(&mut self) -> Result<(), EngineError> {
        let Some(change) = self
            .state
            .last_change
            .as_ref()
            .and_then(|call| call.change.clone())
        else {
            return Ok(());
        };
        let root = self.folder.workspace();
        let workspace = Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?;
        let found = match workspace.read(&change.path, u64::MAX) {
            Ok(content) => Some(Digest::compute(content.bytes)),
            Err(CannotRead::Missing(_)) => None,
            Err(CannotRead::Machine(path, why)) => {
                return Err(EngineError::io(&path.below(&root), std::io::Error::other(why)));
            }
            // Whatever stands there now, it is not what the change was made to.
            Err(_) => return Ok(()),
        };
        if found == change.before && found != Some(change.after.digest()) {
            let after = self.load(&change.after)?;
            match workspace.replace(&change.path, &after) {
                Ok(()) => self.line(&format!(
                    "{}: a change that was interrupted is completed.",
                    change.path
                )),
                Err(error) => self.line(&format!(
                    "{}: an interrupted change cannot be completed: {error}",
                    change.path
                )),
            }
        }
        Ok(())
    }
}
