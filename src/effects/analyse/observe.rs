//! Observations of builds and executions for the agent: composed from the journal, so that a
//! resumed run tells the same.

use std::fs;

use crate::domain::excerpt;
use crate::domain::execution::Ending;
use crate::domain::failure::FailureCause;
use crate::domain::result_line;
use crate::engine::error::EngineError;
use crate::engine::facts;
use crate::engine::session::Session;
use crate::policy::diagnose;
use crate::policy::diagnose::{Diagnosis, PrintedText};
use crate::policy::waiting;
use crate::run::event::{BuildResult, CallRef, ExecutionFinished};
use crate::run::execution_state::ExecutionState;
use crate::tools::contract::Observation;
use crate::tools::cut::{self, Keep, TextCap};
use crate::verdict::figure::figure;

use super::rules::Declared;
use super::{rescue_words, variants};

/// Lines of standard output that the model sees at most.
const STDOUT: TextCap = TextCap {
    lines: 2000,
    characters: 24_000,
};
/// Lines of standard error that the model sees at most.
const STDERR: TextCap = TextCap {
    lines: 80,
    characters: 8_000,
};

/// Tells how each entry ended.
///
/// # Errors
/// Output that the store lacks or holds damaged, or a log that cannot be written into the workspace.
pub fn executions(session: &Session, at: CallRef, declared: &Declared) -> Result<Observation, EngineError> {
    let mut text = String::new();
    let mut stable = String::new();
    let mut ok = true;
    for execution in session
        .state
        .executions
        .iter()
        .filter(|execution| execution.started.at == at)
    {
        let Some(finished) = &execution.finished else {
            continue;
        };
        ok &= finished.ending.ok();
        tell(session, execution, finished, &mut text, &mut stable)?;
    }
    let done = session
        .state
        .executions
        .iter()
        .filter(|execution| execution.started.at == at && execution.finished.is_some())
        .count();
    if done < declared.plan.0.len() {
        let rest = format!(
            "{} later entry points were not run.\n",
            declared.plan.0.len() - done
        );
        text.push_str(&rest);
        stable.push_str(&rest);
    }
    let recorded = recorded(session, at)?;
    text.push_str(&recorded);
    stable.push_str(&recorded);
    if ok && variants::run_in(session, at.stage) && done == declared.plan.0.len() {
        let variants = variants::tell(session, at, declared);
        text.push_str(&variants);
        stable.push_str(&variants);
    }
    for ignored in &declared.ignored {
        let line = format!("Not honoured: {ignored}.\n");
        text.push_str(&line);
        stable.push_str(&line);
    }
    if let Some(hint) = same_again(session, at)? {
        text.push_str(&hint);
        stable.push_str(&hint);
    }
    Ok(Observation {
        text,
        stable: Some(stable),
        ok,
        command: None,
    })
}

/// Tells how the entries ended that ran before the plan could not be followed any more.
///
/// # Errors
/// Output that the store lacks or holds damaged, or a log that cannot be written into the workspace.
pub fn unfollowed(session: &Session, at: CallRef, fault: &str) -> Result<Observation, EngineError> {
    let mut text = String::new();
    let mut stable = String::new();
    let ran = |one: &&ExecutionState| one.started.at == at;
    for execution in session.state.executions.iter().filter(ran) {
        if let Some(finished) = &execution.finished {
            tell(session, execution, finished, &mut text, &mut stable)?;
        }
    }
    if text.is_empty() {
        return Ok(Observation::bad(fault));
    }
    let told = format!(
        "{}Then the plan could not be followed any more.\n",
        recorded(session, at)?
    );
    for whole in [&mut text, &mut stable] {
        whole.push_str(&told);
        whole.push_str(fault);
    }
    Ok(Observation {
        text,
        stable: Some(stable),
        ok: false,
        command: None,
    })
}

/// Results that the code recorded are listed up to this number.
const RESULTS: usize = 40;

/// What the code recorded, line by line, and what cannot be used of it.
fn recorded(session: &Session, at: CallRef) -> Result<String, EngineError> {
    let call: Vec<&ExecutionState> = session
        .state
        .executions
        .iter()
        .filter(|execution| execution.started.at == at && execution.finished.is_some())
        .collect();
    let (lines, unusable) = result_line::parse(&facts::results(&call, session.store.as_ref())?);
    let mut text = String::new();
    if !lines.is_empty() {
        text.push_str(&format!(
            "Recorded in {} ({} lines):\n",
            result_line::FILE,
            lines.len()
        ));
    }
    for line in lines.iter().take(RESULTS) {
        let number = |name: &str, value: Option<f64>| {
            value.map_or_else(String::new, |value| format!(" {name} {}", figure(value)))
        };
        text.push_str(&format!(
            "- {}{}{}{}{}\n",
            excerpt::start(&line.term, 120),
            number("estimate", line.estimate),
            number("se", line.se),
            number("p", line.p.as_ref().map(|p| p.value)),
            number("n", line.n.map(|n| n as f64)),
        ));
    }
    for bad in unusable.iter().take(RESULTS) {
        text.push_str(&format!("Not usable: {bad}.\n"));
    }
    Ok(text)
}

fn tell(
    session: &Session,
    execution: &ExecutionState,
    finished: &ExecutionFinished,
    text: &mut String,
    stable: &mut String,
) -> Result<(), EngineError> {
    let id = execution.started.id;
    let stdout = session.text(&finished.stdout)?;
    let stderr = session.text(&finished.stderr)?;
    let logs = write_logs(session, &id.to_string(), &stdout, &stderr)?;
    let printed = PrintedText {
        stdout: &stdout,
        stderr: &stderr,
    };
    let diagnosis = diagnose::execution(finished.ending, printed);
    let mut head = format!(
        "Execution {id}: `{}` {}",
        execution.started.command.join(" "),
        ending(finished.ending)
    );
    if let Some(diagnosis) = &diagnosis {
        head.push_str(&format!(" (cause: {})", diagnosis.cause));
    }
    head.push_str(".\n");
    if let Some(Diagnosis {
        cause: FailureCause::WaitedForInput,
        key: Some(key),
    }) = &diagnosis
    {
        let way_out = match waiting::wanted_to_install(key) {
            true => "Declare packages in `docker_specs.packages` of the plan; scripts install none.",
            false => "Write the answer into the code, or pass it as an argument.",
        };
        head.push_str(&format!(
            "It waited for input, and standard input is empty: nobody answers questions here ({key}). {way_out}\n"
        ));
    }
    head.push_str(&files_left(finished));
    text.push_str(&head);
    stable.push_str(&head);
    let kept = cut::cut(
        &stdout,
        STDOUT,
        Keep::BothEnds,
        &format!("the whole is in `{}`", logs.0),
    );
    let was_cut = kept != stdout;
    let block = fenced("standard output", &kept);
    text.push_str(&block);
    stable.push_str(&block);
    if was_cut {
        let advice = format!(
            "The output is long ({} bytes in all, whole in `{}`). Print a compact summary of the figures that \
             matter, and run again.\n",
            finished.stdout_bytes, logs.0
        );
        text.push_str(&advice);
        stable.push_str(&advice);
    }
    if !stderr.trim().is_empty() {
        text.push_str(&fenced(
            "standard error",
            &cut::cut(
                &stderr,
                STDERR,
                Keep::BothEnds,
                &format!("the whole is in `{}`", logs.1),
            ),
        ));
    }
    // What a later table says of the same output is no other course of the run.
    if let Some(rescue) = &finished.rescue {
        text.push_str(&rescue_words::told(session, execution, rescue)?);
    }
    if let Some(Diagnosis { key: Some(key), .. }) = diagnosis {
        stable.push_str(&format!("standard error says: {key}\n"));
    }
    Ok(())
}

/// The files that are not in the list of outputs, or stand there unread.
fn files_left(finished: &ExecutionFinished) -> String {
    let mut text = String::new();
    if let Some(further) = &finished.further {
        text.push_str(&format!(
            "It wrote {} files, of which {} are not listed one by one: write fewer.\n",
            finished.outputs.len() as u64 + further.count,
            further.count
        ));
    }
    if let Some(unread) = &finished.unread {
        let names: Vec<String> = unread.paths.iter().map(|path| format!("`{path}`")).collect();
        text.push_str(&format!(
            "{} files in work/, of {} bytes in all, are too large to be read and are known by size and time \
             alone: {}{}. Write less, or remove what is not needed.\n",
            unread.count,
            unread.bytes,
            names.join(", "),
            if unread.count as usize > names.len() {
                " and more"
            } else {
                ""
            }
        ));
    }
    text
}

fn fenced(name: &str, text: &str) -> String {
    if text.trim().is_empty() {
        return format!("({name} is empty)\n");
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("--- {name}\n{text}{end}--- end of {name}\n")
}

fn ending(ending: Ending) -> String {
    match ending {
        Ending::Exited(0) => "succeeded (exit status 0)".to_owned(),
        Ending::Exited(127) => {
            "could not start: its program is not installed here (exit status 127)".to_owned()
        }
        Ending::Exited(status) => format!("failed with exit status {status}"),
        Ending::Signalled(signal) => format!("was killed by signal {signal}"),
        Ending::TimedOut => "was stopped at its time limit".to_owned(),
        Ending::OutOfMemory => "was stopped at its memory limit".to_owned(),
        Ending::Cancelled => "was cancelled".to_owned(),
    }
}

/// The whole output, where the agent can read it; returns the two paths.
fn write_logs(
    session: &Session,
    id: &str,
    stdout: &str,
    stderr: &str,
) -> Result<(String, String), EngineError> {
    let folder = session.folder.workspace().join("logs");
    fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
    let write = |stream: &str, text: &str| {
        let name = format!("{id}.{stream}.txt");
        let path = folder.join(&name);
        fs::write(&path, text).map_err(|error| EngineError::io(&path, error))?;
        Ok::<_, EngineError>(format!("logs/{name}"))
    };
    Ok((write("stdout", stdout)?, write("stderr", stderr)?))
}

/// A hint when this failure is the one before it again.
fn same_again(session: &Session, at: CallRef) -> Result<Option<String>, EngineError> {
    let mut keys = Vec::new();
    for execution in session.state.executions.iter().rev() {
        let Some(finished) = &execution.finished else {
            continue;
        };
        let (stdout, stderr) = (session.text(&finished.stdout)?, session.text(&finished.stderr)?);
        let printed = PrintedText {
            stdout: &stdout,
            stderr: &stderr,
        };
        let key = diagnose::execution(finished.ending, printed).and_then(|one| one.key);
        keys.push((execution.started.at, key));
        if keys.len() == 2 {
            break;
        }
    }
    Ok(match keys.as_slice() {
        [(last, Some(key)), (before, Some(same))] if *last == at && before != last && key == same => Some(
            format!("This is the same error as in the run before ({key}): try another approach.\n"),
        ),
        _ => None,
    })
}

/// Tells why the environment that a plan declares could not be made.
///
/// # Errors
/// A call that has no failed build in the journal.
pub fn build_failure(session: &Session, at: CallRef, plan: &str) -> Result<Observation, EngineError> {
    let Some(BuildResult::Failed(failure)) = session.state.build_of(at).map(|build| build.result.clone())
    else {
        return Err(EngineError::Unusable(
            "a build failure is told that is not in the journal".to_owned(),
        ));
    };
    let mut text = format!(
        "The environment could not be made (cause: {}). Nothing was run. {}\n",
        failure.cause, failure.summary
    );
    if !failure.packages.is_empty() {
        text.push_str(&format!("Packages at fault: {}.\n", failure.packages.join(", ")));
    }
    let again = session
        .state
        .builds
        .iter()
        .rev()
        .filter(|build| build.at != at)
        .map(|build| &build.result)
        .next()
        .is_some_and(
            |before| matches!(before, BuildResult::Failed(before) if before.summary == failure.summary),
        );
    if again {
        text.push_str("This is the same failure as before: try another approach.\n");
    }
    // The summary quotes the package index and the interpreter's version.
    let stable = format!(
        "no environment, cause {}, packages: {}",
        failure.cause,
        failure.packages.join(", ")
    );
    if !failure.log.trim().is_empty() {
        text.push_str(&fenced("build log, last lines", &failure.log));
    }
    text.push_str(&format!(
        "Mend the packages in `{plan}` with `edit_file`, then call `run_analysis` again.\n"
    ));
    Ok(Observation {
        text,
        stable: Some(stable),
        ok: false,
        command: None,
    })
}
