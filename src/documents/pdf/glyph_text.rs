//! The text of one drawn character.

use std::ops::Deref;

use arrayvec::ArrayString;

/// Bytes that need no memory of their own: nearly all characters are one.
const SHORT: usize = 14;

/// A text that is short nearly always.
#[derive(Debug, Clone)]
pub enum GlyphText {
    Short(ArrayString<SHORT>),
    Long(String),
}

impl GlyphText {
    pub fn push(&mut self, character: char) {
        match self {
            Self::Short(text) => {
                if text.try_push(character).is_err() {
                    let mut long = text.to_string();
                    long.push(character);
                    *self = Self::Long(long);
                }
            }
            Self::Long(text) => text.push(character),
        }
    }
}

impl Default for GlyphText {
    fn default() -> Self {
        Self::Short(ArrayString::new())
    }
}

impl Deref for GlyphText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Short(text) => text,
            Self::Long(text) => text,
        }
    }
}

impl Extend<char> for GlyphText {
    fn extend<T: IntoIterator<Item = char>>(&mut self, characters: T) {
        characters.into_iter().for_each(|character| self.push(character));
    }
}

impl FromIterator<char> for GlyphText {
    fn from_iter<T: IntoIterator<Item = char>>(characters: T) -> Self {
        let mut text = Self::default();
        text.extend(characters);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_whole_too() {
        for whole in [
            "",
            "a",
            "ﬃ",
            "thirteen ééé",
            "fourteen bytes",
            "fifteen bytes é and more",
        ] {
            assert_eq!(&*whole.chars().collect::<GlyphText>(), whole);
        }
    }
}
