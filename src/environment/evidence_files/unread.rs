//! Files that ask for packages in a form which is not read: each is a question that names the file.

use super::super::evidence::FoundEvidence;
use super::super::language::Language;
use super::super::need::{Question, SourcePlace};
use super::super::source_tree::SourceFile;

/// A file that is not read.
struct UnreadForm {
    /// The file's name, in small letters.
    name: &'static str,
    /// A part that the file has if it asks for packages.
    holds: &'static str,
    language: Language,
    /// The way out, as a clause.
    way: &'static str,
}

const fn of_python(name: &'static str, holds: &'static str, way: &'static str) -> UnreadForm {
    UnreadForm {
        name,
        holds,
        language: Language::Python,
        way,
    }
}

const REQUIREMENTS: &str = "list the packages of the analysis in a requirements.txt";
const EXPORTED: &str = "export it as an environment.yml";

const FORMS: [UnreadForm; 10] = [
    of_python("setup.py", "_require", REQUIREMENTS),
    of_python("setup.cfg", "_require", REQUIREMENTS),
    of_python("pipfile", "", REQUIREMENTS),
    of_python("pipfile.lock", "", REQUIREMENTS),
    of_python("postbuild", "install", REQUIREMENTS),
    of_python("apt.txt", "", "use an image that has the packages of the system"),
    of_python("pixi.toml", "", EXPORTED),
    of_python("pixi.lock", "", EXPORTED),
    UnreadForm {
        name: "packrat.lock",
        holds: "",
        language: Language::R,
        way: "write an renv.lock with `renv::migrate()`",
    },
    UnreadForm {
        name: "default.nix",
        holds: "rPackages",
        language: Language::R,
        way: "list its packages in a DESCRIPTION",
    },
];

/// Asks about a file of such a form; false of any other file.
pub fn ask(file: &SourceFile, found: &mut FoundEvidence) -> bool {
    let name = file.name().to_ascii_lowercase();
    let Some(form) = FORMS.iter().find(|form| form.name == name) else {
        return false;
    };
    // A file that cannot be read is one more reason to ask.
    let is_asking = file.text().map_or(true, |text| text.contains(form.holds));
    if is_asking {
        let question = format!(
            "{} is not read: {}, or go by the day alone (`--as-of`).",
            file.path, form.way
        );
        found
            .questions
            .push(about(form.language, &file.path, 1, question));
    }
    true
}

/// A question about a file.
pub fn about(language: Language, file: &str, line: usize, question: String) -> Question {
    Question {
        language,
        name: file.to_owned(),
        question,
        places: vec![SourcePlace {
            file: file.to_owned(),
            line,
        }],
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::environment::source_tree::SourceTree;

    #[test]
    fn each_form_is_asked_about_once_if_it_asks_for_packages() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("Pipfile", "[packages]\npandas = \"*\"\n"),
            ("packrat.lock", "PackratFormat: 1.4\n"),
            ("setup.py", "setup(name='x', install_requires=['six'])\n"),
            ("sub/setup.py", "setup(name='x')\n"),
            ("setup.cfg", "[flake8]\nexclude = x\n"),
            ("sub/default.nix", "{ pkgs }: pkgs.hello\n"),
            ("a.py", "install_requires = []\n"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut found = FoundEvidence::default();
        let tree = SourceTree::open(folder.path()).unwrap();
        let known: Vec<bool> = tree.files.iter().map(|file| ask(file, &mut found)).collect();
        assert_eq!(known.iter().filter(|known| **known).count(), 6);
        let asked: Vec<&str> = found.questions.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(asked, ["Pipfile", "packrat.lock", "setup.py"]);
        assert!(
            found.questions[1]
                .question
                .starts_with("packrat.lock is not read: write an renv.lock"),
            "{:?}",
            found.questions
        );
    }
}
