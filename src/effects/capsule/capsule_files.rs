//! Files of a capsule as it was published, for the engine's own eyes.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::capsule::dockerfile::text::LARGEST;

/// The folder of a capsule that says what its code runs in.
pub const ENVIRONMENT: &str = "environment";

/// A file of a capsule's environment, or of the capsule: at most a byte more than a reader
/// takes. `None` where it is not there, is no file, or where a link of its path leads out.
pub fn published_file(source: &Path, path: &str) -> Option<Vec<u8>> {
    let root = fs::canonicalize(source).ok()?;
    let candidates = [root.join(ENVIRONMENT).join(path), root.join(path)];
    candidates.iter().find_map(|path| {
        let path = fs::canonicalize(path).ok()?;
        if !path.starts_with(&root) || !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut content = Vec::new();
        let mut limited = File::open(&path).ok()?.take(LARGEST as u64 + 1);
        limited.read_to_end(&mut content).ok()?;
        Some(content)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_those_of_the_capsule_and_nothing_that_a_link_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let capsule = place.path().join("capsule");
        fs::create_dir_all(capsule.join("environment/folder")).unwrap();
        fs::write(place.path().join("secret.txt"), "secret").unwrap();
        fs::write(capsule.join("environment/Dockerfile"), "FROM x").unwrap();
        fs::write(capsule.join("reqs.txt"), "six").unwrap();
        fs::write(capsule.join("long.txt"), vec![b'a'; LARGEST + 5]).unwrap();
        std::os::unix::fs::symlink("../../secret.txt", capsule.join("environment/out.txt")).unwrap();
        std::os::unix::fs::symlink("../reqs.txt", capsule.join("environment/in.txt")).unwrap();
        let read = |path: &str| published_file(&capsule, path);
        assert_eq!(read("Dockerfile").unwrap(), b"FROM x");
        assert_eq!(read("reqs.txt").unwrap(), b"six");
        assert_eq!(read("in.txt").unwrap(), b"six");
        assert_eq!(read("long.txt").unwrap().len(), LARGEST + 1);
        for none in ["out.txt", "folder", "../secret.txt", "nothing", "/etc/passwd"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
