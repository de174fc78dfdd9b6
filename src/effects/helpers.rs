//! The programs that the engine stages beside an agent's code, read-only.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::catalog::criterion_page::criterion_page;
use crate::domain::digest::Digest;
use crate::domain::execution::Tier;
use crate::domain::r_defaults::RDefaults;
use crate::domain::result_line;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::rescue::shim;
use crate::policy::subject::CodeFile;
use crate::sandbox::contract::INSIDE;

/// The folder of the workspace that holds them.
pub const FOLDER: &str = "helpers";

/// Each with its content.
const FILES: [(&str, &str); 2] = [
    ("reprise.py", include_str!("../../helpers/reprise.py")),
    ("reprise.R", include_str!("../../helpers/reprise.R")),
];

/// The recorder's manual, for the author of the code; it is not code itself.
const MANUAL: &str = include_str!("../../helpers/reprise.md");

/// The profile of R with the defaults of its third series.
const R3_SHIM: &str = "r3-shim.R";

/// Each that a run has, with its content.
fn files<'a>(session: &Session) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let shim = session.state.r_defaults();
    let shim = shim.map(|RDefaults::Three| (R3_SHIM, shim::R3_SHIM));
    FILES.into_iter().chain(shim)
}

/// Puts the helpers into the workspace of a run whose format has them; what is
/// there already stays, what was changed is put right.
///
/// # Errors
/// A helper that cannot be written into the workspace.
pub fn stage(session: &Session) -> Result<(), EngineError> {
    if !has_helpers(session) {
        return Ok(());
    }
    let folder = session.folder.workspace().join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| EngineError::io(&folder, error))?;
    let criterion = criterion_page();
    let pages = [("reprise.md", MANUAL), ("criterion.md", &*criterion)];
    for (name, content) in files(session).chain(pages) {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|found| found == content.as_bytes()) {
            continue;
        }
        atomic_file::replace(&path, content.as_bytes(), &session.folder.partial())?;
        fs::set_permissions(&path, Permissions::from_mode(0o444))
            .map_err(|error| EngineError::io(&path, error))?;
    }
    Ok(())
}

/// The helpers as an approval covers them.
///
/// # Errors
/// Never, as long as the helpers' names are those of a workspace.
pub fn code_files(session: &Session) -> Result<Vec<CodeFile>, EngineError> {
    if !has_helpers(session) {
        return Ok(Vec::new());
    }
    files(session)
        .map(|(name, content)| {
            Ok(CodeFile {
                path: path(name)?,
                digest: Digest::compute(content),
                size: content.len() as u64,
                executable: false,
            })
        })
        .collect()
}

/// The variables by which code finds the helpers and the results file.
pub fn variables(session: &Session, workspace: &Path, tier: Tier) -> BTreeMap<String, String> {
    if has_helpers(session) {
        paths(workspace, tier, session.state.r_defaults())
    } else {
        BTreeMap::new()
    }
}

/// The same for any workspace that holds them.
pub fn paths(workspace: &Path, tier: Tier, r_defaults: Option<RDefaults>) -> BTreeMap<String, String> {
    let root = match tier {
        Tier::Docker | Tier::Namespaces => INSIDE.to_owned(),
        Tier::Landlock => workspace.display().to_string(),
    };
    let profile = r_defaults.map(|RDefaults::Three| {
        let shim = format!("{root}/{FOLDER}/{R3_SHIM}");
        ("R_PROFILE_USER".to_owned(), shim)
    });
    let all = [
        ("PYTHONPATH".to_owned(), format!("{root}/{FOLDER}")),
        (
            "REPRISE_RESULTS".to_owned(),
            format!("{root}/{}", result_line::FILE),
        ),
    ];
    all.into_iter().chain(profile).collect()
}

/// Empties the results file, so that only what the next execution writes counts.
///
/// # Errors
/// A file that is there and cannot be removed.
pub fn clear_results(session: &Session) -> Result<(), EngineError> {
    if !has_helpers(session) {
        return Ok(());
    }
    let path = path_of_results()?.below(&session.folder.workspace());
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EngineError::io(&path, error)),
        _ => Ok(()),
    }
}

fn has_helpers(session: &Session) -> bool {
    session
        .state
        .started
        .as_ref()
        .is_some_and(|started| started.format >= 2)
}

fn path(name: &str) -> Result<WorkspacePath, EngineError> {
    format!("{FOLDER}/{name}")
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))
}

fn path_of_results() -> Result<WorkspacePath, EngineError> {
    result_line::FILE
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))
}
