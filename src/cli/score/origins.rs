//! Whose gradings a folder holds.

use std::path::Path;

use crate::cli::exit::Failure;
use crate::scoring::aggregate::origin::{self, Origin};

use super::input;

/// Whose gradings a folder says it holds, or what is wrong with the file that says so.
pub fn origin_of(folder: &Path) -> Result<(Option<Origin>, Option<String>), Failure> {
    let path = folder.join(origin::FILE);
    if !path.is_file() {
        return Ok((None, None));
    }
    Ok(match serde_json::from_slice(&input::read(&path)?) {
        Ok(origin) => (Some(origin), None),
        Err(error) => {
            let odd = format!(
                "`{}` cannot be read ({error}), so it is not known which run the gradings are of.",
                origin::FILE
            );
            (None, Some(odd))
        }
    })
}
