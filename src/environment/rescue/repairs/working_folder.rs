//! Lines that change the working folder.

use std::collections::BTreeSet;

use crate::domain::lazy_regex::LazyRegex;
use crate::environment::language::Language;
use crate::environment::rescue::masked::Masked;

static R: LazyRegex =
    LazyRegex::new(r"(?m)^([ \t]*)setwd\s*\(([^()\n]|\(([^()\n]|\([^()\n]*\))*\))*\)[ \t]*;?[ \t]*$");
static PYTHON: LazyRegex = LazyRegex::new(r#"(?m)^([ \t]*)os\.chdir\s*\([^()\n]*\)[ \t]*;?[ \t]*$"#);

/// The script with such lines as comments; as it was where it goes into several folders, since files of one
/// name would fall together.
pub fn without_changes(text: &str, language: Language) -> String {
    let masked = Masked::new(text, language);
    let (expression, nothing) = match language {
        Language::R => (&R, ""),
        Language::Python => (&PYTHON, "pass  "),
        Language::Stata | Language::Spss => return text.to_owned(),
    };
    let lines = expression.find_iter(&masked.without_comments);
    let lines: BTreeSet<&str> = lines.map(|line| line.as_str().trim()).collect();
    if lines.len() > 1 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for found in expression.captures_iter(&masked.without_comments) {
        let range = found.get(0).map_or(0..0, |whole| whole.range());
        if masked.is_string(range.start) {
            continue;
        }
        out.push_str(&text[done..range.start]);
        let line = &text[range.clone()];
        let indentation = line.len() - line.trim_start().len();
        out.push_str(&line[..indentation]);
        out.push_str(nothing);
        out.push_str("# ");
        out.push_str(line.trim_start());
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_becomes_a_comment() {
        let r = |text| without_changes(text, Language::R);
        assert_eq!(r("setwd(\"C:/x\")\ny\n"), "# setwd(\"C:/x\")\ny\n");
        assert_eq!(
            r("setwd(dirname(rstudioapi::getActiveDocumentContext()$path))"),
            "# setwd(dirname(rstudioapi::getActiveDocumentContext()$path))"
        );
        let several =
            "setwd(\"C:/a\")\nx <- read.csv(\"s.csv\")\nsetwd(\"C:/b\")\ny <- read.csv(\"s.csv\")\n";
        assert_eq!(r(several), several);
        assert_eq!(r("old <- setwd(\"a\")"), "old <- setwd(\"a\")");
        let python = without_changes("if x:\n    os.chdir('/home/a')\n", Language::Python);
        assert_eq!(python, "if x:\n    pass  # os.chdir('/home/a')\n");
    }
}
