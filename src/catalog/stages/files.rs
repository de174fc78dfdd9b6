//! Files of definitions: the embedded ones, and those of a folder that stand in their place.

use std::io::Read as _;
use std::path::Path;

use include_dir::{Dir, include_dir};

use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;

/// The definitions that are part of the program.
pub(super) static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../stages");

/// The most bytes of one definition file.
const LARGEST: u64 = 1 << 20;

/// A file's name for messages, and its text; `None` where neither place has it.
///
/// # Errors
/// A file that cannot be read.
pub(super) fn find(overrides: Option<&Path>, name: &str) -> Result<Option<Template>, CatalogError> {
    if let Some(path) = overrides
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
    {
        let file = path.display().to_string();
        let failed = |source| CatalogError::Read {
            file: file.clone(),
            source,
        };
        let mut source = String::new();
        std::fs::File::open(&path)
            .and_then(|opened| opened.take(LARGEST).read_to_string(&mut source))
            .map_err(failed)?;
        return Ok(Some(Template { file, source }));
    }
    Ok(built_in(name))
}

/// The same, of a file that has to be there.
///
/// # Errors
/// A file that is missing or cannot be read.
pub(super) fn must_find(overrides: Option<&Path>, name: &str) -> Result<Template, CatalogError> {
    find(overrides, name)?.ok_or_else(|| CatalogError::Missing {
        file: name.to_owned(),
    })
}

/// The text of a file that is part of the program.
pub(super) fn built_in(name: &str) -> Option<Template> {
    let source = EMBEDDED
        .get_file(name)
        .and_then(include_dir::File::contents_utf8)?;
    Some(Template {
        file: format!("stages/{name}"),
        source: source.to_owned(),
    })
}
