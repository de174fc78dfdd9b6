//! Lists of YAML's flow style: `[python=3.7, "pandas>=1.0", {pip: [lxml]}]`.

/// Lists inside one another.
const DEEPEST: usize = 8;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowItem {
    Text(String),
    /// `name: [items]`.
    Named {
        name: String,
        items: Vec<FlowItem>,
    },
}

/// The items of a text that begins with `[`; `None` of one that does not end.
pub fn parse(text: &str) -> Option<Vec<FlowItem>> {
    let text = text.trim();
    let inside = text.strip_prefix('[')?;
    let end = end_of(inside)?;
    items(&inside[..end], 0)
}

/// A letter outside of quotes, and how deep in brackets it stands; the closing one has the depth of its list.
struct FlowSign {
    at: usize,
    letter: char,
    /// Below zero behind a bracket that nothing opened.
    depth: i64,
}

fn signs(text: &str) -> impl Iterator<Item = FlowSign> {
    let mut depth = 0;
    let mut quote = None;
    text.char_indices().filter_map(move |(at, letter)| {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, _) => {
                match letter {
                    '[' | '{' => depth += 1,
                    ']' | '}' => depth -= 1,
                    _ => {}
                }
                return Some(FlowSign { at, letter, depth });
            }
        }
        None
    })
}

/// Where the list ends whose opening mark stands in front.
fn end_of(inside: &str) -> Option<usize> {
    let end = signs(inside).find(|sign| sign.depth < 0)?;
    (end.letter == ']').then_some(end.at)
}

fn items(inside: &str, depth: usize) -> Option<Vec<FlowItem>> {
    if depth > DEEPEST {
        return None;
    }
    let parts = split(inside);
    let parts = parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty());
    parts.map(|part| item(part, depth)).collect()
}

fn item(part: &str, depth: usize) -> Option<FlowItem> {
    let bare = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
    let part = bare.unwrap_or(part).trim();
    if let Some((name, list)) = part.split_once(':')
        && let Some(list) = list.trim().strip_prefix('[')
    {
        return Some(FlowItem::Named {
            name: unquoted(name.trim()).to_owned(),
            items: items(list.strip_suffix(']')?, depth + 1)?,
        });
    }
    Some(FlowItem::Text(unquoted(part).to_owned()))
}

/// The parts between commas that stand in no quotes and no inner list.
fn split(inside: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for comma in signs(inside).filter(|sign| sign.letter == ',' && sign.depth == 0) {
        parts.push(&inside[from..comma.at]);
        from = comma.at + 1;
    }
    parts.push(&inside[from..]);
    parts
}

/// A text of YAML without the marks around it; a marker inside may end in one of its own.
pub fn unquoted(item: &str) -> &str {
    let inside = |mark| item.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    inside('"').or_else(|| inside('\'')).unwrap_or(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_quotes_and_lists_inside() {
        let text = |text: &str| FlowItem::Text(text.to_owned());
        let read =
            parse("[python=3.7, \"pandas>=1.0,<2\", 'a]b',\n {pip: [lxml, \"six==1.14\"]}, pip: [x],] # why")
                .unwrap();
        assert_eq!(
            read[..3],
            [text("python=3.7"), text("pandas>=1.0,<2"), text("a]b")]
        );
        let named = |items: Vec<FlowItem>| FlowItem::Named {
            name: "pip".to_owned(),
            items,
        };
        assert_eq!(
            read[3..],
            [
                named(vec![text("lxml"), text("six==1.14")]),
                named(vec![text("x")])
            ]
        );
        assert_eq!(parse("[]"), Some(Vec::new()));
        for none in ["[a", "a", "", "[a: [b, c", "['a]"] {
            assert_eq!(parse(none), None, "{none}");
        }
        let deep = format!("{}{}", "[a: ".repeat(50_000), "]".repeat(50_000));
        assert_eq!(parse(&deep), None);
    }
}
