//! A process that crashes with a key in hand says nothing of it.

use std::process::Command;

use reprise::domain::clock::FixedClock;
use reprise::model::access::Access;
use reprise::model::client::Client;
use reprise::model::dialect::Contact;
use reprise::model::key::Key;
use reprise::settings::Settings;

use crate::support::dialects::{CANARY, Dialect};
use crate::support::requests::ask;

/// Everything that holds a key and can be printed, as a crash would print it.
fn in_hand() -> Vec<(&'static str, String)> {
    let base = "http://127.0.0.1:9/v1";
    let variables = [
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "BRAVE_API_KEY",
        "TAVILY_API_KEY",
    ];
    let environment = Settings::from_variables(
        variables
            .into_iter()
            .map(|name| (name.to_owned(), CANARY.to_owned())),
    )
    .unwrap();
    let access = Access::open(&environment).unwrap();
    let contact = |dialect: Dialect| dialect.dialect(base, Default::default()).contact().clone();
    vec![
        ("key", format!("{:?}", Key::new(CANARY).unwrap())),
        ("settings", format!("{environment:#?}")),
        ("access", format!("{access:#?}")),
        (
            "endpoint",
            format!("{:#?}", contact(Dialect::Chat).connection.endpoint),
        ),
        ("chat completions", format!("{:#?}", contact(Dialect::Chat))),
        ("responses", format!("{:#?}", contact(Dialect::Responses))),
        ("messages", format!("{:#?}", contact(Dialect::Messages))),
        ("request", format!("{:#?}", ask(0, "x"))),
    ]
}

#[test]
fn nothing_that_holds_a_key_prints_it() {
    for (what, printed) in in_hand() {
        assert!(!printed.contains(CANARY), "{what}: {printed}");
    }
}

/// An error that holds all of it, and prints it.
#[derive(Debug)]
#[expect(dead_code, reason = "a crash prints what it holds")]
struct InHand {
    contact: Contact,
    printed: Vec<(&'static str, String)>,
}

fn failed(contact: Contact) -> Result<(), Box<InHand>> {
    Err(Box::new(InHand {
        contact,
        printed: in_hand(),
    }))
}

/// Crashes amid a call, on purpose; the test below looks at what is left.
#[tokio::test]
#[ignore = "crashes, for the test below"]
async fn crashes_with_a_key_in_hand() {
    let dialect = Dialect::Chat.dialect("http://127.0.0.1:9/v1", Default::default());
    let contact = dialect.contact().clone();
    let clock = std::sync::Arc::new(FixedClock(jiff::Timestamp::UNIX_EPOCH));
    let _model = Client::new(dialect, clock).unwrap();
    failed(contact).expect("this crash is wanted");
}

#[test]
fn a_crash_with_a_key_in_hand_shows_none() {
    let crashed = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "secrets::crashes_with_a_key_in_hand",
            "--ignored",
            "--nocapture",
        ])
        .env("RUST_BACKTRACE", "full")
        .output()
        .unwrap();
    assert!(!crashed.status.success());
    let printed = [crashed.stdout, crashed.stderr].concat();
    let text = String::from_utf8_lossy(&printed);
    assert!(text.contains("this crash is wanted"), "{text}");
    assert!(!text.contains(CANARY), "{text}");
}
