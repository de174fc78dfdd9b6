//! Texts that are no Dockerfile, or one that is made to be too much.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::error::DockerfileError;
use super::super::published::NotFollowedReason;
use super::super::text::LARGEST;
use super::*;

#[test]
fn what_is_too_large_or_no_text_is_an_error() {
    let nothing = |_: &str| None;
    assert_eq!(
        read(&vec![b'#'; LARGEST + 1], &nothing),
        Err(DockerfileError::TooLarge)
    );
    assert_eq!(read(b"FROM x\0", &nothing), Err(DockerfileError::NoText));
    assert_eq!(read(b"", &nothing), Ok(PublishedEnvironment::default()));
    assert_eq!(
        packages(&alone("\u{feff}FROM x\r\nRUN pip install \\\r\n  six\r\n")),
        "six"
    );
}

#[test]
fn what_grows_without_end_is_cut() {
    let begun = Instant::now();
    let doubled = format!(
        "FROM x\nENV A=aaaaaaaaaaaaaaaa\n{}RUN pip install $A",
        "ENV A=$A$A\n".repeat(20_000)
    );
    assert!(alone(&doubled).python.is_empty());
    let used = format!(
        "FROM x\nENV A={}\nRUN pip install {}",
        "a".repeat(10_000),
        "$A ".repeat(100_000)
    );
    assert_eq!(alone(&used).not_followed[0].why, NotFollowedReason::Dynamic);
    let lines = alone(&format!("FROM x\n{}", "FROM y\n".repeat(100_000)));
    assert!(lines.not_followed.len() <= 1_001);
    let commands = alone(&format!("FROM x\nRUN {}", "a;".repeat(400_000)));
    assert_eq!(commands.not_followed.len(), 1);
    let many: String = (0..100_000).map(|number| format!("RUN x{number}\n")).collect();
    assert_eq!(
        alone(&format!("FROM x\n{}", &many[..1_000_000]))
            .not_followed
            .len(),
        1_001
    );
    let documents = alone(&format!("EOF\n{}", "RUN <<EOF\n".repeat(100_000)));
    assert!(documents.not_followed.len() <= 1_001);
    let deep = format!(
        "FROM x\nRUN R -e '{}install.packages(\"a1\")'",
        "if (TRUE) ".repeat(90_000)
    );
    assert!(alone(&deep).r.is_empty());
    let blocks = format!("FROM x\nRUN R -e '{}'", "{".repeat(900_000));
    assert_eq!(alone(&blocks).not_followed.len(), 1);
    let files = format!("FROM x\n{}", "RUN pip install -r r.txt\n".repeat(40_000));
    let long = "six\n".repeat(250_000);
    assert_eq!(beside(&files, &[("r.txt", &long)]).python.len(), 1);
    assert!(
        begun.elapsed() < Duration::from_secs(600),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn told_parts_are_short_and_on_one_line() {
    let read = alone(&format!("FROM x\nRUN evil\u{1b}[31m \\\n {}", "x ".repeat(500)));
    let text = &read.not_followed[0].text;
    assert!(
        text.chars().count() <= 161 && !text.contains(['\u{1b}', '\n']),
        "{text}"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_and_each_line_told_is_one_of_it(
        parts in prop::collection::vec(prop_oneof![
            Just("FROM x"), Just("RUN "), Just("pip install "), Just("'"), Just("\""), Just("\\\n"), Just("\n"),
            Just("${"), Just("$("), Just("A=$A"), Just("ENV "), Just("<<EOF"), Just("EOF"), Just("[\""), Just("\"]"),
            Just("R -e "), Just("install.packages("), Just("c("), Just(")"), Just("{"), Just("if ("), Just("ü"),
            Just("conda install a=1"), Just("-r "), Just("COPY a b"), Just(" "), Just(";"), Just("&&"), Just("2>&"), Just("="),
        ], 0..60),
        other in any::<String>(),
    ) {
        for text in [parts.concat(), other] {
            if let Ok(environment) = read(text.as_bytes(), &|_| Some(text.clone().into_bytes())) {
                let lines = text.split('\n').count();
                prop_assert!(environment.not_followed.iter().all(|part| (1..=lines).contains(&part.line)));
            }
        }
    }
}
