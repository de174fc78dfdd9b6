//! The text of every PDF of the shared studies, beside `pdftotext`.

use std::collections::HashMap;
use std::process::Command;
use std::sync::LazyLock;

use regex::Regex;
use reprise::documents::limits::Limits;
use reprise::documents::pdf::read::read;
use unicode_normalization::UnicodeNormalization;

use crate::need;
use crate::shared;

/// Least share of the words of `pdftotext` in any file.
const LEAST_WORDS: f64 = 0.99;
/// Files of which it is less, since `pdftotext` reads what is not there: letter-spaced
/// headings of paper 13 letter by letter, dashes of paper 11 as `e` (`76e85`) and its
/// accents as letters of their own (`Ko ller`), signs of papers 2 and 5 as digits and letters.
const LEAST_WORDS_OF: [(&str, f64); 4] = [
    ("11/input/original_paper.pdf", 0.985),
    ("13/input/original_paper.pdf", 0.969),
    ("2/input/original_paper.pdf", 0.988),
    ("5/input/original_paper.pdf", 0.989),
];
/// Least share of table rows of `pdftotext -layout` that stand in one line.
const LEAST_ROWS: f64 = 0.98;
/// Least share of neighbouring words that stay neighbours in any paper.
/// `pdftotext` reads tables column by column, and ours row by row.
const LEAST_ORDER: f64 = 0.9;
/// The same for the median over all papers.
const MEDIAN_ORDER: f64 = 0.98;

/// Both texts in one form: compatibility characters resolved, every dash a
/// hyphen, words joined over line ends.
fn normal(text: &str) -> String {
    let flat: String = text
        .nfkc()
        .map(|c| {
            if matches!(c, '\u{AD}' | '\u{2010}'..='\u{2014}' | '\u{2212}') {
                '-'
            } else {
                c
            }
        })
        .collect();
    static BROKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\w)-\s*\n\s*(\w)").unwrap());
    BROKEN.replace_all(&flat, "$1$2").into_owned()
}

fn words(text: &str) -> Vec<String> {
    let word = Regex::new(r"\w[\w-]*").unwrap();
    word.find_iter(text)
        .map(|found| found.as_str().replace('-', "").to_lowercase())
        .collect()
}

fn numbers(text: &str) -> Vec<String> {
    let number = Regex::new(r"\d+(?:[.,]\d+)*|\.\d+").unwrap();
    number
        .find_iter(text)
        .map(|found| found.as_str().to_owned())
        .collect()
}

/// The share of the first list that the second holds, each as often.
fn recall(wanted: &[String], held: &[String]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in held {
        *left.entry(word).or_default() += 1;
    }
    let found = wanted
        .iter()
        .filter(|word| {
            left.get_mut(word.as_str())
                .is_some_and(|count| count.checked_sub(1).map(|less| *count = less).is_some())
        })
        .count();
    if wanted.is_empty() {
        1.0
    } else {
        found as f64 / wanted.len() as f64
    }
}

/// The share of the first list's neighbours that are neighbours in the second:
/// what a reader who jumps between columns loses.
fn order(wanted: &[String], held: &[String]) -> f64 {
    let pairs = |list: &[String]| -> Vec<String> { list.windows(2).map(|pair| pair.join(" ")).collect() };
    recall(&pairs(wanted), &pairs(held))
}

/// What `pdftotext` reads where a font hides signs behind digits: `2.120` for
/// −.120, ` 5 ` for ` = `. Ours put back the way that font's codes tell it.
fn as_coded(text: &str) -> String {
    let minus = Regex::new(r"-(\.?\d)").unwrap();
    let equals = Regex::new(r"(\S) = ").unwrap();
    let coded = minus
        .replace_all(text, "2$1")
        .replace('\u{D7}', "3")
        .replace('+', "1")
        .replace('-', "2");
    equals.replace_all(&coded, "$1 5 ").into_owned()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn words_and_numbers_are_those_of_pdftotext() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    if need::program("pdftotext", "apt-get install poppler-utils").is_none() {
        return;
    }
    let mut table = Vec::new();
    println!(
        "{:<36} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "file", "words", "recall", "precis.", "numbers", "signs", "order"
    );
    for path in shared::files(&folder) {
        if path.extension().is_none_or(|extension| extension != "pdf") {
            continue;
        }
        let reference = Command::new("pdftotext").arg(&path).arg("-").output().unwrap();
        let reference = String::from_utf8_lossy(&reference.stdout);
        // An equal sign, where the font's code says a quarter.
        let reference = normal(&reference.replace('¼', "="));
        let ours = read(std::fs::read(&path).unwrap(), &Limits::default()).unwrap();
        let text: String = ours
            .pages
            .iter()
            .map(|page| page.text.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        let text = normal(&text);
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        if numbers(&reference).is_empty() {
            println!("{name:<36} no text layer: {:?}", ours.notes);
            assert!(
                ours.notes.iter().any(|note| note.contains("no text layer")),
                "{name}"
            );
            continue;
        }
        let (wanted, held) = (words(&reference), words(&text));
        let plain = recall(&numbers(&reference), &numbers(&text));
        // Numbers that agree once the hidden signs are written as pdftotext writes them.
        let coded = plain.max(recall_of_either(
            &numbers(&reference),
            &numbers(&text),
            &numbers(&as_coded(&text)),
        ));
        let row = [
            recall(&wanted, &held),
            recall(&held, &wanted),
            plain,
            coded,
            order(&wanted, &held),
        ];
        println!(
            "{name:<36} {:>7} {:>7.4} {:>7.4} {:>7.4} {:>7.4} {:>7.4}",
            wanted.len(),
            row[0],
            row[1],
            row[2],
            row[3],
            row[4]
        );
        let known = LEAST_WORDS_OF.iter().find(|(known, _)| *known == name);
        let least = known.map_or(LEAST_WORDS, |(_, least)| *least);
        assert!(row[0] >= least && row[3] >= 0.95, "{name}: {row:?}");
        assert!(row[4] >= LEAST_ORDER, "{name}: {row:?}");
        assert!(
            !ours.notes.iter().any(|note| note.contains("whole copy")),
            "{name}: {:?}",
            ours.notes
        );
        table.push(row);
    }
    let column = |index: usize| median(table.iter().map(|row| row[index]).collect());
    println!(
        "median of {}: {:.4} {:.4} {:.4}, order {:.4}",
        table.len(),
        column(0),
        column(1),
        column(2),
        column(4)
    );
    assert!(table.len() >= 30);
    assert!(column(0) >= 0.98, "median word recall {}", column(0));
    assert!(column(2) >= 0.99, "median numeric recall {}", column(2));
    assert!(column(4) >= MEDIAN_ORDER, "median order {}", column(4));
}

fn recall_of_either(wanted: &[String], plain: &[String], coded: &[String]) -> f64 {
    let both: Vec<String> = {
        let mut most: HashMap<&str, usize> = HashMap::new();
        for list in [plain, coded] {
            let mut own: HashMap<&str, usize> = HashMap::new();
            list.iter()
                .for_each(|number| *own.entry(number).or_default() += 1);
            for (number, count) in own {
                let place = most.entry(number).or_default();
                *place = (*place).max(count);
            }
        }
        most.into_iter()
            .flat_map(|(number, count)| std::iter::repeat_n(number.to_owned(), count))
            .collect()
    };
    recall(wanted, &both)
}

/// The words and numbers of a line of a table: two and more numbers behind a name, and
/// nothing else, with two spaces between cells.
fn table_row(line: &str) -> Option<Vec<String>> {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[-+<(\[]*\d*[.,]?\d[\d.,]*[)\]%]*[*†‡]*[)\]]*$").unwrap());
    static SPACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\s{2,}").unwrap());
    let cells: Vec<&str> = SPACE.split(line.trim()).filter(|cell| !cell.is_empty()).collect();
    let numbers = cells
        .iter()
        .filter(|cell| NUMBER.is_match(&cell.replace(' ', "")))
        .count();
    let name = cells.first()?;
    let is_name = name.chars().take(2).filter(|c| c.is_alphabetic()).count() == 2 && name.len() <= 60;
    (is_name && numbers >= 2 && numbers + 1 >= cells.len()).then(|| tokens(line))
}

fn tokens(line: &str) -> Vec<String> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[a-z]{2,}|\d+(?:[.,]\d+)*|\.\d+").unwrap());
    let line = line.to_lowercase();
    TOKEN
        .find_iter(&line)
        .map(|found| found.as_str().to_owned())
        .collect()
}

/// A row that is torn apart loses its name, and its numbers say nothing more.
#[test]
fn rows_of_tables_stay_whole() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    if need::program("pdftotext", "apt-get install poppler-utils").is_none() {
        return;
    }
    let (mut kept, mut all) = (0, 0);
    for path in shared::files(&folder) {
        if !path.ends_with("original_paper.pdf") && !path.ends_with("human_report.pdf") {
            continue;
        }
        let layout = Command::new("pdftotext")
            .arg("-layout")
            .arg(&path)
            .arg("-")
            .output()
            .unwrap();
        let layout = normal(&String::from_utf8_lossy(&layout.stdout));
        let text = read(std::fs::read(&path).unwrap(), &Limits::default()).unwrap();
        let lines = text.pages.iter().flat_map(|page| &page.lines);
        let ours: Vec<Vec<String>> = lines.map(|line| tokens(&normal(&line.text))).collect();
        let (mut own, mut whole) = (0, 0);
        for row in layout.split(['\n', '\x0c']).filter_map(table_row) {
            let holds = |line: &Vec<String>| {
                let mut line = line.iter();
                row.iter().all(|wanted| line.any(|token| token == wanted))
            };
            own += 1;
            whole += usize::from(ours.iter().any(holds));
        }
        if own > 0 {
            println!(
                "{}: {whole} of {own} rows",
                path.strip_prefix(&folder).unwrap().display()
            );
        }
        (kept, all) = (kept + whole, all + own);
    }
    println!("{kept} of {all} rows");
    assert!(
        all > 300 && kept as f64 >= LEAST_ROWS * f64::from(all as u32),
        "{kept} of {all}"
    );
}

/// The signs that every other extractor loses: paper 2 sets its minus signs in
/// a font that calls them `2`, and prints these coefficients in its tables.
#[test]
fn minus_signs_of_mathematical_fonts_are_minus_signs() {
    let Some(folder) = shared::folder("replicatorbench/original/2/input") else {
        return;
    };
    let paper = std::fs::read(folder.join("original_paper.pdf")).unwrap();
    let text: String = read(paper, &Limits::default())
        .unwrap()
        .pages
        .into_iter()
        .map(|page| page.text)
        .collect();
    for row in [
        "Constant | −.120 (.035)* | −.124 (.036)*",
        "School-average ability | −.319 (.022)*",
        "× Linear Ability |  | −.048 (.008)*",
    ] {
        assert!(text.contains(row), "`{row}` is not in the text");
    }
}

#[test]
fn columns_are_read_one_after_the_other() {
    let Some(folder) = shared::folder("replicatorbench/original/6/input") else {
        return;
    };
    let paper = std::fs::read(folder.join("original_paper.pdf")).unwrap();
    let pages = read(paper, &Limits::default()).unwrap().pages;
    let page = pages
        .iter()
        .find(|page| page.text.contains("The Waning Importance of Science"))
        .unwrap();
    let place = |text: &str| {
        page.text
            .find(text)
            .unwrap_or_else(|| panic!("`{text}` is not on the page"))
    };
    assert!(
        place("1996). Recent studies of religious scientists") < place("compelling narrative of the world")
    );
    assert!(place("worldview rejects the strict") < place("compelling narrative"));
    assert!(page.number > 1 && page.lines.len() > 60);
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/pdf/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

fn text_of(bytes: Vec<u8>) -> String {
    let pages = read(bytes, &Limits::default()).unwrap().pages;
    pages.into_iter().map(|page| page.text).collect()
}

#[test]
fn blank_cells_keep_their_place() {
    let text = text_of(fixture("blank-cells.pdf"));
    for row in [
        "| (1) | (2) | (3)",
        "Income | 0.599*** |  | 0.311",
        "| (0.120) |  | (0.100)",
        "Education |  | 0.900 | 0.546",
        "|  | (0.105) | (0.098)",
        "Observations | 45 | 45 | 45",
    ] {
        assert!(text.lines().any(|line| line == row), "`{row}` is not in\n{text}");
    }
}

#[test]
fn a_short_pair_of_columns_is_no_table() {
    let text = text_of(fixture("short-columns.pdf"));
    let (left, right) = (text.find("LEFTEND").unwrap(), text.find("RIGHTSTART").unwrap());
    assert!(left < right, "{text}");
    assert!(text.contains("and on across lines of the narrow column until it is full.\nThe next"));
}

/// The words of these pages are numbered from one to the next.
#[test]
fn narrow_columns_are_read_one_after_the_other() {
    let number = Regex::new(r"\bq(\d+)\b").unwrap();
    for name in ["narrow-gutter.pdf", "three-columns.pdf"] {
        let text = text_of(fixture(name));
        let read: Vec<u32> = number
            .captures_iter(&text)
            .map(|found| found[1].parse().unwrap())
            .collect();
        let back = read.windows(2).filter(|pair| pair[1] < pair[0]).count();
        println!("{name}: {back} jumps backwards in {} numbers", read.len());
        assert!(read.len() > 100 && back == 0, "{name}: {back} jumps\n{text}");
        assert!(!text.contains(" | "), "{name}:\n{text}");
    }
}

#[test]
fn a_file_that_breaks_off_says_so() {
    let whole = fixture("three-columns.pdf");
    assert!(read(whole.clone(), &Limits::default()).unwrap().notes.is_empty());
    for tenths in 1..10 {
        let cut = whole[..whole.len() * tenths / 10].to_vec();
        match read(cut, &Limits::default()) {
            Ok(text) => assert!(text.notes[0].contains("breaks off"), "{tenths}: {:?}", text.notes),
            Err(error) => assert!(error.to_string().contains("breaks off"), "{tenths}: {error}"),
        }
    }
}

#[test]
fn files_within_the_file_are_named() {
    let text = read(fixture("attachments.pdf"), &Limits::default()).unwrap();
    assert_eq!(
        text.notes,
        ["The file carries 2 other files, which are not read here: R².csv, data.csv."]
    );
    assert!(
        text.properties
            .contains(&("title".to_owned(), "Sealed".to_owned()))
    );
}
