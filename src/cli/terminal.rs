//! Asks the person at the terminal.

use std::io::{BufRead, IsTerminal};

use async_trait::async_trait;

use crate::effects::ports::{Person, Reply};
use crate::run::event::{Asked, Asking};

use super::output::{Printer, one_line, paint, printable, styled};

/// The person at the terminal; nobody when there is none.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    pub printer: Printer,
}

#[async_trait]
impl Person for Terminal {
    async fn answer(&self, asked: &Asked, details: &str) -> Option<Reply> {
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return None;
        }
        let question = (*self, asked.clone(), details.to_owned());
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
    fn ask(self, asked: &Asked, details: &str) -> Option<Reply> {
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
