//! Recordings: exact answers, drift, refreshing, recording.

use std::sync::Arc;

use reprise::domain::conversation::{ChatResponse, Position};
use reprise::domain::stage::Stage;
use reprise::model::chat::{ChatModel, ChatRequest, ModelError};
use reprise::model::recording::format::{NetworkAnswer, Recording};
use reprise::model::recording::recorded::RecordedModel;
use reprise::model::recording::recorder::Recorder;
use serde_json::json;

use crate::support::requests::{ask, next, tool, tools, user};

const BY_HAND: &str = r#"{
  "format": "reprise-recording/1",
  "origin": "written by hand",
  "note": ["Two lines", "of note."],
  "study": "toy",
  "setting": "python",
  "stages": {
    "design": {
      "turns": [
        {
          "answer": {
            "text": ["I read", "the paper."],
            "calls": [{"name": "read_file", "arguments": {"path": "paper.txt"}}],
            "usage": {"input": 100, "output": 20}
          }
        },
        {"answer": {"json": {"criteria": "met", "p": 0.04}}}
      ],
      "network": [
        {"tool": "web_search", "arguments": {"query": "toy"}, "result": {"$lines": ["one", "two"]}}
      ]
    }
  }
}"#;

fn by_hand() -> Recording {
    Recording::parse("toy", BY_HAND.as_bytes()).unwrap()
}

/// The two requests of the session, with the tool's text as given.
async fn session(model: &dyn ChatModel, tool_text: &str) -> Result<Vec<ChatResponse>, ModelError> {
    let first = ask(0, "Design the replication.");
    let answer = model.chat(&first).await?;
    let second = next(
        &first,
        &answer,
        vec![
            tool(&answer, tool_text, Some("paper.txt: 12 lines")),
            user("Go on."),
        ],
    );
    Ok(vec![answer, model.chat(&second).await?])
}

async fn refreshed() -> Recording {
    let model = RecordedModel::refreshing("recorded:toy", by_hand());
    session(&model, "/tmp/a/paper.txt: 12 lines").await.unwrap();
    model.refreshed()
}

fn drift(error: ModelError) -> String {
    match error {
        ModelError::Drift(text) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refreshed_session_is_answered_exactly_wherever_it_runs() {
    let model = RecordedModel::new("recorded:toy", refreshed().await);
    let answers = session(&model, "/home/b/paper.txt: 12 lines").await.unwrap();
    assert_eq!(answers[0].text, "I read\nthe paper.");
    assert_eq!(answers[0].calls[0].id, "call_design_0_0");
    assert_eq!(answers[0].calls[0].arguments, r#"{"path":"paper.txt"}"#);
    assert_eq!(answers[0].usage.total(), 120);
    assert_eq!(answers[1].text, "{\n  \"criteria\": \"met\",\n  \"p\": 0.04\n}");
    assert_eq!(model.name(), "recorded:toy");
}

#[tokio::test]
async fn a_resumed_run_is_answered_from_the_middle() {
    let refreshing = RecordedModel::refreshing("recorded:toy", by_hand());
    let first = ask(0, "Design the replication.");
    let answer = refreshing.chat(&first).await.unwrap();
    let second = next(&first, &answer, vec![user("Go on.")]);
    refreshing.chat(&second).await.unwrap();

    let resumed = RecordedModel::new("recorded:toy", refreshing.refreshed());
    assert!(resumed.chat(&second).await.is_ok());
}

#[tokio::test]
async fn a_changed_request_is_refused_with_the_difference() {
    let recording = refreshed().await;
    let model = RecordedModel::new("recorded:toy", recording.clone());
    let text = drift(model.chat(&ask(0, "Design the study.")).await.unwrap_err());
    assert!(text.contains("stage design, turn 0"), "{text}");
    assert!(
        text.contains("-Design the replication.\n+Design the study.\n"),
        "{text}"
    );
    assert!(text.contains("reprise replay refresh"), "{text}");

    let mut other_tools = ask(0, "Design the replication.");
    let mut specs = tools().to_vec();
    specs[0].description = "Reads any file.".into();
    other_tools.tools = specs.into();
    let text = drift(model.chat(&other_tools).await.unwrap_err());
    assert!(text.contains("+[offers read_file"), "{text}");

    let mut edited = recording;
    let design = edited.stages.get_mut(&Stage::DESIGN).unwrap();
    design.turns[0].answer.text.0 = "I skimmed it.".into();
    let model = RecordedModel::new("recorded:toy", edited);
    let text = drift(session(&model, "x").await.unwrap_err());
    assert!(text.contains("turn 1"), "{text}");
    assert!(text.contains("the file's digest"), "{text}");
}

#[tokio::test]
async fn a_difference_is_bounded() {
    let model = RecordedModel::new("recorded:toy", refreshed().await);
    let long: String = (0..200_000).map(|line| format!("line {line}\n")).collect();
    let text = drift(model.chat(&ask(0, &long)).await.unwrap_err());
    assert!(text.len() < 6_000, "{}", text.len());
    assert!(text.ends_with("(the difference goes on)\n"), "{text}");
}

#[tokio::test]
async fn a_turn_that_no_run_has_refreshed_is_refused_with_the_way_out() {
    let model = RecordedModel::new("recorded:toy", by_hand());
    let text = drift(model.chat(&ask(0, "Design the replication.")).await.unwrap_err());
    assert!(text.contains("has no request at stage design, turn 0"), "{text}");
    assert!(text.contains("reprise replay refresh"), "{text}");
}

#[tokio::test]
async fn a_recording_that_has_run_out_names_the_place() {
    let model = RecordedModel::new("recorded:toy", by_hand());
    let text = drift(model.chat(&ask(2, "More?")).await.unwrap_err());
    assert!(
        text.contains("stage design has 2 recorded turns, and turn 2"),
        "{text}"
    );
}

#[tokio::test]
async fn refreshing_twice_writes_the_same_bytes_and_touches_no_answer() {
    let once = refreshed().await;
    assert_eq!(
        once.stages[&Stage::DESIGN].turns[1].answer,
        by_hand().stages[&Stage::DESIGN].turns[1].answer
    );
    let written = once.to_json().unwrap();
    let read = Recording::parse("toy", written.as_bytes()).unwrap();
    assert_eq!(read.to_json().unwrap(), written);

    let again = RecordedModel::refreshing("recorded:toy", read);
    session(&again, "/elsewhere/paper.txt: 12 lines").await.unwrap();
    assert_eq!(again.refreshed().to_json().unwrap(), written);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toy.json");
    again.refreshed().write(&file).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
    assert_eq!(RecordedModel::open(&file).unwrap().recording(), &once);
}

#[tokio::test]
async fn a_refreshing_run_says_what_it_never_asked_for() {
    let model = RecordedModel::refreshing("recorded:toy", by_hand());
    model.chat(&ask(0, "Design the replication.")).await.unwrap();
    let left = [Position {
        stage: Stage::DESIGN,
        turn: 1,
    }];
    assert_eq!(model.unasked(), left);
}

#[tokio::test]
async fn a_shortened_conversation_is_recorded_and_replayed() {
    let refreshing = RecordedModel::refreshing("recorded:toy", by_hand());
    let first = ask(0, "Design the replication.");
    let mut shortened = ask(1, "(cut) Design it.");
    shortened.messages.push(user("Go on."));
    refreshing.chat(&first).await.unwrap();
    refreshing.chat(&shortened).await.unwrap();
    let recording = refreshing.refreshed();
    let kept = recording.stages[&Stage::DESIGN].turns[1]
        .request
        .as_ref()
        .unwrap();
    assert_eq!((kept.kept, kept.added.len()), (Some(1), 2));

    let model = RecordedModel::new("recorded:toy", recording);
    model.chat(&first).await.unwrap();
    model.chat(&shortened).await.unwrap();
    shortened.messages[2] = user("Go off.");
    let text = drift(model.chat(&shortened).await.unwrap_err());
    assert!(text.contains("-Go on.\n+Go off.\n"), "{text}");
    assert!(!text.contains("-(cut)"), "{text}");
}

#[tokio::test]
async fn a_request_that_is_asked_twice_is_refreshed_once() {
    let first = ask(0, "Design the replication.");
    let once = RecordedModel::refreshing("recorded:toy", by_hand());
    let twice = RecordedModel::refreshing("recorded:toy", by_hand());
    let answer = once.chat(&first).await.unwrap();
    twice.chat(&first).await.unwrap();
    let second = next(&first, &answer, vec![user("Go on.")]);
    once.chat(&second).await.unwrap();
    twice.chat(&second).await.unwrap();
    twice.chat(&second).await.unwrap();
    assert_eq!(once.refreshed(), twice.refreshed());

    let changed = next(&first, &answer, vec![user("Go off.")]);
    twice.chat(&changed).await.unwrap();
    let model = RecordedModel::new("recorded:toy", twice.refreshed());
    assert!(model.chat(&changed).await.is_ok());
    let text = drift(model.chat(&second).await.unwrap_err());
    assert!(
        text.contains("-Go off.\n+Go on.\n") && !text.contains("-[system]"),
        "{text}"
    );
}

#[test]
fn the_network_answers_by_position_and_arguments() {
    let model = RecordedModel::new("recorded:toy", by_hand());
    let ask = |index, tool, query| model.network_answer(Stage::DESIGN, index, tool, &json!({"query": query}));
    assert_eq!(ask(0, "web_search", "toy").unwrap(), json!("one\ntwo"));
    let text = drift(ask(0, "web_search", "doll").unwrap_err());
    assert!(
        text.contains(r#"recorded web_search {"query":"toy"}"#) && text.contains("doll"),
        "{text}"
    );
    let text = drift(ask(1, "web_search", "toy").unwrap_err());
    assert!(text.contains("holds 1 network answers"), "{text}");

    let refreshing = RecordedModel::refreshing("recorded:toy", by_hand());
    let doll = json!({"query": "doll"});
    refreshing
        .network_answer(Stage::DESIGN, 0, "web_search", &doll)
        .unwrap();
    let refreshed = RecordedModel::new("recorded:toy", refreshing.refreshed());
    let answer = refreshed.network_answer(Stage::DESIGN, 0, "web_search", &doll);
    assert_eq!(answer.unwrap(), json!("one\ntwo"));
}

#[tokio::test]
async fn what_a_recorder_saw_replays() {
    let source = Arc::new(RecordedModel::new("recorded:toy", refreshed().await));
    let recorder = Recorder::new(source);
    let answers = session(&recorder, "/tmp/a/paper.txt: 12 lines").await.unwrap();
    recorder.note_network(
        Stage::DESIGN,
        0,
        NetworkAnswer {
            tool: "web_search".into(),
            arguments: json!({"query": "q"}),
            result: json!({"hits": []}),
            ..NetworkAnswer::default()
        },
    );
    let recording = recorder.recording().unwrap();
    assert_eq!(recording.origin, "recorded from recorded:toy");
    let written = recording.to_json().unwrap();
    let model = RecordedModel::new("replay", Recording::parse("r", written.as_bytes()).unwrap());
    assert_eq!(session(&model, "other").await.unwrap(), answers);
    assert_eq!(
        model
            .network_answer(Stage::DESIGN, 0, "web_search", &json!({"query": "q"}))
            .unwrap(),
        json!({"hits": []})
    );
}

#[tokio::test]
async fn a_recorder_that_came_late_says_so_unless_it_is_told() {
    let source = Arc::new(RecordedModel::refreshing("recorded:toy", by_hand()));
    let first = ask(0, "Design the replication.");
    let answer = source.chat(&first).await.unwrap();
    let second: ChatRequest = next(&first, &answer, vec![user("Go on.")]);

    let late = Recorder::new(source.clone());
    late.chat(&second).await.unwrap();
    let error = late.recording().unwrap_err().to_string();
    assert!(
        error.contains("turn 0 of the stage design was not seen"),
        "{error}"
    );

    let told = Recorder::new(source);
    told.note(&first, &answer);
    told.chat(&second).await.unwrap();
    let model = RecordedModel::new("replay", told.recording().unwrap());
    assert!(model.chat(&second).await.is_ok());
}
