//! The program `uv` from the Python index, where the machine has none: one release, by its digest.

use std::fs;
use std::io::{self, Cursor, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::policy::Report;
use super::step::{BuildContext, FetchingProgram, Step};
use super::uv::{NoUv, Uv};
use crate::domain::digest::Digest;
use crate::sandbox::uv_release::UvRelease;

/// The largest wheel and the largest program, in bytes.
const WHEEL: u64 = 128 << 20;
const PROGRAM: u64 = 512 << 20;
/// Characters of pip's own words that are told.
const TOLD: usize = 200;
/// Runs the interpreter's own pip, out of an environment beside what it downloads.
const DOWNLOAD: &str = "\"$1\" -I -m venv \"$2/pip\" && exec \"$2/pip/bin/python\" -I -m pip download --no-deps \
    --only-binary=:all: --require-hashes --no-input --no-cache-dir --disable-pip-version-check --progress-bar=off \
    --dest \"$2\" --requirement \"$3\"";

/// The fault of a fetch.
#[derive(Debug, thiserror::Error)]
enum NotFetched {
    #[error("no release is known: {0}")]
    Release(#[from] toml::de::Error),
    #[error("no release is known for {0}")]
    Architecture(&'static str),
    #[error("{0}")]
    Build(String),
    #[error("pip: {0}")]
    Pip(String),
    #[error(transparent)]
    File(#[from] io::Error),
    #[error("its digest is {found}, not {wanted}")]
    Digest { found: String, wanted: String },
    #[error("its wheel cannot be read: {0}")]
    Wheel(#[from] zip::result::ZipError),
    #[error(transparent)]
    Unusable(#[from] NoUv),
}

/// The release in the cache, put there if it is not.
///
/// # Errors
/// An index without it, another content than is known, or a program that does not run here.
pub fn fetch(context: &BuildContext<'_>) -> Result<Uv, NoUv> {
    let version = UvRelease::known().map_or_else(|_| String::new(), |release| release.version);
    found_or_fetched(context).map_err(|why| NoUv::NotFetched {
        version,
        why: why.to_string(),
    })
}

fn found_or_fetched(context: &BuildContext<'_>) -> Result<Uv, NotFetched> {
    let release = UvRelease::known()?;
    let architecture = std::env::consts::ARCH;
    let digest = release
        .wheels
        .get(architecture)
        .ok_or(NotFetched::Architecture(architecture))?;
    let installers = context.shared.cache.join("installers");
    let folder = installers.join(format!("uv-{}-{architecture}", release.version));
    let program = folder.join("uv");
    if !program.is_file() {
        fs::create_dir_all(&folder)?;
        let wheel = download(context, &release.version, digest, &installers)?;
        let bytes = unpack(&wheel, &release.version, digest)?;
        // There whole or not at all, whoever else does the same.
        let mut draft = tempfile::NamedTempFile::new_in(&folder)?;
        io::Write::write_all(&mut draft, &bytes)?;
        draft
            .as_file()
            .set_permissions(fs::Permissions::from_mode(0o755))?;
        draft.as_file().sync_all()?;
        draft.persist(&program).map_err(|error| error.error)?;
        return Ok(Uv::check(context.shared, &program)?);
    }
    // It was held to its digest and tried when it came.
    Ok(Uv {
        program: program.canonicalize()?,
        version: release.version,
    })
}

/// The wheel's bytes, as pip finds them by the operator's settings.
fn download(
    context: &BuildContext<'_>,
    version: &str,
    digest: &str,
    installers: &Path,
) -> Result<Vec<u8>, NotFetched> {
    let folder = tempfile::Builder::new()
        .prefix(".draft-")
        .permissions(fs::Permissions::from_mode(0o755))
        .tempdir_in(installers)?;
    let pinned = folder.path().join("pinned.txt");
    fs::write(&pinned, format!("uv=={version} --hash=sha256:{digest}\n"))?;
    let text = |path: &Path| path.display().to_string();
    let python = text(&context.interpreter.executable);
    let command = [
        "/bin/sh",
        "-c",
        DOWNLOAD,
        "sh",
        &python,
        &text(folder.path()),
        &text(&pinned),
    ];
    let ended = context
        .run(&Step {
            command: &command.map(str::to_owned),
            folder: folder.path(),
            cache: None,
            reads: &[],
            fetches: Some(FetchingProgram::Pip),
        })
        .map_err(|failure| NotFetched::Build(failure.summary))?;
    if ended.report != Report::Exited(0) {
        let error = ended.log.iter().rev().find(|line| line.contains("ERROR"));
        let told = error.or(ended.log.last()).map_or("it failed", String::as_str);
        return Err(NotFetched::Pip(told.trim().escape_debug().take(TOLD).collect()));
    }
    let wheel = fs::read_dir(folder.path())?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "whl"))
        .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let mut bytes = Vec::new();
    fs::OpenOptions::new()
        .read(true)
        .custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK)
        .open(wheel)?
        .take(WHEEL)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The program out of a wheel whose digest is the one that is known.
fn unpack(wheel: &[u8], version: &str, digest: &str) -> Result<Vec<u8>, NotFetched> {
    let found = Digest::compute(wheel).hex();
    if found != digest {
        return Err(NotFetched::Digest {
            found,
            wanted: digest.to_owned(),
        });
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(wheel))?;
    let mut program = Vec::new();
    archive
        .by_name(&format!("uv-{version}.data/scripts/uv"))?
        .take(PROGRAM)
        .read_to_end(&mut program)?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_wheel_of_another_digest_is_refused_and_the_known_one_gives_the_program() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive
            .start_file(
                "uv-1.2.3.data/scripts/uv",
                zip::write::SimpleFileOptions::default(),
            )
            .unwrap();
        archive.write_all(b"the program").unwrap();
        let wheel = archive.finish().unwrap().into_inner();
        let digest = Digest::compute(&wheel).hex();
        assert_eq!(unpack(&wheel, "1.2.3", &digest).unwrap(), b"the program");
        assert!(matches!(
            unpack(&wheel, "9.9.9", &digest),
            Err(NotFetched::Wheel(_))
        ));
        let other = unpack(&wheel, "1.2.3", &"0".repeat(64)).unwrap_err().to_string();
        assert!(other.contains(&digest) && other.contains("0000"), "{other}");
    }

    #[test]
    fn the_release_is_pinned_for_both_architectures() {
        let release = UvRelease::known().unwrap();
        for architecture in ["x86_64", "aarch64"] {
            let digest = &release.wheels[architecture];
            assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
}
