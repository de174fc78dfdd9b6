//! The text of a data set with the values of personal columns masked, line by line as it was.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::documents::kind::Kind;
use crate::documents::table::around::text::Around;
use crate::documents::table::column::Table;
use crate::documents::table::describe::cells::HIDDEN;
use crate::documents::table::personal::Privacy;
use crate::documents::table::records::Records;
use crate::documents::text;

/// A data set as text, without the values of some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskedText {
    pub text: String,
    /// The columns whose values are masked.
    pub columns: Vec<String>,
}

/// Columns whose values cannot be masked where they stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the values of {0} are likely personal, and the file is of a form in which they cannot be masked")]
pub struct CannotMask(pub String);

/// The text of a file from which `table` was read; `None` where nothing of it is kept back.
///
/// # Errors
/// A form in which the values of a column that is kept back cannot be told from others.
pub fn masked(
    bytes: &[u8],
    kind: &Kind,
    table: &Table,
    privacy: &Privacy,
) -> Result<Option<MaskedText>, CannotMask> {
    let hidden: Vec<usize> = (0..table.columns.len())
        .filter(|at| privacy.hides(&table.columns[*at]))
        .collect();
    if hidden.is_empty() {
        return Ok(None);
    }
    let columns: Vec<String> = hidden.iter().map(|at| table.columns[*at].name.clone()).collect();
    let decoded = text::decode(bytes).text;
    let text = match kind {
        Kind::Delimited(delimiter) => {
            Some(of_records(&decoded.replace('\0', ""), *delimiter, &hidden, table))
        }
        Kind::Json | Kind::JsonLines => of_json(&decoded, &columns),
        _ => None,
    };
    match text {
        Some(text) => Ok(Some(MaskedText { text, columns })),
        None => Err(CannotMask(named(&columns))),
    }
}

/// Names of columns, in words.
pub fn named(columns: &[String]) -> String {
    let names: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn of_records(text: &str, delimiter: u8, hidden: &[usize], table: &Table) -> String {
    let around = Around::from_text(text, delimiter);
    let mut records = Records::from_line(text, delimiter, around.start, around.line);
    let mut places = Vec::new();
    let mut masked = String::with_capacity(text.len());
    let mut copied = 0;
    // The first record names the columns.
    records.read_places(&mut places);
    while records.read_places(&mut places).is_some() {
        for (at, place) in places.iter().enumerate() {
            let field = &text[place.clone()];
            // What is beyond the last column has no name to go by.
            let is_hidden = at >= table.columns.len() || hidden.binary_search(&at).is_ok();
            if !is_hidden || field.trim_matches([' ', '"']).is_empty() {
                continue;
            }
            masked.push_str(&text[copied..place.start]);
            masked.push_str(HIDDEN);
            // Lines keep their numbers.
            masked.extend(field.matches('\n'));
            copied = place.end;
        }
    }
    masked.push_str(&text[copied..]);
    masked
}

/// Masks the values behind the names of columns; `None` where a name is none of the keys.
fn of_json(text: &str, columns: &[String]) -> Option<String> {
    let mut masking = JsonMasking {
        text,
        at: 0,
        copied: 0,
        masked: String::with_capacity(text.len()),
    };
    let mut found: BTreeSet<String> = BTreeSet::new();
    while let Some(token) = masking.next() {
        let JsonToken::Key(key) = token else { continue };
        if columns.contains(&key) {
            masking.mask_value();
            found.insert(key);
        }
    }
    masking.masked.push_str(&text[masking.copied..]);
    (found.len() == columns.iter().collect::<BTreeSet<_>>().len()).then_some(masking.masked)
}

/// A part of JSON that matters to masking.
enum JsonToken {
    Key(String),
    /// A string or a number, from its first byte to behind its last.
    Scalar(std::ops::Range<usize>),
    Opens,
    Closes,
    /// `true`, `false` or `null`.
    Word,
}

/// A pass over valid JSON, values of which are left out of the copy.
struct JsonMasking<'t> {
    text: &'t str,
    at: usize,
    copied: usize,
    masked: String,
}

impl JsonMasking<'_> {
    fn next(&mut self) -> Option<JsonToken> {
        let bytes = self.text.as_bytes();
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':');
        self.at += bytes[self.at..]
            .iter()
            .take_while(|byte| is_between(byte))
            .count();
        let from = self.at;
        match *bytes.get(from)? {
            b'"' => {
                self.at = string_end(bytes, from);
                let behind = self.text[self.at..].trim_start();
                if behind.starts_with(':') {
                    let key = serde_json::from_str(&self.text[from..self.at]).ok();
                    return Some(JsonToken::Key(key.unwrap_or_default()));
                }
                Some(JsonToken::Scalar(from..self.at))
            }
            b'{' | b'[' => {
                self.at += 1;
                Some(JsonToken::Opens)
            }
            b'}' | b']' => {
                self.at += 1;
                Some(JsonToken::Closes)
            }
            _ => {
                let is_end = |byte: &u8| is_between(byte) || matches!(byte, b'}' | b']' | b'{' | b'[' | b'"');
                let length = bytes[from..].iter().take_while(|byte| !is_end(byte)).count();
                self.at += length.max(1);
                let is_number = self.text.get(from..self.at).is_some_and(|word| {
                    serde_json::from_str::<Value>(word).is_ok_and(|value| value.is_number())
                });
                Some(match is_number {
                    true => JsonToken::Scalar(from..self.at),
                    false => JsonToken::Word,
                })
            }
        }
    }

    /// Masks every string and number of the next value.
    fn mask_value(&mut self) {
        let mut depth = 0;
        while let Some(token) = self.next() {
            match token {
                JsonToken::Opens => depth += 1,
                JsonToken::Closes => depth -= 1,
                JsonToken::Scalar(place) => {
                    self.masked.push_str(&self.text[self.copied..place.start]);
                    self.masked.push_str(&format!("\"{HIDDEN}\""));
                    self.copied = place.end;
                }
                JsonToken::Key(_) | JsonToken::Word => {}
            }
            if depth <= 0 {
                return;
            }
        }
    }
}

/// The place behind the quote that closes a string.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::read::read;
    use crate::documents::table::delimited;

    fn shown(text: &str, privacy: &Privacy) -> Result<Option<MaskedText>, CannotMask> {
        let document = read("d", text.as_bytes(), &Limits::default()).unwrap();
        masked(text.as_bytes(), &document.kind, &document.tables[0], privacy)
    }

    fn without(text: &str) -> String {
        shown(text, &Privacy::default()).unwrap().unwrap().text
    }

    fn without_fields(text: &str, delimiter: u8) -> String {
        let table = delimited::read(text.as_bytes(), delimiter, &Limits::default()).unwrap();
        let kind = Kind::Delimited(delimiter);
        let shown = masked(text.as_bytes(), &kind, &table, &Privacy::default());
        shown.unwrap().unwrap().text
    }

    #[test]
    fn fields_of_personal_columns_are_masked_where_they_stand() {
        let survey = "id,RecipientFirstName,\"email\",x\r\n1,Jane,\"jane@example.org\",5\r\n\r\n2,,joe@example.org,\"6, 7\"\r\n";
        assert_eq!(
            without(survey),
            format!("id,RecipientFirstName,\"email\",x\n1,{HIDDEN},{HIDDEN},5\n\n2,,{HIDDEN},\"6, 7\"\n")
        );
        // A value on two lines, and a record that is longer than the first.
        let two = "email\tx\n\"a@b.org\nc@d.org\"\t1\ne@f.org\t2\tg@h.org\n";
        assert_eq!(
            without_fields(two, b'\t'),
            format!("email\tx\n{HIDDEN}\n\t1\n{HIDDEN}\t2\t{HIDDEN}\n")
        );
        let named_rows = "\"email\" \"x\"\n\"1\" \"a@b.org\" 3\n\"2\" \"c@d.org\" 4\n";
        assert_eq!(
            without_fields(named_rows, b' '),
            format!("\"email\" \"x\"\n\"1\" {HIDDEN} 3\n\"2\" {HIDDEN} 4\n")
        );
    }

    #[test]
    fn values_of_json_are_masked_by_their_keys() {
        let lines = "{\"email\": \"a@b.org\", \"x\": 1}\n{\"x\": 2, \"email\": \"c\\\"d@e.org\"}\n{\"x\": 3, \"email\": null}\n";
        assert_eq!(
            without(lines),
            format!(
                "{{\"email\": \"{HIDDEN}\", \"x\": 1}}\n{{\"x\": 2, \"email\": \"{HIDDEN}\"}}\n{{\"x\": 3, \"email\": null}}\n"
            )
        );
        let columns =
            "{\"em\\u0061il\": [\"a@b.org\",\n  \"c@d.org\"], \"latitude\": [1.5, -2e3], \"x\": [1, 2]}";
        assert_eq!(
            without(columns),
            format!(
                "{{\"em\\u0061il\": [\"{HIDDEN}\",\n  \"{HIDDEN}\"], \"latitude\": [\"{HIDDEN}\", \"{HIDDEN}\"], \"x\": [1, 2]}}"
            )
        );
        // Rows without keys.
        let rows = "[[\"email\", \"x\"], [\"a@b.org\", 1], [\"c@d.org\", 2]]";
        assert_eq!(
            shown(rows, &Privacy::default()),
            Err(CannotMask("`email`".to_owned()))
        );
    }

    #[test]
    fn what_is_not_personal_or_allowed_stays_as_it_is() {
        assert_eq!(shown("id,x\n1,2\n2,3\n", &Privacy::default()), Ok(None));
        let allowing = Privacy::allowing(["email".to_owned()]);
        assert_eq!(shown("email,x\na@b.org,2\nc@d.org,3\n", &allowing), Ok(None));
    }
}
