//! Names of a row and the columns that they stand in.

use super::header::HeaderColumn;
use super::label::Meaning;
use super::source_line::Token;
use super::table::TableEntry;

/// Puts the names of a row into the columns of names.
pub fn label(entry: &mut TableEntry, name: &str, words: &[Token], names: &[HeaderColumn]) {
    let Some(first_name) = names.first() else {
        name.clone_into(&mut entry.term);
        return;
    };
    // An index of rows has no label of its own; names in it are the terms.
    let is_outside = words.len() > names.len() && words[0].start < first_name.start;
    let is_numbered = is_outside && words[0].text.bytes().all(|b| b.is_ascii_digit());
    let has_term = names.iter().any(|column| column.label.meaning == Meaning::Term);
    let is_named = is_outside && !is_numbered && !has_term && words.len() == names.len() + 1;
    let index = if is_named { words[0].text.as_str() } else { "" };
    let words = if is_numbered || is_named {
        &words[1..]
    } else {
        words
    };
    let parts = name_parts(words, names.len());
    let mut terms: Vec<&str> = Vec::new();
    for (column, part) in names.iter().zip(&parts) {
        match column.label.meaning {
            // The category of a multinomial model heads its names: `y=1`.
            Meaning::Unknown if names.len() == 1 && column.text.contains('=') => {
                entry.model = Some(column.text.clone());
                terms.push(part.as_str());
            }
            Meaning::Outcome => entry.outcome = Some(part.clone()),
            Meaning::Model => entry.model = Some(part.clone()),
            _ => terms.push(part.as_str()),
        }
    }
    if is_named {
        index.clone_into(&mut entry.term);
        return;
    }
    // Columns of names that could not be told apart stay one name.
    entry.term = if parts.len() == names.len() && !terms.is_empty() {
        terms.join(" ")
    } else {
        join(words)
    };
}

fn join(words: &[Token]) -> String {
    words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<&str>>()
        .join(" ")
}

/// Words in as many parts as there are columns: one each, or set apart by two spaces.
fn name_parts(words: &[Token], columns: usize) -> Vec<String> {
    if columns == 1 {
        return vec![join(words)];
    }
    if words.len() == columns {
        return words.iter().map(|word| word.text.clone()).collect();
    }
    let mut parts: Vec<Vec<Token>> = Vec::new();
    for word in words {
        match parts.last_mut() {
            Some(part) if part.last().is_some_and(|last| word.start <= last.end + 1) => {
                part.push(word.clone())
            }
            _ => parts.push(vec![word.clone()]),
        }
    }
    parts.iter().map(|part| join(part)).collect()
}
