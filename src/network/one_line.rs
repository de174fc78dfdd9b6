//! Foreign text as one line.

use crate::domain::excerpt;

/// Foreign text as one line without control characters.
pub fn one_line(text: &str, most: usize) -> String {
    let plain: String = text
        .chars()
        .map(|one| if one.is_whitespace() { ' ' } else { one })
        .filter(|one| {
            !one.is_control()
                && !matches!(one, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        })
        .collect();
    excerpt::marked(&excerpt::one_line(&plain), most, "...")
}
