//! A CRAN-like archive, asked for the versions of a day.

use jiff::Timestamp;
use reqwest::Url;

use super::addresses::IndexAddress;
use super::client::{IndexClient, WantedBytes};
use super::error::IndexError;
use crate::environment::python_index::wheel_directory::FilePart;
use crate::environment::r_archive::description::parse;
use crate::environment::r_archive::resolution::{RResolution, RRoot, ResolvedR};
use crate::environment::r_archive::snapshot;
use crate::environment::r_archive::tables::ArchiveTables;
use crate::environment::r_archive::tarball::description;

const ANY: &str = "*/*";
/// Bytes of a table, and of a source package whose head is read.
const LARGEST_TABLE: usize = 128 << 20;
const LARGEST_PACKAGE: usize = 256 << 20;
/// Bytes of a package's head at first; a `DESCRIPTION` mostly stands in them.
const HEAD: u64 = 64 << 10;

/// Asks for the versions of a day.
///
/// # Errors
/// An archive that does not answer, or whose tables cannot be read; nothing is kept then.
pub async fn resolve(
    client: &IndexClient<'_>,
    address: &IndexAddress,
    until: Timestamp,
    roots: Vec<RRoot>,
) -> Result<ResolvedR, IndexError> {
    let mut tables = ArchiveTables::default();
    let mut known = Vec::new();
    if address.is_snapshot {
        let url = client.below("src/contrib/PACKAGES")?;
        let text = table(client, &url).await?;
        known = snapshot::read(&String::from_utf8_lossy(&text), &mut tables);
    } else {
        let archive = client.below("src/contrib/Meta/archive.rds")?;
        let file = table(client, &archive).await?;
        tables
            .add_archive(&file)
            .map_err(|fault| content(&archive, fault))?;
        let current = client.below("src/contrib/Meta/current.rds")?;
        let file = table(client, &current).await?;
        tables
            .add_current(&file)
            .map_err(|fault| content(&current, fault))?;
    }
    let mut resolution = RResolution::new(&tables, until, roots);
    for snapshot::SnapshotPackage { path, description } in known {
        resolution.give(&path, description);
    }
    while let Some(wanted) = resolution.step() {
        let url = client.below(&format!("src/contrib/{}", wanted.path))?;
        let text = head(client, &url, wanted.size).await?;
        resolution.give(&wanted.path, parse(&text));
    }
    Ok(resolution.finish())
}

fn content(url: &Url, error: impl ToString) -> IndexError {
    IndexError::Content {
        address: url.to_string(),
        reason: error.to_string(),
    }
}

async fn table(client: &IndexClient<'_>, url: &Url) -> Result<Vec<u8>, IndexError> {
    let had = client.get(url, ANY, WantedBytes::Whole, LARGEST_TABLE).await?;
    let had = had.ok_or_else(|| {
        content(
            url,
            "the archive has no such table, so that nothing can be told by date: name another with `--cran`",
        )
    })?;
    Ok(had.bytes)
}

/// The `DESCRIPTION` of a package, from as little of its head as holds it.
async fn head(client: &IndexClient<'_>, url: &Url, size: Option<u64>) -> Result<String, IndexError> {
    let mut length = HEAD;
    loop {
        let is_whole = size.is_some_and(|size| length >= size) || length > LARGEST_PACKAGE as u64;
        let wanted = match is_whole {
            true => WantedBytes::Whole,
            false => WantedBytes::Part(FilePart { from: 0, to: length }),
        };
        let had = client.get(url, ANY, wanted, LARGEST_PACKAGE).await?;
        let had =
            had.ok_or_else(|| content(url, "the archive's table names this file, and it is not there"))?;
        if let Some(text) = description(&had.bytes) {
            return Ok(text);
        }
        if is_whole || had.bytes.len() as u64 >= had.length {
            return Err(content(url, "it holds no DESCRIPTION that can be read"));
        }
        length *= 8;
    }
}
