//! The needs of an analysis on a terminal.

use crate::cli::output::{Printer, one_line, paint, styled};
use crate::cli::text_table::TextTable;
use crate::domain::excerpt;
use crate::environment::language::Language;
use crate::environment::need::{Certainty, PackageNeed};
use crate::environment::survey::EnvironmentSurvey;

/// Evidence of which each line is shown; `--json` has all.
const MOST_EVIDENCE: usize = 12;
/// Characters of a reason.
const WIDEST: usize = 90;

/// Prints date, interpreters, packages, questions and evidence.
pub fn show(printer: Printer, survey: &EnvironmentSurvey) {
    match &survey.as_of {
        Some(as_of) => {
            let weak = match as_of.weak {
                true => styled(paint::WARN, " (weak: say `--as-of DATE`)"),
                false => String::new(),
            };
            printer.line(format!("{} {}{weak}", styled(paint::STRONG, "as of"), as_of.day));
            printer.line(format!("  {}", one_line(&as_of.reason)));
        }
        None => printer.line(format!(
            "{} nothing tells the date: say it with `--as-of DATE`",
            styled(paint::WARN, "as of")
        )),
    }
    for choice in &survey.interpreters {
        let version = choice.version.as_deref().unwrap_or("of any version");
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, choice.language),
            one_line(version)
        ));
        printer.line(format!("  {}", one_line(&choice.reason)));
        packages(printer, choice.language, survey);
    }
    section(
        printer,
        "questions",
        paint::WARN,
        survey.questions.iter().map(|one| one.question.as_str()),
    );
    section(
        printer,
        "contradictions",
        paint::WARN,
        survey.contradictions.iter().map(String::as_str),
    );
    section(
        printer,
        "left out",
        paint::FAINT,
        survey.left_out.iter().map(String::as_str),
    );
    section(
        printer,
        "not had on this machine",
        paint::WARN,
        survey.not_here.iter().map(String::as_str),
    );
    section(
        printer,
        "not locked",
        paint::WARN,
        survey.not_locked.iter().map(String::as_str),
    );
    let faults: Vec<String> = (survey.faults.iter())
        .map(|fault| format!("{}: {}", fault.file, fault.problem))
        .collect();
    section(
        printer,
        "not used",
        paint::FAINT,
        faults.iter().map(String::as_str),
    );
    let evidence: Vec<String> = (survey.evidence.iter().take(MOST_EVIDENCE))
        .map(|one| {
            let line = one.line.map_or(String::new(), |line| format!(", line {line}"));
            format!("{:>3}  {}{line}: {}", one.weight, one.file, one.says)
        })
        .collect();
    section(
        printer,
        "evidence, by weight",
        paint::FAINT,
        evidence.iter().map(String::as_str),
    );
    let more = survey.evidence.len().saturating_sub(MOST_EVIDENCE);
    if more > 0 {
        printer.line(format!("  and {more} more: `--json` has them"));
    }
}

fn section<'a>(printer: Printer, title: &str, style: anstyle::Style, lines: impl Iterator<Item = &'a str>) {
    for (at, line) in lines.enumerate() {
        if at == 0 {
            printer.line(styled(style, title));
        }
        printer.line(format!("  {}", one_line(line)));
    }
}

fn packages(printer: Printer, language: Language, survey: &EnvironmentSurvey) {
    let needs = survey.packages.iter().filter(|need| need.language == language);
    let mut table = TextTable::default().with_text_columns(3);
    for need in needs {
        let reason = need.reasons.first().map_or("", String::as_str);
        table.row([
            format!("  {}", shown_name(need)),
            word(need),
            excerpt::shortened(&one_line(reason), WIDEST),
        ]);
    }
    for line in table.lines() {
        printer.line(line);
    }
    let own = survey
        .commands
        .iter()
        .filter(|one| one.language == language && one.held_by.is_none() && one.known);
    let own: Vec<&str> = own.map(|one| one.command.as_str()).collect();
    if !own.is_empty() {
        printer.line(one_line(&format!("  commands of its own: {}", own.join(", "))));
    }
}

fn shown_name(need: &PackageNeed) -> String {
    let name = match need.loaded_as.as_slice() {
        [] => need.package.clone(),
        names => format!("{} ({})", need.package, names.join(", ")),
    };
    one_line(&name)
}

fn word(need: &PackageNeed) -> String {
    match (need.certainty, &need.version) {
        (Certainty::Exact, Some(version)) => format!("{} exactly", one_line(version)),
        (Certainty::ByDate | Certainty::Exact, _) if !need.bounds.is_empty() => {
            format!("by date, {}", one_line(&need.bounds.join(",")))
        }
        (Certainty::ByDate | Certainty::Exact, _) => "by date".to_owned(),
        (Certainty::WithInterpreter, _) => "with the interpreter".to_owned(),
        (Certainty::Unknown, _) => "unknown".to_owned(),
        (Certainty::Elsewhere, _) => "from elsewhere".to_owned(),
        (Certainty::Own, _) => "this folder's own".to_owned(),
    }
}
