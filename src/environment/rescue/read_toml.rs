//! Reading of the table's files.

use super::table_error::TableError;

/// A file of the table, as its type.
pub(super) fn toml_of<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, TableError> {
    toml::from_str(text).map_err(|error| TableError::Unreadable {
        file: file.to_owned(),
        message: error.to_string(),
    })
}
