//! Results that come again, and results that grew old.

use reprise::agent::brief::Brief;
use reprise::agent::conversation::{Conversation, Move};
use reprise::model::chat::Message;
use reprise::tools::contract::Observation;

use super::{brief, calls, conversation, last};

fn page(version: usize) -> String {
    let body: String = (0..200)
        .map(|row| format!("row {row} of version {version}\n"))
        .collect();
    format!("`work/a.R`: lines 1-200 of 200 (4 kB)\n\n{body}")
}

/// One call of a tool and its result; what the model is shown of it.
fn shown(conversation: &mut Conversation, tool: &str, result: Observation) -> String {
    assert_eq!(conversation.next(), Move::Ask);
    conversation.answered(&calls(&[(tool, r#"{"path": "work/a.R"}"#)]));
    conversation.observed(0, result);
    last(conversation)
}

#[test]
fn a_file_read_again_unchanged_is_pointed_to() {
    let mut conversation = conversation(true, 50);
    let mut read = |version| shown(&mut conversation, "read_file", Observation::good(page(version)));
    assert_eq!(read(1), page(1));
    assert_eq!(
        read(1),
        "`work/a.R`: lines 1-200 of 200 (4 kB)\n[Unchanged since turn 1: the same text was shown there, word for word.]"
    );
    assert_eq!(read(2), page(2), "a changed file is shown");
    assert!(read(2).contains("since turn 3"));
    // Put back as it was, it is what the first turn shows.
    assert!(read(1).contains("since turn 1"));
}

#[test]
fn only_what_looks_at_things_is_pointed_to() {
    let mut conversation = conversation(true, 50);
    for _ in 0..2 {
        let failed = shown(&mut conversation, "read_file", Observation::bad(page(1)));
        assert_eq!(failed, page(1), "a failure is told in full");
        let run = shown(&mut conversation, "run_analysis", Observation::good(page(2)));
        assert_eq!(run, page(2), "a run is told in full");
        let short = shown(&mut conversation, "read_file", Observation::good("`a` is empty."));
        assert_eq!(short, "`a` is empty.");
    }
}

#[test]
fn what_the_task_quotes_is_pointed_to() {
    let body = page(1).split_once("\n\n").unwrap().1.trim().to_owned();
    let mut conversation = Conversation::new(Brief {
        user: format!("Do it.\n<<<DATA\n{body}\n<<<END").into(),
        ..brief(true, 50)
    });
    let read = shown(&mut conversation, "read_file", Observation::good(page(1)));
    assert!(read.ends_with("[Unchanged since the task: the same text was shown there, word for word.]"));
    let edited = shown(&mut conversation, "read_file", Observation::good(page(2)));
    assert_eq!(edited, page(2));
}

#[test]
fn what_was_shrunk_is_shown_in_full_again() {
    let mut conversation = Conversation::new(Brief {
        shrink_at: Some(6_000),
        shrink_from: 0,
        ..brief(true, 50)
    });
    for version in 1..=4 {
        shown(&mut conversation, "read_file", Observation::good(page(version)));
    }
    assert_eq!(conversation.shrinkings(), 1);
    let left_out: Vec<_> = conversation
        .left_out()
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    assert_eq!(
        left_out,
        ["logs/results/search-1-1.txt", "logs/results/search-2-1.txt"]
    );
    assert_eq!(&*conversation.left_out()[0].text, page(1));
    let text = format!("{:?}", conversation.request().messages);
    assert!(
        text.contains(
            "bytes that `read_file` gave in turn 1; the whole is in `logs/results/search-1-1.txt`]"
        ),
        "{text}"
    );
    let again = shown(&mut conversation, "read_file", Observation::good(page(1)));
    assert_eq!(again, page(1));
    let fresh = shown(&mut conversation, "read_file", Observation::good(page(4)));
    assert!(fresh.contains("since turn 4"), "{fresh}");
}

#[test]
fn machines_that_word_a_result_differently_shrink_alike() {
    let run = |root: &str| {
        let mut conversation = Conversation::new(Brief {
            shrink_at: Some(6_000),
            shrink_from: 0,
            ..brief(true, 50)
        });
        for version in 1..=4 {
            let result = Observation {
                stable: Some(page(version)),
                ..Observation::bad(format!("{root}\n{}", page(version)))
            };
            shown(&mut conversation, &format!("tool_{version}"), result);
        }
        conversation
    };
    let (here, there) = (run("/home/a"), run(&"/srv/somewhere/else".repeat(400)));
    assert_eq!((here.shrinkings(), there.shrinkings()), (1, 1));
    assert_eq!(here.request().messages[3], there.request().messages[3]);
    assert_ne!(here.left_out()[0].text, there.left_out()[0].text);
}

const CODE: &str = "print('a line of some length, so that the file is long')\n";

/// One call of `write_file` with that content, which works.
fn writes(conversation: &mut Conversation, content: &str) {
    let arguments = serde_json::json!({ "path": "work/a.py", "content": content });
    conversation.answered(&calls(&[("write_file", &arguments.to_string())]));
    assert!(matches!(conversation.next(), Move::Act(_)));
    conversation.observed(0, Observation::good("`work/a.py` is written."));
}

#[test]
fn a_file_read_as_it_was_written_is_pointed_to() {
    let mut conversation = conversation(true, 50);
    writes(&mut conversation, &CODE.repeat(100));
    let read = |text: &str| Observation::good(format!("`work/a.py`: lines 1-100 of 100\n\n{text}"));
    let same = shown(&mut conversation, "read_file", read(&CODE.repeat(100)));
    assert_eq!(
        same,
        "`work/a.py`: lines 1-100 of 100\n[Unchanged since turn 1: it is word for word what you wrote there.]"
    );
    let other = shown(&mut conversation, "read_file", read(&CODE.repeat(101)));
    assert!(other.ends_with(&CODE.repeat(101)));
}

#[test]
fn what_a_call_wrote_shrinks_and_its_pointer_is_not_taken_for_a_text() {
    let mut conversation = Conversation::new(Brief {
        shrink_at: Some(4_000),
        shrink_from: 0,
        ..brief(true, 50)
    });
    writes(&mut conversation, &CODE.repeat(100));
    for _ in 0..2 {
        assert_eq!(conversation.shrinkings(), 0);
        shown(&mut conversation, "web_search", Observation::good("nothing"));
    }
    assert_eq!(conversation.shrinkings(), 1);
    let [left_out] = conversation.left_out() else {
        panic!("one text")
    };
    assert_eq!(left_out.path, "logs/results/search-1-1-content.txt");
    assert_eq!(&*left_out.text, CODE.repeat(100));
    // Read again, the file is shown: the conversation has it no more.
    let page = format!("`work/a.py`: lines 1-100 of 100\n\n{}", CODE.repeat(100));
    let read = shown(&mut conversation, "read_file", Observation::good(page.clone()));
    assert_eq!(read, page);
    let Message::Assistant { calls: made, .. } = &conversation.request().messages[2] else {
        panic!("no call")
    };
    conversation.answered(&calls(&[("write_file", &made[0].arguments)]));
    let Move::Act(pending) = conversation.next() else {
        panic!("no call")
    };
    let reason = pending[0].arguments.as_ref().unwrap_err();
    assert!(reason.starts_with("`content` is a note"), "{reason}");
}
