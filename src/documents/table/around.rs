//! Lines around the records of a delimited file: comments and titles above the names, a
//! second line of names (units, question texts), notes below, and delimiters at the ends of lines.

use std::borrow::Cow;

use crate::documents::table::guess;
use crate::documents::table::number;
use crate::documents::table::records::{BLANKS, Records};
use crate::domain::excerpt;

/// Records that the decision rests on.
const LOOKED_AT: usize = 220;
/// The most lines above the names, and of notes below the records.
const MOST_LINES: usize = 30;
/// The most lines between the names and the first record.
const MOST_SECOND: usize = 3;
/// Bytes at the end in which notes are looked for.
const TAIL: usize = 8 << 10;
/// Signs that open a comment.
const COMMENTS: [char; 2] = ['#', '%'];
/// Units that are written without brackets.
const UNITS: [&str; 34] = [
    "%", "percent", "mm", "cm", "m", "km", "g", "mg", "kg", "t", "l", "ml", "s", "ms", "sec", "min", "h",
    "hours", "days", "weeks", "months", "years", "yr", "usd", "eur", "$", "€", "£", "°c", "k", "hz", "n",
    "count", "points",
];
/// First words of notes below a table.
const NOTE_WORDS: [&str; 20] = [
    "source",
    "sources",
    "note",
    "notes",
    "quelle",
    "quellen",
    "anmerkung",
    "anmerkungen",
    "fuente",
    "nota",
    "notas",
    "remarque",
    "remarques",
    "bron",
    "fonte",
    "data",
    "last",
    "©",
    "copyright",
    "*",
];
/// First words of a row that sums up the others.
const TOTALS: [&str; 16] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "overall",
    "all",
    "mean",
    "average",
    "gesamt",
    "insgesamt",
    "summe",
    "totale",
    "totaal",
    "suma",
    "итого",
    "合計",
];

/// A record as it is written, with the line and the place that it begins on.
struct Sampled<'t> {
    line: u64,
    start: usize,
    fields: Vec<Cow<'t, str>>,
}

impl Sampled<'_> {
    fn filled(&self) -> usize {
        self.fields
            .iter()
            .filter(|field| !field.trim().is_empty())
            .count()
    }

    fn field(&self, at: usize) -> &str {
        self.fields.get(at).map_or("", |field| field.trim())
    }

    fn is_comment(&self) -> bool {
        self.field(0).starts_with(COMMENTS)
    }

    /// Whether it holds numbers that cannot be the names of columns, as years can.
    fn has_numbers(&self) -> bool {
        self.fields
            .iter()
            .any(|field| is_number(field) && !is_year(field))
    }
}

/// The part of a text that is the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    /// Where the names of the columns begin, and their line.
    pub start: usize,
    pub line: u64,
    /// Where the records end.
    pub end: usize,
    /// Records after the names that are units or question texts.
    pub second: usize,
    /// The sign that opens lines between the records which are none.
    pub comment: Option<char>,
    /// Whether each record ends in a delimiter that the names have not.
    pub is_trailing: bool,
    /// Whether the records begin with the names of rows, for which the first line has no name.
    pub has_row_names: bool,
    /// What the second lines of names hold, by column.
    pub labels: Vec<String>,
    pub notes: Vec<String>,
}

/// Looks for what is around the records of a text.
pub fn find(text: &str, delimiter: u8) -> Around {
    let sample = sample(text, delimiter);
    let mut around = Around {
        line: 1,
        end: text.len(),
        ..Around::default()
    };
    let Some(header) = header(&sample) else {
        return around;
    };
    let records = &sample[header + 1..];
    let names = &sample[header];
    (around.start, around.line) = (names.start, names.line);
    if header > 0 {
        around.notes.push(format!(
            "The names of the columns are on line {}. Everything above it ({}) was left out.",
            names.line,
            quoted(&sample[0])
        ));
    }
    let wide = width(records.iter());
    let is_aside = |record: &&Sampled<'_>| record.is_comment() && record.fields.len() < wide;
    around.comment = records
        .iter()
        .find(is_aside)
        .and_then(|record| record.field(0).chars().next());
    let body: Vec<&Sampled<'_>> = records.iter().filter(|record| !is_aside(record)).collect();
    around.is_trailing = is_trailing(names, &body, text);
    if around.is_trailing {
        around.notes.push(
            "Every record ends in a delimiter that the line of names has not: the empty last field was left out. \
             Without `index_col=False` pandas takes the first column for row names, and every column moves by one."
                .to_owned(),
        );
    }
    let wider = body
        .iter()
        .filter(|record| record.fields.len() == names.fields.len() + 1)
        .count();
    // Tables written by R name every column but the row names.
    around.has_row_names = !around.is_trailing && wider > 0 && wider * 2 >= body.len();
    second_names(&body, names, &mut around);
    footer(text, delimiter, &body, &mut around);
    if header > 0
        || around.comment.is_some()
        || around.second > 0
        || around.is_trailing
        || around.end < text.len()
    {
        let call = call(&around, text, delimiter);
        around.notes.push(format!("pandas reads the same with `{call}`."));
    }
    around
}

fn sample(text: &str, delimiter: u8) -> Vec<Sampled<'_>> {
    let mut records = Records::new(text, delimiter);
    let mut sample = Vec::new();
    let mut fields = Vec::new();
    while sample.len() < LOOKED_AT {
        let Some(line) = records.read(&mut fields) else {
            break;
        };
        sample.push(Sampled {
            line,
            start: records.start(),
            fields: std::mem::take(&mut fields),
        });
    }
    sample
}

/// The number of fields that most records have, the larger of two.
fn width<'s, 't: 's>(records: impl Iterator<Item = &'s Sampled<'t>>) -> usize {
    let mut counts: Vec<usize> = records.map(|record| record.fields.len()).collect();
    counts.sort_unstable();
    let runs = counts.chunk_by(|one, next| one == next);
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

/// The place of the record that names the columns; `None` if the first one does as far as is known.
fn header(sample: &[Sampled<'_>]) -> Option<usize> {
    let comments = sample.iter().take_while(|record| record.is_comment()).count();
    let rest = sample.get(comments..).unwrap_or_default();
    let most = width(rest.iter());
    if rest.len() < 2 || most < 1 {
        return Some(0).filter(|_| comments == 0 && !sample.is_empty());
    }
    if comments > 0 {
        let last = &sample[comments - 1];
        // `#id,name` names the columns if the next line is a record.
        let names = last.fields.len() == most && most > 1 && rest[0].has_numbers() && !last.has_numbers();
        if names && last.field(0).trim_start_matches(COMMENTS).len() > 1 {
            return Some(comments - 1);
        }
    }
    let titles = titles(rest, most).unwrap_or(0);
    Some(comments + titles)
}

/// How many records are titles above the names of the columns.
fn titles(rest: &[Sampled<'_>], most: usize) -> Option<usize> {
    let is_sep =
        |record: &Sampled<'_>| record.line == 1 && record.field(0).to_lowercase().starts_with("sep=");
    if most < 2 {
        return None;
    }
    if is_sep(&rest[0]) {
        return Some(1 + titles(rest.get(1..)?, most).unwrap_or(0));
    }
    let at = rest.iter().take(MOST_LINES).position(|record| {
        record.fields.len() + 1 >= most && 2 * record.filled() >= most.max(4) && record.filled() > most / 2
    })?;
    let above = &rest[..at];
    let is_title = |record: &Sampled<'_>| {
        let is_short = record.fields.len() + 1 < most && 2 * record.filled() <= most;
        (record.filled() <= 1 || is_short || record.filled() <= most / 2) && !record.has_numbers()
    };
    let (names, body) = (&rest[at], &rest[at + 1..]);
    if at == 0 || !above.iter().all(is_title) || names.has_numbers() || names.filled() + 1 < most {
        return None;
    }
    let has_column_of_numbers = (0..most).any(|column| {
        let values = body.iter().map(|record| record.field(column));
        let (numbers, filled) = values
            .filter(|value| !guess::is_missing(value))
            .fold((0, 0), |counts, value| {
                (counts.0 + usize::from(is_number(value)), counts.1 + 1)
            });
        let name = names.field(column);
        numbers >= 2 && numbers * 5 >= filled * 4 && (!is_number(name) || is_year(name))
    });
    (has_column_of_numbers && body.len() >= 2).then_some(at)
}

/// Whether it may be the name of a column, though it is a number.
fn is_year(text: &str) -> bool {
    number::plain(text).is_some_and(|number| number.whole && (1800.0..2100.0).contains(&number.value))
}

fn is_number(text: &str) -> bool {
    number::plain(text).is_some() || number::style(text).is_some()
}

/// Whether each record has one field more than the names, and nothing in it.
fn is_trailing(names: &Sampled<'_>, body: &[&Sampled<'_>], text: &str) -> bool {
    let width = names.fields.len();
    let full: Vec<&&Sampled<'_>> = body.iter().filter(|record| record.fields.len() > width).collect();
    // R puts the names of rows into quotes, and has no name for their column.
    let is_row_names = full.iter().all(|record| text[record.start..].starts_with('"'))
        && text[names.start..].starts_with('"');
    full.len() >= 2
        && full.len() * 10 >= body.len() * 9
        && full
            .iter()
            .all(|record| record.fields.len() == width + 1 && record.field(width).is_empty())
        && !is_row_names
}

/// Finds units and question texts between the names and the first record.
fn second_names(body: &[&Sampled<'_>], names: &Sampled<'_>, around: &mut Around) {
    let columns: Vec<usize> = (0..names.fields.len()).collect();
    // By column: leading values that are no numbers, where all later ones are.
    let leading = |column: usize| -> Option<usize> {
        let values: Vec<&str> = body.iter().map(|record| record.field(column)).collect();
        let texts = values
            .iter()
            .take(MOST_SECOND)
            .rposition(|value| !value.is_empty() && !is_number(value));
        let first = texts.map_or(0, |last| last + 1);
        let rest = values
            .get(first..)?
            .iter()
            .filter(|value| !guess::is_missing(value));
        let all = rest.clone().all(|value| is_number(value));
        (all && rest.count() >= 2).then_some(first)
    };
    let numeric: Vec<(usize, usize)> = columns
        .iter()
        .filter_map(|column| Some((*column, leading(*column)?)))
        .collect();
    let second = numeric.iter().map(|(_, leading)| *leading).max().unwrap_or(0);
    let rows = &body[..second];
    if second == 0 || !rows.iter().all(|row| is_second(row, &numeric)) {
        return;
    }
    around.second = second;
    around.labels = columns
        .iter()
        .map(|column| {
            let texts = rows.iter().map(|row| row.field(*column));
            let texts: Vec<&str> = texts
                .filter(|text| !text.is_empty() && !text.starts_with('{'))
                .collect();
            texts.join(" ")
        })
        .collect();
    around.notes.push(format!(
        "After the names {} ({}) of units or question texts: the labels of the columns, and no record.",
        if second == 1 {
            "follows a line"
        } else {
            "follow lines"
        },
        rows.iter().map(|row| quoted(row)).collect::<Vec<_>>().join(", "),
    ));
}

/// Whether a record is a second line of names for columns of numbers.
fn is_second(row: &Sampled<'_>, numeric: &[(usize, usize)]) -> bool {
    let texts: Vec<&str> = numeric
        .iter()
        .map(|(column, _)| row.field(*column))
        .filter(|text| !text.is_empty())
        .collect();
    if texts.is_empty()
        || texts
            .iter()
            .any(|text| is_number(text) || guess::is_missing(text))
    {
        return false;
    }
    let is_unit = |text: &&str| {
        let bracketed =
            (text.starts_with('(') && text.ends_with(')')) || (text.starts_with('[') && text.ends_with(']'));
        bracketed || UNITS.contains(&text.to_lowercase().as_str())
    };
    let mut different: Vec<&str> = texts.clone();
    different.sort_unstable();
    different.dedup();
    let is_import = texts
        .iter()
        .all(|text| text.starts_with('{') && text.contains("ImportId"));
    let are_long = texts.iter().map(|text| text.chars().count()).sum::<usize>() >= 15 * texts.len();
    texts.iter().all(is_unit)
        || is_import
        || (different.len() == texts.len() && (texts.len() >= 3 || (texts.len() == 2 && are_long)))
}

/// The rows around the records of a sheet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AroundSheet {
    /// The row of the names, from 0.
    pub header: u32,
    /// The row after the last one between the names and the records.
    pub first: u32,
    pub labels: Vec<String>,
    pub notes: Vec<String>,
}

/// Looks for what is above the records of a sheet: its first used rows, each with its number
/// from 0 and the texts of all columns.
pub fn of_sheet(rows: Vec<(u32, Vec<String>)>) -> AroundSheet {
    let sample: Vec<Sampled<'_>> = rows
        .into_iter()
        .take(LOOKED_AT)
        .map(|(row, texts)| Sampled {
            line: u64::from(row) + 1,
            start: row as usize,
            fields: texts.into_iter().map(Cow::Owned).collect(),
        })
        .collect();
    let mut around = Around::default();
    let Some(header) = header(&sample) else {
        return AroundSheet::default();
    };
    let names = &sample[header];
    let body: Vec<&Sampled<'_>> = sample[header + 1..].iter().collect();
    second_names(&body, names, &mut around);
    if header > 0 {
        around.notes.insert(
            0,
            format!(
                "The names of the columns are in row {}: the rows above ({}) were left out. pandas needs \
                 `header={}` for that.",
                names.line,
                quoted(&sample[0]),
                names.line - 1
            ),
        );
    }
    let first = match around.second {
        0 => names.start + 1,
        second => body[second - 1].start + 1,
    };
    AroundSheet {
        header: names.start as u32,
        first: first as u32,
        labels: around.labels,
        notes: around.notes,
    }
}

/// Finds notes below the records, and a row that sums the others up.
fn footer(text: &str, delimiter: u8, body: &[&Sampled<'_>], around: &mut Around) {
    let width = width(body.iter().copied());
    if width < 2 || delimiter == BLANKS {
        return;
    }
    // Where records of one field are among the others, such a line at the end may be one of them.
    let is_single = |record: &&&Sampled<'_>| record.fields.len() == 1;
    let is_even = !body
        .iter()
        .rev()
        .skip_while(is_single)
        .any(|record| is_single(&record));
    let from = text.len().saturating_sub(TAIL).max(around.start);
    let end = excerpt::between(text, from, text.len());
    let mut notes: Vec<&str> = Vec::new();
    let mut is_total = None;
    for line in end.split_inclusive('\n').rev().take(MOST_LINES) {
        let content = line.trim_end();
        let at = around.end - line.len();
        if at <= around.start || line.matches('"').count() % 2 == 1 {
            break;
        }
        let fields: Vec<&str> = content
            .split(char::from(delimiter))
            .map(|field| field.trim_matches([' ', '"']))
            .collect();
        let filled = fields.iter().filter(|field| !field.is_empty()).count();
        let first = fields.first().copied().unwrap_or_default();
        let word = first
            .split([' ', ':', '.', ')'])
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let is_note = filled == 1
            && !first.is_empty()
            && !is_number(first)
            && (fields.len() == 1
                || NOTE_WORDS.contains(&word.as_str())
                || first.contains(' ') && first.contains(':'));
        // Text with a few delimiters in it is a sentence if its first word says so.
        let is_short = fields.len() < width || (fields.len() == width && first.contains(": "));
        let is_sentence = is_short && first.contains(' ') && NOTE_WORDS.contains(&word.as_str());
        if content.is_empty() {
            around.end = at;
        } else if (is_note || is_sentence) && is_even {
            notes.push(first);
            around.end = at;
        } else {
            let name = first.trim_end_matches([':', '.']).to_lowercase();
            is_total = TOTALS.contains(&name.as_str()).then_some(first);
            break;
        }
    }
    if notes.is_empty() {
        around.end = text.len();
    } else {
        let last = notes.last().copied().unwrap_or_default();
        around.notes.push(format!(
            "Below the records {} left out, the first \"{}\".",
            match notes.len() {
                1 => "a line that is no record was".to_owned(),
                many => format!("{many} lines that are no records were"),
            },
            shortened(last)
        ));
    }
    if let Some(total) = is_total {
        around.notes.push(format!(
            "The last row (\"{}\") seems to sum the others up: leave it out before you compute.",
            shortened(total)
        ));
    }
}

/// The call of pandas that reads the same records.
fn call(around: &Around, text: &str, delimiter: u8) -> String {
    let mut call = "read_csv(FILE".to_owned();
    match delimiter {
        b',' => {}
        b'\t' => call += ", sep=\"\\t\"",
        BLANKS => call += ", sep=r\"\\s+\"",
        other => call += &format!(", sep=\"{}\"", char::from(other)),
    }
    let above = around.line - 1;
    let first = around.line + 1;
    if around.second > 0 {
        let lines: Vec<String> = (0..above)
            .chain(first - 1..first - 1 + around.second as u64)
            .map(|line| line.to_string())
            .collect();
        call += &format!(", skiprows=[{}]", lines.join(", "));
    } else if above > 0 {
        call += &format!(", skiprows={above}");
    }
    if let Some(comment) = around.comment {
        call += &format!(", comment=\"{comment}\"");
    }
    if around.is_trailing {
        call += ", index_col=False";
    }
    let below = text[around.end..].lines().count();
    if below > 0 {
        call += &format!(", skipfooter={below}, engine=\"python\"");
    }
    call + ")"
}

fn quoted(record: &Sampled<'_>) -> String {
    let first = record
        .fields
        .iter()
        .map(|field| field.trim())
        .find(|field| !field.is_empty());
    format!("\"{}\"", shortened(first.unwrap_or_default()))
}

fn shortened(text: &str) -> String {
    excerpt::shortened(text, 60).replace('\n', " ")
}

/// The records of a table, without what is around them.
#[derive(Debug)]
pub struct TableRecords<'t, 'a> {
    pub records: Records<'t>,
    around: &'a Around,
    fields: usize,
    /// Records that are left to be passed over.
    second: usize,
}

impl<'t, 'a> TableRecords<'t, 'a> {
    /// Stands at the names of the columns.
    pub fn new(text: &'t str, delimiter: u8, around: &'a Around) -> Self {
        Self {
            records: Records::from_line(&text[..around.end], delimiter, around.start, around.line),
            around,
            fields: 0,
            second: around.second,
        }
    }

    /// Reads the names.
    pub fn names(&mut self, record: &mut Vec<Cow<'t, str>>) -> Option<u64> {
        let line = self.records.read(record)?;
        self.fields = record.len();
        Some(line)
    }

    /// Reads a record and returns its line; `None` at the end.
    pub fn read(&mut self, record: &mut Vec<Cow<'t, str>>) -> Option<u64> {
        loop {
            let line = self.records.read(record)?;
            let is_aside = self.around.comment.is_some_and(|sign| {
                record.len() < self.fields
                    && record
                        .first()
                        .is_some_and(|first| first.trim_start().starts_with(sign))
            });
            if is_aside {
                continue;
            }
            if self.second > 0 {
                self.second -= 1;
                continue;
            }
            if self.around.is_trailing && record.len() == self.fields + 1 {
                record.truncate(self.fields);
            }
            return Some(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::limits::Limits;
    use crate::documents::read::read;
    use crate::documents::table::column::Table;

    fn table(text: &str) -> Table {
        read("a.csv", text.as_bytes(), &Limits::default())
            .unwrap()
            .tables
            .remove(0)
    }

    fn shape(text: &str) -> (usize, Vec<String>, Option<f64>) {
        let table = table(text);
        let names = table.columns.iter().map(|column| column.name.clone()).collect();
        (
            table.rows,
            names,
            table.columns.last().and_then(|column| column.mean()),
        )
    }

    fn right(rows: usize, names: &[&str], last: f64) -> (usize, Vec<String>, Option<f64>) {
        (
            rows,
            names.iter().map(|name| (*name).to_owned()).collect(),
            Some(last),
        )
    }

    #[test]
    fn what_is_above_the_names_is_left_out() {
        for (text, rows, names, last) in [
            (
                "# agency\n# unit: index\nyear,value\n2001,1.5\n2002,2.5\n2003,3.5\n",
                3,
                ["year", "value"].as_slice(),
                2.5,
            ),
            (
                "% made by a program, version 2\nx;y\n1;2,5\n2;3,5\n",
                2,
                &["x", "y"],
                3.0,
            ),
            ("#id,score\n1,4\n2,6\n", 2, &["#id", "score"], 5.0),
            ("sep=;\nid;x\n1;2\n2;4\n", 2, &["id", "x"], 3.0),
            (
                "Table 3: results\n\nid,x,y\na,1,2\nb,3,4\nc,5,6\n",
                3,
                &["id", "x", "y"],
                4.0,
            ),
            (
                "Sales by region,,\n,,\nregion,2019,2020\nNorth,1.5,2\nSouth,2.5,4\n",
                2,
                &["region", "2019", "2020"],
                3.0,
            ),
            (
                "\"Data Source\",\"Indicators\",\n\n\"Last Updated\",\"2023-01-02\",\n\n\
                 \"Country\",\"Code\",\"Name\",\"Kind\",\"1960\",\"1961\"\n\
                 \"Aruba\",\"ABW\",\"n\",\"k\",\"1.5\",\"2\"\n\"Angola\",\"AGO\",\"n\",\"k\",\"3.5\",\"4\"\n",
                2,
                &["Country", "Code", "Name", "Kind", "1960", "1961"],
                3.0,
            ),
            ("a,b\n# checked\n1,2\n# checked by x\n3,4\n", 2, &["a", "b"], 3.0),
        ] {
            assert_eq!(shape(text), right(rows, names, last), "{text}");
        }
        let notes = table("Title\n\nid;x\n1;2\n2;4\n").notes;
        assert!(
            notes[0].contains("on line 3. Everything above it (\"Title\") was left out"),
            "{notes:?}"
        );
        assert_eq!(
            notes[1],
            "pandas reads the same with `read_csv(FILE, sep=\";\", skiprows=2)`."
        );
    }

    #[test]
    fn a_delimiter_at_every_end_moves_no_column() {
        for text in [
            "a,b,c\n0,1,2,\n3,4,5,\n6,7,8,\n",
            "a;b;c\n0;1;2;\n3;4;5;\n6;7;8;\n",
            "a\tb\tc\n0\t1\t2\t\n3\t4\t5\t\n6\t7\t8\t\n",
        ] {
            assert_eq!(shape(text), right(3, &["a", "b", "c"], 5.0), "{text}");
            let notes = table(text).notes;
            // Runs of blanks and tabs part the fields of the last one.
            let is_noted = notes.iter().any(|note| note.contains("index_col=False"));
            assert_eq!(is_noted, !text.contains('\t'), "{text}: {notes:?}");
        }
        // R's names of rows are no delimiter at the end, whatever the last column holds.
        let named = table("\"a\",\"b\"\n\"1\",5,\n\"2\",6,\n\"3\",7,\n");
        assert_eq!(named.columns[0].name, "(row names)");
        assert_eq!(named.columns[1].mean(), Some(6.0));
        // Only some records end so.
        assert_eq!(shape("a,b\n1,2,\n3,4\n5,6\n"), right(3, &["a", "b"], 4.0));
    }

    #[test]
    fn units_and_question_texts_are_no_record() {
        for (text, rows, last, label) in [
            (
                "id,mass,length\n,(kg),(cm)\na,1.5,10\nb,2.5,20\n",
                2,
                15.0,
                "(cm)",
            ),
            ("t;temp\ns;°C\n1;2,5\n2;3,5\n", 2, 3.0, "°C"),
            (
                "id,Q1,Q2\nResponse,How old are you in years?,How many children have you?\n\
                 \"{\"\"ImportId\"\":\"\"_id\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\"\n\
                 R_1,31,1\nR_2,41,3\n",
                2,
                2.0,
                "How many children have you?",
            ),
            (
                "v1,v2,v3\nAge,Income,Score\n31,100,4\n41,200,6\n",
                2,
                5.0,
                "Score",
            ),
        ] {
            let table = table(text);
            let column = table.columns.last().unwrap();
            assert_eq!(
                (table.rows, column.mean(), column.label.as_deref()),
                (rows, Some(last), Some(label)),
                "{text}"
            );
        }
        // A reference category, a missing mark and a first row of text are records.
        for (text, rows) in [
            ("term,b,p\nbase,ref,ref\nx,0.5,.03\ny,0.7,.01\n", 3),
            ("id,x\na,-\nb,2\nc,3\n", 3),
            ("name,x,y\nNA,NA,NA\nb,2,1\nc,3,1\n", 3),
        ] {
            assert_eq!(table(text).rows, rows, "{text}");
        }
    }

    #[test]
    fn notes_below_are_left_out_and_totals_are_named() {
        for (text, rows, last) in [
            (
                "year,value\n2001,1\n2002,2\n2003,3\n\nSource: agency, 2004\n",
                3,
                2.0,
            ),
            ("year,value,n\n2001,1,5\n2002,2,7\nNote: preliminary.,,\n", 2, 6.0),
            (
                "jahr;wert\n2001;1,5\n2002;2,5\nQuelle: Amt; eigene Rechnung\n",
                2,
                2.0,
            ),
            ("a,b\n1,2\n3,4\n* p < .05\n", 2, 3.0),
        ] {
            let read = shape(text);
            assert_eq!((read.0, read.2), (rows, Some(last)), "{text}");
        }
        // A record with one value, or one that was cut, is a record.
        assert_eq!(table("country,x,y\nA,1,2\nB,3,4\nZambia,,\n").rows, 3);
        assert_eq!(table("a,b\n1,2\n3,4\n5\n").rows, 3);
        for total in ["Total", "Insgesamt", "Grand total:"] {
            let table = table(&format!("region,x\nNorth,1\nSouth,2\n{total},3\n"));
            assert_eq!(table.rows, 3);
            assert!(
                table.notes.iter().any(|note| note.contains("sum the others up")),
                "{:?}",
                table.notes
            );
        }
    }
}
