//! The cells of a solution, out of a file.

use std::path::Path;

use serde_json::Value;

use crate::cli::exit::Failure;
use crate::grading::discovery::bounded_file;

/// The largest file of a solution, in bytes.
const LARGEST: u64 = 16 << 20;
/// What a cell of a script begins with.
const MARK: &str = "# %%";

/// Reads the cells of a notebook or of a script with marks.
///
/// # Errors
/// A file that cannot be read or holds none.
pub fn cells(path: &Path) -> Result<Vec<String>, Failure> {
    let refuse = |why: String| Failure::usage(format!("--cells {}: {why}", path.display()));
    let bytes = bounded_file::up_to(path, LARGEST).map_err(|error| refuse(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("it is no text in UTF-8".to_owned()))?;
    let cells = match path.extension().is_some_and(|extension| extension == "ipynb") {
        true => of_notebook(&text).map_err(refuse)?,
        false => of_script(&text),
    };
    match cells.is_empty() {
        true => Err(refuse("it holds no cell with code".to_owned())),
        false => Ok(cells),
    }
}

fn of_notebook(text: &str) -> Result<Vec<String>, String> {
    let notebook: Value =
        serde_json::from_str(text).map_err(|error| format!("it is no notebook ({error})"))?;
    let cells = notebook["cells"]
        .as_array()
        .ok_or("it is no notebook: it has no `cells`")?;
    let code = cells.iter().filter(|cell| cell["cell_type"] == "code");
    let sources = code.map(|cell| match &cell["source"] {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    });
    Ok(sources.filter(|source| !source.trim().is_empty()).collect())
}

fn of_script(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    for line in text.lines() {
        match (line.starts_with(MARK), cells.last_mut()) {
            (false, Some(cell)) => {
                cell.push_str(line);
                cell.push('\n');
            }
            _ => cells.push(String::new()),
        }
    }
    cells.retain(|cell| !cell.trim().is_empty());
    cells
        .iter()
        .map(|cell| cell.trim_matches('\n').to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notebooks_and_scripts_are_read_as_cells() {
        assert_eq!(of_script("x = 1\n# %% second\n\n!ls\n# %%\n"), ["x = 1", "!ls"]);
        let notebook = json!({"cells": [
            {"cell_type": "markdown", "source": "# a"},
            {"cell_type": "code", "source": ["%cd a\n", "!ls"]},
            {"cell_type": "code", "source": " "},
        ]});
        assert_eq!(of_notebook(&notebook.to_string()).unwrap(), ["%cd a\n!ls"]);
        assert!(of_notebook("{}").unwrap_err().contains("no `cells`"));
    }
}
