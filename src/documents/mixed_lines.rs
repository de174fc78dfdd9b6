//! Files in which some lines are UTF-8 and others are in an older encoding, as files appended
//! by two programs are.

use std::collections::HashSet;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, ISO_8859_2, KOI8_R, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    WINDOWS_1253, WINDOWS_1254, WINDOWS_1257,
};

/// Lines of each kind that the decision rests on.
const LOOKED_AT: usize = 2000;
/// Lines that a note names.
const NAMED: usize = 5;
/// Older encodings that are compared with the letters of the lines in UTF-8.
const OLDER: [&Encoding; 12] = [
    WINDOWS_1252,
    WINDOWS_1250,
    WINDOWS_1251,
    WINDOWS_1253,
    WINDOWS_1254,
    WINDOWS_1257,
    ISO_8859_2,
    KOI8_R,
    GBK,
    BIG5,
    SHIFT_JIS,
    EUC_KR,
];

/// The encoding of the lines that are not UTF-8, if other lines with foreign letters are;
/// `None` for a file in one encoding.
pub fn older_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    // A sample may end inside a character.
    if std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true) {
        return None;
    }
    let (mut in_utf8, mut older) = (Vec::new(), Vec::new());
    for line in lines(bytes).filter(|line| !line.is_ascii()) {
        match std::str::from_utf8(line) {
            Ok(text) if in_utf8.len() < LOOKED_AT => in_utf8.push(text),
            Err(_) if older.len() < LOOKED_AT => older.push(line),
            _ => {}
        }
    }
    if in_utf8.is_empty() || older.is_empty() {
        return None;
    }
    let letters: HashSet<char> = in_utf8.iter().flat_map(|line| foreign(line)).collect();
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    older.iter().for_each(|line| {
        detector.feed(line, false);
    });
    detector.feed(b"", true);
    let guessed = detector.guess(None, Utf8Detection::Deny);
    // How many letters of the older lines occur in the lines in UTF-8, and how many do not.
    let score = |encoding: &'static Encoding| -> Option<(usize, usize)> {
        let mut counts = (0, 0);
        for line in &older {
            let text = encoding.decode_without_bom_handling_and_without_replacement(line)?;
            for letter in foreign(&text) {
                if letters.contains(&letter) {
                    counts.0 += 1;
                } else {
                    counts.1 += 1;
                }
            }
        }
        Some(counts)
    };
    let first = std::iter::once(guessed).chain(OLDER);
    let mut best: Option<(&'static Encoding, (usize, usize))> = None;
    for encoding in first {
        if let Some(counts) = score(encoding)
            && best.is_none_or(|(_, (seen, _))| counts.0 > seen)
        {
            best = Some((encoding, counts));
        }
    }
    let (encoding, (seen, _)) = best?;
    let is_one_script = || {
        let text: String = older
            .iter()
            .map(|line| encoding.decode_without_bom_handling(line).0)
            .collect();
        script(text.chars()) == script(letters.iter().copied())
    };
    let are_usual = letters
        .iter()
        .all(|letter| *letter >= '\u{370}' || is_usual_latin(*letter));
    let is_written = || {
        older
            .iter()
            .any(|line| runs(line).any(|run| !run.is_ascii() && !is_cut(run)))
    };
    (are_usual && (seen > 0 || (is_one_script() && is_written()))).then_some(encoding)
}

/// Whether foreign bytes may be UTF-8 that a program cut inside a character.
fn is_cut(run: &[u8]) -> bool {
    match std::str::from_utf8(run) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && (run.len() > 1 || matches!(run, [0xC2 | 0xC3])),
    }
}

/// A line in runs of ASCII and of foreign bytes.
fn runs(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.chunk_by(|one, next| one.is_ascii() == next.is_ascii())
}

/// The text of a file of two encodings, each line in its own.
pub fn decode(bytes: &[u8], older: &'static Encoding) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for line in lines(bytes) {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) if older.is_single_byte() => by_runs(line, older, &mut text),
            Err(_) => text.push_str(&older.decode_without_bom_handling(line).0),
        }
    }
    text
}

/// What a reader has to know of a file in two encodings.
pub fn note(bytes: &[u8], older: &'static Encoding) -> String {
    let mut in_utf8 = 0;
    let mut others = Vec::new();
    for (at, line) in lines(bytes).enumerate().filter(|(_, line)| !line.is_ascii()) {
        match std::str::from_utf8(line) {
            Ok(_) => in_utf8 += 1,
            Err(_) => others.push(at + 1),
        }
    }
    let named: Vec<String> = others.iter().take(NAMED).map(usize::to_string).collect();
    let more = if others.len() > NAMED { " and more" } else { "" };
    let name = older.name();
    format!(
        "The lines are in two encodings: {in_utf8} with foreign letters are UTF-8, and {} are {name} (line {}{more}). \
         Each was read in its own. pandas and R read such a file only after it was converted line by line.",
        others.len(),
        named.join(", ")
    )
}

/// A line in which single cells may be UTF-8: each run of foreign bytes in its own encoding.
fn by_runs(line: &[u8], older: &'static Encoding, text: &mut String) {
    for run in runs(line) {
        match std::str::from_utf8(run) {
            Ok(run) if run.is_ascii() || run.chars().all(is_usual_latin) => text.push_str(run),
            _ => text.push_str(&older.decode_without_bom_handling(run).0),
        }
    }
}

/// Lines with their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The characters beyond ASCII.
fn foreign(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|character| !character.is_ascii())
}

/// Letters and signs of Western and Central European texts; what two letters of an older
/// encoding look like by chance in UTF-8 is seldom one of them.
fn is_usual_latin(character: char) -> bool {
    matches!(character, '\u{A0}'..='\u{17F}' | '\u{218}'..='\u{21B}' | '\u{2010}'..='\u{203A}' | '€' | '™' | '−' | '\u{FEFF}')
}

/// The script of most foreign letters.
fn script(characters: impl Iterator<Item = char>) -> usize {
    let mut counts = [0_usize; 7];
    for character in characters.filter(|character| !character.is_ascii() && character.is_alphabetic()) {
        counts[match u32::from(character) {
            0..0x370 => 0,
            0x370..0x400 => 1,
            0x400..0x530 => 2,
            0x590..0x600 => 3,
            0x600..0x700 => 4,
            0xE00..0xE80 => 5,
            _ => 6,
        }] += 1;
    }
    let most = counts.iter().max().copied().unwrap_or_default();
    counts.iter().position(|count| *count == most).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of which every second one is in an older encoding.
    fn mixed(cells: &[&str], older: &'static Encoding) -> (Vec<u8>, String) {
        let (mut bytes, mut right) = (Vec::new(), String::new());
        for row in 0..12 {
            let line = format!("{row},{}\n", cells[row % cells.len()]);
            if row % 2 == 0 {
                bytes.extend(line.as_bytes());
            } else {
                bytes.extend(&*older.encode(&line).0);
            }
            right += &line;
        }
        (bytes, right)
    }

    #[test]
    fn lines_in_two_encodings_are_each_read_in_their_own() {
        for (cells, older) in [
            (["São Paulo", "Mané", "Niterói"].as_slice(), WINDOWS_1252),
            (&["Łódź", "Żnin", "Kraków"], WINDOWS_1250),
            (&["Москва", "Тверь", "Псков"], WINDOWS_1251),
            (&["Αθήνα", "Πάτρα", "Βόλος"], WINDOWS_1253),
            (&["東京都", "大阪府", "京都"], SHIFT_JIS),
            (&["서울", "부산", "대구"], EUC_KR),
            (&["Zürich – Höngg"], WINDOWS_1252),
        ] {
            let (bytes, right) = mixed(cells, older);
            let found = older_encoding(&bytes);
            assert!(found.is_some(), "{}: {right}", older.name());
            assert_eq!(decode(&bytes, found.unwrap()), right, "{}", older.name());
        }
    }

    #[test]
    fn cells_of_one_line_are_told_apart_too() {
        let bytes = b"1,S\xc3\xa3o,caf\xc3\xa9\n2,Z\xfcrich,S\xc3\xa3o\n";
        assert_eq!(older_encoding(bytes), Some(WINDOWS_1252));
        assert_eq!(decode(bytes, WINDOWS_1252), "1,São,café\n2,Zürich,São\n");
        assert!(
            note(bytes, WINDOWS_1252)
                .contains("1 with foreign letters are UTF-8, and 1 are windows-1252 (line 2)")
        );
    }

    #[test]
    fn a_file_in_one_encoding_is_not_mixed() {
        for (text, encoding) in [
            // CAPITALS before a closing quotation mark are two bytes that UTF-8 allows.
            ("«CAFÉ»\nChâteau\n«DÉJÀ»\nà peine\n", WINDOWS_1252),
            ("Größe\nÄpfel\n", WINDOWS_1252),
            ("Привет\nМИР\nЁлка\n", WINDOWS_1251),
            ("中国\n通\n联通\n北京\n", GBK),
            ("日本\n東京\n", SHIFT_JIS),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(older_encoding(&bytes), None, "{text}");
        }
        // A database that cut values after so many bytes.
        assert_eq!(older_encoding(b"S\xc3\xa3o\nJos\xc3\nB\xc3\xa9m\n"), None);
        assert_eq!(older_encoding("São\nZürich\n".as_bytes()), None);
    }
}
