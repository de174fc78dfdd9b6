//! Days that authors write into scripts and into the names of files.

use jiff::civil::Date;

use super::super::evidence::{Evidence, EvidenceKind};
use super::front_matter;
use crate::domain::lazy_regex::LazyRegex;

static ISO: LazyRegex = LazyRegex::new(r"\b(20[0-4][0-9])[-_.]([01][0-9])[-_.]([0-3][0-9])\b");
static PACKED: LazyRegex = LazyRegex::new(r"(?:^|[^0-9])(20[0-4][0-9])([01][0-9])([0-3][0-9])(?:[^0-9]|$)");
static DAY_FIRST: LazyRegex = LazyRegex::new(
    r"(?i)\b([0-3]?[0-9])(?:st|nd|rd|th)?[\s-]*(?:of\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?[\s-]*(20[0-4][0-9])\b",
);
static MONTH_FIRST: LazyRegex = LazyRegex::new(
    r"(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+([0-3]?[0-9])(?:st|nd|rd|th)?,?\s+(?:[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?\s+(?:[A-Z]{3,4}\s+)?)?(20[0-4][0-9])\b",
);
static SLASHED: LazyRegex = LazyRegex::new(r"\b([0-9]{1,2})/([0-9]{1,2})/(20[0-4][0-9])\b");

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Lines at the head of a script in which a day may stand.
const HEAD: usize = 40;

/// The marks of comments over several lines.
struct CommentBlock {
    start: &'static str,
    end: &'static str,
}

const BLOCKS: [CommentBlock; 3] = [
    CommentBlock {
        start: "/*",
        end: "*/",
    },
    CommentBlock {
        start: "\"\"\"",
        end: "\"\"\"",
    },
    CommentBlock {
        start: "'''",
        end: "'''",
    },
];

/// The newest day at the head of a script, in a comment, or in the file's name.
pub fn read(file: &str, text: &str) -> Option<Evidence> {
    let comments = comments(text);
    let comments = comments.into_iter();
    let head = front_matter::dated_lines(text);
    let in_head = |line: usize| head.iter().any(|(at, _)| at + 1 == line);
    let written = comments
        .chain(head.iter().copied())
        .flat_map(|(at, line)| days(line).into_iter().map(move |day| (day, at + 1)));
    let newest = written.max();
    let kind = EvidenceKind::WrittenDate;
    match (newest, in_name(file)) {
        (Some((day, line)), other) if other.is_none_or(|other| other <= day) => {
            let says = match in_head(line) {
                true => format!("Its front matter has the day {day}."),
                false => format!("A comment at its head has the day {day}."),
            };
            Some(Evidence::new(kind, file, says).at(line).dated(Some(day)))
        }
        (_, Some(day)) => {
            let says = format!("Its name has the day {day}.");
            Some(Evidence::new(kind, file, says).dated(Some(day)))
        }
        _ => None,
    }
}

fn in_name(file: &str) -> Option<Date> {
    let name = file.rsplit('/').next().unwrap_or_default();
    days(&name.replace('_', " ")).into_iter().max()
}

/// The lines of comments at the head, those inside of blocks as well, counted from 0.
fn comments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut end: Option<&str> = None;
    for (at, line) in text.lines().take(HEAD).enumerate() {
        if end.is_some() || is_comment(line) {
            found.push((at, line));
        }
        end = match end {
            Some(mark) => Some(mark).filter(|mark| !line.contains(mark)),
            None => BLOCKS.iter().find_map(|block| {
                let behind = line.trim_start().strip_prefix(block.start)?;
                (!behind.contains(block.end)).then_some(block.end)
            }),
        };
    }
    found
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "*", "//", "/*", "\"\"\"", "'''", "%"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

fn number(text: &str) -> i8 {
    text.parse().unwrap_or(0)
}

fn day_of(year: &str, month: i8, day: i8) -> Option<Date> {
    Date::new(year.parse().ok()?, month, day).ok()
}

/// The days that a line names; one whose month and day could change places is none.
pub fn days(line: &str) -> Vec<Date> {
    let month = |name: &str| {
        let name = name.to_ascii_lowercase();
        let at = MONTHS.iter().position(|month| *month == name).unwrap_or(99);
        i8::try_from(at + 1).unwrap_or(0)
    };
    let mut found: Vec<Option<Date>> = Vec::new();
    found.extend(
        ISO.captures_iter(line)
            .map(|it| day_of(&it[1], number(&it[2]), number(&it[3]))),
    );
    found.extend(
        PACKED
            .captures_iter(line)
            .map(|it| day_of(&it[1], number(&it[2]), number(&it[3]))),
    );
    found.extend(
        DAY_FIRST
            .captures_iter(line)
            .map(|it| day_of(&it[3], month(&it[2]), number(&it[1]))),
    );
    found.extend(
        MONTH_FIRST
            .captures_iter(line)
            .map(|it| day_of(&it[3], month(&it[1]), number(&it[2]))),
    );
    found.extend(SLASHED.captures_iter(line).map(|it| {
        let (one, other) = (number(&it[1]), number(&it[2]));
        match (one, other) {
            (one, other) if one > 12 => day_of(&it[3], other, one),
            (one, other) if other > 12 || one == other => day_of(&it[3], one, other),
            _ => None,
        }
    }));
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_where_authors_write_them() {
        let day = |file: &str, text: &str| read(file, text).map(|one| one.date.unwrap().to_string());
        assert_eq!(
            day("a.do", "* Date: 12 October 2020\nreg y x"),
            Some("2020-10-12".into())
        );
        assert_eq!(
            day("a.R", "# updated Oct 3rd, 2019 by me"),
            Some("2019-10-03".into())
        );
        assert_eq!(
            day("a.R", "# 25/12/2018\n# 2017-01-01"),
            Some("2018-12-25".into())
        );
        assert_eq!(day("a.R", "# 05/06/2018"), None);
        assert_eq!(day("a_20201012.do", "reg y x"), Some("2020-10-12".into()));
        let document = |date: &str| day("a.Rmd", &format!("---\ntitle: x\ndate: {date}\n---\ntext\n"));
        for date in [
            "\"2019-03-04\"",
            "4 March 2019",
            "'March 4, 2019'",
            "2019-03-04 # last",
        ] {
            assert_eq!(document(date), Some("2019-03-04".into()), "{date}");
        }
        for date in ["\"`r Sys.Date()`\"", "05/06/2018", "last-modified", "March 2019"] {
            assert_eq!(document(date), None, "{date}");
        }
        for (file, head, written) in [
            (
                "a.do",
                "/*****\n 9 Nov 2020\n*****/\nreg y x 1jan2021",
                "2020-11-09",
            ),
            (
                "a.py",
                "\"\"\"\nFits.\n2021-11-05\n\"\"\"\nd = '2022-01-01'",
                "2021-11-05",
            ),
            ("a.py", "# Created on Tue Jan 14 10:22:31 2020", "2020-01-14"),
            ("a.do", "* 12mar2012\nreg y x", "2012-03-12"),
            ("a.do", "// 9-Nov-2020", "2020-11-09"),
        ] {
            assert_eq!(day(file, head), Some(written.into()), "{head}");
        }
        assert_eq!(day("a.py", "\"\"\"One line.\"\"\"\nd = '2022-01-01'"), None);
        assert_eq!(day("a.R", "x <- '2018-01-01'"), None);
        assert_eq!(day("20191399.R", "# 2019-02-30"), None);
    }
}
