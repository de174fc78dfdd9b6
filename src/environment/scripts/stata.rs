//! Commands of a do-file.

use super::super::evidence::{Evidence, EvidenceKind};
use super::super::language::Language;
use super::super::need::{MentionForm, Question};
use super::super::tables::commands::{is_stata_prefix, stata_packages};
use super::findings::{ScriptFindings, place};
use super::stata_blocks::{CutCommand, behind_condition, block, cut};
use super::stata_macros::StataMacros;
use crate::domain::lazy_regex::LazyRegex;

static INSTALL: LazyRegex = LazyRegex::new(
    r#"^(ssc\s+ins\w*|net\s+ins\w*|net\s+get|github\s+install|ado\s*update|findit)\s+([^\s,][^,]*)"#,
);
static PACKAGE: LazyRegex = LazyRegex::new(r"^[A-Za-z_][\w.-]*$");
static WORD: LazyRegex = LazyRegex::new(r"^[A-Za-z_][A-Za-z0-9_]*");
static VERSION: LazyRegex = LazyRegex::new(r"^vers(?:ion)?\s+([0-9]{1,2}(?:\.[0-9])?)\b");
static DEFINES: LazyRegex = LazyRegex::new(r"^pr\w*\s+(?:def\w*\s+)?([A-Za-z_]\w*)");

/// A command on one line, with the line it begins on.
struct StataLine {
    text: String,
    line: usize,
}

/// Words whose block may stand on their own line.
const HEADS: [&str; 7] = ["if", "else", "foreach", "forvalues", "forv", "forval", "while"];

/// Reads the commands of a text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let mut reader = DoFileReader {
        file,
        macros: StataMacros::default(),
        findings,
    };
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
            reader.line(command, line);
        }
    }
}

struct DoFileReader<'a> {
    file: &'a str,
    macros: StataMacros,
    findings: &'a mut ScriptFindings,
}

impl DoFileReader<'_> {
    /// A line, with the blocks that it opens and ends.
    fn line(&mut self, command: &str, line: usize) {
        let mut left = command.trim();
        while !left.is_empty() {
            if let Some(behind) = left.strip_prefix('}') {
                self.macros.close();
                left = behind.trim();
            } else if let Some(opened) = block(left, |word| HEADS.contains(&word) || is_stata_prefix(word)) {
                self.macros.open(opened.head);
                left = opened.inside;
            } else {
                let command = match self.macros.is_inside() {
                    true => cut(left),
                    false => CutCommand {
                        command: left,
                        rest: None,
                    },
                };
                self.macros.set(command.command.trim());
                self.one(command.command, line, 0);
                match command.rest {
                    Some(rest) => {
                        self.macros.close();
                        left = rest.trim();
                    }
                    None => return,
                }
            }
        }
    }

    /// A command that installs; false of another one.
    fn install(&mut self, command: &str, line: usize) -> bool {
        let Some(found) = INSTALL.captures(command) else {
            return false;
        };
        let by = found[1].split_whitespace().next().unwrap_or_default();
        let is_list = by.starts_with("ado");
        // Words that are looked for name a package where a table has one of that name.
        let is_search = by == "findit";
        let words: Vec<&str> = found[2].split_whitespace().collect();
        let taken = match is_list {
            true => words.len(),
            false => 1,
        };
        for word in words.iter().take(taken) {
            let bare = word.trim_matches('"').trim_start_matches("`\"");
            let Some(names) = self.macros.word(bare) else {
                self.ask(&found[1], line);
                continue;
            };
            for name in names {
                let name = name.rsplit('/').next().unwrap_or_default().trim_end_matches('.');
                let is_known = || stata_packages().iter().any(|package| package.name == name);
                if PACKAGE.is_match(name) && (!is_search || (words.len() == 1 && is_known())) {
                    let place = place(self.file, line);
                    self.findings
                        .mention(Language::Stata, name, MentionForm::Installs, place);
                }
            }
        }
        true
    }

    /// Asks which packages are installed by a name that the text does not give.
    fn ask(&mut self, by: &str, line: usize) {
        self.findings.questions.push(Question {
            language: Language::Stata,
            name: by.to_owned(),
            question: format!(
                "`{by}` in {}, line {line} installs packages whose names are computed: which are they? None is guessed.",
                self.file
            ),
            places: vec![place(self.file, line)],
        });
    }

    /// Reads one command; `depth` counts the prefixes in front of it.
    fn one(&mut self, command: &str, line: usize, depth: usize) {
        let file = self.file;
        let command = command.trim().trim_start_matches(['}', '{']).trim_start();
        if depth > 8 || self.install(command, line) {
            return;
        }
        if let Some(found) = VERSION.captures(command) {
            let says = format!("It asks for the behaviour of Stata {}.", &found[1]);
            let evidence = Evidence::new(EvidenceKind::Syntax, file, says).at(line);
            self.findings
                .evidence
                .push(evidence.naming(Language::Stata, &format!(">={}", &found[1])));
        }
        if let Some(found) = DEFINES
            .captures(command)
            .filter(|found| !["drop", "dir", "list"].contains(&&found[1]))
        {
            self.findings.defined.push(found[1].to_owned());
        }
        let Some(word) = WORD.find(command).map(|word| word.as_str()) else {
            return;
        };
        let rest = command.get(word.len()..).unwrap_or_default();
        if is_stata_prefix(word) {
            return match behind_colon(rest) {
                Some(behind) => self.one(behind, line, depth + 1),
                // `quietly regress`: these take what follows as it is.
                None if !rest.trim_start().starts_with(',') => self.one(rest, line, depth + 1),
                None => {}
            };
        }
        // `if x { command }`, `else command`
        if word == "else" {
            return self.one(rest, line, depth + 1);
        }
        if word == "if" {
            if let Some(behind) = behind_condition(rest) {
                self.one(behind, line, depth + 1);
            }
            return;
        }
        if HEADS.contains(&word) {
            return;
        }
        // A macro may make any command of this word.
        if rest.starts_with('`') || rest.starts_with('$') || rest.trim_start().starts_with(['=', '[']) {
            return;
        }
        if word == "mi"
            && let Some(behind) = behind_colon(rest)
        {
            self.one(behind, line, depth + 1);
        }
        self.findings
            .mention(Language::Stata, word, MentionForm::Loads, place(file, line));
    }
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

/// The commands of a text, comments taken out and continued lines joined. What was joined is not gone through again
/// for each further line.
fn commands(text: &str) -> Vec<StataLine> {
    let mut found = Vec::new();
    // Nothing, or text that begins with no blank.
    let mut whole = String::new();
    let mut begins = 1;
    let mut comment = 0_usize;
    let mut by_semicolon = false;
    for (at, raw) in text.lines().enumerate() {
        if whole.is_empty() {
            begins = at + 1;
        }
        let joined = whole.len();
        let is_continued = strip(raw, &mut comment, &mut whole);
        if let Some(delimiter) = delimiter(&whole) {
            by_semicolon = delimiter;
            whole.clear();
            continue;
        }
        if by_semicolon {
            let ended = whole.get(joined..).and_then(|added| added.rfind(';'));
            if let Some(end) = ended {
                let rest = whole.split_off(joined + end + 1);
                found.extend(whole.split_terminator(';').map(|text| StataLine {
                    text: text.to_owned(),
                    line: begins,
                }));
                rest.trim_start().clone_into(&mut whole);
            }
            push(' ', &mut whole);
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

/// Adds a letter; no blank at the beginning.
fn push(letter: char, to: &mut String) {
    if !(to.is_empty() && letter.is_whitespace()) {
        to.push(letter);
    }
}

/// Whether `#delimit` sets the end of commands to a semicolon; `None` of another line.
fn delimiter(line: &str) -> Option<bool> {
    let rest = line.strip_prefix("#d")?;
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    Some(rest.trim_start().starts_with(';'))
}

/// Adds a line without its comments; whether it goes on on the next one.
fn strip(raw: &str, comment: &mut usize, to: &mut String) -> bool {
    if *comment == 0 && to.is_empty() && raw.trim_start().starts_with('*') {
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
                push(' ', to);
                return is_continued;
            }
            _ => {
                quoted ^= *letter == '"';
                push(*letter, to);
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
    fn packages_are_installed_behind_conditions_and_in_loops() {
        assert_eq!(
            found(
                "capture which reghdfe\nif _rc ssc install reghdfe, replace\nif _rc!=0 {\n qui ssc inst ftools\n}\nelse cap noi ssc install ivreg2\n\
                 if (_rc == 111) net install rdrobust, from(https://x.example) replace\n"
            ),
            ["1:which", "2:+reghdfe", "4:+ftools", "6:+ivreg2", "7:+rdrobust"]
        );
        assert_eq!(
            found(
                "foreach p in estout \"coefplot\" {\n cap which `p'\n if _rc ssc install `p'\n}\nlocal pk \"a1 b1\"\nforeach p of local pk {\n\
                 ssc install `p', replace\n}\nglobal more c1 `pk'\nforeach q in $more { net install `q', from(x) }\nssc install `q'\n"
            ),
            [
                "2:which",
                "3:+estout",
                "3:+coefplot",
                "5:local",
                "7:+a1",
                "7:+b1",
                "9:global",
                "10:+c1",
                "10:+a1",
                "10:+b1"
            ]
        );
        assert_eq!(
            found(
                "adoupdate estout ftools, update\nnet get st0085_2\ngithub install haghish/rcall\nadoupdate, update\n"
            ),
            ["1:+estout", "1:+ftools", "2:+st0085_2", "3:+rcall", "4:adoupdate"]
        );
        assert_eq!(
            found("net install scheme-modern, from(x)\nssc install scheme-burd, replace\n"),
            ["1:+scheme-modern", "2:+scheme-burd"]
        );
        // Words that are searched for are no packages.
        assert_eq!(
            found("findit regression discontinuity\nfindit nonsuch\nfindit estout\n"),
            ["3:+estout"]
        );
    }

    #[test]
    fn names_that_are_computed_are_asked_about() {
        let asked = |text: &str| {
            let mut findings = ScriptFindings::default();
            read("a.do", text, &mut findings);
            let installed = findings
                .mentions
                .iter()
                .filter(|one| one.form == MentionForm::Installs);
            assert_eq!(installed.count(), 0, "{text}");
            let asked: Vec<usize> = findings.questions.iter().map(|one| one.places[0].line).collect();
            asked
        };
        assert_eq!(asked("args p\nssc install `p'\n"), [2]);
        assert_eq!(asked("forvalues i = 1/3 {\n ssc install `i'\n}\n"), [2]);
        assert_eq!(
            asked("foreach v of varlist a b {\n cap ssc install `v'\n}\n"),
            [2]
        );
        assert_eq!(asked("local p a\nlocal p b\nssc install `p'\n"), [3]);
        assert_eq!(
            asked("local pk a b\nforvalues i = 1/2 {\n local p : word `i' of `pk'\n ssc install `p'\n}\n"),
            [4]
        );
        assert_eq!(
            asked("local p = substr(\"abc\", 1, 2)\nssc install `p'\nssc install st`p'\n"),
            [2, 3]
        );
    }

    #[test]
    fn long_commands_are_gone_through_once() {
        let began = std::time::Instant::now();
        let many = 500_000;
        let blocks = format!("{}\n{}", "if 1 {\n".repeat(many / 10), "a}".repeat(many / 10));
        for text in [
            "///\n".repeat(many) + "reg y",
            "    ///\n".repeat(many) + "reg y",
            format!("reg y {}", "///\n".repeat(many)),
            format!("#delimit ;\n{}reg y", "\n".repeat(many)),
            format!("#delimit ;\nreg y {};", "a\n".repeat(many)),
            format!("#delimit ;\n{}reg y", ";".repeat(many)),
            blocks + " reg y",
        ] {
            let found = found(&text);
            let last = found.last().map(|one| one.split(':').next_back());
            assert!(matches!(last, Some(Some("reg" | "a"))), "{last:?}");
        }
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }

    #[test]
    fn damaged_text_ends_nowhere_else() {
        for text in [
            "foreach",
            "foreach x in {",
            "if",
            "if (",
            "}}}",
            "{{{",
            "ssc install `",
            "${",
            "local",
            "local x `",
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
