//! Paths of another machine, written as those of the study's files.

use crate::environment::rescue::masked::Masked;
use crate::environment::rescue::script::ScriptLanguage;

/// The script with every path of another machine that can only be one of `files` written as that one.
///
/// A file is known by its name; where several have it, by the folders before it as well.
pub fn within_study(text: &str, language: ScriptLanguage, files: &[String]) -> String {
    let masked = Masked::new(text, language);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in &masked.strings {
        let said = &text[range.clone()];
        let Some(file) = strange(said, files).and_then(|parts| only(&parts, files)) else {
            continue;
        };
        out.push_str(&text[done..range.start]);
        out.push_str(file);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// The parts of a path that leads nowhere here: it begins at a drive or a root, is parted by backslashes,
/// or names a file that is not where it says.
fn strange(said: &str, files: &[String]) -> Option<Vec<String>> {
    if said.len() > 400 || said.contains('\n') || said.contains("://") {
        return None;
    }
    let plain = said.replace("\\\\", "/").replace('\\', "/");
    let parts: Vec<String> = (plain.split('/'))
        .filter(|part| !part.is_empty() && *part != "." && *part != "..")
        .map(str::to_owned)
        .collect();
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
        within_study(text, ScriptLanguage::R, &files)
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
