//! Names that Python scripts import, and the distributions that hold them.

use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use crate::domain::names::{near, near_by_two, normalized};

/// Letters of a declared name that is held against known ones.
const SHORTEST_DECLARED: usize = 4;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameTable {
    same: Vec<String>,
    neighbours: Vec<String>,
    stand_in: Vec<StandInRow>,
    name: Vec<NameRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StandInRow {
    name: String,
    distribution: String,
    from: Option<toml::value::Datetime>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NameRow {
    import: String,
    distribution: String,
    from: Option<toml::value::Datetime>,
    until: Option<toml::value::Datetime>,
}

/// A table with a mistake knows no name; a test reads it.
static TABLE: LazyLock<Result<NameTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("python_names.toml")));

fn table() -> Option<&'static NameTable> {
    TABLE.as_ref().ok()
}

fn day(value: Option<&toml::value::Datetime>) -> Option<Date> {
    value.and_then(|value| value.to_string().parse().ok())
}

impl NameRow {
    fn holds(&self, at: Option<Date>) -> bool {
        let Some(at) = at else { return true };
        day(self.from.as_ref()).is_none_or(|from| from <= at)
            && day(self.until.as_ref()).is_none_or(|until| at <= until)
    }
}

/// The distribution of a module such as `sklearn` or `google.protobuf`, on a day; `None` of one that
/// is not known.
pub fn distribution(module: &str, at: Option<Date>) -> Option<&'static str> {
    let table = table()?;
    let is_it = |row: &&NameRow| {
        let below = || {
            module
                .strip_prefix(row.import.as_str())
                .is_some_and(|rest| rest.starts_with('.'))
        };
        (row.import == module || below()) && row.holds(at)
    };
    let top = module.split('.').next().unwrap_or_default();
    let named = table.name.iter().find(is_it).map(|row| row.distribution.as_str());
    let same = || {
        table
            .same
            .iter()
            .find(|same| same.as_str() == top)
            .map(String::as_str)
    };
    named.or_else(same)
}

/// The distributions that have held a module, or a part of it, under another name.
pub fn distributions(module: &str) -> impl Iterator<Item = &'static str> {
    let rows = table().map_or(&[][..], |table| table.name.as_slice());
    let holds = move |row: &&NameRow| row.import.split('.').next() == Some(module);
    rows.iter().filter(holds).map(|row| row.distribution.as_str())
}

/// Modules, each with its distribution, where that has another name; of one that has changed it, the newest.
pub fn renamed() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = table().map_or(&[][..], |table| table.name.as_slice());
    rows.iter()
        .filter(|row| row.until.is_none() && row.import != row.distribution)
        .map(|row| (row.import.as_str(), row.distribution.as_str()))
}

/// The known name that a name of no table is likely a slip of.
pub fn slip_of(name: &str) -> Option<&'static str> {
    near(name, known()).filter(|_| !is_neighbour(name))
}

/// The known name that the name of a declared distribution is likely a slip of: one or two letters from it. None
/// of a name that is known itself.
pub fn declared_slip_of(name: &str) -> Option<&'static str> {
    let wanted = normalized(name);
    let is_known = || known().any(|known| normalized(known) == wanted);
    if wanted.chars().count() < SHORTEST_DECLARED || is_neighbour(name) || is_known() {
        return None;
    }
    near(name, known()).or_else(|| near_by_two(name, known()))
}

/// The distribution that a name stands for in the index, which holds nothing under that name itself on a day.
pub fn stood_for(name: &str, at: Option<Date>) -> Option<&'static str> {
    let wanted = normalized(name);
    let holds = |row: &&StandInRow| {
        let from = day(row.from.as_ref());
        row.name == wanted && from.is_none_or(|from| at.is_some_and(|at| from <= at))
    };
    let row = table()?.stand_in.iter().find(holds)?;
    Some(&row.distribution)
}

/// The distribution that holds the module of a declared name, where a distribution of that name is another project or
/// none.
pub fn held_by_other(name: &str, at: Option<Date>) -> Option<&'static str> {
    let wanted = normalized(name);
    let is_it = |row: &&NameRow| {
        let is_other = normalized(&row.distribution) != wanted;
        is_other && normalized(&row.import) == wanted && row.holds(at)
    };
    let row = table()?.name.iter().find(is_it)?;
    (!is_distribution(&wanted)).then_some(row.distribution.as_str())
}

fn is_neighbour(name: &str) -> bool {
    let wanted = normalized(name);
    table().is_some_and(|table| table.neighbours.contains(&wanted))
}

/// Whether a distribution of this name, in its usual spelling, is in the table.
pub fn is_distribution(name: &str) -> bool {
    table().is_some_and(|table| {
        let named = table.name.iter().map(|row| row.distribution.as_str());
        let mut all = named.chain(table.same.iter().map(String::as_str));
        all.any(|known| normalized(known) == name)
    })
}

/// Every known name of a module or a distribution.
pub fn known() -> impl Iterator<Item = &'static str> {
    let rows = table().map_or(&[][..], |table| table.name.as_slice());
    let same = table().map_or(&[][..], |table| table.same.as_slice());
    let names = rows
        .iter()
        .flat_map(|row| [row.import.as_str(), row.distribution.as_str()]);
    names.chain(same.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_distributions_by_day() {
        assert!(known().count() > 300);
        let at = |text: &str| Some(text.parse().unwrap());
        assert_eq!(distribution("sklearn", None), Some("scikit-learn"));
        assert_eq!(distribution("sklearn.linear_model", None), Some("scikit-learn"));
        assert_eq!(distribution("pandas", at("2013-01-01")), Some("pandas"));
        assert_eq!(distribution("cv2", at("2017-01-01")), Some("opencv-python"));
        assert_eq!(
            distribution("cv2", at("2020-01-01")),
            Some("opencv-python-headless")
        );
        assert_eq!(
            distribution("google.protobuf.text_format", None),
            Some("protobuf")
        );
        assert_eq!(distribution("google", None), None);
        assert_eq!(distribution("pandsa", None), None);
    }

    #[test]
    fn names_that_hold_nothing_stand_for_others() {
        let at = |text: &str| Some(text.parse().unwrap());
        for (name, distribution) in [
            ("sklearn", "scikit-learn"),
            ("BS4", "beautifulsoup4"),
            ("pytorch", "torch"),
        ] {
            assert_eq!(stood_for(name, None), Some(distribution), "{name}");
        }
        assert_eq!(stood_for("tensorflow_gpu", at("2023-06-01")), Some("tensorflow"));
        for at in [at("2019-06-01"), None] {
            assert_eq!(stood_for("tensorflow-gpu", at), None);
        }
        for row in &table().unwrap().stand_in {
            assert_eq!(row.name, normalized(&row.name));
            assert!(
                is_distribution(&normalized(&row.distribution)),
                "{}",
                row.distribution
            );
            assert!(!is_distribution(&row.name) || row.from.is_some(), "{}", row.name);
        }
        for (name, distribution) in [
            ("docx", "python-docx"),
            ("Crypto", "pycryptodome"),
            ("PIL", "pillow"),
            ("pkg-resources", "setuptools"),
            ("newspaper", "newspaper3k"),
        ] {
            assert_eq!(held_by_other(name, None), Some(distribution), "{name}");
        }
        for name in [
            "igraph",
            "psycopg2",
            "levenshtein",
            "gdal",
            "attrs",
            "pandas",
            "polars-ds",
            "google",
        ] {
            assert_eq!(held_by_other(name, None), None, "{name}");
        }
    }

    #[test]
    fn slips_are_told_from_names_that_lie_near() {
        for (slip, known) in [
            ("panadas", "pandas"),
            ("numpi", "numpy"),
            ("pandsa", "pandas"),
            ("Python_Dateutils", "python-dateutil"),
            ("matplotlbi", "matplotlib"),
            ("tenserflaw", "tensorflow"),
            ("statmodel", "statsmodels"),
        ] {
            assert_eq!(declared_slip_of(slip), Some(known), "{slip}");
        }
        for other in [
            "pandas",
            "scikit_learn",
            "tzdata",
            "dash",
            "boto",
            "cycler",
            "x",
            "bs",
            "polars-ds",
            "certifi",
        ] {
            assert_eq!(declared_slip_of(other), None, "{other}");
        }
        assert_eq!(slip_of("tenserflaw"), None);
        let neighbours = &table().unwrap().neighbours;
        assert!(neighbours.iter().all(|name| *name == normalized(name)));
        assert!(
            is_distribution("scikit-learn")
                && is_distribution("factor-analyzer")
                && !is_distribution("sklearn")
        );
    }
}
