//! The file that says whose gradings a folder holds.

use std::path::Path;

use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::scoring::aggregate::origin::{self, Origin};

/// Whose gradings a folder says it holds, or what is wrong with the file that says so.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn read(folder: &Path) -> Result<(Option<Origin>, Option<String>), DiscoveryError> {
    let path = folder.join(origin::FILE);
    if !path.is_file() {
        return Ok((None, None));
    }
    Ok(match serde_json::from_slice(&bounded_file::read(&path)?) {
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
