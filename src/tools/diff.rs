//! Unified diffs in bounded time.

use std::fmt::Write as _;

use similar::TextDiff;

/// Lines per side above which a difference is shown as one block.
const FINE: usize = 3_000;

/// The unified diff of two texts of the file `path`; empty where they agree.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<_> = before.split_inclusive('\n').collect();
    let new: Vec<_> = after.split_inclusive('\n').collect();
    let head = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let most = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(one, two)| one == two)
        .count();
    let (from, to) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if from.len() <= FINE && to.len() <= FINE {
        return TextDiff::from_lines(before, after)
            .unified_diff()
            .header(&format!("a/{path}"), &format!("b/{path}"))
            .to_string();
    }
    let mut text = format!(
        "--- a/{path}\n+++ b/{path}\n@@ -{},{} +{},{} @@\n",
        head + usize::from(!from.is_empty()),
        from.len(),
        head + usize::from(!to.is_empty()),
        to.len()
    );
    for (sign, lines) in [('-', from), ('+', to)] {
        for line in lines {
            let _ = write!(text, "{sign}{line}");
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_differences() {
        assert_eq!(unified("a", "x\n", "x\n"), "");
        let small = unified("work/a.py", "one\ntwo\n", "one\n2\n");
        assert_eq!(
            small,
            "--- a/work/a.py\n+++ b/work/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        );
        let old: String = (0..9_000).map(|line| format!("{line}\n")).collect();
        let new: String = (0..9_000).map(|line| format!("n{line}\n")).collect();
        let large = unified("a", &format!("same\n{old}"), &format!("same\n{new}"));
        assert!(large.contains("@@ -2,9000 +2,9000 @@"));
        assert_eq!(large.lines().count(), 18_003);
    }
}
