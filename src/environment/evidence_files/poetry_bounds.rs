//! Bounds as Poetry writes them: `^1.2`, `~1.2`, `1.2.*`, `1.2.3`.

use super::super::evidence::Pin;

/// Bounds in the standard's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoetryBounds {
    Any,
    Exact(String),
    Bounds(String),
    /// As written; what cannot be said in the standard's words.
    Unread(String),
}

impl PoetryBounds {
    /// Reads bounds; those of the standard stay as they are.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() || text == "*" {
            return Self::Any;
        }
        let parts: Option<Vec<String>> = parts(text).iter().map(|part| bound(part)).collect();
        match parts.as_deref() {
            None => Self::Unread(text.to_owned()),
            Some([one]) if one.starts_with("==") && !one.ends_with(".*") => {
                Self::Exact(one.trim_start_matches('=').to_owned())
            }
            Some(parts) => Self::Bounds(parts.join(",")),
        }
    }

    /// A pin with these bounds.
    pub fn of(self, pin: Pin) -> Pin {
        match self {
            Self::Any => pin,
            Self::Exact(version) => pin.with_version(Some(version)),
            Self::Bounds(bounds) | Self::Unread(bounds) => Pin {
                bounds: Some(bounds),
                ..pin
            },
        }
    }

    /// The bounds as one text; empty of any version.
    pub fn text(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Exact(version) => format!("=={version}"),
            Self::Bounds(bounds) | Self::Unread(bounds) => bounds.clone(),
        }
    }

    /// The one release that they admit, such as `3.8`.
    pub fn series(&self) -> Option<String> {
        let bounds = match self {
            Self::Exact(version) => return Some(version.clone()),
            Self::Bounds(bounds) => bounds,
            Self::Any | Self::Unread(_) => return None,
        };
        if let Some(series) = bounds.strip_prefix("==") {
            return series.strip_suffix(".*").map(str::to_owned);
        }
        let (least, most) = bounds.strip_prefix(">=")?.split_once(",<")?;
        let (least, most) = (numbers(least)?, numbers(most)?);
        let is_one = matches!((least.as_slice(), most.as_slice()),
            ([major, minor, ..], [other, next]) if major == other && minor + 1 == *next);
        is_one.then(|| shown(&least))
    }
}

/// Each bound: commas and spaces stand between two, but no space between a sign and its version.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    for word in words {
        match parts.last_mut() {
            Some(last) if last.ends_with(['<', '>', '=', '!', '~', '^']) => last.push_str(word),
            _ => parts.push(word.to_owned()),
        }
    }
    parts
}

/// One bound in the standard's words; `None` of one that has none.
fn bound(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    match first {
        '^' => {
            let version = numbers(&text[1..])?;
            let at = version.iter().position(|number| *number > 0);
            span(&version, at.unwrap_or(version.len().saturating_sub(1)))
        }
        '~' if !text.starts_with("~=") => {
            let version = numbers(&text[1..])?;
            span(&version, version.len().min(2).saturating_sub(1))
        }
        '0'..='9' => Some(format!("=={text}")).filter(|_| !text.contains([' ', '|'])),
        '<' | '>' | '=' | '!' | '~' => {
            Some(text.chars().filter(|letter| *letter != ' ').collect()).filter(|_| !text.contains('|'))
        }
        _ => None,
    }
}

/// From a version to before the next one at a place.
fn span(version: &[u32], at: usize) -> Option<String> {
    let mut next = version.get(..=at)?.to_vec();
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    Some(format!(">={},<{}", shown(version), shown(&next)))
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.trim().split('.').map(|part| part.parse().ok()).collect()
}

fn shown(numbers: &[u32]) -> String {
    let all: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    all.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_in_the_words_of_the_standard() {
        for (written, standard) in [
            ("*", ""),
            ("^1.2.3", ">=1.2.3,<2"),
            ("^0.2.3", ">=0.2.3,<0.3"),
            ("^0.0.3", ">=0.0.3,<0.0.4"),
            ("^0", ">=0,<1"),
            ("^0.0", ">=0.0,<0.1"),
            ("~1.2.3", ">=1.2.3,<1.3"),
            ("~1", ">=1,<2"),
            ("~=1.4", "~=1.4"),
            ("1.2.*", "==1.2.*"),
            ("1.2.3", "==1.2.3"),
            (">= 1.2, < 2", ">=1.2,<2"),
            (">=1.2 <2.0", ">=1.2,<2.0"),
            ("^ 1.2", ">=1.2,<2"),
        ] {
            assert_eq!(PoetryBounds::parse(written).text(), standard, "{written}");
        }
        assert_eq!(
            PoetryBounds::parse("1.2.3"),
            PoetryBounds::Exact("1.2.3".to_owned())
        );
        for unread in [
            ">=1 || <2",
            "^1.2rc1",
            "^",
            "~x",
            "latest",
            "^99999999999",
            "1 || 2",
            "^4294967295",
        ] {
            assert_eq!(
                PoetryBounds::parse(unread),
                PoetryBounds::Unread(unread.to_owned()),
                "{unread}"
            );
        }
    }

    #[test]
    fn one_release_is_told_from_several() {
        let series = |text: &str| PoetryBounds::parse(text).series();
        for (text, release) in [
            ("~3.8", "3.8"),
            ("3.8.*", "3.8"),
            ("==3.8.*", "3.8"),
            (">=3.8,<3.9", "3.8"),
            ("3.8.2", "3.8.2"),
        ] {
            assert_eq!(series(text).as_deref(), Some(release), "{text}");
        }
        for text in [
            "^3.8",
            ">=3.8",
            ">=3.8,<3.11",
            ">=3.8,<4",
            "*",
            "<3.9",
            ">=3.8,!=3.9.1,<3.10",
        ] {
            assert_eq!(series(text), None, "{text}");
        }
    }
}
