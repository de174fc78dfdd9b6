//! Commands of a do-file.

use super::super::evidence::{Evidence, EvidenceKind};
use super::super::language::Language;
use super::super::need::MentionForm;
use super::super::tables::commands::is_stata_prefix;
use super::findings::{ScriptFindings, place};
use crate::domain::lazy_regex::LazyRegex;

static INSTALL: LazyRegex =
    LazyRegex::new(r"^(?:ssc\s+ins\w*|net\s+ins\w*|github\s+install|adoupdate|findit)\s+([A-Za-z_][\w.]*)");
static WORD: LazyRegex = LazyRegex::new(r"^[A-Za-z_][A-Za-z0-9_]*");
static VERSION: LazyRegex = LazyRegex::new(r"^vers(?:ion)?\s+([0-9]{1,2}(?:\.[0-9])?)\b");
static DEFINES: LazyRegex = LazyRegex::new(r"^pr\w*\s+(?:def\w*\s+)?([A-Za-z_]\w*)");

/// A command on one line, with the line it begins on.
struct StataLine {
    text: String,
    line: usize,
}

/// Reads the commands of a text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let mut foreign: Option<&str> = None;
    for StataLine { text, line } in commands(text) {
        let command = text.trim();
        if let Some(end) = foreign {
            if command == end {
                foreign = None;
            }
            continue;
        }
        foreign = match command.split_whitespace().next() {
            Some("mata" | "mata:" | "python" | "python:") if !command.contains(char::is_whitespace) => {
                Some("end")
            }
            Some("input" | "inp") => Some("end"),
            _ => None,
        };
        if foreign.is_none() {
            one(file, command, line, findings, 0);
        }
    }
}

/// Reads one command; `depth` counts the prefixes in front of it.
fn one(file: &str, command: &str, line: usize, findings: &mut ScriptFindings, depth: usize) {
    let command = command.trim().trim_start_matches(['}', '{']).trim_start();
    if depth > 8 {
        return;
    }
    if let Some(found) = INSTALL.captures(command) {
        let name = found[1].trim_end_matches('.').to_owned();
        return findings.mention(Language::Stata, &name, MentionForm::Installs, place(file, line));
    }
    if let Some(found) = VERSION.captures(command) {
        let says = format!("It asks for the behaviour of Stata {}.", &found[1]);
        let evidence = Evidence::new(EvidenceKind::Syntax, file, says).at(line);
        findings
            .evidence
            .push(evidence.naming(Language::Stata, &format!(">={}", &found[1])));
    }
    if let Some(found) = DEFINES
        .captures(command)
        .filter(|found| !["drop", "dir", "list"].contains(&&found[1]))
    {
        findings.defined.push(found[1].to_owned());
    }
    let Some(word) = WORD.find(command).map(|word| word.as_str()) else {
        return;
    };
    let rest = command.get(word.len()..).unwrap_or_default();
    if is_stata_prefix(word) {
        return match behind_colon(rest) {
            Some(behind) => one(file, behind, line, findings, depth + 1),
            // `quietly regress`: these take what follows as it is.
            None if !rest.trim_start().starts_with(',') => one(file, rest, line, findings, depth + 1),
            None => {}
        };
    }
    // `if x { command }`, `else command`
    if word == "else" {
        return one(file, rest, line, findings, depth + 1);
    }
    if matches!(word, "if" | "foreach" | "forvalues" | "forv" | "forval" | "while") {
        if let Some((_, inside)) = rest.split_once('{') {
            one(file, inside, line, findings, depth + 1);
        }
        return;
    }
    // A macro may make any command of this word.
    if rest.starts_with('`') || rest.starts_with('$') || rest.trim_start().starts_with(['=', '[']) {
        return;
    }
    if word == "mi"
        && let Some(behind) = behind_colon(rest)
    {
        one(file, behind, line, findings, depth + 1);
    }
    findings.mention(Language::Stata, word, MentionForm::Loads, place(file, line));
}

/// What follows a prefix's colon that stands outside of quotes and brackets.
fn behind_colon(text: &str) -> Option<&str> {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ':' if !quoted && depth == 0 => return text.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// The commands of a text, comments taken out and continued lines joined.
fn commands(text: &str) -> Vec<StataLine> {
    let mut found = Vec::new();
    let mut whole = String::new();
    let mut begins = 1;
    let mut comment = 0_usize;
    let mut by_semicolon = false;
    for (at, raw) in text.lines().enumerate() {
        if whole.trim().is_empty() {
            begins = at + 1;
        }
        let is_continued = strip(raw, &mut comment, whole.trim().is_empty(), &mut whole);
        if let Some(delimiter) = delimiter(&whole) {
            by_semicolon = delimiter;
            whole.clear();
            continue;
        }
        if by_semicolon {
            whole.push(' ');
            while let Some(end) = whole.find(';') {
                let rest = whole.split_off(end + 1);
                whole.pop();
                found.push(StataLine {
                    text: std::mem::replace(&mut whole, rest),
                    line: begins,
                });
            }
        } else if !is_continued && comment == 0 {
            found.push(StataLine {
                text: std::mem::take(&mut whole),
                line: begins,
            });
        }
    }
    found.push(StataLine {
        text: whole,
        line: begins,
    });
    found.retain(|line| !line.text.trim().is_empty());
    found
}

/// Whether `#delimit` sets the end of commands to a semicolon; `None` of another line.
fn delimiter(line: &str) -> Option<bool> {
    let rest = line.trim().strip_prefix("#d")?;
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    Some(rest.trim_start().starts_with(';'))
}

/// Adds a line without its comments; whether it goes on on the next one.
fn strip(raw: &str, comment: &mut usize, is_start: bool, to: &mut String) -> bool {
    if *comment == 0 && is_start && raw.trim_start().starts_with('*') {
        // A comment over a continued line goes on as well; it is rare, and costs a question at most.
        return false;
    }
    let letters: Vec<char> = raw.chars().collect();
    let mut quoted = false;
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let two = (*letter, letters.get(at + 1).copied().unwrap_or('\n'));
        match two {
            ('/', '*') if !quoted => {
                *comment += 1;
                at += 1;
            }
            ('*', '/') if *comment > 0 => {
                *comment -= 1;
                at += 1;
            }
            _ if *comment > 0 => {}
            ('/', '/') if !quoted && (at == 0 || letters[at - 1].is_whitespace()) => {
                let is_continued = letters.get(at + 2) == Some(&'/');
                to.push(' ');
                return is_continued;
            }
            _ => {
                quoted ^= *letter == '"';
                to.push(*letter);
            }
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut findings = ScriptFindings::default();
        read("a.do", text, &mut findings);
        let mentions = findings.mentions.iter();
        mentions
            .map(|mention| {
                let mark = if mention.form == MentionForm::Installs {
                    "+"
                } else {
                    ""
                };
                format!("{}:{mark}{}", mention.place.line, mention.name)
            })
            .collect()
    }

    #[test]
    fn commands_stand_behind_prefixes_and_outside_of_comments() {
        let text = "* reghdfe comment\n// esttab comment\nuse \"C:/data // x.dta\", clear // y\nqui reghdfe y x, ///\n  absorb(a)\n\
                    /* ivreg2\n y */ bysort id (t): egen m = mean(x)\ncapture noisily xi: areg y i.x, a(z)\nssc install estout, replace\n\
                    foreach v of varlist a b {\n  su `v'\n}\nif x == 1 { \n`command' y\neststo: quietly reg y x\nsvy, subpop(if a==1): mean y\n";
        assert_eq!(
            found(text),
            [
                "3:use",
                "4:reghdfe",
                "7:egen",
                "8:areg",
                "9:+estout",
                "11:su",
                "15:eststo",
                "16:mean"
            ]
        );
    }

    #[test]
    fn semicolons_blocks_and_programs() {
        let text = "#delimit ;\nreg y\n  x; gen z = 1;\n#delimit cr\nmata:\nfoo()\nend\ninput a b\n1 2\nend\nprogram define mine\n su x\nend\nmine\nversion 13.1\n";
        assert_eq!(
            found(text),
            ["2:reg", "2:gen", "11:program", "12:su", "13:end", "14:mine"]
        );
    }

    #[test]
    fn damaged_text_ends_nowhere_else() {
        for text in [
            "/*",
            "///",
            "#delimit ;\nx",
            "\"",
            "by",
            "qui qui qui qui qui qui qui qui qui qui x",
            "mata:",
            "}",
            "xi:",
        ] {
            found(text);
        }
    }
}
