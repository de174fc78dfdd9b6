//! The name that a project of Python gives itself: `pyproject.toml`, `setup.cfg`, `setup.py`.

use super::pyproject::ProjectFile;
use crate::domain::lazy_regex::LazyRegex;

static CALLED: LazyRegex =
    LazyRegex::new(r#"\bsetup\s*\((?s:.*?)\bname\s*=\s*["']([A-Za-z0-9][A-Za-z0-9._-]*)["']"#);
static METADATA: LazyRegex =
    LazyRegex::new(r"(?m)^\[metadata\][^\[]*?^name[ \t]*[=:][ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*$");

/// Whether a file's name is that of one that describes a project.
pub fn is_of_project(name: &str) -> bool {
    matches!(name, "pyproject.toml" | "setup.cfg" | "setup.py")
}

/// The name in a file, which is read and not run.
pub fn read(file: &str, text: &str) -> Option<String> {
    match file {
        "pyproject.toml" => ProjectFile::parse(text).ok()?.name,
        "setup.cfg" => METADATA.captures(text).map(|found| found[1].to_owned()),
        _ => CALLED.captures(text).map(|found| found[1].to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_its_name() {
        for (file, text, name) in [
            (
                "pyproject.toml",
                "[project]\nname = \"my-study\"\n",
                Some("my-study"),
            ),
            (
                "pyproject.toml",
                "[tool.poetry]\nname = \"my-study\"\n",
                Some("my-study"),
            ),
            ("pyproject.toml", "[tool.black]\nname = \"x\"\n", None),
            (
                "setup.cfg",
                "[metadata]\nversion = 1\nname = my_study\n[options]\n",
                Some("my_study"),
            ),
            ("setup.cfg", "[flake8]\n[options]\nname = x\n", None),
            (
                "setup.py",
                "from setuptools import setup\nsetup(\n    version='1',\n    name='my.study',\n)\n",
                Some("my.study"),
            ),
            ("setup.py", "name = 'x'\nsetup(name=name)\n", None),
        ] {
            assert_eq!(read(file, text).as_deref(), name, "{file} {text}");
        }
    }
}
