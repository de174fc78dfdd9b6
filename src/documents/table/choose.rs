//! Columns chosen by name or pattern.

use crate::documents::table::column::{Column, Table};
use crate::documents::table::describe::cells::cell;

/// Names that are offered where one is not found.
const OFFERED: usize = 6;

/// A name that no column has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no column is called `{wanted}`; {}", .near.as_ref().map_or_else(|| "the table has no columns".to_owned(), |near| format!("the nearest are {near}")))]
pub struct NoColumn {
    pub wanted: String,
    /// Names that are like it, or the first ones.
    pub near: Option<String>,
}

/// The column of a name, whatever its case where no other fits.
///
/// # Errors
/// A name that no column has, with those that are near.
pub fn one<'t>(table: &'t Table, name: &str) -> Result<&'t Column, NoColumn> {
    let wanted = name.trim().trim_matches('`');
    table.column(wanted).ok_or_else(|| {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let near = similar::get_close_matches(wanted, &names, OFFERED, 0.5);
        let near = if near.is_empty() {
            names.into_iter().take(OFFERED).collect()
        } else {
            near
        };
        let near: Vec<String> = near.into_iter().map(|name| format!("`{}`", cell(name))).collect();
        NoColumn {
            wanted: cell(wanted),
            near: (!near.is_empty()).then(|| near.join(", ")),
        }
    })
}

/// The columns of a comma-separated list of names, where `*` stands for any
/// characters. A name with a comma in it has to be the whole list.
///
/// # Errors
/// A name or pattern that fits no column, with those that are near.
pub fn several<'t>(table: &'t Table, names: &str) -> Result<Vec<&'t Column>, NoColumn> {
    if let Some(column) = table.column(names.trim()) {
        return Ok(vec![column]);
    }
    let mut chosen: Vec<&Column> = Vec::new();
    for wanted in names
        .split(',')
        .map(str::trim)
        .filter(|wanted| !wanted.is_empty())
    {
        if !wanted.contains('*') || table.column(wanted).is_some() {
            chosen.push(one(table, wanted)?);
            continue;
        }
        let before = chosen.len();
        chosen.extend(table.columns.iter().filter(|column| fits(&column.name, wanted)));
        if chosen.len() == before {
            one(table, wanted)?;
        }
    }
    Ok(chosen)
}

/// Whether a name has the parts of a pattern in their order, in any case.
fn fits(name: &str, pattern: &str) -> bool {
    let (name, pattern) = (name.to_lowercase(), pattern.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let last = parts.next_back().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    fn names(wanted: &str) -> Result<Vec<String>, String> {
        let text = "id,gdp_1990,gdp_2000,Growth\n1,2,3,4\n";
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        several(&table, wanted)
            .map(|columns| columns.into_iter().map(|column| column.name.clone()).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_patterns_choose_columns() {
        assert_eq!(names("growth, ID").unwrap(), ["Growth", "id"]);
        assert_eq!(names("g*_*0").unwrap(), ["gdp_1990", "gdp_2000"]);
        assert_eq!(names("*90").unwrap(), ["gdp_1990"]);
    }

    #[test]
    fn a_wrong_name_is_answered_with_near_ones() {
        assert_eq!(
            names("growht").unwrap_err(),
            "no column is called `growht`; the nearest are `Growth`"
        );
        assert!(names("zzz*").unwrap_err().contains("`id`"));
    }
}
