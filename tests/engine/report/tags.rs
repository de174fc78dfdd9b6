//! A strict reader of the tags of a page.

/// An opening tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// Written `<name/>`, which only SVG shapes may be.
    closed: bool,
}

const VOID: [&str; 5] = ["meta", "br", "wbr", "input", "!DOCTYPE"];

/// The opening tags in order, or what does not fit.
pub fn balanced(page: &str) -> Result<Vec<Tag>, String> {
    let mut open: Vec<String> = Vec::new();
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find(['<', '>']) {
        let context = || rest[start..].chars().take(60).collect::<String>();
        if rest[start..].starts_with('>') {
            if open.last().map(String::as_str) == Some("style") {
                rest = &rest[start + 1..];
                continue;
            }
            return Err(format!("a stray `>` at {}", context()));
        }
        let end = rest[start..].find('>').ok_or("an unclosed tag")? + start;
        let inside = &rest[start + 1..end];
        if let Some(name) = inside.strip_prefix('/') {
            let last = open.pop().ok_or_else(|| format!("`{name}` closes nothing"))?;
            if last != name {
                return Err(format!("`{name}` closes `{last}` at {}", context()));
            }
        } else {
            let tag = tag(inside).map_err(|reason| format!("{reason} at {}", context()))?;
            if !tag.closed && !VOID.contains(&tag.name.as_str()) {
                open.push(tag.name.clone());
            }
            tags.push(tag);
        }
        rest = &rest[end + 1..];
    }
    if open.is_empty() {
        Ok(tags)
    } else {
        Err(format!("left open: {open:?}"))
    }
}

fn tag(inside: &str) -> Result<Tag, String> {
    let closed = inside.ends_with('/');
    let inside = inside.trim_end_matches('/');
    let (name, mut rest) = inside.split_once(' ').unwrap_or((inside, ""));
    let known = |name: &str| {
        name.starts_with("!DOCTYPE")
            || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    if !known(name) {
        return Err(format!("`{name}` is no tag"));
    }
    let mut attributes = Vec::new();
    while !rest.trim().is_empty() && name != "!DOCTYPE" {
        rest = rest.trim_start();
        let cut = rest.find(['=', ' ']).unwrap_or(rest.len());
        let attribute = rest[..cut].to_owned();
        if !attribute
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        {
            return Err(format!("`{attribute}` is no attribute"));
        }
        rest = &rest[cut..];
        let mut value = String::new();
        if let Some(quoted) = rest.strip_prefix("=\"") {
            let end = quoted.find('"').ok_or("an open attribute")?;
            value = quoted[..end].to_owned();
            rest = &quoted[end + 1..];
        } else if rest.starts_with('=') {
            return Err(format!("`{attribute}` is not quoted"));
        }
        attributes.push((attribute, value));
    }
    Ok(Tag {
        name: name.to_owned(),
        attributes,
        closed,
    })
}

/// The shape of a page without paragraphs, of which a longer text may have one
/// more that says it was cut.
pub fn without_cuts(shape: &[(String, Vec<String>)]) -> Vec<&(String, Vec<String>)> {
    shape.iter().filter(|(name, _)| name != "p").collect()
}

fn has_class(tag: &Tag, class: &str) -> bool {
    let classes = tag.attributes.iter().filter(|(name, _)| name == "class");
    classes
        .flat_map(|(_, value)| value.split(' '))
        .any(|one| one == class)
}

/// Whether each cell of the tables of these classes, but for the first of a
/// row, says which column it is of: on a narrow screen cells stand below one
/// another, and their heads are gone.
pub fn rows_are_labelled(page: &str, classes: &[&str]) -> Result<(), String> {
    let (mut stacked, mut at, mut seen) = (false, 0, 0);
    for tag in balanced(page)? {
        match tag.name.as_str() {
            "table" => {
                stacked = classes.iter().any(|class| has_class(&tag, class));
                seen += usize::from(stacked);
            }
            "tr" => at = 0,
            "td" if stacked => {
                let told = |wanted: &str| tag.attributes.iter().any(|(name, _)| name == wanted);
                if at > 0 && !told("data-label") && !told("colspan") && !has_class(&tag, "blank") {
                    return Err(format!("cell {at} of a row of table {seen}: {tag:?}"));
                }
                at += 1;
            }
            _ => {}
        }
    }
    if seen == 0 {
        return Err(format!("no table is one of {classes:?}"));
    }
    Ok(())
}

/// Whether each link within the page leads to one place of it.
pub fn links_lead_somewhere(page: &str) -> Result<(), String> {
    let attributes: Vec<(String, String)> = balanced(page)?
        .into_iter()
        .flat_map(|tag| tag.attributes)
        .collect();
    let all = |wanted: &str| -> Vec<&str> {
        let found = attributes.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).collect()
    };
    let places = all("id");
    for link in all("href") {
        let place = link
            .strip_prefix('#')
            .ok_or_else(|| format!("`{link}` leaves the page"))?;
        let found = places.iter().filter(|known| **known == place).count();
        if found != 1 {
            return Err(format!("`{link}` has {found} places"));
        }
    }
    Ok(())
}
