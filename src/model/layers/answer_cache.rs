//! Answers kept in a file, so that what was paid for is never asked twice.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::domain::conversation::ChatResponse;
use crate::domain::digest::Digest;
use crate::domain::price::Price;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::layers::budget::ReservedCall;
use crate::model::layers::spend_account::{SpendAccount, plus, worth};
use crate::policy::limits::{Reached, Used};

/// Most bytes of a file of kept answers that are read.
const LARGEST: u64 = 256 << 20;

/// One line of the file: the request by its place and digest, and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptAnswer {
    stage: Stage,
    turn: u32,
    request: Digest,
    response: ChatResponse,
}

/// Counts of a layer since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Answers that the file already held.
    pub reused: u64,
    /// Answers that were asked for.
    pub asked: u64,
    /// Tokens of those.
    pub tokens: u64,
    /// Calls that a cap did not allow.
    pub refused: u64,
}

/// Tokens of an answer whose length the request does not limit.
const UNLIMITED_ANSWER: u64 = 32_000;

/// A layer that keeps every answer, synced to disk before it is used, and
/// answers a request that it has seen at the same place from its file.
pub struct AnswerCache {
    inner: Arc<dyn ChatModel>,
    file: Mutex<File>,
    known: BTreeMap<(Stage, u32), (Digest, ChatResponse)>,
    /// Pays for the file's answers, and for those that are asked for since.
    account: Arc<SpendAccount>,
    sampling: Sampling,
    tally: Mutex<CacheStats>,
}

impl AnswerCache {
    /// Opens the file at `path`, or makes it; one process at a time. The account pays for
    /// the answers of earlier processes as well.
    ///
    /// # Errors
    /// A file that cannot be read or written, or that another process has open.
    /// A torn last line is dropped, other lines that cannot be read are passed over.
    pub fn open(
        inner: Arc<dyn ChatModel>,
        path: &Path,
        account: Arc<SpendAccount>,
    ) -> Result<Self, ModelError> {
        if account.budget().caps_money() && account.price().is_none() {
            return Err(ModelError::Misconfigured(format!(
                "The price of {} is not known, so no budget in dollars can be kept: cap the tokens instead.",
                inner.name()
            )));
        }
        let failed = |error: &dyn std::fmt::Display| {
            ModelError::Misconfigured(format!(
                "The judge's kept answers in {} cannot be used: {error}. Move the file away to ask anew.",
                path.display()
            ))
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(failed(&"another process is scoring this run")),
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let mut bytes = Vec::new();
        (&mut file)
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| failed(&error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(failed(&format!("it has more than {LARGEST} bytes")));
        }
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(|error| failed(&error))?;
        file.seek(SeekFrom::End(0)).map_err(|error| failed(&error))?;
        let (mut known, mut used) = (BTreeMap::new(), BTreeMap::<Stage, Used>::new());
        for one in answers(&bytes[..whole]) {
            let stage = used.entry(one.stage).or_default();
            *stage = plus(*stage, account.worth(1, one.response.usage));
            known.insert((one.stage, one.turn), (one.request, one.response));
        }
        for (stage, used) in used {
            account.open(stage, used);
        }
        Ok(Self {
            inner,
            file: Mutex::new(file),
            known,
            account,
            sampling: Sampling::default(),
            tally: Mutex::default(),
        })
    }

    /// The same, for answers drawn as `sampling` says: those drawn otherwise are asked for anew.
    pub fn drawn(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// What has been asked and reused so far.
    pub fn tally(&self) -> CacheStats {
        *lock(&self.tally)
    }

    /// Sets aside what a call could take, its longest answer included. A shorter one
    /// would lack marks, so it is asked for whole or not at all.
    fn set_aside(&self, request: &ChatRequest) -> Result<ReservedCall<'_>, ModelError> {
        let asked = serde_json::to_vec(&(&request.messages, request.tools.as_ref()))
            .map_or(u64::MAX, |bytes| bytes.len() as u64);
        let stage = request.position.stage;
        let reserved = self.account.reserve_whole(
            stage,
            self.account.prompt(self.name(), stage, asked),
            request.max_output_tokens.map_or(UNLIMITED_ANSWER, u64::from),
        );
        match reserved {
            Ok(allowance) => Ok(ReservedCall::new(&self.account, allowance)),
            Err(reached) => Err(self.spent(reached)),
        }
    }

    fn spent(&self, reached: Reached) -> ModelError {
        let written = |amount| reached.quantity.written(amount);
        let next = match reached.next {
            0 => String::new(),
            next => format!(", and the next call may take {}", written(next)),
        };
        ModelError::Unavailable {
            provider: self.name().to_owned(),
            message: format!(
                "{} of its budget of {} are spent{next}; score again with a larger one to go on",
                written(reached.used),
                written(reached.cap),
            ),
        }
    }

    fn keep(&self, answer: &KeptAnswer) -> io::Result<()> {
        let mut line = serde_json::to_vec(answer)?;
        line.push(b'\n');
        let mut file = lock(&self.file);
        file.write_all(&line)?;
        file.sync_data()
    }
}

/// The answers of whole lines; lines that cannot be read are passed over.
fn answers(lines: &[u8]) -> impl Iterator<Item = KeptAnswer> {
    let lines = lines.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// What all answers that are kept in a file came to, each at this price, whoever writes it at the time; nothing where
/// there is no file.
///
/// # Errors
/// A file that cannot be read.
pub fn spent(path: &Path, price: Option<Price>) -> io::Result<Used> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(LARGEST).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Used::default()),
        Err(error) => return Err(error),
    };
    let spent = answers(&bytes).map(|one| worth(price, 1, one.response.usage));
    Ok(spent.fold(Used::default(), plus))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl ChatModel for AnswerCache {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let place = (request.position.stage, request.position.turn);
        let asked = (self.name(), &request.messages, request.tools.as_ref());
        let digest = match self.sampling.is_default() {
            true => Digest::compute_json(&asked),
            false => Digest::compute_json(&(asked, self.sampling)),
        };
        if let Some((known, response)) = self.known.get(&place)
            && *known == digest
        {
            lock(&self.tally).reused += 1;
            return Ok(response.clone());
        }
        let aside = self
            .set_aside(request)
            .inspect_err(|_| lock(&self.tally).refused += 1)?;
        let response = self.inner.chat(request).await?;
        self.keep(&KeptAnswer {
            stage: place.0,
            turn: place.1,
            request: digest,
            response: response.clone(),
        })
        .map_err(|error| ModelError::Misconfigured(format!("The judge's answer cannot be kept: {error}.")))?;
        aside.settle(response.usage);
        let mut tally = lock(&self.tally);
        tally.asked += 1;
        tally.tokens += response.usage.total();
        drop(tally);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::domain::conversation::{Finish, Position};
    use crate::domain::price::Price;
    use crate::domain::usage::{MicroDollars, Usage};
    use crate::model::chat::Message;
    use crate::model::layers::answer_cache::*;
    use crate::policy::limits::Budget;
    use crate::policy::scope::Scope;

    /// Answers with the number of times that it was asked.
    #[derive(Default)]
    struct Counting(AtomicU64);

    #[async_trait]
    impl ChatModel for Counting {
        fn name(&self) -> &str {
            "test/counting"
        }

        async fn chat(&self, _: &ChatRequest) -> Result<ChatResponse, ModelError> {
            Ok(ChatResponse {
                text: self.0.fetch_add(1, Ordering::SeqCst).to_string(),
                calls: Vec::new(),
                finish: Finish::Stop,
                usage: Usage {
                    input: 10,
                    ..Usage::default()
                },
                thoughts: None,
            })
        }
    }

    fn request(turn: u32, text: &str) -> ChatRequest {
        ChatRequest {
            position: Position {
                stage: Stage::EXTRACT,
                turn,
            },
            messages: vec![Message::User { text: text.into() }],
            tools: Arc::new([]),
            max_output_tokens: Some(20),
            form: None,
        }
    }

    fn ask(kept: &AnswerCache, turn: u32, text: &str) -> Result<String, String> {
        let request = request(turn, text);
        let answer = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(kept.chat(&request));
        answer
            .map(|answer| answer.text)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_answered_is_not_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        let model: Arc<dyn ChatModel> = Arc::new(Counting::default());
        let kept = AnswerCache::open(model.clone(), &path, uncapped()).unwrap();
        assert_eq!(ask(&kept, 0, "a").unwrap(), "0");
        assert_eq!(ask(&kept, 1, "b").unwrap(), "1");
        assert!(
            AnswerCache::open(model.clone(), &path, uncapped()).is_err(),
            "two processes at once"
        );
        drop(kept);
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .unwrap()
            .write_all(b"{\"torn")
            .unwrap();
        let kept = AnswerCache::open(model, &path, uncapped()).unwrap();
        assert_eq!(ask(&kept, 0, "a").unwrap(), "0");
        assert_eq!(ask(&kept, 1, "changed").unwrap(), "2");
        let tally = CacheStats {
            reused: 1,
            asked: 1,
            tokens: 10,
            refused: 0,
        };
        assert_eq!(kept.tally(), tally);
        let drawn = kept.drawn(Sampling {
            temperature: Some(0.0),
            ..Sampling::default()
        });
        assert_eq!(ask(&drawn, 0, "a").unwrap(), "3", "an answer drawn otherwise");
        let lines = std::fs::read_to_string(&path).unwrap();
        assert!(lines.lines().count() == 4 && !lines.contains("torn"), "{lines}");
        // All of them were paid for, those that no request meets any more too.
        std::fs::write(&path, lines + "{\"torn").unwrap();
        let price = Price {
            input: 3.0,
            cached: 0.0,
            output: 0.0,
            written: None,
            written_long: None,
        };
        let used = spent(&path, Some(price)).unwrap();
        assert_eq!((used.turns, used.tokens, used.money.0), (4, 40, 120));
        let none = spent(&folder.path().join("none"), None).unwrap();
        assert_eq!(none, Used::default());
    }

    fn account(tokens: Option<u64>, dollars: Option<u64>, price: Option<Price>) -> Arc<SpendAccount> {
        let mut budget = Budget::default();
        budget.at(Scope::Run).tokens = tokens;
        budget.at(Scope::Run).money = dollars.map(MicroDollars);
        SpendAccount::new(budget, price, Arc::default())
    }

    fn uncapped() -> Arc<SpendAccount> {
        account(None, None, None)
    }

    /// A millionth of a dollar a token.
    fn capped(tokens: Option<u64>, dollars: Option<u64>) -> Arc<SpendAccount> {
        let price = Price {
            input: 1.0,
            cached: 1.0,
            output: 1.0,
            written: None,
            written_long: None,
        };
        account(tokens, dollars, Some(price))
    }

    #[test]
    fn no_call_starts_that_could_end_beyond_a_budget_and_a_restart_renews_none() {
        for (tokens, dollars) in [(Some(80), None), (None, Some(80))] {
            let cap = || capped(tokens, dollars);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("calls.jsonl");
            let counting = Arc::new(Counting::default());
            // Each call may take some 37 tokens and takes 10.
            for (turn, again) in [(0, false), (1, true), (2, true), (3, true), (4, true)] {
                let kept = AnswerCache::open(counting.clone(), &path, cap()).unwrap();
                ask(&kept, turn, "a").unwrap();
                if again {
                    assert_eq!(ask(&kept, 0, "a").unwrap(), "0", "what was paid for is free");
                }
            }
            let kept = AnswerCache::open(counting.clone(), &path, cap()).unwrap();
            let refused = ask(&kept, 5, "a").unwrap_err();
            assert!(
                refused.contains("are spent, and the next call may take"),
                "{refused}"
            );
            assert_eq!(counting.0.load(Ordering::SeqCst), 5, "it was asked nevertheless");
            assert_eq!(ask(&kept, 4, "a").unwrap(), "4");
        }
    }

    #[test]
    fn a_budget_in_dollars_needs_a_price() {
        let folder = tempfile::tempdir().unwrap();
        let unpriced = account(None, Some(100), None);
        let refused = AnswerCache::open(Arc::new(Counting::default()), &folder.path().join("c"), unpriced);
        assert!(
            refused
                .err()
                .unwrap()
                .to_string()
                .contains("price of test/counting")
        );
    }
}
