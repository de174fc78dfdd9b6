//! Asks the person at the terminal.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use crate::agent::by_hand::desk::HandWork;
use crate::effects::ports::{Person, Reply};
use crate::model::name::ModelName;
use crate::run::event::{Asked, Asking};
use crate::settings::Settings;

use super::output::{Printer, one_line, paint, printable, styled};

/// The error of an editor that did not edit a form.
#[derive(Debug, thiserror::Error)]
enum EditorError {
    #[error("Neither VISUAL nor EDITOR names an editor: open the file in yours, and say [d]one.")]
    Unnamed,
    #[error("{0} ended with {1}.")]
    Failed(String, std::process::ExitStatus),
    #[error("{0} cannot be started: {1}.")]
    NotStarted(String, std::io::Error),
}

/// Lines of what is asked that are printed without being asked for.
const SHOWN: usize = 60;

/// The person at the terminal; nobody when there is none.
#[derive(Debug, Clone)]
pub struct Terminal {
    printer: Printer,
    /// The command of the person's editor.
    editor: Option<String>,
    /// The command that shows what is long.
    pager: String,
    /// True where the run's model is a recording.
    is_recording: bool,
    /// Whether the person gave an answer that a recording cannot react to, and goes on by hand.
    takes_over: Arc<AtomicBool>,
}

#[async_trait]
impl Person for Terminal {
    async fn work(&self, work: &HandWork) -> bool {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return false;
        }
        let (terminal, work) = (self.clone(), work.clone());
        tokio::task::spawn_blocking(move || terminal.sit_down(&work))
            .await
            .unwrap_or(false)
    }

    async fn answer(&self, asked: &Asked, details: &str) -> Option<Reply> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let question = (self.clone(), asked.clone(), details.to_owned());
        // Reading a terminal blocks, and must not hold up Ctrl-C.
        tokio::task::spawn_blocking(move || {
            let (terminal, asked, details) = question;
            terminal.ask(&asked, &details)
        })
        .await
        .ok()
        .flatten()
    }
}

impl Terminal {
    /// The terminal that this process has, for a run of `model`.
    pub fn new(printer: Printer, settings: &Settings, model: &str) -> Self {
        Self {
            printer,
            editor: settings.editor().map(str::to_owned),
            pager: settings.pager().to_owned(),
            is_recording: matches!(model.parse(), Ok(ModelName::Recorded(_))),
            takes_over: Arc::default(),
        }
    }

    /// Whether the person wants to go on by hand where the recording cannot.
    pub fn takes_over(&self) -> bool {
        self.takes_over.load(Ordering::Relaxed)
    }

    /// Whether words of the person's are given although the run's model may be a recording,
    /// which cannot react to them.
    fn insists(&self) -> bool {
        if !self.is_recording || self.takes_over() {
            return true;
        }
        self.printer.note(
            "This session is a recording: whatever you say, it goes on as it was written. Where your words lead \
             elsewhere, the run goes on by hand: you fill in forms in the model's place. Give them? [y]es, or [n]o \
             and answer otherwise:",
        );
        let words = read_line().unwrap_or_default();
        let yes = matches!(words.to_ascii_lowercase().as_str(), "y" | "yes");
        self.takes_over.store(yes, Ordering::Relaxed);
        yes
    }

    fn sit_down(&self, work: &HandWork) -> bool {
        self.printer
            .note(format!("\n{}", styled(paint::WARN, printable(&work.words))));
        loop {
            self.printer.note(
                "[d]one, [e]dit the form here, or [q] later (`reprise resume` goes on, in an hour or a week):",
            );
            match read_line()
                .unwrap_or_else(|| "q".to_owned())
                .to_ascii_lowercase()
                .as_str()
            {
                "d" | "done" => return true,
                "e" | "edit" => match self.edit(&work.form) {
                    Ok(()) => return true,
                    Err(problem) => self.printer.note(problem),
                },
                "q" | "quit" => return false,
                _ => {}
            }
        }
    }

    /// Opens a file in the person's editor and waits until it is closed.
    fn edit(&self, file: &Path) -> Result<(), EditorError> {
        let editor = self.editor.as_deref().ok_or(EditorError::Unnamed)?;
        // Editors are named with their options, such as `code --wait`.
        let mut words = editor.split_whitespace();
        let program = words.next().ok_or(EditorError::Unnamed)?;
        match Command::new(program).args(words).arg(file).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(EditorError::Failed(program.to_owned(), status)),
            Err(error) => Err(EditorError::NotStarted(program.to_owned(), error)),
        }
    }

    fn ask(&self, asked: &Asked, details: &str) -> Option<Reply> {
        self.printer.note(format!(
            "\n{} {}",
            styled(paint::WARN, format!("{}?", asked.id)),
            one_line(&asked.summary)
        ));
        let is_question = asked.asking == Asking::Person;
        let lines: Vec<&str> = details.lines().collect();
        let shown = if is_question {
            lines.len()
        } else {
            lines.len().min(SHOWN)
        };
        self.show(&lines[..shown]);
        if is_question {
            return self.ask_in_words();
        }
        if shown < lines.len() {
            self.printer.note(format!(
                "    ... {} more lines: [v]iew them all",
                lines.len() - shown
            ));
        }
        // Behind all that there is to read.
        self.printer.note(styled(paint::STRONG, one_line(&asked.summary)));
        loop {
            self.printer.note(
                "Allow? [y]es, [n]o and end the stage, [v]iew all of it, or write what the agent should do instead; \
                 [q] decides later:",
            );
            let words = read_line()?;
            match words.to_ascii_lowercase().as_str() {
                "" => {}
                "y" | "yes" => {
                    return Some(Reply {
                        allowed: true,
                        words: None,
                    });
                }
                "n" | "no" => {
                    return Some(Reply {
                        allowed: false,
                        words: None,
                    });
                }
                "v" | "view" => self.view(details),
                "q" | "quit" => return None,
                _ if words.chars().count() < 4 => {
                    self.printer
                        .note(format!("`{}` is neither an answer nor advice.", one_line(&words)));
                }
                _ if self.insists() => {
                    return Some(Reply {
                        allowed: false,
                        words: Some(words),
                    });
                }
                _ => {}
            }
        }
    }

    /// The answer to a question of the agent's.
    fn ask_in_words(&self) -> Option<Reply> {
        loop {
            self.printer
                .note("Your answer (one line; empty: let the agent decide):");
            let words = read_line()?;
            if words.is_empty() || self.insists() {
                return Some(Reply {
                    allowed: true,
                    words: (!words.is_empty()).then_some(words),
                });
            }
        }
    }

    /// Prints lines of the details of a question.
    fn show(&self, lines: &[&str]) {
        for line in lines {
            let style = match line.as_bytes().first() {
                Some(b'+') => paint::GOOD,
                Some(b'-') => paint::BAD,
                _ => paint::FAINT,
            };
            // The details quote the agent: no control character reaches the terminal.
            self.printer
                .note(format!("    {}", styled(style, printable(line))));
        }
    }

    /// Shows details in the person's pager, or prints them all where there is none.
    fn view(&self, details: &str) {
        let mut words = self.pager.split_whitespace();
        let paged = words.next().is_some_and(|program| {
            let mut command = Command::new(program);
            // Control characters of an agent's are shown, not obeyed.
            command.args(words).env("LESSSECURE", "1").stdin(Stdio::piped());
            let Ok(mut pager) = command.spawn() else {
                return false;
            };
            if let Some(mut input) = pager.stdin.take() {
                // A pager that is left early reads no further.
                let _left = input.write_all(printable(details).as_bytes());
            }
            pager.wait().is_ok_and(|status| status.success())
        });
        if !paged {
            self.show(&details.lines().collect::<Vec<_>>());
        }
    }
}

/// True if the person at the terminal says yes to a question; nobody does when there is none.
pub fn agrees(printer: Printer, question: &str) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    printer.note(printable(question));
    let words = read_line().unwrap_or_default();
    matches!(words.to_ascii_lowercase().as_str(), "y" | "yes")
}

/// A line that the person at the terminal writes; `None` where it is empty or nobody is there.
pub fn asked(printer: Printer, question: &str) -> Option<String> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    printer.note(printable(question));
    read_line().filter(|line| !line.is_empty())
}

/// A line without its end; `None` at the end of the input.
fn read_line() -> Option<String> {
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim().to_owned()),
    }
}
