//! From what a font says a character means to text that people and programs read.

use unicode_normalization::UnicodeNormalization;

use super::glyph_text::GlyphText;

/// Expands ligatures and maps symbol fonts' private characters; drops controls.
pub fn clean(characters: impl Iterator<Item = char>) -> GlyphText {
    let mut plain = GlyphText::default();
    for character in characters {
        match character {
            '\u{FB00}'..='\u{FB06}' => plain.extend(character.nfkc()),
            '\u{F020}'..='\u{F0FF}' => plain.extend(symbol(character as u32 - 0xF000)),
            '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{3000}' | '\t' => plain.push(' '),
            '\u{00AD}' => plain.push('-'),
            '∗' => plain.push('*'),
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}' => {}
            character if character.is_control() => {}
            character => plain.push(character),
        }
    }
    plain
}

/// The likeliest meaning of a code that no table explains: itself, if it prints.
pub fn guess(code: u32) -> Option<char> {
    match u8::try_from(code) {
        Ok(byte @ (0x20..=0x7E | 0xA1..=0xFF)) => Some(char::from(byte)),
        _ => None,
    }
}

/// A code of the Symbol encoding (PDF 32000-1, annex D.5) that numbers and formulas use.
fn symbol(code: u32) -> Option<char> {
    const GREEK: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
    const SMALL: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";
    let nth = |letters: &str, first: u32| letters.chars().nth((code - first) as usize);
    Some(match code {
        0x2A => '∗',
        0x2D => '−',
        0x41..=0x5A => return nth(GREEK, 0x41),
        0x61..=0x7A => return nth(SMALL, 0x61),
        0xA3 => '≤',
        0xA5 => '∞',
        0xAE => '→',
        0xB0 => '°',
        0xB1 => '±',
        0xB3 => '≥',
        0xB4 => '×',
        0xB7 => '•',
        0xB8 => '÷',
        0xB9 => '≠',
        0xBA => '≡',
        0xBB => '≈',
        0xD6 => '√',
        0xE5 => '∑',
        0x20..=0x7E => char::from_u32(code)?,
        _ => return None,
    })
}

/// Superscript forms of `a` to `z`; `q` has none that fonts hold.
const RAISED: &str = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖqʳˢᵗᵘᵛʷˣʸᶻ";

/// The text in superscript characters, where every character has one; `10⁻³`
/// must not read as `10-3`.
pub fn raised(text: &str) -> Option<String> {
    text.chars()
        .map(|character| {
            Some(match character {
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                '0' | '4'..='9' => char::from_u32('⁰' as u32 + character.to_digit(10)?)?,
                '+' => '⁺',
                '-' | '−' | '–' => '⁻',
                'a'..='z' => RAISED.chars().nth(character as usize - 'a' as usize)?,
                ',' | '*' | '.' | '†' | '‡' | '§' => character,
                _ => return None,
            })
        })
        .collect()
}

/// The text in subscript characters, where every character has one.
pub fn lowered(text: &str) -> Option<String> {
    text.chars()
        .map(|character| {
            Some(match character {
                '0'..='9' => char::from_u32('₀' as u32 + character.to_digit(10)?)?,
                '+' => '₊',
                '-' | '−' | '–' => '₋',
                _ => return None,
            })
        })
        .collect()
}

/// Joins a spacing accent to the letter that it was drawn over, as in `u¨`
/// drawn for `ü`; false where the two do not make one letter.
pub fn put_accent(line: &mut String, next: &str, overlapping: bool) -> bool {
    let mut coming = next.chars();
    let (Some(last), Some(first)) = (line.chars().next_back(), coming.next()) else {
        return false;
    };
    let near = overlapping || next.chars().count() == 1;
    let (letter, mark) = match (combining(last), combining(first)) {
        (None, Some(mark)) if near && last.is_alphabetic() => (last, mark),
        (Some(mark), None) if overlapping && first.is_alphabetic() => (first, mark),
        _ => return false,
    };
    let mut composed = [letter, mark].into_iter().nfc();
    let (Some(whole), None) = (composed.next(), composed.next()) else {
        return false;
    };
    line.pop();
    line.push(whole);
    line.push_str(coming.as_str());
    true
}

fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '¨' => '\u{308}',
        '´' => '\u{301}',
        '`' => '\u{300}',
        'ˆ' => '\u{302}',
        '˜' => '\u{303}',
        '¸' => '\u{327}',
        'ˇ' => '\u{30C}',
        '˚' => '\u{30A}',
        _ => return None,
    })
}
