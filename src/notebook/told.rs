//! The part of a cell's output that a model is told: cleaned and cut as published.

use super::terms::Cleaning;
use crate::domain::excerpt;

/// Characters of the newest observation that a model is told, its last ones.
pub const NEWEST: usize = 50_000;
/// Characters of an earlier one.
pub const EARLIER: usize = 500;

/// The last characters of a text that is longer than `most`, behind a mark that says so; `whole`
/// says where the whole is, such as "the whole is in `logs/kernel/3.out`".
pub fn last(text: &str, most: usize, whole: &str) -> String {
    let characters = text.chars().count();
    if characters <= most {
        return text.to_owned();
    }
    format!(
        "[The first {} of {characters} characters are left out; {whole}]\n{}",
        characters - most,
        excerpt::end(text, most)
    )
}

/// A text without what the published agent was not shown either: lines of progress of git, of
/// downloads and of pip, compilers' lines and colours. Lines with rates of a transfer become blank.
pub fn cleaned(text: &str, cleaning: Cleaning) -> String {
    if cleaning == Cleaning::Off {
        return text.to_owned();
    }
    let text = without_colours(&text.replace("\r\n", "\n").replace('\r', "\n"));
    let lines = text.split('\n').filter(|line| !is_progress(line));
    let lines: Vec<&str> = lines
        .map(|line| if line.contains("MB/s") { "" } else { line })
        .collect();
    lines.join("\n")
}

fn is_progress(line: &str) -> bool {
    line.contains("gcc") || is_counted(line) || is_bar(line) || is_pip_download(line)
}

/// `Receiving objects:  45% (9/20)`, as git writes it.
fn is_counted(line: &str) -> bool {
    let Some((before, behind)) = line.split_once("% (") else {
        return false;
    };
    let counts = behind.split(')').next().unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_counts = counts
        .split_once('/')
        .is_some_and(|(done, all)| is_number(done) && is_number(all));
    has_counts
        && before
            .bytes()
            .next_back()
            .is_some_and(|byte| byte.is_ascii_digit())
}

/// `model.bin:  45%|████      | 9/20`, as progress bars of Python write it, and ` 45%[===>   ]` of wget.
fn is_bar(line: &str) -> bool {
    let bar = |mark: &str, end: char| {
        let Some((before, behind)) = line.split_once(mark) else {
            return false;
        };
        before
            .bytes()
            .next_back()
            .is_some_and(|byte| byte.is_ascii_digit())
            && behind
                .split(end)
                .next()
                .is_some_and(|bar| bar.chars().all(|one| !one.is_alphanumeric()))
            && behind.contains(end)
    };
    bar("%|", '|') || bar("%[", ']')
}

fn is_pip_download(line: &str) -> bool {
    line.trim_start().starts_with("Downloading http") && line.contains('%')
}

/// Without the escapes that colour a terminal, which end in `m`.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = behind.find(|one: char| !(one.is_ascii_digit() || one == ';'));
        match end.filter(|end| behind[*end..].starts_with('m')) {
            Some(end) => rest = &behind[end + 1..],
            None => {
                plain.push_str("\u{1b}[");
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_characters_are_kept_and_the_cut_says_so() {
        assert_eq!(last("äöü", 3, "x"), "äöü");
        assert_eq!(
            last("äöüß", 3, "the whole is in `a`"),
            "[The first 1 of 4 characters are left out; the whole is in `a`]\nöüß"
        );
    }

    #[test]
    fn progress_and_colours_are_left_out() {
        let text = "Cloning\r\nReceiving objects:  45% (9/20)\rReceiving objects: 100% (20/20), done.\n\
                    model.bin:  45%|████      | 9/20\n 45%[===>     ]\n\
                    x86_64-linux-gnu-gcc -O2 a.c\n  Downloading https://a/b.whl 5%\nat 3 MB/s\n\
                    \u{1b}[31mred\u{1b}[0m \u{1b}[2K kept\naccuracy 95% (of 20)\n|a| 5% | b |";
        assert_eq!(
            cleaned(text, Cleaning::Published),
            "Cloning\n\nred \u{1b}[2K kept\naccuracy 95% (of 20)\n|a| 5% | b |"
        );
        assert_eq!(cleaned(text, Cleaning::Off), text);
    }
}
