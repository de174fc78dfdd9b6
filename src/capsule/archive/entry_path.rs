//! The path of an entry below the folder that an archive is unpacked into.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Most bytes of a part of a path, as Linux has it.
const PART: usize = 255;
/// Most bytes of a whole path: below the 4,096 of Linux, so that a folder may stand before it.
const WHOLE: usize = 3_000;

/// A relative path of at least one part, without `.` and `..`. Its bytes need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryPath(Vec<u8>);

/// The fault of an entry's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameFault {
    /// It begins at the root, climbs by `..` or holds a zero byte.
    LeadsOut,
    TooLong,
}

impl EntryPath {
    /// The path that a name in an archive stands for; `None` of a name of the top folder itself.
    pub fn parse(name: &[u8]) -> Result<Option<Self>, NameFault> {
        if name.starts_with(b"/") || name.contains(&0) {
            return Err(NameFault::LeadsOut);
        }
        let parts: Vec<&[u8]> = parts(name).collect();
        if parts.contains(&&b".."[..]) {
            return Err(NameFault::LeadsOut);
        }
        if parts.iter().any(|part| part.len() > PART) || name.len() > WHOLE {
            return Err(NameFault::TooLong);
        }
        let path = parts.join(&b'/');
        Ok((!path.is_empty()).then_some(Self(path)))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The folder that it stands in; `None` at the top.
    pub fn parent(&self) -> Option<Self> {
        let at = self.0.iter().rposition(|byte| *byte == b'/')?;
        Some(Self(self.0[..at].to_owned()))
    }

    /// The path below a folder; `None` where it does not stand there.
    pub fn below(&self, folder: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(folder.bytes())?.strip_prefix(b"/")?;
        Some(Self(rest.to_owned()))
    }
}

/// The parts of a path that mean something.
pub(super) fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
        .filter(|part| !matches!(*part, b"" | b"."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_path_below_the_folder_or_a_fault() {
        let path = |name: &[u8]| EntryPath::parse(name).map(|path| path.map(|path| path.0));
        assert_eq!(path(b"./a//b/./c/"), Ok(Some(b"a/b/c".to_vec())));
        assert_eq!(path(b"./"), Ok(None));
        assert_eq!(path(b"..a/b.."), Ok(Some(b"..a/b..".to_vec())));
        for out in [&b"/etc/passwd"[..], b"..", b"a/../b", b"a/..", b"a\0b"] {
            assert_eq!(path(out), Err(NameFault::LeadsOut), "{out:?}");
        }
        assert_eq!(path(&[b'a'; 256]), Err(NameFault::TooLong));
        assert_eq!(path(&b"ab/".repeat(1_001)), Err(NameFault::TooLong));
        let whole = EntryPath(b"a/b/c".to_vec());
        assert_eq!(whole.parent(), Some(EntryPath(b"a/b".to_vec())));
        assert_eq!(
            whole.below(&EntryPath(b"a".to_vec())),
            Some(EntryPath(b"b/c".to_vec()))
        );
        assert_eq!(EntryPath(b"ab/c".to_vec()).below(&EntryPath(b"a".to_vec())), None);
    }
}
