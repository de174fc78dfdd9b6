//! `reprise show verify`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::folder::RunFolder;
use crate::engine::verified_run::VerifiedRun;
use crate::journal::signature::keys::PublicKey;
use crate::journal::signature::statement::SignedEvent;
use crate::journal::signature::verification::{CheckedEvent, Standing};

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};

/// What no signature covers.
const NOT_COVERED: &str = "run.json, the workspace, artifacts/, reports and scores, which the journal does not name by digest \
     (`reprise report` writes a report from the journal alone), and who else has the key";

#[derive(Debug, Args)]
#[command(after_help = "\
The key is yours and never taken from the run. Every decision by a person and the end of the run have to be \
signed with its private half (`--sign KEYFILE` of run, resume and approve); each signature covers all of the \
journal before it, and with it every value that the journal names. The exit code is 8 where one is missing, by \
another key, or does not fit.

Examples:
  openssl genpkey -algorithm ed25519 -out me.pem && openssl pkey -in me.pem -pubout -out me.pub
  reprise run STUDY --sign me.pem
  reprise show verify RUN --key me.pub --json")]
pub struct VerifyArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The public Ed25519 key of whoever decided: PEM, or a line of ssh's.
    #[arg(long, value_name = "PUBLIC")]
    pub key: PathBuf,
    /// Print what was found as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Holds a run against its signatures.
///
/// # Errors
/// A key or a run that cannot be read.
pub fn verify(printer: Printer, args: &VerifyArgs) -> Result<Status, Failure> {
    let folder = RunFolder::find(&args.dir)?;
    let key = PublicKey::open(&args.key).map_err(|error| Failure::usage(format!("--key: {error}")))?;
    if !folder.journal().exists() {
        return Err(Failure::usage(format!(
            "{} holds no journal: name a run's folder",
            args.dir.display()
        )));
    }
    let found = VerifiedRun::open(&folder, &key)?;
    let status = match found.is_good() {
        true => Status::Done,
        false => Status::Unverified,
    };
    if args.json {
        printer.json(&json!({
            "format": "reprise-verification/1", "verified": found.is_good(), "key": key.encoded(), "found": found,
            "not_covered": NOT_COVERED,
        }))?;
    } else {
        tell(printer, &found);
    }
    Ok(status)
}

fn tell(printer: Printer, found: &VerifiedRun) {
    let journal = &found.journal;
    for one in &journal.checked {
        printer.line(line(one));
    }
    if journal.end().is_none() {
        printer.line(
            "end: the journal holds none, so that whatever came after its last event may have been cut off",
        );
    }
    for seq in &journal.strays {
        printer.line(format!(
            "event {seq} was signed, and the journal holds no such event: something was removed or changed"
        ));
    }
    for one in &found.damaged {
        printer.line(printable(one));
    }
    if found.torn > 0 {
        printer.line(format!(
            "The last line is torn ({} bytes) and covered by nothing.",
            found.torn
        ));
    }
    let word = match found.is_good() {
        true => styled(paint::GOOD, "verified"),
        false => styled(paint::BAD, "not verified"),
    };
    printer.line(format!(
        "{word}: {} of {} events are covered by signatures with this key",
        journal.covered, journal.events
    ));
    printer.line(format!("Not covered: {NOT_COVERED}."));
}

fn line(one: &CheckedEvent) -> String {
    let what = match &one.event {
        SignedEvent::Decision { id, allowed, .. } => {
            let word = if *allowed { "allowed" } else { "refused" };
            format!("{id} {word}, event {}", one.seq)
        }
        SignedEvent::End => format!("end, event {}", one.seq),
    };
    let standing = match &one.standing {
        Standing::Signed => "signed with this key".to_owned(),
        Standing::Unsigned => "not signed".to_owned(),
        Standing::OtherKey { key } => format!("signed with another key ({})", printable(key)),
        Standing::Forged => "its signature does not fit this journal".to_owned(),
    };
    format!("{what}: {standing}")
}
