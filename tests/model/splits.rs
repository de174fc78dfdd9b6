//! However the bytes of a stream arrive, the message is the one that was sent.

use proptest::prelude::*;
use reprise::domain::conversation::Finish;
use reprise::model::sse::Decoder;

use crate::support::dialects::{DIALECTS, Dialect, End, Said};
use crate::support::requests::ask;

fn any_said() -> impl Strategy<Value = Said> {
    let call = ("[a-z0-9_]{1,8}", "[a-z_]{1,8}", "\\PC{0,20}").prop_map(|(id, name, value)| {
        let arguments = serde_json::json!({ "value": value }).to_string();
        (id, name, arguments)
    });
    (
        any::<String>(),
        prop::collection::vec(call, 0..4),
        prop_oneof![Just(End::Done), Just(End::Length)],
        (0..1_000_u64, 0..1_000_u64),
    )
        .prop_map(|(text, calls, end, (rest, cached))| Said {
            text,
            calls,
            end,
            tokens: (rest + cached, cached, 7),
        })
}

fn check(dialect: Dialect, said: &Said, cuts: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let stream = dialect.events(said).concat().into_bytes();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len())).collect();
    cuts.sort_unstable();
    cuts.push(stream.len());
    let (mut decoder, mut assembly) = (Decoder::default(), dialect.assembly());
    let mut from = 0;
    for cut in cuts {
        let mut fault = Ok(());
        decoder.feed(&stream[from..cut], |event| {
            if fault.is_ok() {
                fault = assembly.take(event);
            }
        });
        prop_assert_eq!(fault, Ok(()));
        from = cut;
    }
    let document = assembly.finish().unwrap();
    let response = dialect.read(&ask(0, "x"), &document).unwrap();
    prop_assert_eq!(&response.text, &said.text, "{:?}", dialect);
    let finish = match said.end {
        End::Length => Finish::Length,
        _ => Finish::Stop,
    };
    prop_assert_eq!(response.finish, finish);
    let calls: Vec<_> = response
        .calls
        .iter()
        .map(|call| (&call.name, &call.arguments))
        .collect();
    let sent: Vec<_> = said
        .calls
        .iter()
        .map(|(_, name, arguments)| (name, arguments))
        .collect();
    prop_assert_eq!(calls, sent, "{:?}", dialect);
    let usage = response.usage;
    prop_assert_eq!((usage.input, usage.cached, usage.output), said.tokens);
    Ok(())
}

proptest! {
    #[test]
    fn any_split_of_a_stream_yields_the_message_that_was_sent(
        said in any_said(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        for dialect in DIALECTS {
            check(dialect, &said, &cuts)?;
        }
    }
}
