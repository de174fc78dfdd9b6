//! Damage of a data file, told by its first bytes.

use crate::domain::excerpt;

/// Damage of a data file, by its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// A Git LFS pointer stands where the file should.
    Pointer {
        oid: String,
        size: u64,
    },
    Empty,
    /// A web page saved under a data file's name.
    WebPage,
}

impl Damage {
    /// Reads the head of a file (its first KiB is enough).
    pub fn detect(head: &[u8], is_page: bool) -> Option<Self> {
        if head.is_empty() {
            return Some(Self::Empty);
        }
        if let Some(pointer) = pointer(head) {
            return Some(pointer);
        }
        let start: Vec<u8> = head
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(head)
            .iter()
            .copied()
            .skip_while(u8::is_ascii_whitespace)
            .take(14)
            .map(|byte| byte.to_ascii_lowercase())
            .collect();
        let page = start.starts_with(b"<!doctype html") || start.starts_with(b"<html");
        (page && !is_page).then_some(Self::WebPage)
    }

    /// A clause with the way out.
    pub fn words(&self) -> String {
        match self {
            Self::Pointer { oid, size } => format!(
                "is a Git LFS pointer, not the data ({size} bytes, oid {oid}): fetch it with `git lfs pull` \
                 in the repository that it came from"
            ),
            Self::Empty => "has no bytes: fetch it again or remove it".to_owned(),
            Self::WebPage => {
                "is a web page saved as data: download the file itself, or rename it to `.html`".to_owned()
            }
        }
    }
}

/// Source: the Git LFS pointer specification, version 1.
fn pointer(head: &[u8]) -> Option<Damage> {
    if !head.starts_with(b"version https://git-lfs.github.com/spec/v1") {
        return None;
    }
    let text = String::from_utf8_lossy(head);
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
    };
    let shown = excerpt::shortened(value("oid ").unwrap_or("not given"), 80);
    Some(Damage::Pointer {
        oid: shown,
        size: value("size ").and_then(|size| size.parse().ok()).unwrap_or(0),
    })
}

/// Whether a PDF header stands in the first KiB.
pub fn is_pdf(head: &[u8]) -> bool {
    head[..head.len().min(1024)]
        .windows(5)
        .any(|five| five == b"%PDF-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_told_apart() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4f\nsize 74873774\n";
        let Some(damage) = Damage::detect(pointer, false) else {
            panic!("no pointer")
        };
        assert!(damage.words().contains("74873774") && damage.words().contains("sha256:4f"));
        assert!(damage.words().contains("git lfs pull"));
        assert_eq!(Damage::detect(b"", false), Some(Damage::Empty));
        assert_eq!(
            Damage::detect(b"\n <!DOCTYPE HTML><p>", false),
            Some(Damage::WebPage)
        );
        assert_eq!(Damage::detect(b"<!DOCTYPE html>", true), None);
        assert_eq!(Damage::detect(b"a,b\n1,2\n", false), None);
        assert!(is_pdf(b"junk\n%PDF-1.4") && !is_pdf(b"%PDX-") && !is_pdf(&[b' '; 2000]));
    }
}
