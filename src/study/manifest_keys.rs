//! The keys that `study.toml` may have.

use toml::de::{DeTable, DeValue};

/// The known keys of each table; the empty name is the top.
const KEYS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "format",
            "id",
            "title",
            "doi",
            "citation",
            "data",
            "outcome",
            "original",
            "sesoi",
            "criterion",
            "variant",
            "code",
            "web",
            "resources",
        ],
    ),
    ("data", &["licence", "source", "description", "origin"]),
    ("outcome", &["label"]),
    (
        "criterion",
        &[
            "rule",
            "direction",
            "alpha",
            "two_sided",
            "unit",
            "level",
            "sesoi",
            "power",
            "bayes_factor",
            "least_ratio",
            "threshold",
        ],
    ),
    (
        "original",
        &[
            "term",
            "estimate",
            "standard_error",
            "n",
            "p_value",
            "statistic",
            "df",
            "scale",
            "tails",
            "interval",
        ],
    ),
    (
        "variant",
        &["name", "changes", "entry", "variables", "focal_term"],
    ),
    ("sesoi", &["value", "unit", "source"]),
    ("code", &["extensions", "data", "code", "origin"]),
    ("web", &["allow", "block", "replication"]),
    (
        "resources",
        &["id", "kind", "required", "filename", "url", "aliases"],
    ),
];

/// Lists the keys of a table that are not known, each with its offset.
pub fn unknown_keys(section: &str, table: &DeTable<'_>, unknown: &mut Vec<(usize, String)>) {
    let known = KEYS
        .iter()
        .find(|(name, _)| *name == section)
        .map_or(&[][..], |(_, keys)| keys);
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        if !known.contains(&name) {
            let dot = if section.is_empty() { "" } else { "." };
            unknown.push((key.span().start, format!("{section}{dot}{name}")));
            continue;
        }
        if !section.is_empty() {
            continue;
        }
        match value.get_ref() {
            DeValue::Table(inner) => unknown_keys(name, inner, unknown),
            DeValue::Array(items) => {
                for item in items.iter() {
                    if let DeValue::Table(inner) = item.get_ref() {
                        unknown_keys(name, inner, unknown);
                    }
                }
            }
            _ => {}
        }
    }
}
