//! Binder's own files: the commands of `postBuild`, and the system's packages of `apt.txt`.

use super::super::evidence::FoundEvidence;
use super::super::source_tree::{SourceFile, SourceTree};
use super::dockerfile;

/// Packages of the system that are named in the sentence.
const MOST_NAMED: usize = 8;

/// The kinds of Binder's own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinderFile {
    PostBuild,
    Apt,
}

impl BinderFile {
    /// The kind of a file by its name and folder: other tools have an `apt.txt` as well.
    pub fn of(file: &SourceFile) -> Option<Self> {
        let folder = file.folder().rsplit('/').next().unwrap_or_default();
        match file.name() {
            "postBuild" => Some(Self::PostBuild),
            "apt.txt" if matches!(folder, "" | "binder" | ".binder") => Some(Self::Apt),
            _ => None,
        }
    }

    /// Reads a file; no command of it is run.
    pub fn read(self, file: &SourceFile, text: &str, tree: &SourceTree, found: &mut FoundEvidence) {
        match self {
            Self::Apt => apt(&file.path, text, found),
            Self::PostBuild => {
                let commands = as_dockerfile(text);
                if let Err(error) = dockerfile::read(file, commands.as_bytes(), tree, found) {
                    found.fault(&file.path, error);
                }
            }
        }
    }
}

/// The commands as those of a Dockerfile, whose reader knows what they install.
fn as_dockerfile(text: &str) -> String {
    let mut all = String::from("FROM scratch\n");
    let mut goes_on = false;
    // The line that names the shell gives its place, so that numbers stay.
    let has_shell = text.lines().next().is_some_and(|line| line.starts_with('#'));
    for line in text.lines().skip(usize::from(has_shell)) {
        let trimmed = line.trim();
        if !goes_on && !trimmed.is_empty() && !trimmed.starts_with('#') {
            all.push_str("RUN ");
        }
        if goes_on || !trimmed.starts_with('#') {
            all.push_str(trimmed);
        }
        all.push('\n');
        goes_on = trimmed.ends_with('\\');
    }
    all
}

fn apt(file: &str, text: &str, found: &mut FoundEvidence) {
    let bare = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let mut names: Vec<&str> = bare.flat_map(str::split_whitespace).collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if names.is_empty() {
        return;
    }
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    found.fault(
        file,
        format!(
            "it asks for packages of the system ({}{more}), which no lock holds: the image has to have them",
            names.join(", ")
        ),
    );
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn commands_and_packages_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let binder = folder.path().join(".binder");
        fs::create_dir_all(&binder).unwrap();
        fs::create_dir_all(folder.path().join("data")).unwrap();
        let commands = "#!/bin/bash\nset -e\npip install plotly==4.5.0 \\\n  lxml\n# pip install six\nR -e \"install.packages('lme4')\"\njupyter labextension install x\n";
        fs::write(binder.join("postBuild"), commands).unwrap();
        fs::write(
            binder.join("apt.txt"),
            "# why\nlibgsl-dev\nlibxml2-dev libssl-dev # x\n",
        )
        .unwrap();
        fs::write(folder.path().join("data/apt.txt"), "nothing\n").unwrap();
        let tree = SourceTree::open(folder.path()).unwrap();
        let mut found = FoundEvidence::default();
        for file in &tree.files {
            if let Some(kind) = BinderFile::of(file) {
                kind.read(file, &file.text().unwrap(), &tree, &mut found);
            }
        }
        assert_eq!(shown_pins(&found), ["plotly|4.5.0|", "lxml||", "lme4||"]);
        assert_eq!(found.pins[0].line, 3);
        let of_system = found
            .faults
            .iter()
            .filter(|fault| fault.file.ends_with("apt.txt"));
        let of_system: Vec<&str> = of_system.map(|fault| fault.problem.as_str()).collect();
        assert!(
            of_system.len() == 1 && of_system[0].contains("(libgsl-dev, libxml2-dev, libssl-dev)"),
            "{of_system:?}"
        );
        let followed = found
            .faults
            .iter()
            .any(|fault| fault.problem.starts_with("line 7, `jupyter"));
        assert!(followed, "{:?}", found.faults);
        assert!(found.evidence.iter().all(|one| one.interpreter.is_none()));
    }
}
