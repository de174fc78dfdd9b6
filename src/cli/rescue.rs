//! `reprise env rescue`.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use serde::Serialize;

use crate::domain::rescue::{Basis, KnownFault, Mend, Risk};
use crate::environment::rescue::document::{self, DocumentError};
use crate::environment::rescue::find::{self, Evidence};
use crate::environment::rescue::propose::{self, Terms};
use crate::environment::rescue::script::Script;
use crate::environment::rescue::shim;
use crate::environment::rescue::table::Table;
use crate::environment::rescue::version::Version;
use crate::tools::diff;

use super::exit::{Failure, Status};
use super::output::{Printer, one_line, paint, styled};

/// The largest script or log that is read, in bytes.
const LARGEST: u64 = 16 << 20;
/// Files beside a script that are looked at for paths, and how deep they may lie.
const FILES: usize = 5_000;
const DEPTH: usize = 6;

#[derive(Debug, Args)]
#[command(after_help = "\
FILE is a script of Python (.py), R (.R), Stata (.do) or SPSS (.sps), a document (.Rmd, .qmd, .Rnw) or a notebook \
(.ipynb). Without --log, what the scripts themselves show \
is shown; with it, also what the message means. Two repairs are made, which --diff shows and --write writes: paths of \
another machine that can only mean one file here, and `library()` lines that are missing. Other faults are shown with \
their cause and advice; 2to3 and pyupgrade rewrite old Python.

The exit code is 0 where nothing is found or with --diff, --write and --r3-shim, and 1 where something is.

Examples:
  reprise env rescue analysis.py --log output.txt
  Rscript old.R 2>&1 | reprise env rescue old.R --log - --diff
  reprise env rescue code/*.R --interpreter 4.2 --json
  reprise env rescue --r3-shim > r3.R && R_PROFILE_USER=r3.R Rscript old.R")]
pub struct RescueArgs {
    /// The scripts.
    #[arg(required_unless_present = "r3_shim")]
    pub files: Vec<PathBuf>,
    /// What the command printed, both streams; `-` reads standard input.
    #[arg(long, value_name = "LOG")]
    pub log: Option<PathBuf>,
    /// The interpreter's release, such as 3.11; without it, the script is held against every release.
    #[arg(long, value_name = "RELEASE")]
    pub interpreter: Option<String>,
    /// Where the scripts run, for paths of data [default: each script's own folder].
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    #[arg(long, hide = true)]
    pub may_change: bool,
    /// Show the repairs as a difference.
    #[arg(long, conflicts_with = "write")]
    pub diff: bool,
    /// Write the repaired scripts, each next to a copy of the old one (`NAME.before-rescue`).
    #[arg(long)]
    pub write: bool,
    /// Print R's profile with the defaults of before R 4.0 and 3.6.
    #[arg(long, conflicts_with_all = ["files", "log", "diff", "write", "json"])]
    pub r3_shim: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A script with what was found in it.
#[derive(Serialize)]
struct RescuedScript {
    file: String,
    findings: Vec<KnownFault>,
    repairs: Vec<Mend>,
    /// Repairs that have no place in the file: those of a notebook, and those that add lines to a document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmade: Vec<Mend>,
    /// The difference that the repairs make; empty where there are none.
    diff: String,
    #[serde(skip)]
    path: PathBuf,
    /// How its bytes are letters.
    #[serde(skip)]
    encoding: &'static Encoding,
    #[serde(skip)]
    before: String,
    #[serde(skip)]
    after: String,
}

#[derive(Serialize)]
struct RescueReport<'a> {
    format: &'static str,
    table: u32,
    scripts: &'a [RescuedScript],
}

/// Prints what is wrong with scripts that are older than their interpreter, and repairs paths and `library()` lines.
///
/// # Errors
/// A script or log that cannot be read, whose language is not known, or that cannot be written.
pub fn rescue(printer: Printer, args: &RescueArgs) -> Result<Status, Failure> {
    if args.r3_shim {
        printer.raw(shim::R3_SHIM);
        return Ok(Status::Done);
    }
    if args.may_change {
        return Err(Failure::usage(
            "--may-change is gone: follow the advice by hand, or use 2to3 or pyupgrade for Python and an R of the \
             time (`reprise env`)",
        ));
    }
    let table = Table::embedded().map_err(|error| Failure::usage(error.to_string()))?;
    let interpreter: Option<Version> = (args.interpreter.as_deref())
        .map(str::parse)
        .transpose()
        .map_err(|error| Failure::usage(format!("--interpreter: {error}")))?;
    let log = match &args.log {
        Some(log) => String::from_utf8_lossy(&bytes(log)?).into_owned(),
        None => String::new(),
    };
    let mut scripts = Vec::new();
    for file in &args.files {
        scripts.push(rescued(table, file, &log, interpreter.as_ref(), args)?);
    }
    if args.write {
        for script in scripts.iter().filter(|script| !script.repairs.is_empty()) {
            write(script)?;
        }
    }
    if args.json {
        printer.json(&RescueReport {
            format: "reprise-rescue/2",
            table: table.version,
            scripts: &scripts,
        })?;
    } else {
        for script in &scripts {
            tell(printer, script, args);
        }
    }
    let found = scripts.iter().any(|script| !script.findings.is_empty());
    Ok(if found && !args.diff && !args.write {
        Status::Differs
    } else {
        Status::Done
    })
}

fn rescued(
    table: &Table,
    file: &Path,
    log: &str,
    interpreter: Option<&Version>,
    args: &RescueArgs,
) -> Result<RescuedScript, Failure> {
    let name = file.display().to_string();
    let refused = |error: DocumentError| Failure::usage(format!("{name}: {error}"));
    document::read(&name, "").or_else(|error| match error {
        DocumentError::Unknown => Err(refused(error)),
        _ => Ok(Vec::new()),
    })?;
    let (text, encoding) = letters(bytes(file)?);
    let folder = match (&args.folder, file.parent()) {
        (Some(folder), _) => folder.clone(),
        (None, Some(parent)) if parent != Path::new("") => parent.to_owned(),
        (None, _) => PathBuf::from("."),
    };
    let mut script = RescuedScript {
        file: name.clone(),
        findings: Vec::new(),
        repairs: Vec::new(),
        unmade: Vec::new(),
        diff: String::new(),
        path: file.to_owned(),
        encoding,
        before: text.clone(),
        after: text,
    };
    let languages = document::read(&name, &script.before).map_err(refused)?.len();
    for part in 0..languages {
        // Repairs of one language have left every other's as it was.
        let code = document::read(&name, &script.after).map_err(refused)?;
        let Some(code) = code.get(part) else { break };
        let text = Script {
            path: &name,
            text: &code.text,
        };
        let mut findings = find::find(
            table,
            Evidence {
                language: code.language,
                interpreter,
                printed: log,
                script: Some(text),
                installed: &[],
            },
        );
        let terms = Terms {
            language: code.language,
            most: Risk::MayChange,
            files: &files_below(&folder),
        };
        let proposal = propose::propose(table, text, &findings, terms);
        match code.put_back(&script.after, &proposal.text) {
            Some(after) => {
                script.after = after;
                script.repairs.extend(proposal.mends);
            }
            None => script.unmade.extend(proposal.mends),
        }
        findings.iter_mut().for_each(|fault| code.place(fault));
        script.findings.extend(findings);
    }
    script.diff = diff::unified(&name, &script.before, &script.after);
    Ok(script)
}

fn tell(printer: Printer, script: &RescuedScript, args: &RescueArgs) {
    if args.diff {
        printer.raw(&script.diff);
        return;
    }
    let name = one_line(&script.file);
    if script.findings.is_empty() {
        printer.line(format!("{name}: nothing that the table knows"));
    }
    for finding in &script.findings {
        let cell = finding
            .cell
            .map_or_else(String::new, |cell| format!(":cell {cell}"));
        let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
        let place = format!("{cell}{line}");
        let style = match finding.risk {
            Risk::None => paint::GOOD,
            Risk::MayChange => paint::WARN,
            Risk::Changes => paint::BAD,
        };
        printer.line(format!(
            "{name}{place}: {} ({}, {})",
            one_line(&finding.cause),
            finding.id,
            finding.since
        ));
        let shown = match finding.basis {
            Basis::Message => "printed",
            Basis::Script => "written",
        };
        printer.line(format!("  {shown}: {}", one_line(&finding.shown)));
        printer.line(format!("  mend: {}", one_line(&finding.mend)));
        printer.line(format!("  this mend {}", styled(style, finding.risk)));
    }
    if !script.unmade.is_empty() {
        let names: Vec<&str> = script.unmade.iter().map(|mend| mend.id.as_str()).collect();
        printer.line(format!(
            "{name}: to be made by hand, since notebooks are not written and documents get no further lines: {}",
            names.join(", ")
        ));
    }
    if !script.repairs.is_empty() {
        let names: Vec<&str> = script.repairs.iter().map(|mend| mend.id.as_str()).collect();
        let done = if args.write {
            "repaired; the old text is next to it"
        } else {
            "repairs (--diff shows them, --write makes them)"
        };
        printer.line(format!("{name}: {done}: {}", names.join(", ")));
    }
}

/// Writes a repaired script as it was encoded, and the old file next to it, byte for byte.
fn write(script: &RescuedScript) -> Result<(), Failure> {
    let name = script.path.display();
    if script.path.is_symlink() {
        return Err(Failure::usage(format!(
            "{name} is a link, and what it leads to may be elsewhere: name that file"
        )));
    }
    let (mended, _, is_lossy) = script.encoding.encode(&script.after);
    if is_lossy {
        return Err(Failure::usage(format!(
            "{name} is written in {}, which has no letters for the mended text: write it as UTF-8 first",
            script.encoding.name()
        )));
    }
    let mut name = script.path.as_os_str().to_owned();
    name.push(".before-rescue");
    let copy = PathBuf::from(name);
    let failed = |path: &Path, error: std::io::Error| {
        Failure::usage(format!("{} cannot be written: {error}", path.display()))
    };
    if copy.exists() {
        return Err(Failure::usage(format!(
            "{} exists: an earlier mend wrote it; move it away first",
            copy.display()
        )));
    }
    fs::copy(&script.path, &copy).map_err(|error| failed(&copy, error))?;
    fs::write(&script.path, &mended).map_err(|error| failed(&script.path, error))
}

/// The files below a folder, relative to it, sorted; links are not followed.
fn files_below(folder: &Path) -> Vec<String> {
    let mut files: Vec<String> = walkdir::WalkDir::new(folder)
        .max_depth(DEPTH)
        .into_iter()
        .filter_entry(|entry| !entry.file_name().to_string_lossy().starts_with('.') || entry.depth() == 0)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .take(FILES)
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(folder).ok()?;
            Some(path.to_str()?.replace('\\', "/"))
        })
        .collect();
    files.sort();
    files
}

/// Bytes as letters: UTF-8, else Windows-1252, of which each byte is one.
fn letters(bytes: Vec<u8>) -> (String, &'static Encoding) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, UTF_8),
        Err(error) => {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(error.as_bytes());
            (text.into_owned(), WINDOWS_1252)
        }
    }
}

/// A file, or standard input.
fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let named = |error: std::io::Error| Failure::usage(format!("{} cannot be read: {error}", path.display()));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(named)?;
    } else {
        fs::File::open(path)
            .map_err(named)?
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(named)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!(
            "{} is larger than {} MB: give the part of it that tells the error",
            path.display(),
            LARGEST >> 20
        )));
    }
    Ok(bytes)
}
