//! Stata's tables of estimates: a bar between names and columns, a rule with a
//! cross below the header.

use super::aligned::ReadRows;
use super::alignment::{self, ColumnSpan};
use super::context::Context;
use super::header;
use super::label::{Label, Meaning};
use super::number;
use super::source_line::SourceLine;
use super::stata_cells::{cells, spans, split_at_bar};
use super::stata_test;
use super::table::{PrintedTable, TableEntry, split_bounds};

/// Whether a line is a rule with a cross: `-------------+------`.
pub fn is_crossed_rule(line: &SourceLine) -> bool {
    line.is_rule() && line.text.contains('+') && !line.text.trim_start().starts_with(['+', '|'])
}

/// Reads the table whose header stands at `at`.
pub fn read(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let (left, right) = split_at_bar(&lines.get(at)?.text)?;
    if !lines.get(at + 1).is_some_and(is_crossed_rule) {
        return None;
    }
    let mut columns = header::columns(right)?;
    if header::has_numbers(&columns) {
        return None;
    }
    // 'Contrast' heads the estimates of contrast and pwcompare.
    for column in &mut columns {
        if column.label.meaning == Meaning::Term {
            column.label.meaning = Meaning::Estimate(None);
        }
    }
    let end = table_end(lines, at + 2);
    if let Some(test) = stata_test::read_t_test(lines, at, end, &columns, context) {
        return Some(test);
    }
    let labels: Vec<Label> = columns.iter().map(|column| column.label).collect();
    let spans = spans(&columns, lines, at + 2, end);
    let mut names = Names::default();
    let mut entries = Vec::new();
    for line in &lines[at + 2..end] {
        if let Some(entry) = entry(line, &spans, &mut names, context) {
            entries.push(entry);
        }
    }
    let outcome = left.trim();
    let mut context = context.clone();
    if !outcome.is_empty()
        && !outcome.contains("parameters")
        && !matches!(outcome, "Source" | "Variable" | "Group")
    {
        context.outcome = Some(outcome.to_owned());
    }
    let rows = PrintedTable {
        labels: split_bounds(&labels),
        entries,
    }
    .rows(&context);
    Some(ReadRows { rows, next: end })
}

/// The line behind the last of the table: a rule without a cross, a blank line or no bar.
pub fn table_end(lines: &[SourceLine], from: usize) -> usize {
    let mut at = from;
    while let Some(line) = lines.get(at) {
        let goes_on = if line.is_rule() {
            line.text.contains(['+', '|'])
        } else {
            line.text.contains('|')
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

/// The names above the present row.
#[derive(Default)]
struct Names {
    equation: Option<String>,
    factor: Option<String>,
    /// The first part of a name that goes on in the next line.
    begun: Option<String>,
}

impl Names {
    /// Takes a line without numbers: an equation at the margin, a factor at the bar.
    fn take(&mut self, left: &str) {
        let name = left.trim();
        // A name that is too long goes on below its last sign.
        let name = &format!("{}{name}", self.begun.take().unwrap_or_default());
        if name.ends_with('#') {
            self.begun = Some(name.clone());
        } else if name.is_empty() {
            self.factor = None;
        } else if left.starts_with(' ') || name.contains('#') {
            self.factor = Some(name.clone());
        } else {
            self.equation = Some(name.clone());
            self.factor = None;
        }
    }

    fn term(&mut self, left: &str) -> String {
        let whole = format!("{}{}", self.begun.take().unwrap_or_default(), left.trim());
        let name = whole.as_str();
        // Levels stand one column further from the bar than names.
        let is_level =
            left.ends_with("  ") || (self.factor.is_some() && name.starts_with(|c: char| c.is_ascii_digit()));
        match &self.factor {
            Some(factor) if is_level => level_term(name, factor),
            _ => {
                self.factor = None;
                match self.equation.as_deref() {
                    Some("/") => format!("/{name}"),
                    _ => name.to_owned(),
                }
            }
        }
    }
}

/// `2` below `group` is `2.group`; `2 1` below `group#treat` is `2.group#1.treat`.
fn level_term(level: &str, factor: &str) -> String {
    let parts: Vec<&str> = factor.split('#').collect();
    let levels: Vec<&str> = level.split_whitespace().collect();
    let factors = parts.iter().filter(|part| !part.starts_with("c.")).count();
    if factors == 1 || levels.len() != factors {
        let whole = level.trim();
        let first = parts.iter().position(|part| !part.starts_with("c.")).unwrap_or(0);
        return parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                if index == first {
                    format!("{whole}.{part}")
                } else {
                    (*part).to_owned()
                }
            })
            .collect::<Vec<String>>()
            .join("#");
    }
    let mut levels = levels.into_iter();
    parts
        .iter()
        .map(|part| match part.starts_with("c.") {
            true => (*part).to_owned(),
            false => format!("{}.{part}", levels.next().unwrap_or_default()),
        })
        .collect::<Vec<String>>()
        .join("#")
}

fn entry(
    line: &SourceLine,
    spans: &[ColumnSpan],
    names: &mut Names,
    context: &Context,
) -> Option<TableEntry> {
    if line.is_rule() {
        return None;
    }
    let (left, right) = split_at_bar(&line.text)?;
    if right.trim().is_empty() {
        names.take(left);
        return None;
    }
    let mut term = names.term(left);
    // lincom names its combination above the table.
    if term == "(1)"
        && let Some(combination) = context.title.as_deref().and_then(stata_test::constraint)
    {
        term = combination.to_owned();
    }
    let cells = cells(right);
    // `0  (omitted)` and `1  (base)` are no results.
    if !cells
        .iter()
        .all(|cell| alignment::is_value(&cell.text) && !is_remark(&cell.text))
    {
        return None;
    }
    let row = alignment::align(spans, &cells).filter(|row| row.first == 0)?;
    Some(TableEntry {
        term,
        outcome: None,
        model: equation_model(names, context),
        cells: row
            .tokens
            .iter()
            .map(|index| number::parse(&cells.get((*index)?)?.text))
            .collect(),
        lines: vec![line.number],
    })
}

fn is_remark(cell: &str) -> bool {
    cell.starts_with('(')
}

/// The equation beside the command: `mlogit y x [2]`.
fn equation_model(names: &Names, context: &Context) -> Option<String> {
    let equation = names.equation.as_deref().filter(|equation| *equation != "/")?;
    Some(match &context.model {
        Some(model) => format!("{model} [{equation}]"),
        None => equation.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_named_as_in_commands() {
        assert_eq!(level_term("2", "group"), "2.group");
        assert_eq!(level_term("High school", "educ"), "High school.educ");
        assert_eq!(level_term("2 1", "group#treat"), "2.group#1.treat");
        assert_eq!(level_term("1", "treat#c.x"), "1.treat#c.x");
    }
}
