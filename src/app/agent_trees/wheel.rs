//! The unpacking of a wheel into a folder that Python looks for modules in.
//!
//! Modules stand at the top of a wheel, or below `purelib` and `platlib` of its `.data` folder; scripts, headers and
//! data files there are for installers, and are left out.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;
use zip::read::ZipFile;

use super::error::AgentTreeError;
use crate::capsule::archive::limits::ArchiveLimits;

/// The count of what a wheel held.
pub(super) struct UnpackedWheel {
    /// Files.
    pub count: u64,
    pub bytes: u64,
}

/// The limits for a further wheel, behind files that are there.
pub(super) fn limits_left(limits: ArchiveLimits, count: u64, bytes: u64) -> ArchiveLimits {
    ArchiveLimits {
        entries: limits.entries.saturating_sub(count),
        bytes: limits.bytes.saturating_sub(bytes),
        ..limits
    }
}

/// Unpacks a wheel. A file that another wheel has as well is the later one's.
///
/// # Errors
/// A file that is no wheel, whose names lead out, or that unpacks to too much; or a disk that cannot be written.
pub(super) fn unpack(
    wheel: &Path,
    folder: &Path,
    limits: ArchiveLimits,
) -> Result<UnpackedWheel, AgentTreeError> {
    let refuse = |why: String| AgentTreeError::Wheel {
        wheel: wheel
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        why,
    };
    let file = File::open(wheel).map_err(AgentTreeError::disk(wheel))?;
    let packed = file.metadata().map_err(AgentTreeError::disk(wheel))?.len();
    let most = limits
        .bytes
        .min(limits.ratio_from.max(packed.saturating_mul(limits.ratio)));
    let mut archive = ZipArchive::new(file).map_err(|error| refuse(error.to_string()))?;
    if archive.len() as u64 > limits.entries {
        return Err(refuse("it has too many entries".to_owned()));
    }
    let mut unpacked = UnpackedWheel { count: 0, bytes: 0 };
    for index in 0..archive.len() {
        let mut entry = archive
            .by_index(index)
            .map_err(|error| refuse(error.to_string()))?;
        let Some(place) = place(&entry).map_err(refuse)? else {
            continue;
        };
        let left = limits.file_bytes.min(most - unpacked.bytes);
        let written = write(&mut entry, &folder.join(&place), left);
        let written = written.map_err(AgentTreeError::disk(&folder.join(&place)))?;
        let written = written.ok_or_else(|| refuse("it unpacks to too much".to_owned()))?;
        unpacked.count += 1;
        unpacked.bytes += written;
    }
    Ok(unpacked)
}

/// The place of an entry's file; `None` of a folder, and of what is for installers.
fn place<R: io::Read>(entry: &ZipFile<'_, R>) -> Result<Option<PathBuf>, String> {
    if entry.is_dir() {
        return Ok(None);
    }
    let name = entry.name().map_err(|error| error.to_string())?;
    if entry.is_symlink() {
        return Err(format!("`{}` is a symbolic link", name.escape_debug()));
    }
    let path = Path::new(name.as_ref());
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_empty = path.components().next().is_none();
    if name.contains(['\\', '\0']) || is_empty || !path.components().all(is_plain) {
        return Err(format!("`{}` leads out of it", name.escape_debug()));
    }
    Ok(in_folder(path))
}

/// The path of a module's file below the folder.
fn in_folder(path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    let first = parts.next()?.as_os_str().to_str()?;
    if !first.ends_with(".data") {
        return Some(path.to_owned());
    }
    let kind = parts.next()?.as_os_str().to_str()?;
    let below = parts.as_path();
    (matches!(kind, "purelib" | "platlib") && below.components().next().is_some()).then(|| below.to_owned())
}

/// Writes an entry's file of at most so many bytes; `None` of a larger one.
fn write<R: io::Read>(entry: &mut ZipFile<'_, R>, path: &Path, most: u64) -> io::Result<Option<u64>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let is_executable = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0);
    let mut file = File::create(path)?;
    let written = io::copy(&mut entry.take(most.saturating_add(1)), &mut file)?;
    let mode = if is_executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    Ok((written <= most).then_some(written))
}
