//! Asks the person at the terminal.

use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::process::Command;

use async_trait::async_trait;

use crate::agent::by_hand::desk::HandWork;
use crate::effects::ports::{Person, Reply};
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

/// The person at the terminal; nobody when there is none.
#[derive(Debug, Clone)]
pub struct Terminal {
    printer: Printer,
    /// The command of the person's editor.
    editor: Option<String>,
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
    /// The terminal that this process has.
    pub fn new(printer: Printer, settings: &Settings) -> Self {
        Self {
            printer,
            editor: settings.editor().map(str::to_owned),
        }
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
        for line in details.lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => paint::GOOD,
                Some(b'-') => paint::BAD,
                _ => paint::FAINT,
            };
            // The details quote the agent: no control character reaches the terminal.
            self.printer
                .note(format!("    {}", styled(style, printable(line))));
        }
        if asked.asking == Asking::Person {
            self.printer
                .note("Your answer (one line; empty: let the agent decide):");
            let words = read_line()?;
            return Some(Reply {
                allowed: true,
                words: (!words.is_empty()).then_some(words),
            });
        }
        loop {
            self.printer.note(
                "Allow? [y]es, [n]o and end the stage, or write what the agent should do instead; \
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
                "q" | "quit" => return None,
                _ if words.chars().count() < 4 => {
                    self.printer
                        .note(format!("`{}` is neither an answer nor advice.", one_line(&words)));
                }
                _ => {
                    return Some(Reply {
                        allowed: false,
                        words: Some(words),
                    });
                }
            }
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
