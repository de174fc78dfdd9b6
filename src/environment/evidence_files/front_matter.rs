//! The head of an R Markdown or Quarto document.

/// Keys under which a document says its day.
const KEYS: [&str; 3] = ["date", "date-modified", "date-meta"];
/// Lines of a head that are read.
const LONGEST: usize = 200;

/// The lines of a document's head that have its day, by their numbers from 0; none of a text without a head.
pub fn dated_lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first.trim_end() != "---") {
        return Vec::new();
    }
    let head: Vec<(usize, &str)> = lines
        .take(LONGEST)
        .take_while(|(_, line)| !matches!(line.trim_end(), "---" | "..."))
        .collect();
    let is_dated = |line: &str| {
        line.split_once(':')
            .is_some_and(|(key, _)| KEYS.contains(&key.trim_end()))
    };
    head.into_iter().filter(|(_, line)| is_dated(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_stands_in_the_head_alone() {
        let text =
            "---\ntitle: \"date: 2010-01-01\"\ndate: \"2019-03-04\"\noutput: x\n---\ndate: 2020-01-01\n";
        assert_eq!(dated_lines(text), [(2, "date: \"2019-03-04\"")]);
        assert_eq!(
            dated_lines("---\ndate  : 2019-03-14\ndated: x\n---\n"),
            [(1, "date  : 2019-03-14")]
        );
        assert!(dated_lines("date: 2019-03-04\n---\n").is_empty() && dated_lines("").is_empty());
    }
}
