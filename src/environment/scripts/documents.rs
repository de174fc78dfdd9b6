//! Code in notebooks and in R Markdown or Quarto documents.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::super::language::Language;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static FENCE: LazyRegex = LazyRegex::new(r"^\s*(`{3,}|~{3,})\s*\{\s*\.?([A-Za-z]+)([^}]*)");
/// Another engine than the chunk's first word: `{r, engine = "python"}`.
static ENGINE: LazyRegex = LazyRegex::new(r#"[\s,]engine\s*=\s*["']([A-Za-z]+)["']"#);
/// Chunks that are shown and not run, by their fence and by a line of their own.
static NOT_RUN: LazyRegex = LazyRegex::new(r"[\s,]eval\s*=\s*(?:FALSE|F|false)\b");
static NOT_RUN_LINE: LazyRegex = LazyRegex::new(r"^\s*(?:#|//|\*)\|\s*eval\s*[:=]\s*(?i:false|no|off|F)\s*$");
/// Code inside of a sentence: knitr's, Quarto's and Sweave's.
static INLINE: LazyRegex = LazyRegex::new(r"`(r|\{r\}|\{python\})\s+([^`]+)`|\\Sexpr\{([^}]*)\}");
static SWEAVE: LazyRegex = LazyRegex::new(r"^\s*<<.*>>=\s*$");
static INSTALL: LazyRegex = LazyRegex::new(
    r"^\s*[!%]+\s*(?:sudo\s+)?(?:(?:\{sys\.executable\}|py|[\w./-]*python[0-9.]*)\s+-m\s+)?(?:uv\s+)?(pip|conda|mamba)[0-9.]*\s+install\s+(.*)$",
);
static WORD: LazyRegex = LazyRegex::new(r#"(?:[^\s"']|"[^"]*"|'[^']*')+"#);

/// Options of installers whose value is the next word.
const WITH_VALUE: [&str; 13] = [
    "-r",
    "-c",
    "-i",
    "-f",
    "-t",
    "-n",
    "-p",
    "--requirement",
    "--constraint",
    "--index-url",
    "--extra-index-url",
    "--find-links",
    "--channel",
];

/// Code of one language in a document.
#[derive(Debug, PartialEq, Eq)]
pub struct CodePart {
    pub language: Language,
    /// Lines that are no code of this language are empty, so that numbers stay.
    pub text: String,
    /// The number of the notebook's cell.
    pub cell: Option<usize>,
    /// Packages that the cell installs.
    pub installs: Vec<InstalledWord>,
}

/// A package as a cell names it to an installer: `tabulate==0.8`.
#[derive(Debug, PartialEq, Eq)]
pub struct InstalledWord {
    pub text: String,
    /// Whether conda's channels have it, by their names.
    pub is_of_conda: bool,
}

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    metadata: NotebookMetadata,
    #[serde(default)]
    cells: Vec<NotebookCell>,
    #[serde(default)]
    worksheets: Vec<Worksheet>,
}

#[derive(Default, Deserialize)]
struct NotebookMetadata {
    #[serde(default)]
    kernelspec: KernelName,
    #[serde(default)]
    language_info: LanguageInfo,
}

#[derive(Default, Deserialize)]
struct KernelName {
    #[serde(default)]
    language: String,
    #[serde(default)]
    name: String,
}

#[derive(Default, Deserialize)]
struct LanguageInfo {
    #[serde(default)]
    name: String,
    #[serde(default)]
    version: String,
}

/// Cells of notebooks before the fourth format.
#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<NotebookCell>,
}

#[derive(Deserialize)]
struct NotebookCell {
    cell_type: String,
    #[serde(default, alias = "input")]
    source: CellSource,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CellSource {
    Lines(Vec<String>),
    Text(String),
}

impl Default for CellSource {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A notebook's code and what it says of its kernel.
#[derive(Debug)]
pub struct NotebookCode {
    pub parts: Vec<CodePart>,
    pub language: Option<Language>,
    /// The version of the kernel's language, as the notebook was last run.
    pub version: Option<String>,
}

/// Reads a notebook.
///
/// # Errors
/// A text that is no notebook.
pub fn notebook(text: &str) -> Result<NotebookCode, serde_json::Error> {
    let notebook: Notebook = serde_json::from_str(text)?;
    let known = &notebook.metadata;
    let names = [
        &known.kernelspec.language,
        &known.language_info.name,
        &known.kernelspec.name,
    ];
    let language = match names
        .iter()
        .find(|name| !name.is_empty())
        .map(|name| name.to_ascii_lowercase())
    {
        None => Some(Language::Python),
        Some(name) if name.starts_with("python") => Some(Language::Python),
        Some(name) if name == "r" || name == "ir" => Some(Language::R),
        Some(name) if name.starts_with("stata") => Some(Language::Stata),
        Some(_) => None,
    };
    let version = Some(known.language_info.version.clone()).filter(|version| !version.is_empty());
    let worksheets = notebook.worksheets.into_iter().flat_map(|sheet| sheet.cells);
    let cells = notebook.cells.into_iter().chain(worksheets).enumerate();
    let code = cells.filter(|(_, cell)| cell.cell_type == "code");
    let parts = code.filter_map(|(at, cell)| {
        let source = match cell.source {
            CellSource::Lines(lines) => lines.concat(),
            CellSource::Text(text) => text,
        };
        Some(cell_part(language?, at + 1, &source))
    });
    Ok(NotebookCode {
        parts: parts.collect(),
        language,
        version,
    })
}

/// The packages that a command of a shell installs.
pub fn shell_installs(command: &str) -> Vec<InstalledWord> {
    let parts = command.split("&&").flat_map(|part| part.split([';', '\n']));
    let of_part = |part: &str| {
        let line = format!("!{}", part.trim());
        let found = INSTALL.captures(&line)?;
        let is_of_conda = &found[1] != "pip";
        let words = installed(&found[2]).map(|text| InstalledWord { text, is_of_conda });
        Some(words.collect::<Vec<_>>())
    };
    parts.filter_map(of_part).flatten().collect()
}

/// Cells whose first line says that the rest is for a shell, or for another language.
const OF_SHELL: [&str; 5] = ["%%bash", "%%sh", "%%!", "%%cmd", "%%system"];
const OF_OTHERS: [&str; 8] = [
    "%%html",
    "%%javascript",
    "%%js",
    "%%latex",
    "%%markdown",
    "%%sql",
    "%%perl",
    "%%ruby",
];

/// A cell without the lines that are for the notebook itself.
fn cell_part(language: Language, cell: usize, source: &str) -> CodePart {
    let mut installs = Vec::new();
    let mut language = language;
    let mut text = String::new();
    let first = excerpt::first_line(source).trim();
    let begins = |magics: &[&str]| {
        magics
            .iter()
            .any(|magic| first.split_whitespace().next() == Some(magic))
    };
    if begins(&OF_SHELL) || begins(&OF_OTHERS) {
        if begins(&OF_SHELL) {
            installs = source.lines().flat_map(shell_installs).collect();
        }
        return CodePart {
            language,
            text: "\n".repeat(source.lines().count()),
            cell: Some(cell),
            installs,
        };
    }
    for (at, line) in source.lines().enumerate() {
        if at == 0 && line.trim_start().starts_with("%%R") {
            language = Language::R;
        } else if let Some(found) = INSTALL.captures(line) {
            let is_of_conda = &found[1] != "pip";
            installs.extend(installed(&found[2]).map(|text| InstalledWord { text, is_of_conda }));
        } else if !(language == Language::Python && line.trim_start().starts_with(['%', '!', '?'])) {
            text.push_str(line);
        }
        text.push('\n');
    }
    CodePart {
        language,
        text,
        cell: Some(cell),
        installs,
    }
}

/// The packages among an installer's words, up to the end of the command.
fn installed(words: &str) -> impl Iterator<Item = String> {
    let mut is_value = false;
    let words = WORD.find_iter(words).map(|word| word.as_str());
    let ends = |word: &&str| !matches!(*word, "&&" | "||" | "|" | ";" | "#") && !word.starts_with(['>', '#']);
    let packages: Vec<String> = words
        .take_while(ends)
        .filter(|word| {
            let is_option = word.starts_with('-');
            let is_package = !is_option && !std::mem::replace(&mut is_value, false);
            is_value |= WITH_VALUE.contains(word);
            is_package
        })
        .map(|word| word.replace(['"', '\''], "").trim_end_matches(';').to_owned())
        .filter(|word| !word.is_empty() && !word.starts_with("2>"))
        .collect();
    packages.into_iter()
}

/// An R Markdown, Quarto or Sweave document.
#[derive(Debug)]
pub struct DocumentCode {
    /// The code of its chunks, by language.
    pub parts: Vec<CodePart>,
    /// The engines of its fenced chunks, in small letters, also those of which no code is read.
    pub engines: BTreeSet<String>,
}

/// The code of a document, by language.
pub fn chunks(text: &str) -> Vec<CodePart> {
    document(text).parts
}

/// The chunks of a document.
pub fn document(text: &str) -> DocumentCode {
    let mut engines = BTreeSet::new();
    let mut r = String::new();
    let mut python = String::new();
    let mut stata = String::new();
    let mut open: Option<OpenChunk> = None;
    for line in text.lines() {
        let ends = open
            .as_ref()
            .is_some_and(|chunk| line.trim().starts_with(&chunk.end));
        if ends {
            open = None;
        } else if let Some(chunk) = &mut open {
            if NOT_RUN_LINE.is_match(line) {
                chunk.language = None;
            }
            match chunk.language {
                Some(Language::Python) => python.push_str(line),
                Some(Language::R) => r.push_str(line),
                Some(Language::Stata) => stata.push_str(line),
                Some(Language::Spss) | None => {}
            }
        } else if let Some(found) = FENCE.captures(line) {
            let engine = engine(&found);
            let language = match engine.as_str() {
                "r" => Some(Language::R),
                "python" => Some(Language::Python),
                "stata" => Some(Language::Stata),
                _ => None,
            };
            let is_run = !NOT_RUN.is_match(&found[3]);
            open = Some(OpenChunk {
                language: language.filter(|_| is_run),
                end: found[1].to_owned(),
            });
            engines.insert(engine);
        } else if SWEAVE.is_match(line) {
            open = Some(OpenChunk {
                language: Some(Language::R),
                end: "@".to_owned(),
            });
        } else {
            for found in INLINE.captures_iter(line) {
                let code = found.get(2).or(found.get(3)).map_or("", |code| code.as_str());
                let text = match found.get(1).map(|engine| engine.as_str()) {
                    Some("{python}") => &mut python,
                    _ => &mut r,
                };
                text.push_str(code);
                text.push(';');
            }
        }
        r.push('\n');
        python.push('\n');
        stata.push('\n');
    }
    let parts = [
        (Language::R, r),
        (Language::Python, python),
        (Language::Stata, stata),
    ];
    let parts = parts.into_iter().filter(|(_, text)| !text.trim().is_empty());
    let part = |(language, text)| CodePart {
        language,
        text,
        cell: None,
        installs: Vec::new(),
    };
    DocumentCode {
        parts: parts.map(part).collect(),
        engines,
    }
}

/// The engine of a chunk, in small letters.
fn engine(fence: &regex::Captures<'_>) -> String {
    let named = ENGINE.captures(&fence[3]).map(|found| found[1].to_owned());
    named.unwrap_or_else(|| fence[2].to_owned()).to_ascii_lowercase()
}

struct OpenChunk {
    language: Option<Language>,
    end: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_code_is_code_and_what_is_not_run_is_none() {
        let text = "Mean `r scales::comma(m)` and `r 1`, `{python} np.mean(x)`, `rm x`, `python`.\n\
                    ```{r, eval=FALSE}\nlibrary(shown)\n```\n\
                    ```{r}\n#| label: a\n#| eval: false\nlibrary(quarto)\n```\n\
                    ```{python}\n#| eval: false\nimport shown\n```\n\
                    ```{r eval = TRUE}\nlibrary(used)\n```\n\\Sexpr{stats::sd(x)}\n";
        let parts = chunks(text);
        let of = |language| {
            parts
                .iter()
                .find(|part| part.language == language)
                .map(|part| part.text.as_str())
        };
        let r = of(Language::R).unwrap();
        assert!(r.starts_with("scales::comma(m);1;\n"), "{r:?}");
        assert!(
            r.contains("library(used)") && r.contains("stats::sd(x);"),
            "{r:?}"
        );
        assert!(!r.contains("shown") && !r.contains("library(quarto)"), "{r:?}");
        assert_eq!(of(Language::Python).map(str::trim), Some("np.mean(x);"));
        assert_eq!(r.lines().nth(14).map(str::trim), Some("library(used)"));
    }

    #[test]
    fn notebooks_have_code_in_cells() {
        let text = r##"{"metadata": {"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"version": "3.7.4"}},
          "cells": [{"cell_type": "markdown", "source": ["import no"]},
                    {"cell_type": "code", "source": ["%matplotlib inline\n", "import pandas\n", "!pip install -q 'tabulate==0.8' lxml\n"], "outputs": []},
                    {"cell_type": "code", "source": "%%R\nlibrary(dplyr)"}]}"##;
        let read = notebook(text).unwrap();
        assert_eq!(read.version.as_deref(), Some("3.7.4"));
        assert_eq!(read.parts.len(), 2);
        assert_eq!(read.parts[0].text, "\nimport pandas\n\n");
        let words = |part: &CodePart| {
            part.installs
                .iter()
                .map(|one| one.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&read.parts[0]), ["tabulate==0.8", "lxml"]);
        let of = |line: &str| {
            let part = cell_part(Language::Python, 1, line);
            let all = part
                .installs
                .iter()
                .map(|one| format!("{}{}", one.text, if one.is_of_conda { " conda" } else { "" }));
            all.collect::<Vec<_>>()
        };
        assert_eq!(of("%pip install pandas==1.0.3  # fixed"), ["pandas==1.0.3"]);
        assert_eq!(
            of("!pip3 install 'pandas >= 1.0, <2' \"numpy\"==1.18.0 > /dev/null"),
            ["pandas >= 1.0, <2", "numpy==1.18.0"]
        );
        assert_eq!(
            of("!{sys.executable} -m pip install -U -r requirements.txt six==1.14 && ls"),
            ["six==1.14"]
        );
        assert_eq!(
            of("%%conda install -y -c conda-forge statsmodels=0.10"),
            ["statsmodels=0.10 conda"]
        );
        assert_eq!(
            of("!pip install -i http://x.example/simple"),
            Vec::<String>::new()
        );
        assert_eq!(of("print('!pip install x')"), Vec::<String>::new());
        assert_eq!(
            of("%%bash\nset -e\npip install six && pip3 install -q lxml==4.5 # why\nimport x"),
            ["six", "lxml==4.5"]
        );
        assert_eq!(of("!uv pip install six"), ["six"]);
        assert_eq!(of("%%capture\n!pip install six"), ["six"]);
        assert_eq!(
            cell_part(Language::Python, 1, "%%javascript\nimport x\n")
                .text
                .trim(),
            ""
        );
        assert_eq!(read.parts[0].cell, Some(2));
        assert_eq!(read.parts[1].language, Language::R);
        assert!(notebook("1").is_err() && notebook("{\"cells\": 1}").is_err());
        assert!(notebook(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).is_err());
    }

    #[test]
    fn documents_have_code_in_chunks() {
        let text = "---\ntitle: x\n---\nlibrary(no)\n```{r setup, include=FALSE}\nlibrary(lme4)\n```\n\
                    ```{python}\nimport numpy\n```\n```r\nlibrary(shown)\n```\n<<a>>=\nlibrary(plm)\n@\n";
        let parts = chunks(text);
        assert_eq!(parts[0].language, Language::R);
        let lines: Vec<&str> = parts[0].text.lines().collect();
        assert_eq!(
            (lines[5], lines[14], parts[0].text.trim().lines().count()),
            ("library(lme4)", "library(plm)", 10)
        );
        assert_eq!(parts[1].text.trim(), "import numpy");
        assert!(chunks("# only text").is_empty());
    }

    #[test]
    fn chunks_are_of_their_engine() {
        let text = "```{stata, engine.path=\"x\"}\nreghdfe y x\n```\n```{r, engine='python'}\nimport seaborn\n```\n\
                    ```{r a, echo=FALSE, engine = \"stata\"}\nesttab\n```\n~~~{julia}\n```{sas}\nusing DataFrames\n~~~\n\
                    ```{r, engine.opts='python'}\nlibrary(lme4)\n```\n```{r engine='Rcpp'}\nint x;\n```\n";
        let read: Vec<String> = (chunks(text).iter())
            .map(|part| format!("{} {}", part.language, excerpt::one_line(&part.text)))
            .collect();
        assert_eq!(
            read,
            [
                "R library(lme4)",
                "Python import seaborn",
                "Stata reghdfe y x esttab"
            ]
        );
        let engines: Vec<String> = document(text).engines.into_iter().collect();
        assert_eq!(engines, ["julia", "python", "r", "rcpp", "stata"]);
    }
}
