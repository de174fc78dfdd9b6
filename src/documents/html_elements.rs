//! Elements of HTML whose meaning Markdown loses: tables with spans, raised and lowered text.

use std::rc::Rc;

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::{Element, Node};
use markup5ever_rcdom::NodeData;

use crate::documents::pdf::characters;
use crate::domain::excerpt;

/// Most columns or rows that one cell spans.
const MOST_SPAN: usize = 200;
/// Most cells of one table.
const MOST_CELLS: usize = 1_000_000;

/// A table, its first row as the heading; what spans several columns or rows
/// stands in the first, and the others are blank.
pub fn table(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    if holds(element.node, "table") {
        // A table around tables sets a page and holds no data.
        return handlers.fallback(element);
    }
    let mut captions = String::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut loose: Vec<Rc<Node>> = Vec::new();
    let mut cells = 0;
    for child in element.node.children.borrow().iter() {
        match tag(child) {
            Some("caption") => {
                captions.push_str(handlers.walk_children(child).content.trim());
                captions.push_str("\n\n");
            }
            Some("thead" | "tbody" | "tfoot") => {
                let inner: Vec<Rc<Node>> = child.children.borrow().iter().cloned().collect();
                group(handlers, &inner, &mut rows, &mut cells);
            }
            Some("tr") => loose.push(child.clone()),
            _ => {}
        }
    }
    group(handlers, &loose, &mut rows, &mut cells);
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    let width = rows.iter().map(Vec::len).max()?;
    if width.saturating_mul(rows.len()) > MOST_CELLS {
        return handlers.fallback(element);
    }
    let mut markdown = format!("\n\n{captions}");
    for (index, mut row) in rows.into_iter().enumerate() {
        row.resize(width, String::new());
        markdown.push_str(&format!("| {} |\n", row.join(" | ")));
        if index == 0 {
            markdown.push_str(&format!("|{}\n", " --- |".repeat(width)));
        }
    }
    markdown.push('\n');
    Some(markdown.into())
}

/// The rows of one part of a table; no cell spans beyond its part.
fn group(handlers: &dyn Handlers, rows: &[Rc<Node>], found: &mut Vec<Vec<String>>, cells: &mut usize) {
    // For each column the rows below that a cell above still covers.
    let mut covered: Vec<usize> = Vec::new();
    for row in rows.iter().filter(|row| tag(row) == Some("tr")) {
        let mut texts: Vec<String> = Vec::new();
        for cell in row.children.borrow().iter() {
            if !matches!(tag(cell), Some("td" | "th")) || *cells > MOST_CELLS {
                continue;
            }
            skip(&mut texts, &mut covered);
            let content = handlers.walk_children(cell).content;
            let first = texts.len();
            texts.push(excerpt::one_line(&content).replace('|', "\\|"));
            let columns = span(cell, "colspan").max(1);
            texts.resize(first + columns, String::new());
            *cells += columns;
            if covered.len() < texts.len() {
                covered.resize(texts.len(), 0);
            }
            let below = match span(cell, "rowspan") {
                0 => MOST_SPAN,
                rows => rows - 1,
            };
            covered[first..first + columns].fill(below);
        }
        skip(&mut texts, &mut covered);
        for rows in covered.iter_mut().skip(texts.len()) {
            *rows = rows.saturating_sub(1);
        }
        found.push(texts);
    }
}

/// Leaves the columns blank that cells above cover.
fn skip(texts: &mut Vec<String>, covered: &mut [usize]) {
    while let Some(rows) = covered.get_mut(texts.len()).filter(|rows| **rows > 0) {
        *rows -= 1;
        texts.push(String::new());
    }
}

/// The number of columns or rows that a cell states; 1 where it states none.
fn span(cell: &Node, name: &str) -> usize {
    let NodeData::Element { attrs, .. } = &cell.data else {
        return 1;
    };
    attrs
        .borrow()
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .and_then(|attribute| attribute.value.trim().parse::<usize>().ok())
        .unwrap_or(1)
        .min(MOST_SPAN)
}

/// Raised text: `10⁻⁵`, or behind a caret where no raised characters are known.
pub fn raised(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    moved(handlers, &element, characters::raised, '^')
}

/// Lowered text: `x₁`.
pub fn lowered(handlers: &dyn Handlers, element: Element) -> Option<HandlerResult> {
    moved(handlers, &element, characters::lowered, '_')
}

fn moved(
    handlers: &dyn Handlers,
    element: &Element,
    form: fn(&str) -> Option<String>,
    mark: char,
) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let mut own = String::new();
    text(element.node, &mut own);
    let own = own.trim();
    if own.is_empty() || holds(element.node, "a") {
        return Some(content.into());
    }
    Some(
        form(own)
            .unwrap_or_else(|| format!("{mark}({})", content.trim()))
            .into(),
    )
}

fn tag(node: &Node) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

/// Whether an element of that name stands below a node.
fn holds(node: &Node, name: &str) -> bool {
    let children = node.children.borrow();
    children
        .iter()
        .any(|child| tag(child) == Some(name) || holds(child, name))
}

fn text(node: &Node, own: &mut String) {
    for child in node.children.borrow().iter() {
        if let NodeData::Text { contents } = &child.data {
            own.push_str(&contents.borrow());
        }
        text(child, own);
    }
}
