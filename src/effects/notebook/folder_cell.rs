//! A cell of our own that tells in which folder a kernel stands.

use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::contract::INSIDE;

/// The mark before the folder.
const MARK: &str = "REPRISE-FOLDER ";

/// The cell; it leaves no name in the kernel.
pub const CELL: &str = "print('\\nREPRISE-FOLDER', __import__('os').getcwd())";

/// The folder that the cell printed, where that is one of the workspace's.
pub fn read(printed: &str) -> Option<WorkspacePath> {
    let folder = printed.lines().rev().find_map(|line| line.strip_prefix(MARK))?;
    let below = folder.trim_end().strip_prefix(INSIDE)?.strip_prefix('/')?;
    below.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_read_where_the_workspace_has_it() {
        let folder = |printed: &str| read(printed).map(|folder| folder.to_string());
        assert_eq!(
            folder("epoch 3\nREPRISE-FOLDER /workspace/work/word chain\n").as_deref(),
            Some("work/word chain")
        );
        for printed in [
            "",
            "REPRISE-FOLDER /workspace",
            "REPRISE-FOLDER /tmp/a",
            "REPRISE-FOLDER /workspaces/a",
            "Error/Traceback: the folder is gone",
        ] {
            assert_eq!(folder(printed), None, "{printed}");
        }
        assert!(CELL.contains(MARK.trim_end()));
    }
}
