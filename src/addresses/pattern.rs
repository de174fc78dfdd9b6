//! Patterns of paths and queries, as `sites.toml` writes them.

/// The error of a pattern or of a record's text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("`{0}` is neither a word, `*`, `**` nor a value in braces")]
    Part(String),
    #[error("`{0}` takes the rest of a path and stands before its end")]
    RestBeforeEnd(String),
    #[error("`?{0}` is no query of the form `key={{name}}`")]
    Query(String),
    #[error("`{0}` holds a brace without its other half, or a value without a name")]
    Braces(String),
}

/// The pages of a site that have one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    path: Vec<PathPart>,
    query: Option<QueryValue>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathPart {
    /// `**`.
    AnyNumber,
    /// `*`.
    Any,
    /// `a|b`.
    Words(Vec<String>),
    /// `before{name}after`, or `before{name..}after` up to the end.
    Value(ValuePart),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ValuePart {
    before: String,
    name: String,
    after: String,
    is_rest: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct QueryValue {
    key: String,
    name: String,
}

/// The parts that a pattern took from an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values<'a> {
    named: Vec<(&'a str, String)>,
    file: Vec<String>,
}

impl Values<'_> {
    /// A value by its name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let pair = self.named.iter().find(|(known, _)| *known == name);
        pair.map(|(_, value)| value.as_str())
    }

    /// The parts of `{file}`.
    pub fn file(&self) -> &[String] {
        &self.file
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A part or a query that is of no form of the language.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(QueryValue::parse(query)?)),
            None => (text, None),
        };
        let path: Vec<PathPart> = path.split('/').map(PathPart::parse).collect::<Result<_, _>>()?;
        let before_end = &path[..path.len() - 1];
        if let Some(PathPart::Value(part)) = before_end.iter().find(|part| part.is_rest()) {
            return Err(PatternError::RestBeforeEnd(part.name.clone()));
        }
        Ok(Self { path, query })
    }

    /// The names of its values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let in_path = self.path.iter().filter_map(|part| match part {
            PathPart::Value(part) => Some(part.name.as_str()),
            _ => None,
        });
        in_path.chain(self.query.iter().map(|query| query.name.as_str()))
    }

    /// What it takes from an address; `None` of one that it does not fit.
    pub fn values<'a>(&self, path: &[String], query: impl Fn(&str) -> Option<&'a str>) -> Option<Values<'_>> {
        let places = self.places(path)?;
        let mut values = Values::default();
        for (part, place) in self.path.iter().zip(places) {
            let PathPart::Value(part) = part else {
                continue;
            };
            let taken = if part.is_rest {
                &path[place..]
            } else {
                &path[place..=place]
            };
            if part.name == "file" {
                values.file = taken.to_vec();
            } else {
                values
                    .named
                    .push((&part.name, part.inside(&taken.join("/"))?.to_owned()));
            }
        }
        if let Some(QueryValue { key, name }) = &self.query {
            values.named.push((name, query(key)?.to_owned()));
        }
        Some(values)
    }

    /// Where each part of the pattern stands in the path. Going back to the last
    /// `**` alone is enough, so the time is bounded by the product of both lengths.
    fn places(&self, path: &[String]) -> Option<Vec<usize>> {
        let mut places = vec![0; self.path.len()];
        let (mut at, mut place) = (0, 0);
        let mut back: Option<(usize, usize)> = None;
        loop {
            let fits = match self.path.get(at) {
                Some(PathPart::AnyNumber) => {
                    at += 1;
                    back = Some((at, place));
                    continue;
                }
                Some(part) if part.is_rest() => {
                    if place < path.len() && part.fits(&path[place..].join("/")) {
                        places[at] = place;
                        return Some(places);
                    }
                    false
                }
                Some(part) => path.get(place).is_some_and(|text| part.fits(text)),
                None if place == path.len() => return Some(places),
                None => false,
            };
            if fits {
                places[at] = place;
                (at, place) = (at + 1, place + 1);
                continue;
            }
            let (after, tried) = back?;
            if tried >= path.len() {
                return None;
            }
            back = Some((after, tried + 1));
            (at, place) = (after, tried + 1);
        }
    }
}

impl PathPart {
    fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = || PatternError::Part(text.to_owned());
        match text {
            "**" => return Ok(Self::AnyNumber),
            "*" => return Ok(Self::Any),
            _ => {}
        }
        if let Some((before, rest)) = text.split_once('{') {
            let (name, after) = rest.split_once('}').ok_or_else(wrong)?;
            let (name, is_rest) = match name.strip_suffix("..") {
                Some(name) => (name, true),
                None => (name, false),
            };
            let is_plain = |text: &str| !text.contains(['{', '}', '*', '|']);
            if !is_name(name) || !is_plain(before) || !is_plain(after) {
                return Err(wrong());
            }
            return Ok(Self::Value(ValuePart {
                before: before.to_owned(),
                name: name.to_owned(),
                after: after.to_owned(),
                is_rest,
            }));
        }
        let words: Vec<String> = text.split('|').map(str::to_owned).collect();
        let is_word = |word: &String| !word.is_empty() && !word.contains(['*', '}']);
        words
            .iter()
            .all(is_word)
            .then_some(Self::Words(words))
            .ok_or_else(wrong)
    }

    fn is_rest(&self) -> bool {
        matches!(self, Self::Value(part) if part.is_rest)
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::AnyNumber | Self::Any => true,
            Self::Words(words) => words.iter().any(|word| word == text),
            Self::Value(part) => part.inside(text).is_some(),
        }
    }
}

impl ValuePart {
    /// The value in a text; `None` where it is not of the form that its name says.
    fn inside<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = text.strip_prefix(self.before.as_str())?;
        let text = text.strip_suffix(self.after.as_str())?;
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let text = match self.name.as_str() {
            "version" => text.trim_start_matches(['v', 'V']),
            _ => text,
        };
        let fits = match self.name.as_str() {
            "number" | "version" => is_number(text),
            _ => true,
        };
        (fits && !text.is_empty()).then_some(text)
    }
}

impl QueryValue {
    fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = || PatternError::Query(text.to_owned());
        let (key, value) = text.split_once('=').ok_or_else(wrong)?;
        let name = (value.strip_prefix('{')).and_then(|value| value.strip_suffix('}'));
        match name {
            Some(name) if is_name(name) && !key.is_empty() => Ok(Self {
                key: key.to_owned(),
                name: name.to_owned(),
            }),
            _ => Err(wrong()),
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A text with values in it, such as `10.5281/zenodo.{number}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordText(Vec<TextPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TextPiece {
    Plain(String),
    /// Filled up with zeros to a width, of which 0 leaves it as it is.
    Value {
        name: String,
        width: usize,
    },
}

impl RecordText {
    /// Reads a text.
    ///
    /// # Errors
    /// Braces that do not hold a name, or a name and a width.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = || PatternError::Braces(text.to_owned());
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((plain, after)) = rest.split_once('{') {
            let (value, after) = after.split_once('}').ok_or_else(wrong)?;
            let (name, width) = match value.split_once(':') {
                Some((name, width)) => (name, width.parse().map_err(|_| wrong())?),
                None => (value, 0),
            };
            if !is_name(name) || plain.contains('}') {
                return Err(wrong());
            }
            pieces.push(TextPiece::Plain(plain.to_owned()));
            pieces.push(TextPiece::Value {
                name: name.to_owned(),
                width,
            });
            rest = after;
        }
        if rest.contains('}') {
            return Err(wrong());
        }
        pieces.push(TextPiece::Plain(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The names of its values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            TextPiece::Value { name, .. } => Some(name.as_str()),
            TextPiece::Plain(_) => None,
        })
    }

    /// The text with an address's values; `None` where one is missing.
    pub fn fill(&self, values: &Values<'_>) -> Option<String> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                TextPiece::Plain(plain) => text.push_str(plain),
                TextPiece::Value { name, width: 0 } => text.push_str(values.get(name)?),
                TextPiece::Value { name, width } => {
                    let digits = values.get(name)?.trim_start_matches('0');
                    text.push_str(&format!("{digits:0>width$}"));
                }
            }
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    fn taken(pattern: &str, text: &str) -> Option<Vec<String>> {
        let pattern = Pattern::parse(pattern).unwrap();
        let values = pattern.values(&path(text), |_| None)?;
        let named = values.named.iter().map(|(name, value)| format!("{name}={value}"));
        Some(named.chain(values.file.iter().cloned()).collect())
    }

    #[test]
    fn a_path_fits_whole_and_in_order() {
        for (pattern, text, expected) in [
            ("a|b/{number}", "b/7", Some(&["number=7"][..])),
            ("a|b/{number}", "b/7x", None),
            ("a/{number}", "a/7/x", None),
            ("a/{number}/**", "a/7", Some(&["number=7"])),
            ("a/*/{id}", "a/x/y", Some(&["id=y"])),
            ("**/a/{number}/**", "x/a/a/7/z", Some(&["number=7"])),
            (
                "**/a/**/{number}/{version}",
                "a/t/1/V2",
                Some(&["number=1", "version=2"]),
            ),
            ("**/a/**/{number}/{version}", "a/t/2", None),
            ("a/{file..}", "a/x/y", Some(&["x", "y"])),
            ("a/{file..}", "a", None),
            ("**/doi:{doi..}", "x/doi:10.1/y", Some(&["doi=10.1/y"])),
            ("a/{id..}.pdf", "a/b/c.pdf", Some(&["id=b/c"])),
            ("a/{id..}.pdf", "a/.pdf", None),
        ] {
            let expected = expected.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect());
            assert_eq!(taken(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_query_gives_its_value() {
        let pattern = Pattern::parse("**?key={id}").unwrap();
        let query = |key: &str| (key == "key").then_some("value");
        assert_eq!(pattern.values(&[], query).unwrap().get("id"), Some("value"));
        assert_eq!(pattern.values(&[], |_| None), None);
    }

    #[test]
    fn many_parts_do_not_take_long() {
        let long = "a/".repeat(4000);
        assert_eq!(taken("**/a/**/a/**/{number}", &long), None);
    }

    #[test]
    fn a_record_is_made_up_of_values() {
        let pattern = Pattern::parse("{number}").unwrap();
        for (text, number, expected) in [
            ("x{number}", "007", "x007"),
            ("x{number:5}.y", "007", "x00007.y"),
            ("x{number:5}", "123456", "x123456"),
        ] {
            let path = [number.to_owned()];
            let values = pattern.values(&path, |_| None).unwrap();
            let filled = RecordText::parse(text).unwrap().fill(&values);
            assert_eq!(filled.as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in [
            "a//b", "", "a|", "***", "a*", "{}", "{id", "id}", "{Id}", "{a}{b}", "{id..}/x", "a?b", "a?b=c",
            "a?={id}",
        ] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["{", "}", "{}", "{number:x}", "a}{b"] {
            assert!(RecordText::parse(wrong).is_err(), "{wrong}");
        }
    }
}
