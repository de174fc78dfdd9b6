//! Properties of the fold and of what is decided on it.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use reprise::domain::clock::Clock;
use reprise::domain::content::Content;
use reprise::domain::conversation::Finish;
use reprise::domain::digest::Digest;
use reprise::domain::execution::{Ending, Opened};
use reprise::domain::failure::FailureCause;
use reprise::domain::ids::{ApprovalId, ExecutionId};
use reprise::domain::probe::{ProbeEnd, ProbeKind, ProbeRun, ProbeSummary, Trial};
use reprise::domain::replication;
use reprise::domain::stage::Stage;
use reprise::domain::usage::Usage;
use reprise::domain::verdict::{Outcome, Verdict};
use reprise::domain::waiting::Waiting;
use reprise::engine::folder::RunFolder;
use reprise::engine::session::{JournalWriting, Session};
use reprise::engine::watch::Unwatched;
use reprise::journal::disk::DiskJournal;
use reprise::journal::line::{self, CheckSum};
use reprise::journal::log::Journal as _;
use reprise::journal::read;
use reprise::report::spending::Spending;
use reprise::run::decide::{self, Next};
use reprise::run::event::{
    Asked, Asking, CallRef, Decided, DecidedBy, Event, ExecutionFinished, ExecutionStarted, Halted, Record,
    Resumption, StageEnd, ToolFinished, Work,
};
use reprise::run::state::State;

use crate::world::World;

/// The journal of a whole run of the fixture study, with probes.
fn whole() -> &'static [Record] {
    static WHOLE: LazyLock<Vec<Record>> = LazyLock::new(|| {
        let world = World::slope("recorded:native").with("probe", json!({"seconds": 600}));
        let run = world.run("out");
        run.carry(None);
        run.records()
    });
    &WHOLE
}

#[test]
fn folding_by_pieces_is_folding_whole() {
    let records = whole();
    let folded = State::fold(records).unwrap();
    for cut in 0..=records.len() {
        let mut state = State::fold(&records[..cut]).unwrap();
        assert_eq!(state.seq, cut as u64);
        for record in &records[cut..] {
            state.apply(record).unwrap();
        }
        assert_eq!(state, folded, "cut at {cut}");
    }
    assert_eq!(decide::next(&folded, true), Next::Done);
}

#[test]
fn every_prefix_leads_on_and_none_repeats() {
    let records = whole();
    for cut in 0..records.len() {
        let state = State::fold(&records[..cut]).unwrap();
        let next = decide::next(&state, true);
        assert_ne!(next, Next::Done, "after {cut} events");
        if let Next::StartStage(stage) = next {
            assert!(
                !state.stages.contains_key(&stage),
                "{stage} would start again after {cut} events"
            );
        }
        if let Next::Advance(stage) = next {
            assert!(state.end_of(stage).is_none(), "{stage} would go on after its end");
        }
    }
}

#[test]
fn an_event_never_folds_twice_or_out_of_order() {
    let records = whole();
    for at in 0..records.len() {
        let mut state = State::fold(&records[..=at]).unwrap();
        let before = state.clone();
        assert!(state.apply(&records[at]).is_err(), "event {} folds twice", at + 1);
        assert_eq!(state, before, "a refused event changed the state");
        if let Some(later) = records.get(at + 2) {
            assert!(
                state.apply(later).is_err(),
                "event {} is left out unnoticed",
                at + 2
            );
            assert_eq!(state, before);
        }
    }
}

fn stage() -> impl Strategy<Value = Stage> {
    prop::sample::select(replication::STAGES.to_vec())
}

fn call() -> impl Strategy<Value = CallRef> {
    (stage(), 0..3_u32, 0..3_u32).prop_map(|(stage, turn, call)| CallRef { stage, turn, call })
}

/// Events that make no sense in the order in which they come.
fn event() -> impl Strategy<Value = Event> {
    let text = || Content::inline("x");
    prop_oneof![
        Just(Event::Resumed(Resumption {
            note: "again".into(),
            ..Resumption::default()
        })),
        stage().prop_map(move |stage| Event::StageStarted {
            stage,
            system: text(),
            user: text(),
            tools: Vec::new(),
            native_calls: true,
            by_program: false,
            shrink_at: None,
            shrink_from: 0,
        }),
        (stage(), 0..3_u32).prop_map(move |(stage, turn)| Event::ModelAnswered {
            stage,
            turn,
            request: Digest::compute("r"),
            text: text(),
            calls: Vec::new(),
            finish: Finish::Stop,
            usage: Usage {
                input: 1,
                ..Usage::default()
            },
            wall_ms: 1,
            waiting: Waiting {
                ms: 1,
                retries: 1,
                ..Waiting::default()
            },
            thoughts: None,
            author: (turn == 2).then(|| "A. Person".to_owned()),
            program: None,
        }),
        stage().prop_map(|stage| Event::Halted(Halted {
            stage,
            cause: FailureCause::Limit,
            detail: "spent".into(),
            waiting: Waiting::default(),
        })),
        call().prop_map(move |at| Event::ToolFinished(Box::new(ToolFinished {
            at,
            tool: "list_files".into(),
            observation: text(),
            stable: None,
            ok: true,
            change: None,
            looked: None,
            spent: None,
            act: None,
            kept: None,
            left: false,
        }))),
        (call(), 1..4_u32).prop_map(move |(at, id)| Event::Asked(Box::new(Asked {
            id: ApprovalId(id),
            at,
            asking: Asking::Execute,
            summary: "run".into(),
            subject: text(),
            digest: Digest::compute([id as u8]),
            details: text(),
        }))),
        (1..4_u32, 1..4_u8, any::<bool>()).prop_map(|(id, digest, allowed)| Event::Decided(Box::new(
            Decided {
                id: ApprovalId(id),
                digest: Digest::compute([digest]),
                allowed,
                by: DecidedBy::Person,
                words: None
            }
        ))),
        (call(), 1..4_u32).prop_map(
            move |(at, id)| Event::ExecutionStarted(Box::new(ExecutionStarted {
                id: ExecutionId(id),
                at,
                entry: 0,
                variant: (id == 2).then(|| "v".to_owned()),
                path: "work/a.py".parse().unwrap(),
                command: Vec::new(),
                digest: Digest::compute("d"),
                before: text(),
            }))
        ),
        (1..4_u32).prop_map(move |id| Event::ExecutionFinished(Box::new(ExecutionFinished {
            id: ExecutionId(id),
            ending: Ending::Exited(0),
            stdout: text(),
            stderr: text(),
            stdout_bytes: 1,
            stderr_bytes: 1,
            opened: Opened::default(),
            outputs: Vec::new(),
            further: None,
            unread: None,
            wall_ms: 1,
            peak_memory: None,
            notes: Vec::new(),
            rescue: None,
        }))),
        (1..4_u32).prop_map(|id| Event::ExecutionInterrupted { id: ExecutionId(id) }),
        (0..5_u64).prop_map(|ms| Event::Interrupted {
            during: Work::Model,
            waiting: Waiting {
                ms,
                retries: 1,
                ..Waiting::default()
            },
        }),
        (1..3_u32).prop_map(|repetition| Event::ProbeFinished(Box::new(ProbeRun {
            trial: Trial {
                kind: ProbeKind::Permuted,
                repetition,
            },
            seed: 1,
            ended: ProbeEnd::Ran,
            focal: None,
            further: Vec::new(),
            numbers: None,
            dropped: None,
            rows: None,
            data: None,
            unwritten: Vec::new(),
            wall_ms: 1,
        }))),
        Just(Event::Probed(Box::new(ProbeSummary::none("no time")))),
        stage().prop_map(move |stage| Event::StageEnded {
            stage,
            end: StageEnd::Finished {
                artifact: text(),
                deviations: Vec::new(),
            },
        }),
        stage().prop_map(|stage| Event::StageEnded {
            stage,
            end: StageEnd::Failed {
                cause: FailureCause::Limit,
                detail: "d".into()
            }
        }),
        Just(Event::RunFinished {
            verdict: Box::new(Verdict::plain(Outcome::Inconclusive, "r"))
        }),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_state_stays_sound(events in prop::collection::vec(event(), 0..60)) {
        let start = whole_start();
        let mut state = State::fold(std::slice::from_ref(&start)).unwrap();
        for event in events {
            let record = Record { seq: state.seq + 1, at: Timestamp::UNIX_EPOCH, event };
            let before = state.clone();
            if state.apply(&record).is_err() {
                prop_assert_eq!(&state, &before, "a refused event changed the state");
                continue;
            }
            // At most one execution is open, and a decision has its question.
            let executions = || state.executions.iter().chain(state.executions.variants());
            prop_assert!(executions().filter(|one| one.is_open()).count() <= 1);
            prop_assert!(state.executions.iter().all(|one| one.started.variant.is_none()));
            prop_assert!(state.executions.variants().all(|one| one.started.variant.is_some()));
            for (asked, decided) in state.gate.all() {
                prop_assert!(decided.is_none_or(|decided| decided.digest == asked.digest));
            }
            // Ids that the state hands out are free.
            prop_assert!(state.gate.all().all(|(asked, _)| asked.id < state.gate.next_id()));
            let finished = executions().filter(|one| !one.interrupted);
            prop_assert!(finished.map(|one| one.started.id).all(|id| id < state.executions.next_id()));
            // What is decided is possible.
            match decide::next(&state, false) {
                Next::Begin => prop_assert!(false, "a run that has begun begins again"),
                Next::StartStage(stage) => prop_assert!(!state.stages.contains_key(&stage)),
                Next::Advance(stage) => prop_assert!(state.end_of(stage).is_none()),
                Next::Done => prop_assert!(state.verdict.is_some() || state.halted.is_some()),
                Next::Probe => prop_assert!(state.probes_due()),
                Next::Conclude | Next::CloseInterrupted => {}
            }
        }
    }

    #[test]
    fn every_event_survives_its_line(event in event(), seq in 1..u64::MAX) {
        let record = Record { seq, at: Timestamp::UNIX_EPOCH, event };
        let (line, sum) = line::write(&record, &CheckSum::first()).unwrap();
        prop_assert_eq!(line::read(&line[..line.len() - 1], &CheckSum::first()), Ok((record, sum)));
    }
}

#[test]
fn what_calls_took_that_broke_off_is_among_what_the_run_took() {
    let lost = Usage {
        input: 700,
        output: 20,
        estimated: 720,
        ..Usage::default()
    };
    let waiting = Waiting {
        lost,
        ..Waiting::default()
    };
    let started = Event::StageStarted {
        stage: Stage::EXTRACT,
        system: Content::inline("x"),
        user: Content::inline("x"),
        tools: Vec::new(),
        native_calls: true,
        by_program: false,
        shrink_at: None,
        shrink_from: 0,
    };
    let interrupted = Event::Interrupted {
        during: Work::Model,
        waiting,
    };
    let halted = Event::Halted(Halted {
        stage: Stage::EXTRACT,
        cause: FailureCause::Infrastructure,
        detail: "gone".into(),
        waiting,
    });
    let mut state = State::fold(std::slice::from_ref(&whole_start())).unwrap();
    for event in [started, interrupted, halted] {
        let record = Record {
            seq: state.seq + 1,
            at: Timestamp::UNIX_EPOCH,
            event,
        };
        let (line, _) = line::write(&record, &CheckSum::first()).unwrap();
        let (read, _) = line::read(&line[..line.len() - 1], &CheckSum::first()).unwrap();
        state.apply(&read).unwrap();
    }
    assert_eq!(state.usage(), lost + lost);
    let stage = &state.stages[&Stage::EXTRACT];
    let calls: Vec<_> = stage.calls("own").collect();
    assert_eq!(
        (calls.len(), calls[0].usage, calls[0].is_answered),
        (1, lost + lost, false)
    );
    assert_eq!(Spending::from_stage(stage).usage, lost + lost);
}

/// A clock in the hands of a test: the time of day, and the steady one.
struct SetClock(Mutex<(Timestamp, Duration)>);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap().0
    }

    fn steady(&self) -> Duration {
        self.0.lock().unwrap().1
    }
}

#[test]
fn a_machine_that_slept_is_noted_before_the_next_event() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::at(place.path()).unwrap();
    std::fs::create_dir_all(folder.workspace()).unwrap();
    let (mut journal, _) = DiskJournal::open(&folder.journal(), None).unwrap();
    journal
        .append(Timestamp::UNIX_EPOCH, whole_start().event)
        .unwrap();
    drop(journal);
    let clock = Arc::new(SetClock(Mutex::new((Timestamp::UNIX_EPOCH, Duration::ZERO))));
    let watch = Arc::new(Unwatched);
    let mut session = Session::open(folder.clone(), clock.clone(), watch, JournalWriting::default()).unwrap();
    // Seconds of the day, and of the machine: a resumption, work, a night, a clock that is set a little.
    for (day, steady) in [(500, 0), (510, 10), (86_920, 20), (86_933, 30)] {
        let at = Timestamp::from_second(day).unwrap();
        *clock.0.lock().unwrap() = (at, Duration::from_secs(steady));
        session.record(Event::SessionEnded { notes: Vec::new() }).unwrap();
    }
    let paused: Vec<_> = read::read(&folder.journal())
        .unwrap()
        .records
        .into_iter()
        .filter_map(|record| match record.event {
            Event::Paused { ms } => Some((record.seq, ms)),
            _ => None,
        })
        .collect();
    assert_eq!(paused, [(4, 86_400_000)]);
}

#[test]
fn what_work_took_is_read_from_the_steady_clock() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::at(place.path()).unwrap();
    std::fs::create_dir_all(folder.workspace()).unwrap();
    let clock = Arc::new(SetClock(Mutex::new((Timestamp::UNIX_EPOCH, Duration::ZERO))));
    let watch = Arc::new(Unwatched);
    let session = Session::open(folder, clock.clone(), watch, JournalWriting::default()).unwrap();
    let begun = session.steady();
    // Two seconds of work, while the time of day was set a day ahead, then a day back.
    for day in [86_402, -86_398] {
        let at = Timestamp::from_second(day).unwrap();
        *clock.0.lock().unwrap() = (at, Duration::from_secs(2));
        assert_eq!(session.since(begun), 2000);
    }
}

/// The first record of a run.
fn whole_start() -> Record {
    whole()[0].clone()
}
