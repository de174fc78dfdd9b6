//! Records of delimited text, without copying a field that holds no escape.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// The delimiter that stands for any run of blanks and tabs.
pub const BLANKS: u8 = b' ';

/// One pass over the records of a text whose lines end in `\n`.
///
/// A field may stand in double quotes, inside of which a quote is doubled.
/// Lines of nothing are no records.
#[derive(Debug)]
pub struct Records<'t> {
    text: &'t str,
    delimiter: u8,
    at: usize,
    line: u64,
    /// Where the record begins that was read last.
    start: usize,
    /// Lines with a quote that nothing closes; the field holds it as it stands.
    pub unclosed: Vec<u64>,
}

impl<'t> Records<'t> {
    /// Stands before the first record.
    pub fn new(text: &'t str, delimiter: u8) -> Self {
        Self::from_line(text, delimiter, 0, 1)
    }

    /// Stands before the record that begins at a place, on a line that is counted from 1.
    pub fn from_line(text: &'t str, delimiter: u8, at: usize, line: u64) -> Self {
        Self {
            text,
            delimiter,
            at,
            line,
            start: at,
            unclosed: Vec::new(),
        }
    }

    /// Reads a record and returns the line, from 1, that it begins on; `None` at the end.
    pub fn read(&mut self, fields: &mut Vec<Cow<'t, str>>) -> Option<u64> {
        fields.clear();
        self.pass(|field, _| fields.push(field))
    }

    /// Reads where the fields of a record stand, quotes included, as [`Records::read`] does.
    pub fn read_places(&mut self, places: &mut Vec<Range<usize>>) -> Option<u64> {
        places.clear();
        self.pass(|_, place| places.push(place))
    }

    /// Where the record begins that was read last.
    pub fn start(&self) -> usize {
        self.start
    }

    fn pass(&mut self, mut take: impl FnMut(Cow<'t, str>, Range<usize>)) -> Option<u64> {
        let bytes = self.text.as_bytes();
        loop {
            self.skip_blanks();
            match bytes.get(self.at) {
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                }
                Some(_) => break,
                None => return None,
            }
        }
        let line = self.line;
        self.start = self.at;
        loop {
            let from = self.at;
            let field = self.field();
            take(field, from..self.at);
            self.skip_blanks();
            match bytes.get(self.at) {
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    return Some(line);
                }
                // A run of blanks has been skipped as a whole.
                Some(_) if self.delimiter == BLANKS => {}
                Some(_) => self.at += 1,
                None => return Some(line),
            }
        }
    }

    fn skip_blanks(&mut self) {
        if self.delimiter == BLANKS {
            let rest = &self.text.as_bytes()[self.at..];
            let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
            self.at += rest.iter().take_while(blank).count();
        }
    }

    /// Where the field ends that goes on at a place.
    fn end(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from..];
        let (delimiter, tabs) = (self.delimiter, self.delimiter == BLANKS);
        let length = rest
            .iter()
            .position(|byte| *byte == delimiter || *byte == b'\n' || (tabs && *byte == b'\t'));
        from + length.unwrap_or(rest.len())
    }

    fn field(&mut self) -> Cow<'t, str> {
        let start = self.at;
        if self.text.as_bytes().get(start) == Some(&b'"') {
            if let Some(field) = self.quoted(start + 1) {
                return field;
            }
            self.unclosed.push(self.line);
        }
        self.at = self.end(start);
        Cow::Borrowed(&self.text[start..self.at])
    }

    /// The field whose content begins behind a quote; `None` where the quote
    /// is not closed, or only by one that opens a field of a later line.
    fn quoted(&mut self, start: usize) -> Option<Cow<'t, str>> {
        let bytes = self.text.as_bytes();
        let (mut from, mut doubled) = (start, false);
        let close = loop {
            let place = from + memchr(b'"', &bytes[from..])?;
            if bytes.get(place + 1) != Some(&b'"') {
                break place;
            }
            doubled = true;
            from = place + 2;
        };
        let content = &self.text[start..close];
        let end = self.end(close + 1);
        let rest = &self.text[close + 1..end];
        if !rest.trim_end_matches(' ').is_empty() && content.contains('\n') {
            return None;
        }
        self.line += memchr::memchr_iter(b'\n', content.as_bytes()).count() as u64;
        self.at = end;
        let mut field = if doubled {
            Cow::Owned(content.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(content)
        };
        if !rest.is_empty() {
            field.to_mut().push_str(rest);
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, delimiter: u8) -> (Vec<(u64, Vec<String>)>, Vec<u64>) {
        let mut records = Records::new(text, delimiter);
        let (mut fields, mut all) = (Vec::new(), Vec::new());
        while let Some(line) = records.read(&mut fields) {
            all.push((line, fields.iter().map(|field| field.to_string()).collect()));
        }
        (all, records.unclosed)
    }

    #[test]
    fn fields_are_those_of_the_csv_crate() {
        for text in [
            "a,b\n\n1,\n\"x,\"\"y\"\"\n z\",2\n,\"\"",
            "\n\"\"\na\"b,c\"\n\"q\"r,s\n",
            ",,\n\"a\" ,b\n",
        ] {
            let mut reader = csv::ReaderBuilder::new()
                .flexible(true)
                .has_headers(false)
                .from_reader(text.as_bytes());
            let expected: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                .collect();
            let found: Vec<Vec<String>> = records(text, b',')
                .0
                .into_iter()
                .map(|(_, fields)| fields)
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn a_quote_that_nothing_closes_ends_with_its_field() {
        let (all, unclosed) = records("a,b\n1,\"open\n2,3\n4,\"5\"\n\"x\ny\",6\n", b',');
        let lines: Vec<u64> = all.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, unclosed), (vec![1, 2, 3, 4, 5], vec![2]));
        assert_eq!(all[1].1, ["1", "\"open"]);
        assert_eq!(all[4].1, ["x\ny", "6"]);
        assert_eq!(records("a,b\n1,\"open", b',').0[1].1, ["1", "\"open"]);
    }

    #[test]
    fn runs_of_blanks_part_fields() {
        let (all, _) = records("  a b\t\"c d\"  \n \n1   2 3", BLANKS);
        assert_eq!(all[0].1, ["a", "b", "c d"]);
        assert_eq!(all[1], (3, vec!["1".into(), "2".into(), "3".into()]));
    }
}
