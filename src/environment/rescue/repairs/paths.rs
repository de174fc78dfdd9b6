//! Paths of another machine, written as those of the study's files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::domain::lazy_regex::LazyRegex;
use crate::environment::language::Language;
use crate::environment::rescue::masked::Masked;

/// The name of a call, behind which its parenthesis stands.
static CALLED: LazyRegex = LazyRegex::new(r"([A-Za-z_.][\w.]*)\s*$");
/// Calls that read the file that they are given, by the last part of their names.
static READS: LazyRegex = LazyRegex::new(
    r"(?i)^(?:read\w*(?:\.\w+)*|load|loadtxt|genfromtxt|fromfile|fread|scan|source|vroom|import|spss\.get|sas\.get|\w*_read|loadmat|load_workbook|reader)$",
);
/// A way of opening a file in which nothing is written.
static OPENED_TO_READ: LazyRegex = LazyRegex::new(
    r#"^["']\s*(?:\)|,\s*(?:mode\s*=\s*)?["'][rbtU]+["']|,\s*(?:encoding|newline|errors)\s*=)"#,
);

/// The script with every path of another machine that can only be one of `files` written as that one.
///
/// A file is known by its name; where several have it, by the folders before it as well. A path is left as it is
/// where anything but a call that reads takes it, where a file of its name stands elsewhere in the script as well,
/// and where it is relative and names other folders: what was read then could be another file.
pub fn within_study(text: &str, language: Language, files: &[String]) -> String {
    let masked = Masked::new(text, language);
    let meant: Vec<MeantFile<'_>> = masked
        .strings
        .iter()
        .filter_map(|range| {
            let said = &text[range.clone()];
            let file = strange(said, files).and_then(|parts| only(&parts, files));
            let file = file.filter(|file| is_told(said, file) && reads(&masked, range));
            file.map(|file| MeantFile {
                range: range.clone(),
                file,
            })
        })
        .collect();
    let names = names_in(&masked);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for one in meant {
        let name = last_name(one.file).to_lowercase();
        if names.get(&name).is_none_or(|said| said.len() > 1) {
            continue;
        }
        out.push_str(&text[done..one.range.start]);
        out.push_str(one.file);
        done = one.range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// A path in the script, and the file that it can only mean.
struct MeantFile<'a> {
    range: Range<usize>,
    file: &'a str,
}

/// The paths that stand in a script, by the names at their ends.
fn names_in<'t>(masked: &Masked<'t>) -> BTreeMap<String, BTreeSet<&'t str>> {
    let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for range in &masked.strings {
        let said = &masked.text[range.clone()];
        names
            .entry(last_name(said).to_lowercase())
            .or_default()
            .insert(said);
    }
    names
}

fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// True if a path says which file it is: it begins at a drive, a root or a home, or names no folder that the
/// file is not in.
fn is_told(said: &str, file: &str) -> bool {
    let is_whole = said.starts_with(['/', '~', '\\']) || said.as_bytes().get(1) == Some(&b':');
    let folders = parts(said);
    let here: Vec<&str> = file.split('/').collect();
    let same = |(one, other): (&String, &&str)| one.eq_ignore_ascii_case(other);
    is_whole || folders.len() <= here.len() && folders.iter().rev().zip(here.iter().rev()).all(same)
}

/// True if the call that takes a string reads the file of that name.
fn reads(masked: &Masked<'_>, range: &Range<usize>) -> bool {
    let before = &masked.code[..range.start.saturating_sub(1)];
    let Some(open) = opened_by(before) else {
        return false;
    };
    let Some(called) = CALLED.captures(&before[..open]) else {
        return false;
    };
    // A name of R may hold dots, a name of Python's is behind one.
    let name = &called[1];
    let last = name.rsplit('.').next().unwrap_or(name);
    if matches!(last, "open" | "file" | "gzfile") {
        let behind = &masked.text[range.end..];
        return OPENED_TO_READ.is_match(behind);
    }
    READS.is_match(name) || READS.is_match(last)
}

/// The place of the parenthesis that is open at the end of a code.
fn opened_by(code: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().rev() {
        match byte {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
            b'(' => return Some(at),
            b'[' | b'{' => return None,
            _ => {}
        }
    }
    None
}

/// The parts of a path that leads nowhere here: it begins at a drive or a root, is parted by backslashes,
/// or names a file that is not where it says.
fn strange(said: &str, files: &[String]) -> Option<Vec<String>> {
    if said.len() > 400 || said.contains('\n') || said.contains("://") {
        return None;
    }
    let parts = parts(said);
    let name = parts.last()?;
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    if !has_ending || files.iter().any(|file| file == said.trim_start_matches("./")) {
        return None;
    }
    Some(parts)
}

/// The folders and the name of a path, whichever way it parts them.
fn parts(said: &str) -> Vec<String> {
    said.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .map(str::to_owned)
        .collect()
}

/// The one file that the end of a path can mean.
fn only<'a>(parts: &[String], files: &'a [String]) -> Option<&'a str> {
    let ends = |same: fn(&str, &str) -> bool, depth: usize| -> Vec<&'a str> {
        files
            .iter()
            .filter(|file| {
                let here: Vec<&str> = file.split('/').collect();
                here.len() >= depth
                    && parts.len() >= depth
                    && (here.iter().rev().take(depth))
                        .zip(parts.iter().rev())
                        .all(|(one, other)| same(one, other))
            })
            .map(String::as_str)
            .collect()
    };
    let exactly: fn(&str, &str) -> bool = |one, other| one == other;
    for same in [exactly, |one: &str, other: &str| one.eq_ignore_ascii_case(other)] {
        let mut found = ends(same, 1);
        for depth in 2..=parts.len() {
            if found.len() < 2 {
                break;
            }
            let fewer = ends(same, depth);
            if fewer.is_empty() {
                break;
            }
            found = fewer;
        }
        match found.as_slice() {
            [] => {}
            [one] => return Some(one),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str, files: &[&str]) -> String {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        within_study(text, Language::R, &files)
    }

    #[test]
    fn a_path_of_another_machine_becomes_the_study_file() {
        let files = ["data/groups.csv", "data/old/wave.csv", "data/new/wave.csv"];
        for (old, new) in [
            (
                "read.csv(\"C:/Users/anna/groups.csv\")",
                "read.csv(\"data/groups.csv\")",
            ),
            (
                r#"read.csv("C:\\Users\\anna\\groups.csv")"#,
                "read.csv(\"data/groups.csv\")",
            ),
            ("read.csv(\"~/x/Groups.CSV\")", "read.csv(\"data/groups.csv\")"),
            (
                "read.csv(\"/home/a/new/wave.csv\")",
                "read.csv(\"data/new/wave.csv\")",
            ),
            ("read.csv(\"groups.csv\")", "read.csv(\"data/groups.csv\")"),
        ] {
            assert_eq!(mended(old, &files), new);
        }
    }

    /// What the mend would make of it is another result, or a file of the study's that is written over.
    #[test]
    fn what_could_be_another_file_or_is_written_stays() {
        let files = ["data/groups.csv", "wave4/s.csv", "d.csv"];
        for same in [
            "write.csv(d, \"results/d.csv\")",
            "d <- read.csv(\"C:/x/d.csv\"); write.csv(d, \"C:/out/d.csv\")",
            "a <- read.csv(\"C:/in/s.csv\"); b <- read.csv(\"C:/out/s.csv\")",
            "a <- read.csv(\"wave3/s.csv\")",
            "f <- \"C:/x/groups.csv\"",
            "unlink(\"C:/x/groups.csv\")",
            "saveRDS(d, \"C:/x/groups.csv\")",
            "read.csv(file.path(base, \"x/groups.csv\"))",
            "c(\"C:/x/groups.csv\")",
        ] {
            assert_eq!(mended(same, &files), same);
        }
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let python = |text: &str| within_study(text, Language::Python, &files);
        for same in [
            "open('/home/x/groups.csv', 'w')",
            "open('/home/x/groups.csv', 'r+')",
            "d.to_csv('/home/x/groups.csv')",
        ] {
            assert_eq!(python(same), same);
        }
        for (old, new) in [
            ("open('/home/x/groups.csv')", "open('data/groups.csv')"),
            (
                "open('/home/x/groups.csv', 'rb')",
                "open('data/groups.csv', 'rb')",
            ),
            (
                "pd.read_csv(r'C:\\x\\groups.csv', sep=';')",
                "pd.read_csv(r'data/groups.csv', sep=';')",
            ),
        ] {
            assert_eq!(python(old), new);
        }
    }

    #[test]
    fn a_path_that_is_right_or_could_be_several_stays() {
        let files = ["data/groups.csv", "a/wave.csv", "b/wave.csv"];
        for same in [
            "read.csv(\"data/groups.csv\")",
            "read.csv(\"./data/groups.csv\")",
            "read.csv(\"/home/x/wave.csv\")",
            "pdf(\"/home/x/figure.pdf\")",
            "url(\"http://example.org/groups.csv\")",
            "x <- \"groups\"",
            "# read.csv(\"C:/groups.csv\")",
        ] {
            assert_eq!(mended(same, &files), same);
        }
    }
}
