//! A fenced block in a text.

/// A block, and the text before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FencedBlock<'a> {
    pub before: &'a str,
    pub content: &'a str,
}

const FENCE: &str = "```";

/// The first fenced block of a text; one that is not closed goes on to the end.
pub fn first(text: &str) -> Option<FencedBlock<'_>> {
    let mut offset = 0;
    let mut opened: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let behind = offset + line.len();
        let is_fence = line.trim_start().starts_with(FENCE);
        match opened {
            None if is_fence => opened = Some((offset, behind)),
            Some((before, from)) if line.trim() == FENCE => {
                return Some(FencedBlock {
                    before: &text[..before],
                    content: without_last_break(&text[from..offset]),
                });
            }
            _ => {}
        }
        offset = behind;
    }
    opened.map(|(before, from)| FencedBlock {
        before: &text[..before],
        content: without_last_break(&text[from..]),
    })
}

fn without_last_break(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_found() {
        let found = first("I look.\n```python\nx = 1\n\ny\n```\nAnd then\n```\nz\n```").unwrap();
        assert_eq!((found.before, found.content), ("I look.\n", "x = 1\n\ny"));
        let open = first("  ```\nls").unwrap();
        assert_eq!((open.before, open.content), ("", "ls"));
        assert_eq!(first("no `block` here"), None);
        assert_eq!(first("```\n```").unwrap().content, "");
    }
}
