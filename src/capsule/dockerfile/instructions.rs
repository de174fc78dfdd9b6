//! Instructions of a Dockerfile: lines that go on, comments, documents inside.

use std::collections::BTreeMap;

use crate::domain::lazy_regex::LazyRegex;

/// An instruction, its lines put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// In capitals.
    pub keyword: String,
    /// Whatever follows the keyword.
    pub text: String,
    pub has_here_document: bool,
    /// Where in `text` each line begins, in order.
    lines: Vec<LineStart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineStart {
    offset: usize,
    line: usize,
}

impl Instruction {
    /// The line of the file that a byte of the text stands on.
    pub fn line_at(&self, offset: usize) -> usize {
        let after = self.lines.partition_point(|start| start.offset <= offset);
        let at = after.checked_sub(1).and_then(|index| self.lines.get(index));
        at.map_or(self.line, |start| start.line)
    }
}

static HERE_DOCUMENT: LazyRegex =
    LazyRegex::new(r#"(?:^|[^<\w])<<(-?)(?:"([A-Za-z_]\w*)"|'([A-Za-z_]\w*)'|([A-Za-z_]\w*))"#);
/// Windows' escape, which a directive at the top chooses.
static BACKTICK: LazyRegex = LazyRegex::new(r"^(?:#[^\n]*\n)*#\s*escape\s*=\s*`");

/// The instructions of a file, in order.
pub fn instructions(text: &str) -> Vec<Instruction> {
    let escape = if BACKTICK.is_match(text) { '`' } else { '\\' };
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    // A document whose end is nowhere below is none, and is not looked for to the end of the file.
    let last: BTreeMap<&str, usize> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| (line.trim_start_matches('\t'), index))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = lines.get(at) {
        let line = at + 1;
        at += 1;
        let first = first.trim_start();
        if first.is_empty() || first.starts_with('#') {
            continue;
        }
        let keyword = first.split([' ', '\t', escape]).next().unwrap_or_default();
        let (mut text, mut lines_of) = (String::new(), Vec::new());
        let mut part = first.get(keyword.len()..).unwrap_or_default();
        let mut number = line;
        loop {
            lines_of.push(LineStart {
                offset: text.len(),
                line: number,
            });
            let Some(goes_on) = part.strip_suffix(escape) else {
                text.push_str(part);
                break;
            };
            text.push_str(goes_on);
            while lines.get(at).is_some_and(|next| is_passed_over(next)) {
                at += 1;
            }
            let Some(next) = lines.get(at) else { break };
            at += 1;
            (part, number) = (next, at);
        }
        let keyword = keyword.to_ascii_uppercase();
        let mut has_here_document = false;
        if matches!(keyword.as_str(), "RUN" | "COPY" | "ADD") {
            for captures in HERE_DOCUMENT.captures_iter(&text) {
                let end = [2, 3, 4].into_iter().find_map(|group| captures.get(group));
                let Some(end) = end else { continue };
                if last.get(end.as_str()).is_none_or(|last| *last < at) {
                    continue;
                }
                let rest = lines.get(at..).unwrap_or_default();
                let length = rest
                    .iter()
                    .position(|line| line.trim_start_matches('\t') == end.as_str());
                let Some(length) = length else { continue };
                has_here_document = true;
                at += length + 1;
            }
        }
        found.push(Instruction {
            line,
            keyword,
            text,
            has_here_document,
            lines: lines_of,
        });
    }
    found
}

/// Whether a line within an instruction that goes on says nothing.
fn is_passed_over(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}
