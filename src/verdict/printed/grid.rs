//! Lines of cells set apart by bars, tabs or commas: SPSS and PSPP boxes, Markdown,
//! tables of scripts.

use super::source_line::{SourceLine, is_rule, width};

/// The most lines that a header takes.
const MOST_HEADER_LINES: usize = 24;

/// The most lines of a header without a box.
const MOST_PLAIN_HEADER_LINES: usize = 3;

/// The delimiter of a line's cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Delimiter {
    Bar,
    Tab,
    Comma,
}

/// A cell's text and the display columns between its delimiters.
#[derive(Debug, Clone, PartialEq)]
pub struct GridCell {
    pub text: String,
    pub start: usize,
    pub end: usize,
}

/// The header of a grid and the line where its body begins.
#[derive(Debug)]
pub struct GridHeader {
    pub delimiter: Delimiter,
    /// For each column of the body the text of each level, where rules set levels apart.
    pub columns: Vec<Vec<String>>,
    pub first_row: usize,
}

#[derive(Debug)]
pub struct GridLine {
    pub number: usize,
    pub cells: Vec<GridCell>,
    /// Blank columns before the text of the first cell.
    pub indent: usize,
}

/// The delimiter of a line that may begin a grid.
fn delimiter(text: &str) -> Option<Delimiter> {
    let text = text.trim();
    if text.matches('|').count() >= 2 || (text.starts_with('+') && is_rule(text)) {
        Some(Delimiter::Bar)
    } else if text.contains('\t') {
        Some(Delimiter::Tab)
    } else if text.matches(',').count() >= 2 {
        Some(Delimiter::Comma)
    } else {
        None
    }
}

/// The header of a grid that begins at `at`.
pub fn read_header(lines: &[SourceLine], at: usize) -> Option<GridHeader> {
    let delimiter = delimiter(&mask(&lines.get(at)?.text))?;
    // A box begins at its first line alone.
    let above = at.checked_sub(1).and_then(|above| lines.get(above));
    if delimiter == Delimiter::Bar && above.is_some_and(|above| belongs(&above.text, delimiter)) {
        return None;
    }
    let mut header_lines: Vec<Vec<GridCell>> = Vec::new();
    let mut levels: Vec<usize> = Vec::new();
    let mut level = 0;
    for (index, line) in lines.iter().enumerate().skip(at) {
        if !belongs(&line.text, delimiter) {
            return None;
        }
        let masked = mask(&line.text);
        let cells = cells(&masked, delimiter);
        level += usize::from(is_partial_rule(&masked, &cells, delimiter));
        if is_rule(&masked) || is_only_rules(&cells) {
            continue;
        }
        if has_data(&cells) {
            let columns = header_of(&header_lines, &levels, &cells, delimiter);
            return (!header_lines.is_empty()).then_some(GridHeader {
                delimiter,
                columns,
                first_row: index,
            });
        }
        let most = if delimiter == Delimiter::Bar {
            MOST_HEADER_LINES
        } else {
            MOST_PLAIN_HEADER_LINES
        };
        if header_lines.len() == most {
            return None;
        }
        header_lines.push(cells);
        levels.push(level);
    }
    None
}

/// The rows of a grid from the first of its body, and the line behind the last.
pub fn read_body(lines: &[SourceLine], header: &GridHeader) -> (Vec<GridLine>, usize) {
    let mut body: Vec<GridLine> = Vec::new();
    let mut next = header.first_row;
    while let Some(line) = lines
        .get(next)
        .filter(|line| belongs(&line.text, header.delimiter))
    {
        let masked = mask(&line.text);
        let cells = cells(&masked, header.delimiter);
        next += 1;
        if is_rule(&masked) || is_only_rules(&cells) {
            continue;
        }
        let indent = masked
            .trim_start_matches('|')
            .chars()
            .take_while(|c| *c == ' ')
            .count();
        body.push(GridLine {
            number: line.number,
            cells,
            indent,
        });
    }
    (body, next)
}

/// `Pr(>|t|)` and `P>|z|` with their bars out of the way.
fn mask(text: &str) -> String {
    if !text.contains(">|") && !text.contains("> |") {
        return text.to_owned();
    }
    ["t", "z", "T", "Z"].iter().fold(text.to_owned(), |text, letter| {
        text.replace(&format!(">|{letter}|"), &format!(">¦{letter}¦"))
            .replace(&format!("> |{letter}|"), &format!("> ¦{letter}¦"))
    })
}

fn unmask(text: &str) -> String {
    text.replace('¦', "|")
}

fn belongs(text: &str, delimiter: Delimiter) -> bool {
    match delimiter {
        Delimiter::Bar => text.contains('|') || (text.trim_start().starts_with('+') && is_rule(text)),
        Delimiter::Tab => text.contains('\t'),
        Delimiter::Comma => text.contains(','),
    }
}

fn cells(text: &str, delimiter: Delimiter) -> Vec<GridCell> {
    let mark = match delimiter {
        Delimiter::Bar => '|',
        Delimiter::Tab => '\t',
        Delimiter::Comma => ',',
    };
    // PSPP draws crosses where a rule meets a bar.
    let is_box = delimiter == Delimiter::Bar && text.contains("+-");
    let mut found = vec![GridCell {
        text: String::new(),
        start: 0,
        end: 0,
    }];
    let mut column = 0;
    let mut quoted = false;
    for c in text.chars() {
        if c == '"' && delimiter == Delimiter::Comma {
            quoted = !quoted;
            continue;
        }
        if !quoted && (c == mark || (is_box && c == '+')) {
            column += 1;
            found.push(GridCell {
                text: String::new(),
                start: column,
                end: column,
            });
            continue;
        }
        column += width(c);
        if let Some(cell) = found.last_mut() {
            cell.text.push(c);
            cell.end = column;
        }
    }
    let is_framed = delimiter == Delimiter::Bar;
    if is_framed && found.first().is_some_and(|cell| cell.text.trim().is_empty()) && found.len() > 1 {
        found.remove(0);
    }
    if is_framed && found.last().is_some_and(|cell| cell.text.trim().is_empty()) && found.len() > 1 {
        found.pop();
    }
    for cell in &mut found {
        cell.text = unmask(cell.text.trim());
    }
    found
}

fn is_only_rules(cells: &[GridCell]) -> bool {
    cells.iter().all(|cell| {
        cell.text.is_empty()
            || (cell.text.len() >= 2 && cell.text.chars().all(|c| matches!(c, '-' | ':' | '=')))
    })
}

/// A rule below some of the cells of a header.
fn is_partial_rule(text: &str, cells: &[GridCell], delimiter: Delimiter) -> bool {
    delimiter == Delimiter::Bar
        && text.contains("--")
        && !is_rule_of_all(cells)
        && cells
            .iter()
            .any(|cell| cell.text.len() >= 2 && cell.text.chars().all(|c| c == '-'))
}

fn is_rule_of_all(cells: &[GridCell]) -> bool {
    cells
        .iter()
        .all(|cell| !cell.text.is_empty() && cell.text.chars().all(|c| matches!(c, '-' | ':' | '=')))
}

/// Whether a line holds a number beside its first cell.
fn has_data(cells: &[GridCell]) -> bool {
    cells.iter().skip(1).any(|cell| value(&cell.text).is_some())
}

/// The number of a cell; a letter behind it marks a footnote.
pub fn value(text: &str) -> Option<super::number::NumberCell> {
    let text = text.trim();
    let bare = ["p ", "p="]
        .iter()
        .fold(text, |text, prefix| text.strip_prefix(prefix).unwrap_or(text))
        .trim();
    let bare = bare
        .strip_prefix("p")
        .filter(|rest| rest.starts_with(['<', '=']))
        .unwrap_or(bare);
    super::number::parse(bare).or_else(|| {
        let mark = bare.strip_suffix(|c: char| ('a'..='d').contains(&c))?;
        super::number::parse(mark.strip_suffix('^').unwrap_or(mark))
    })
}

/// For each column of the body what each level of the header says above it.
fn header_of(
    header_lines: &[Vec<GridCell>],
    levels: &[usize],
    body: &[GridCell],
    delimiter: Delimiter,
) -> Vec<Vec<String>> {
    let count = levels.last().map_or(0, |last| last + 1).max(1);
    let is_indexed = delimiter != Delimiter::Bar || header_lines.iter().all(|line| line.len() == body.len());
    if is_indexed && delimiter != Delimiter::Bar {
        return indexed_header(header_lines, body.len());
    }
    body.iter()
        .enumerate()
        .map(|(index, column)| {
            let mut texts = vec![String::new(); count];
            for (line, level) in header_lines.iter().zip(levels) {
                let cell = if is_indexed {
                    line.get(index)
                } else {
                    line.iter()
                        .find(|cell| cell.start < column.end && column.start < cell.end)
                };
                if let (Some(cell), Some(text)) = (cell, texts.get_mut(*level)) {
                    append(text, &cell.text);
                }
            }
            texts
        })
        .collect()
}

fn append(text: &mut String, more: &str) {
    if more.is_empty() || more.chars().all(|c| c == '-') {
        return;
    }
    // `Sig. (2-` goes on with `tailed)`.
    if !text.is_empty() && !text.ends_with('-') {
        text.push(' ');
    }
    text.push_str(more);
}

/// Levels by lines; a blank parent is that of its left neighbour where both have a child.
fn indexed_header(header_lines: &[Vec<GridCell>], columns: usize) -> Vec<Vec<String>> {
    let text = |level: usize, column: usize| {
        header_lines
            .get(level)
            .and_then(|line| line.get(column))
            .map_or("", |cell| cell.text.as_str())
    };
    let mut header: Vec<Vec<String>> = Vec::with_capacity(columns);
    for column in 0..columns {
        let mut texts: Vec<String> = Vec::with_capacity(header_lines.len());
        for level in 0..header_lines.len() {
            let own = text(level, column);
            let has_child = (level + 1..header_lines.len()).any(|below| !text(below, column).is_empty());
            let left = column
                .checked_sub(1)
                .and_then(|left| header.get(left))
                .and_then(|left| left.get(level));
            match left {
                Some(left) if own.is_empty() && has_child => texts.push(left.clone()),
                _ => texts.push(own.to_owned()),
            }
        }
        header.push(texts);
    }
    header
}
