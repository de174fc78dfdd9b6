//! A writer of synthetic journals.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use reprise::domain::content::Content;
use reprise::domain::conversation::{Finish, ToolCall};
use reprise::domain::digest::Digest;
use reprise::domain::execution::{Ending, Opened};
use reprise::domain::failure::FailureCause;
use reprise::domain::ids::{ApprovalId, ExecutionId};
use reprise::domain::stage::Stage;
use reprise::domain::usage::Usage;
use reprise::domain::waiting::Waiting;
use reprise::run::event::{
    Asked, Asking, CallRef, Change, Decided, DecidedBy, Event, ExecutionFinished, ExecutionStarted,
    FileRecord, Record, StageEnd, ToolFinished,
};

/// Writes records, with `hostile` appended to every text that an agent, a paper
/// or a program controls.
pub struct Writer {
    pub records: Vec<Record>,
    pub blobs: BTreeMap<Digest, Vec<u8>>,
    at: Timestamp,
    hostile: &'static str,
}

pub fn file(path: &str, size: u64) -> FileRecord {
    FileRecord {
        path: path.parse().unwrap(),
        digest: Digest::compute(path),
        size,
    }
}

pub fn at(stage: Stage, turn: u32, call: u32) -> CallRef {
    CallRef { stage, turn, call }
}

pub fn usage(input: u64, cached: u64, output: u64, reasoning: u64) -> Usage {
    Usage {
        input,
        cached,
        output,
        reasoning,
        ..Usage::default()
    }
}

impl Writer {
    pub fn new(hostile: &'static str) -> Self {
        Self {
            records: Vec::new(),
            blobs: BTreeMap::new(),
            at: "2026-05-04T09:12:07.25Z".parse().unwrap(),
            hostile,
        }
    }

    pub fn text(&self, text: &str) -> String {
        format!("{text}{}", self.hostile)
    }

    pub fn content(&mut self, text: &str) -> Content {
        let text = self.text(text);
        if text.len() <= Content::INLINE {
            return Content::inline(text);
        }
        let blob = Digest::compute(&text);
        let size = text.len() as u64;
        self.blobs.insert(blob, text.into_bytes());
        Content::Stored { blob, size }
    }

    pub fn event(&mut self, after_ms: i64, event: Event) {
        self.at += SignedDuration::from_millis(after_ms);
        self.records.push(Record {
            seq: self.records.len() as u64 + 1,
            at: self.at,
            event,
        });
    }

    pub fn stage(&mut self, stage: Stage) {
        let (system, user) = (
            self.content(&format!(
                "You carry out the stage {stage} of a replication.\nAnswer with one JSON object."
            )),
            self.content("The claim: income is positively associated with occupational prestige.\n"),
        );
        self.event(
            120,
            Event::StageStarted {
                stage,
                system,
                user,
                tools: vec!["read_file".into(), "write_file".into(), "execute".into()],
                native_calls: stage != Stage::SEARCH,
                by_program: false,
                shrink_at: None,
                shrink_from: 0,
            },
        );
    }

    pub fn turn(&mut self, stage: Stage, turn: u32, text: &str, calls: &[(&str, &str)], wall_ms: u64) {
        let text = self.content(text);
        let calls = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| ToolCall {
                id: format!("c{turn}.{index}"),
                name: self.text(name),
                arguments: self.text(arguments),
            })
            .collect();
        self.event(
            wall_ms as i64 + 10,
            Event::ModelAnswered {
                stage,
                turn,
                request: Digest::compute(format!("{stage}{turn}")),
                text,
                calls,
                finish: if turn == 1 && stage == Stage::SEARCH {
                    Finish::Length
                } else {
                    Finish::Stop
                },
                usage: usage(4200 + 900 * u64::from(turn), 3000, 310, 120),
                wall_ms,
                waiting: Waiting::default(),
                thoughts: None,
                author: None,
                program: None,
            },
        );
    }

    pub fn result(
        &mut self,
        call: CallRef,
        tool: &str,
        observation: &str,
        ok: bool,
        change: Option<(&str, &str)>,
    ) {
        let observation = self.content(observation);
        let change = change.map(|(path, after)| Change {
            path: path.parse().unwrap(),
            before: None,
            after: self.content(after),
        });
        self.event(
            40,
            Event::ToolFinished(Box::new(ToolFinished {
                at: call,
                tool: tool.into(),
                observation,
                stable: None,
                ok,
                change,
                looked: None,
                spent: None,
                act: None,
                kept: None,
                left: false,
            })),
        );
    }

    pub fn ask(&mut self, id: u32, call: CallRef, asking: Asking, summary: &str) -> Digest {
        let subject = self.content(&format!("{{\n  \"summary\": \"{summary}\"\n}}"));
        let digest = subject.digest();
        let summary = self.text(summary);
        self.event(
            15,
            Event::Asked(Box::new(Asked {
                id: ApprovalId(id),
                at: call,
                asking,
                summary,
                subject,
                digest,
                details: Content::inline(""),
            })),
        );
        digest
    }

    pub fn decide(
        &mut self,
        after_ms: i64,
        id: u32,
        digest: Digest,
        answer: (bool, DecidedBy, Option<&str>),
    ) {
        let words = answer.2.map(|words| self.text(words));
        self.event(
            after_ms,
            Event::Decided(Box::new(Decided {
                id: ApprovalId(id),
                digest,
                allowed: answer.0,
                by: answer.1,
                words,
            })),
        );
    }

    pub fn execution(&mut self, id: u32, call: CallRef, entry: u32, path: &str, digest: Digest) {
        let command = vec!["Rscript".into(), "--vanilla".into(), self.text(path)];
        self.event(
            30,
            Event::ExecutionStarted(Box::new(ExecutionStarted {
                id: ExecutionId(id),
                at: call,
                entry,
                variant: None,
                path: path.parse().unwrap(),
                command,
                digest,
                before: Content::inline("[]"),
            })),
        );
    }

    pub fn finished(&mut self, id: u32, wall_ms: u64, ending: Ending, streams: (&str, &str), opened: Opened) {
        let (stdout, stderr) = (self.content(streams.0), self.content(streams.1));
        let note = self.text("memory is limited for each process, not for the tree");
        self.event(
            wall_ms as i64,
            Event::ExecutionFinished(Box::new(ExecutionFinished {
                id: ExecutionId(id),
                ending,
                stdout_bytes: stdout.size(),
                stderr_bytes: stderr.size() + 700,
                stdout,
                stderr,
                opened,
                outputs: vec![file("work/results.csv", 412)],
                further: None,
                unread: None,
                wall_ms,
                peak_memory: Some(183_500_800),
                notes: vec![note],
                rescue: None,
            })),
        );
    }

    pub fn end(&mut self, stage: Stage, deviations: &[&str]) {
        let artifact = self.content(&format!("{{\n  \"stage\": \"{stage}\"\n}}"));
        let deviations = deviations.iter().map(|one| self.text(one)).collect();
        self.event(
            20,
            Event::StageEnded {
                stage,
                end: StageEnd::Finished { artifact, deviations },
            },
        );
    }

    pub fn fail(&mut self, stage: Stage, cause: FailureCause, detail: &str) {
        let detail = self.text(detail);
        self.event(
            20,
            Event::StageEnded {
                stage,
                end: StageEnd::Failed { cause, detail },
            },
        );
    }
}
