//! A small tree of an XML part, bounded in depth and size.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::documents::limits::ReadError;

/// Deepest nesting of elements.
const DEEPEST: usize = 300;
/// Most elements of one part.
const MOST: usize = 4_000_000;

/// An element.
#[derive(Debug, Default)]
pub struct Element {
    /// The name without its prefix.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Child>,
}

/// A child of an element.
#[derive(Debug)]
pub enum Child {
    Element(Element),
    Text(String),
}

impl Element {
    /// The child elements.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// The first child element of that name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.name == name)
    }

    /// An attribute by its name without prefix.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The attribute `val` of a child element.
    pub fn value_of(&self, name: &str) -> Option<&str> {
        self.child(name)?.attribute("val")
    }
}

/// Parses an XML part.
///
/// # Errors
/// XML that is damaged, too large or nested too deep.
pub fn parse(text: &str) -> Result<Element, ReadError> {
    let damaged =
        |error: &dyn std::fmt::Display| ReadError::Damaged(format!("its XML cannot be read: {error}"));
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    let mut count = 0;
    loop {
        match reader.read_event().map_err(|error| damaged(&error))? {
            Event::Start(start) => {
                count += 1;
                if open.len() > DEEPEST || count > MOST {
                    return Err(ReadError::Unsupported(
                        "an XML part that is too large or nested too deep".to_owned(),
                    ));
                }
                open.push(element(&start));
            }
            Event::Empty(start) => {
                count += 1;
                put(&mut open, Child::Element(element(&start)));
            }
            Event::End(_) => {
                if open.len() > 1
                    && let Some(done) = open.pop()
                {
                    put(&mut open, Child::Element(done));
                }
            }
            Event::Text(text) => put(
                &mut open,
                Child::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned()),
            ),
            Event::CData(text) => put(
                &mut open,
                Child::Text(text.xml_content(XmlVersion::Implicit1_0).into_owned()),
            ),
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character.to_string()),
                    _ => quick_xml::escape::resolve_predefined_entity(&reference).map(str::to_owned),
                };
                put(&mut open, Child::Text(character.unwrap_or_default()));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    while open.len() > 1 {
        if let Some(done) = open.pop() {
            put(&mut open, Child::Element(done));
        }
    }
    Ok(open.pop().unwrap_or_default())
}

fn put(open: &mut [Element], child: Child) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(child);
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let local = |name: &str| name.rsplit(':').next().unwrap_or_default().to_owned();
    Element {
        name: local(start.name().0),
        attributes: start
            .attributes()
            .flatten()
            .map(|attribute| {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                (
                    local(attribute.key.0),
                    value.map(|value| value.into_owned()).unwrap_or_default(),
                )
            })
            .collect(),
        children: Vec::new(),
    }
}
