//! Packages of R that scripts of a shell install: `R CMD INSTALL x_1.0.tar.gz`, `Rscript -e "..."`.

use super::super::language::Language;
use super::super::need::MentionForm;
use super::findings::{ScriptFindings, place};
use super::package_file::PackageFile;
use super::r;
use crate::domain::lazy_regex::LazyRegex;

static INSTALL: LazyRegex = LazyRegex::new(r"\bR\s+CMD\s+INSTALL\s+([^;&|#\n]*)");
/// Code behind `-e`, between quotes of one kind.
static CODE: LazyRegex =
    LazyRegex::new(r#"\b(?:Rscript|R)\b[^;&|\n'"]*?\s-e\s+(?:'([^'\n]*)'|"((?:[^"\\\n]|\\.)*)")"#);

/// Reads a shell's text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let mut whole = String::new();
    let mut begins = 1;
    for (at, line) in text.lines().enumerate() {
        if whole.is_empty() {
            begins = at + 1;
        }
        if line.trim_start().starts_with('#') {
            continue;
        }
        match line.strip_suffix('\\') {
            Some(part) => {
                whole.push_str(part);
                whole.push(' ');
            }
            None => {
                whole.push_str(line);
                command(file, &std::mem::take(&mut whole), begins, findings);
            }
        }
    }
    command(file, &whole, begins, findings);
}

fn command(file: &str, line: &str, number: usize, findings: &mut ScriptFindings) {
    for found in INSTALL.captures_iter(line) {
        let words = found[1].split_whitespace().filter(|word| !word.starts_with('-'));
        let paths = words.map(|word| word.trim_matches(['"', '\'']));
        // A folder that is a variable, or all of one, names no package.
        for path in paths.filter(|path| !path.contains(['$', '*'])) {
            if let Some(package) = PackageFile::parse(path, place(file, number)) {
                let place = package.place.clone();
                findings.mention(Language::R, &package.name, MentionForm::InstallsElsewhere, place);
                findings.package_files.push(package);
            }
        }
    }
    for found in CODE.captures_iter(line) {
        let code = match (found.get(1), found.get(2)) {
            (Some(code), _) => code.as_str().to_owned(),
            (None, Some(code)) => code.as_str().replace("\\\"", "\""),
            (None, None) => continue,
        };
        let text = format!("{}{code}", "\n".repeat(number - 1));
        r::read(file, &text, findings);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_install_packages_of_r() {
        let text = "#!/bin/sh\n# R CMD INSTALL commented_1.0.tar.gz\nR CMD INSTALL --no-docs \\\n  \"pkgs/mine_0.1.tar.gz\" other_2.tar.gz && ls\n\
                    R CMD INSTALL $PKG\nRscript -e 'install.packages(\"lme4\")'; R -q -e \"library(\\\"psych\\\")\"\nRscript analysis.R -e\n";
        let mut findings = ScriptFindings::default();
        read("run.sh", text, &mut findings);
        let files: Vec<&str> = findings
            .package_files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(files, ["pkgs/mine_0.1.tar.gz", "other_2.tar.gz"]);
        let named: Vec<String> = (findings.mentions.iter())
            .map(|mention| format!("{}:{}", mention.place.line, mention.name))
            .collect();
        assert_eq!(named, ["3:mine", "3:other", "6:lme4", "6:psych"]);
    }
}
