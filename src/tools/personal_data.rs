//! Text of the task's data sets without values that are likely personal.

use std::sync::Arc;

use super::inspect_data::DataReader;
use super::workspace::ReadContent;
use crate::documents::kind::Kind;
use crate::documents::limits::ReadError;
use crate::documents::sniff::sniff;
use crate::documents::table::masked::{CannotMask, MaskedText, masked, named};
use crate::documents::table::personal::Privacy;
use crate::domain::workspace_path::WorkspacePath;

/// The folders whose files scripts write: what stands there has no columns of the study's.
const WRITTEN: [&str; 2] = [WorkspacePath::WORK, "logs"];

/// Where a model finds what is not shown.
const WAY_OUT: &str = "`inspect_data` and scripts read it";

/// Masks personal values of data sets that are text, by the judgement of `inspect_data`.
#[derive(Clone)]
pub struct PersonalData {
    reader: Arc<dyn DataReader>,
    privacy: Privacy,
}

/// The refusal of a file whose personal values cannot be told or masked.
#[derive(Debug, thiserror::Error)]
pub enum UnmaskedData {
    #[error("it is too large to tell whether it holds personal data; {WAY_OUT}")]
    TooLarge,
    #[error("whether it holds personal data cannot be told ({0}); {WAY_OUT}")]
    Unread(#[from] ReadError),
    #[error("{0}; {WAY_OUT}")]
    Unmaskable(CannotMask),
}

impl PersonalData {
    /// The masking over a reader of data sets, but for the columns that a person has allowed.
    pub fn new(reader: Arc<dyn DataReader>, privacy: Privacy) -> Self {
        Self { reader, privacy }
    }

    /// The text of a file without its personal values; `None` where it can be shown as it is.
    ///
    /// # Errors
    /// Data whose personal values cannot be told or masked.
    pub fn masked(
        &self,
        path: &WorkspacePath,
        content: &ReadContent,
    ) -> Result<Option<MaskedText>, UnmaskedData> {
        if WRITTEN.iter().any(|folder| path.starts_with(folder)) {
            return Ok(None);
        }
        let bytes = match content.is_whole() {
            true => &content.bytes[..],
            // The last line of a part is none.
            false => &content.bytes[..content.bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0)],
        };
        let kind = sniff(bytes);
        if !matches!(kind, Kind::Delimited(_) | Kind::Json | Kind::JsonLines) {
            let is_part_of_json =
                !content.is_whole() && matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
            return match is_part_of_json {
                true => Err(UnmaskedData::TooLarge),
                false => Ok(None),
            };
        }
        let document = self.reader.read(path.file_name(), bytes)?;
        let Some(table) = document.tables.first() else {
            return Ok(None);
        };
        masked(bytes, &kind, table, &self.privacy).map_err(UnmaskedData::Unmaskable)
    }
}

/// A clause about columns whose values are masked.
pub fn clause(columns: &[String]) -> String {
    format!("values of {} are likely personal and not shown", named(columns))
}
