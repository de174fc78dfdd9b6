//! Lines of R that install packages.

use crate::domain::lazy_regex::LazyRegex;
use crate::environment::rescue::masked::Masked;
use crate::environment::rescue::script::ScriptLanguage;

/// `if (!require(x)) install.packages("x")` on one line: what it wants is the package.
static CHECKED: LazyRegex = LazyRegex::new(
    r#"(?m)^([ \t]*)if\s*\(\s*!\s*(?:require|requireNamespace)\s*\(\s*["']?([\w.]+)["']?[^()\n]*\)\s*\)\s*\{?\s*install\.packages\s*\([^()\n]*\)\s*;?\s*\}?[ \t]*$"#,
);
/// A statement of its own on one line.
static ALONE: LazyRegex = LazyRegex::new(
    r"(?m)^([ \t]*)((?:utils::)?install\.packages|update\.packages|(?:devtools::|remotes::)?install_(?:github|version|cran|url))\s*\(([^()\n]|\([^()\n]*\))*\)[ \t]*;?[ \t]*$",
);

/// The script without the lines that install.
pub fn without_installs(text: &str) -> String {
    let masked = Masked::new(text, ScriptLanguage::R);
    // Comments are blanked: a line that is commented out stays.
    let seen = &masked.without_comments;
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let checked = CHECKED.captures_iter(seen).filter_map(|found| {
        let whole = found.get(0)?.range();
        Some((whole, format!("{}library({})", &found[1], &found[2])))
    });
    let alone = ALONE.captures_iter(seen).filter_map(|found| {
        let whole = found.get(0)?.range();
        let line = &text[whole.clone()];
        Some((whole, format!("{}# {}", &found[1], line.trim_start())))
    });
    let mut edits: Vec<_> = checked.chain(alone).collect();
    edits.sort_by_key(|(range, _)| range.start);
    for (range, new) in edits {
        if range.start < done || masked.is_string(range.start) {
            continue;
        }
        out.push_str(&text[done..range.start]);
        out.push_str(&new);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_install_are_taken_out() {
        for (old, new) in [
            (
                "install.packages(\"plyr\")\nx\n",
                "# install.packages(\"plyr\")\nx\n",
            ),
            (
                "install.packages(c(\"plyr\", \"car\"), repos = \"http://x\")",
                "# install.packages(c(\"plyr\", \"car\"), repos = \"http://x\")",
            ),
            ("if (!require(car)) install.packages(\"car\")", "library(car)"),
            ("if(!require('car')) {install.packages('car')}", "library(car)"),
            (
                "devtools::install_github(\"a/b\")",
                "# devtools::install_github(\"a/b\")",
            ),
        ] {
            assert_eq!(without_installs(old), new);
        }
        for same in [
            "# install.packages(\"plyr\")",
            "x <- \"install.packages\"",
            "if (new) { install.packages(p); library(p) }",
        ] {
            assert_eq!(without_installs(same), same);
        }
    }
}
