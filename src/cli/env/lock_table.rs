//! A lock, and differences of two, on a terminal.

use crate::cli::output::{Printer, one_line, paint, styled};
use crate::cli::text_table::TextTable;
use crate::domain::excerpt;
use crate::domain::format;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_difference::LockChange;

/// Prints what a lock holds.
pub fn show(printer: Printer, lock: &EnvironmentLock) {
    printer.line(format!("{} {}", styled(paint::STRONG, "as of"), lock.as_of.day));
    printer.line(format!("  {}", one_line(&lock.as_of.reason)));
    for choice in &lock.interpreters {
        let version = choice.version.as_deref().unwrap_or("of any version");
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, choice.language),
            one_line(version)
        ));
        printer.line(format!("  {}", one_line(&choice.reason)));
        let mut table = TextTable::default().with_text_columns(4);
        for package in lock.packages_of(choice.language) {
            let came = package.came.map_or(String::new(), format::day);
            let reason = package.reasons.first().map_or("", String::as_str);
            table.row([
                format!("  {}", one_line(&package.name)),
                one_line(&package.version),
                came,
                excerpt::shortened(&one_line(reason), 90),
            ]);
        }
        for line in table.lines() {
            printer.line(line);
        }
    }
    let not_had: Vec<String> = (lock.not_had.iter())
        .map(|lacking| format!("{} {}: {}", lacking.language, lacking.name, lacking.why))
        .collect();
    section(printer, "not had", paint::WARN, &not_had);
    let own: Vec<String> = (lock.own.iter())
        .map(|own| format!("{} {}: {}", own.language, own.name, own.reasons.join(" ")))
        .collect();
    section(printer, "this folder's own", paint::FAINT, &own);
    let questions: Vec<String> = lock.questions.iter().map(|one| one.question.clone()).collect();
    section(printer, "questions", paint::WARN, &questions);
    section(printer, "notes", paint::FAINT, &lock.notes);
}

fn section(printer: Printer, title: &str, style: anstyle::Style, lines: &[String]) {
    if !lines.is_empty() {
        printer.line(styled(style, title));
    }
    for line in lines {
        printer.line(format!("  {}", one_line(line)));
    }
}

/// Prints the differences of two locks.
pub fn differences(printer: Printer, changes: &[LockChange]) {
    if changes.is_empty() {
        printer.line("the two locks are of the same environment");
        return;
    }
    let mut table = TextTable::new(["what", "language", "name", "first", "second"]).with_text_columns(5);
    for change in changes {
        let text = |value: Option<&String>| value.map_or_else(|| "–".to_owned(), |value| one_line(value));
        table.row([
            change.what.to_owned(),
            change
                .language
                .map_or(String::new(), |language| language.to_string()),
            text(change.name.as_ref()),
            text(change.first.as_ref()),
            text(change.second.as_ref()),
        ]);
    }
    for line in table.lines() {
        printer.line(line);
    }
}
