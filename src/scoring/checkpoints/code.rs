//! The languages of code that are scanned, and the paths in its strings.

use crate::domain::code_file::{CodeFile, CodeForm, CodeLanguage};
use crate::domain::excerpt;

/// The language of a file, if such files are scanned: scripts of Python, and scripts and documents of R.
pub fn scanned(file: CodeFile) -> Option<CodeLanguage> {
    let is_scanned = match file.language {
        CodeLanguage::Python => file.form == CodeForm::Script,
        CodeLanguage::R => file.form != CodeForm::Notebook,
        _ => false,
    };
    is_scanned.then_some(file.language)
}

/// Most characters of one file that are looked at.
const MAX_CHARACTERS: usize = 2_000_000;

/// The strings of code, comments left out; in Python, those between three quotes as well.
fn strings(text: &str, triple_quotes: bool) -> Vec<String> {
    let mut rest = excerpt::start(text, MAX_CHARACTERS);
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        match first {
            '#' => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
            '"' | '\'' => {
                let triple: String = std::iter::repeat_n(first, 3).collect();
                let is_long = triple_quotes && rest.starts_with(&triple);
                let quote = if is_long { triple } else { first.to_string() };
                // A Python string of one line ends with it; R's may run on.
                let ends_at_line = triple_quotes && !is_long;
                let length = string_length(&rest[quote.len()..], &quote, ends_at_line);
                let (content, after) = rest[quote.len()..].split_at(length);
                found.push(content.to_owned());
                rest = after.strip_prefix(quote.as_str()).unwrap_or(after);
            }
            other => rest = &rest[other.len_utf8()..],
        }
    }
    found
}

/// Bytes up to the closing quote, the line's end or the text's end.
fn string_length(text: &str, quote: &str, ends_at_line: bool) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if (ends_at_line && character == '\n') || text[at..].starts_with(quote) {
            return at;
        }
    }
    text.len()
}

/// The strings of a script that are absolute paths outside `inside`: places
/// that exist on one machine only.
pub fn host_paths(path: &str, text: &str, inside: &[String]) -> Vec<String> {
    let found = match CodeFile::of(path).and_then(scanned) {
        Some(CodeLanguage::Python) => strings(text, true),
        Some(_) => strings(text, false),
        None => Vec::new(),
    };
    let is_below = |path: &str, folder: &str| {
        let folder = folder.trim_end_matches('/');
        path == folder
            || path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let usual = ["/tmp", "/dev", "/proc"];
    let mut found: Vec<String> = found
        .into_iter()
        .filter(|string| is_absolute(string))
        .filter(|path| !usual.iter().any(|folder| is_below(path, folder)))
        .filter(|path| !inside.iter().any(|folder| is_below(path, folder)))
        .collect();
    found.dedup();
    found
}

/// A path from the root, a home folder or a drive; not an address, a date
/// format, a regular expression or a lone separator.
fn is_absolute(text: &str) -> bool {
    if text.len() > 1024 || text.contains(['\n', '*', '|', '^', '<', '>']) {
        return false;
    }
    let mut characters = text.chars();
    let drive = characters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('\\' | '/'));
    let parts: Vec<&str> = text.split('/').skip(1).filter(|part| !part.is_empty()).collect();
    let rooted = text.starts_with('/')
        && !text.starts_with("//")
        && parts.len() >= 2
        && parts[0]
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    drive || rooted || text.starts_with("~/") || text.starts_with("\\\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_machine_are_found() {
        let inside = ["/workspace".to_owned()];
        let of = |path: &str, text: &str| host_paths(path, text, &inside);
        assert_eq!(
            of("a.py", "x = '/home/me/data.csv'  # '/home/no/no'"),
            ["/home/me/data.csv"]
        );
        assert_eq!(of("a.R", "setwd(\"C:/Users/me\")"), ["C:/Users/me"]);
        assert_eq!(of("a.R", "setwd('~/project')"), ["~/project"]);
        for fine in [
            "pd.read_csv('/workspace/replication_data/x.csv')",
            "re.sub('/a|b/', '')",
            "'https://a.org/b/c'",
            "x = a / b",
            "'/'",
            "'%Y/%m/%d'",
            "open('/dev/null')",
            "'/workspace'",
        ] {
            assert_eq!(of("a.py", fine), Vec::<String>::new(), "{fine}");
        }
        assert_eq!(of("a.py", "'/workspaces/x/y'"), ["/workspaces/x/y"]);
    }

    #[test]
    fn strings_end_where_they_do() {
        let python = "a = \"it's # no comment\" # yes\nb = '''x\n'y' ''' + 'open\nimport c\n";
        assert_eq!(strings(python, true), ["it's # no comment", "x\n'y' ", "open"]);
        assert_eq!(strings("x <- 'é\\'é' # é", false), ["é\\'é"]);
        assert_eq!(strings("'", true), [""]);
    }
}
