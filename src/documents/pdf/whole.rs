//! Truncation of a PDF file, told by its end-of-file marker.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use regex::bytes::Regex;

use crate::domain::lazy_regex::LazyBytesRegex;

/// Bytes at the end of a file in which its last marks stand; mail programs and
/// web servers add a little behind them.
const TAIL: usize = 4096;
/// Bytes at the beginning of a file in which a file that is made for the web
/// states its length.
const HEAD: usize = 2048;
/// More pages than any document has.
const MOST: usize = 1_000_000;

/// The end of a file, as its bytes tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    /// Whether the end is missing.
    pub is_missing: bool,
    /// Pages that the file states in a place that is left of it.
    pages: Option<usize>,
}

static LINEARIZED: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)<<[^>]*/Linearized[^>]*");
static LENGTH: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)/L\s+(\d{1,15})");
static PAGES: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)/N\s+(\d{1,7})");
/// A node of the page tree, on either side of its count.
static NODE: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)/Type\s*/Pages\b");
static COUNT: LazyBytesRegex = LazyBytesRegex::new(r"(?-u)/Count\s+(\d{1,7})");

impl End {
    /// Looks for the marks with which a file ends, and for its length where it
    /// states one (ISO 32000-1, 7.5.5 and annex F).
    pub fn detect(bytes: &[u8]) -> Self {
        let tail = bytes.trim_ascii_end();
        let tail = &tail[tail.len().saturating_sub(TAIL)..];
        let holds = |mark: &[u8]| tail.windows(mark.len()).any(|window| window == mark);
        let head = &bytes[..bytes.len().min(HEAD)];
        let linear = LINEARIZED.find(head);
        let stated = |pattern| linear.and_then(|linear| number(pattern, linear.as_bytes()));
        let is_missing = !(holds(b"%%EOF") || holds(b"startxref"))
            || stated(&LENGTH).is_some_and(|length| length > bytes.len());
        Self {
            is_missing,
            pages: if is_missing {
                stated(&PAGES).or_else(|| promised(bytes))
            } else {
                None
            },
        }
    }

    /// What to say of a file of which `found` pages could be read, `stated` being
    /// the pages that its page tree promises.
    pub fn note(self, found: usize, stated: Option<usize>) -> Option<String> {
        let promised = self
            .pages
            .max(stated)
            .filter(|pages| *pages > found && *pages < MOST);
        let read = match promised {
            Some(1) => format!("{found} of 1 page"),
            Some(pages) => format!("{found} of {pages} pages"),
            None if self.is_missing && found == 1 => "1 page, of a number that is not known,".to_owned(),
            None if self.is_missing => format!("{found} pages, of a number that is not known,"),
            None => return None,
        };
        Some(if self.is_missing {
            format!(
                "The file breaks off before its end: {read} could be read, and characters may be wrong in them. \
                 Get a whole copy of the file before relying on what is missing here."
            )
        } else {
            format!("The file is damaged: {read} could be read. Get a whole copy of it.")
        })
    }
}

/// The pages that the page tree promises.
pub fn stated_pages(pdf: &Pdf) -> Option<usize> {
    let root: Dict<'_> = pdf.xref().get(pdf.xref().root_id())?;
    let pages: Dict<'_> = root.get(&b"Pages"[..])?;
    usize::try_from(pages.get::<i32>(&b"Count"[..])?).ok()
}

/// The greatest count of a page tree's nodes that stand in the bytes as they are.
fn promised(bytes: &[u8]) -> Option<usize> {
    let nodes = NODE.find_iter(bytes).take(1_000);
    nodes
        .filter_map(|node| {
            let before = &bytes[..node.start()];
            let open = before.windows(2).rposition(|pair| pair == b"<<")?;
            let behind = &bytes[node.end()..];
            let close = behind.windows(2).position(|pair| pair == b">>");
            number(
                &COUNT,
                &bytes[open..close.map_or(bytes.len(), |close| node.end() + close)],
            )
        })
        .max()
}

fn number(pattern: &Regex, bytes: &[u8]) -> Option<usize> {
    let found = pattern.captures(bytes)?;
    std::str::from_utf8(found.get(1)?.as_bytes()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_its_end_says_how_much_is_there() {
        let whole = b"%PDF-1.4\n1 0 obj\n<</Type /Pages /Kids [2 0 R] /Count 3>>\nendobj\ntrailer <<>>\nstartxref\n9\n%%EOF\n";
        assert_eq!(End::detect(whole), End::default());
        assert_eq!(End::detect(whole).note(3, Some(3)), None);
        let cut = End::detect(&whole[..70]);
        assert!(cut.is_missing);
        let note = cut.note(2, None).unwrap();
        assert!(
            note.contains("breaks off") && note.contains("2 of 3 pages"),
            "{note}"
        );
        let linear = b"%PDF-1.5\n5 0 obj\n<</Linearized 1/L 341445/O 1397/E 92930/N 11/T 340921>>\nendobj\nstartxref\n0\n%%EOF\n";
        let note = End::detect(linear).note(6, None).unwrap();
        assert!(note.contains("6 of 11 pages"), "{note}");
        let unknown = End::detect(b"%PDF-1.7\nabc").note(1, None).unwrap();
        assert!(unknown.contains("not known"), "{unknown}");
        let damaged = End::default().note(2, Some(4)).unwrap();
        assert!(
            damaged.contains("damaged") && damaged.contains("2 of 4"),
            "{damaged}"
        );
    }
}
