//! Verbs that have moved: an old name still works.

use std::ffi::{OsStr, OsString};

use super::exit::Failure;

/// Each old verb, and the words that take its place.
const MOVED: [(&str, &str); 17] = [
    ("audit", "score audit"),
    ("check-stats", "check stats"),
    ("completions", "doctor completions"),
    ("cost", "show cost"),
    ("data", "read"),
    ("ground", "report ground"),
    ("manual", "doctor manual"),
    ("mcp", "agents mcp"),
    ("model", "doctor model"),
    ("probe", "replay probe"),
    ("record", "replay record"),
    ("refresh-recordings", "replay refresh"),
    ("rescue", "env rescue"),
    ("review", "score review"),
    ("schema", "doctor schema"),
    ("uplift", "score uplift"),
    ("verify", "show verify"),
];

/// The verb that is gone, and why.
const BATCH: &str = "batch";
const NO_BATCH: &str = "`reprise batch` is gone: write the studies and one agent into a bench file, and `reprise bench FILE` \
     runs them out of one budget (`reprise bench --help` shows such a file)";

/// The words that take the place of an old verb.
fn moved(word: &OsStr) -> Option<(&'static str, &'static str)> {
    MOVED.into_iter().find(|(old, _)| word == *old)
}

/// Puts the words of today in the place of an old verb, which is the first argument of the program or of `help`; what
/// the user is to know of it.
///
/// # Errors
/// A verb that is gone.
pub fn rewrite(arguments: &mut Vec<OsString>) -> Result<Option<String>, Failure> {
    let at = match arguments.get(1) {
        Some(word) if word == "help" => 2,
        _ => 1,
    };
    if arguments.get(at).is_some_and(|word| word == BATCH) {
        return Err(Failure::usage(NO_BATCH));
    }
    let Some((old, new)) = arguments.get(at).and_then(|word| moved(word)) else {
        return Ok(None);
    };
    arguments.splice(at..=at, new.split(' ').map(OsString::from));
    Ok(Some(format!("`reprise {old}` is `reprise {new}` now.")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn an_old_verb_is_rewritten_where_a_verb_can_be_and_nowhere_else() {
        let rewritten = |line: &str| {
            let mut arguments = line.split(' ').map(OsString::from).collect();
            let note = rewrite(&mut arguments).unwrap();
            (arguments.join(OsStr::new(" ")).into_string().unwrap(), note)
        };
        let note = Some("`reprise cost` is `reprise show cost` now.".to_owned());
        assert_eq!(
            rewritten("reprise cost cost --json"),
            ("reprise show cost cost --json".to_owned(), note.clone())
        );
        assert_eq!(
            rewritten("reprise help cost"),
            ("reprise help show cost".to_owned(), note)
        );
        for line in [
            "reprise",
            "reprise show cost",
            "reprise list cost",
            "reprise help",
        ] {
            assert_eq!(rewritten(line), (line.to_owned(), None));
        }
    }

    #[test]
    fn every_old_verb_leads_to_one_that_is_there() {
        let root = Cli::command();
        for (old, new) in MOVED {
            assert!(root.find_subcommand(old).is_none(), "{old}");
            let found = new
                .split(' ')
                .try_fold(&root, |command, word| command.find_subcommand(word));
            assert!(found.is_some(), "{new}");
        }
    }
}
