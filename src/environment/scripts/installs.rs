//! Packages that scripts of Python install by commands of a shell.

use super::super::evidence::{EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::evidence_files::{conda, requirements};
use super::super::need::{MentionForm, SourcePlace};
use super::documents::{InstalledWord, shell_installs};
use super::findings::ScriptFindings;
use super::python_tokens::{PythonToken, PythonTokenKind};
use crate::domain::lazy_regex::LazyRegex;

static REQUIREMENT_NAME: LazyRegex = LazyRegex::new(r"^[A-Za-z0-9][A-Za-z0-9._-]*$");

/// Functions that start a command.
const STARTING: [&str; 10] = [
    "system",
    "popen",
    "Popen",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "run_line_magic",
];
/// Functions of pip itself, which take the words behind its name.
const OF_PIP: [&str; 3] = ["main", "pipmain", "pip_main"];
/// Tokens of a call that are looked at.
const MOST_TOKENS: usize = 400;

/// Takes a package that a command installs: the name, and the version or bounds that it asks for.
pub fn take(place: &SourcePlace, install: &InstalledWord, inside: &mut ScriptFindings) {
    let mut read = FoundEvidence::default();
    match install.is_of_conda {
        true => conda::package(&place.file, place.line, &install.text, &mut read),
        false => requirements::line(&place.file, place.line, &install.text, &mut read),
    }
    for pin in read.pins {
        let pin = Pin {
            kind: EvidenceKind::ScriptSnapshot,
            ..pin
        };
        let form = match (&pin.source, REQUIREMENT_NAME.is_match(&pin.name)) {
            (_, false) => continue,
            // Conda's names are settled by the tables, and an address names no package of an index.
            (PinSource::Conda | PinSource::Elsewhere(_), _) => {
                inside.pins.push(pin);
                continue;
            }
            (PinSource::Index, _) => MentionForm::Installs,
        };
        inside.mention(pin.language, &pin.name, form, place.clone());
        if pin.version.is_some() || pin.bounds.is_some() {
            inside.pins.push(pin);
        }
    }
}

/// The packages that a call installs which begins with the tokens.
pub fn of_call(tokens: &[PythonToken]) -> Vec<InstalledWord> {
    let (Some(PythonTokenKind::Name(function)), Some(PythonTokenKind::Sign('('))) =
        (kind(tokens, 0), kind(tokens, 1))
    else {
        return Vec::new();
    };
    let is_of_pip = OF_PIP.contains(&function.as_str());
    if !is_of_pip && !STARTING.contains(&function.as_str()) {
        return Vec::new();
    }
    let command = match kind(tokens, 2) {
        Some(PythonTokenKind::Sign('[')) => words(&tokens[3..]),
        Some(PythonTokenKind::Text { content, .. }) if function == "run_line_magic" => {
            text(tokens, 4).map(|rest| format!("{} {rest}", content.trim()))
        }
        Some(PythonTokenKind::Text { .. }) => text(tokens, 2),
        _ => None,
    };
    match (command, is_of_pip) {
        (Some(command), true) => shell_installs(&format!("pip {command}")),
        (Some(command), false) => shell_installs(&command),
        (None, _) => Vec::new(),
    }
}

fn kind(tokens: &[PythonToken], at: usize) -> Option<&PythonTokenKind> {
    tokens.get(at).map(|token| &token.kind)
}

/// A text that is a whole argument: what is joined to another, or formatted, may go on.
fn text(tokens: &[PythonToken], at: usize) -> Option<String> {
    let PythonTokenKind::Text { content, .. } = kind(tokens, at)? else {
        return None;
    };
    let is_whole = match kind(tokens, at + 1)? {
        PythonTokenKind::Sign(',' | ')') => true,
        PythonTokenKind::Sign('.') => {
            matches!(kind(tokens, at + 2), Some(PythonTokenKind::Name(name)) if name == "split")
        }
        _ => false,
    };
    is_whole.then(|| content.clone())
}

/// The words of a list up to its end; of one that is computed, a name stands that no package has.
fn words(tokens: &[PythonToken]) -> Option<String> {
    let mut words = Vec::new();
    let mut depth = 0_usize;
    let mut from = 0;
    for (at, token) in tokens.iter().take(MOST_TOKENS).enumerate() {
        let ends_word = depth == 0 && matches!(token.kind, PythonTokenKind::Sign(',' | ']'));
        if ends_word {
            words.extend(word(&tokens[from..at]));
            from = at + 1;
        }
        match token.kind {
            PythonTokenKind::Sign(']') if depth == 0 => return Some(words.join(" ")),
            PythonTokenKind::Sign('[' | '(' | '{') => depth += 1,
            PythonTokenKind::Sign(']' | ')' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn word(tokens: &[PythonToken]) -> Option<String> {
    match tokens {
        [] => None,
        [
            PythonToken {
                kind:
                    PythonTokenKind::Text {
                        content,
                        formatted: false,
                    },
                ..
            },
        ] => Some(match content.contains([' ', '<', '>', ';']) {
            true => format!("'{content}'"),
            false => content.clone(),
        }),
        [
            ..,
            PythonToken {
                kind: PythonTokenKind::Name(name),
                ..
            },
        ] if name == "executable" => Some("python".to_owned()),
        _ => Some("{}".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::python_tokens::tokens;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let tokens = tokens(text);
        let all = (0..tokens.len()).flat_map(|at| of_call(&tokens[at..]));
        all.map(|one| format!("{}{}", one.text, if one.is_of_conda { " conda" } else { "" }))
            .collect()
    }

    #[test]
    fn commands_that_install_are_read() {
        for (text, packages) in [
            (
                r#"subprocess.check_call([sys.executable, "-m", "pip", "install", "plotly==4.5.0"])"#,
                vec!["plotly==4.5.0"],
            ),
            (
                r#"subprocess.run(['pip', 'install', '-q', 'pandas>=1.0', "six"], check=True)"#,
                vec!["pandas>=1.0", "six"],
            ),
            ("os.system('pip install x==1 y')", vec!["x==1", "y"]),
            (
                "os.system(f'{sys.executable} -m pip install --user lxml')",
                vec!["lxml"],
            ),
            (
                "os.system('cd x && python3 -m pip install six; echo done')",
                vec!["six"],
            ),
            (
                "subprocess.call('conda install -y -c conda-forge geopandas=0.8'.split())",
                vec!["geopandas=0.8 conda"],
            ),
            ("pip.main(['install', 'six', 'lxml'])", vec!["six", "lxml"]),
            (
                "get_ipython().run_line_magic('pip', 'install six==1.14')",
                vec!["six==1.14"],
            ),
            ("get_ipython().system('pip install six')", vec!["six"]),
        ] {
            assert_eq!(found(text), packages, "{text}");
        }
    }

    #[test]
    fn what_is_computed_or_no_command_names_no_package() {
        for text in [
            "print('pip install x')",
            "# os.system('pip install x')",
            "text = 'pip install x'",
            "os.system('pip install pan' + 'das')",
            "os.system('pip install %s' % name)",
            "os.system('pip install {}'.format(name))",
            "os.system('pip uninstall x')",
            "subprocess.run(['echo', 'pip', 'install', 'x'])",
            "main(['run', 'x'])",
            "subprocess.run(['pip', 'install', 'x'",
            "subprocess.run(command)",
            "os.system(",
            "run",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
        // What is taken of a word that is computed is no requirement.
        let mut inside = ScriptFindings::default();
        let place = SourcePlace {
            file: "a.py".to_owned(),
            line: 1,
        };
        let computed =
            "subprocess.run([sys.executable, '-m', 'pip', 'install', package, f'x=={v}', names[0], 'six'])";
        for word in of_call(&tokens(computed)[2..]) {
            take(&place, &word, &mut inside);
        }
        for text in [
            "os.system(f'pip install my{x} {y}==1 z{v}==2')",
            "call('pip install ./own git+https://x.org/own.git')",
        ] {
            let tokens = tokens(text);
            for at in 0..tokens.len() {
                for word in of_call(&tokens[at..]) {
                    take(&place, &word, &mut inside);
                }
            }
        }
        let names: Vec<&str> = inside
            .mentions
            .iter()
            .map(|mention| mention.name.as_str())
            .collect();
        assert_eq!(names, ["six"]);
        assert!(
            inside
                .pins
                .iter()
                .all(|pin| matches!(pin.source, PinSource::Elsewhere(_))),
            "{:?}",
            inside.pins
        );
    }
}
