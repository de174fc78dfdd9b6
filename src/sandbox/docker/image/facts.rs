//! Versions of the packages in a finished image.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use bollard::errors::Error;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::DownloadFromContainerOptionsBuilder;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};

use super::layers::HOME;
use super::plan::ImagePlan;
use crate::sandbox::docker::container::ephemeral::EphemeralContainer;
use crate::sandbox::docker::container::hardening::{ConfinedBody, ContainerBounds, NOBODY};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;
use crate::sandbox::docker::settings::DockerSettings;

/// Bytes of the file of facts that are read: a package's own code may have written it.
const LARGEST: usize = 1 << 20;
/// Facts that are kept at most, and characters of each.
const MOST: usize = 2000;
const LONGEST: usize = 300;

/// The facts of an image, as they were read before.
#[derive(Serialize, Deserialize)]
struct Remembered {
    image: String,
    versions: BTreeMap<String, String>,
}

/// The versions in an image, from disk where they were read before.
pub async fn facts(
    daemon: &Daemon,
    settings: &DockerSettings,
    plan: &ImagePlan,
    image: &str,
) -> Result<BTreeMap<String, String>, Error> {
    let file = remembered(settings, plan);
    let known = fs::read(&file)
        .ok()
        .and_then(|text| serde_json::from_slice::<Remembered>(&text).ok())
        .filter(|known| known.image == image);
    if let Some(known) = known {
        return Ok(known.versions);
    }
    let versions = read(&download(daemon, image).await?);
    let remembered = Remembered {
        image: image.to_owned(),
        versions,
    };
    // It can be read again: a cache that cannot be written is no failure.
    let _ = serde_json::to_vec(&remembered).map(|text| fs::write(&file, text));
    Ok(remembered.versions)
}

fn remembered(settings: &DockerSettings, plan: &ImagePlan) -> PathBuf {
    settings
        .cache
        .join("builds")
        .join(format!("{}.json", plan.id.hex()))
}

/// A container that is never started: the file is read out of it.
fn body(image: &str) -> ConfinedBody {
    let given = ContainerCreateBody {
        image: Some(image.to_owned()),
        entrypoint: Some(vec!["/bin/true".to_owned()]),
        labels: Some(labels::shared()),
        ..ContainerCreateBody::default()
    };
    let bounds = ContainerBounds {
        memory: Some(64 << 20),
        processes: Some(16),
    };
    ConfinedBody::new(given, NOBODY, bounds)
}

/// The file of facts as the archive that the daemon sends; cut where it is too large.
async fn download(daemon: &Daemon, image: &str) -> Result<Vec<u8>, Error> {
    let container = EphemeralContainer::create(daemon, None, body(image)).await?;
    let options = DownloadFromContainerOptionsBuilder::default()
        .path(&format!("{HOME}/record/facts"))
        .build();
    let mut parts = std::pin::pin!(
        daemon
            .client
            .download_from_container(container.id(), Some(options))
    );
    let mut archive = Vec::new();
    while let Some(part) = parts.next().await {
        archive.extend_from_slice(&part?);
        if archive.len() > LARGEST {
            break;
        }
    }
    // What is still there is found by its label later.
    let _ = container.remove().await;
    Ok(archive)
}

/// Names and values, one a line with a tab between, of the regular file in an archive.
fn read(archive: &[u8]) -> BTreeMap<String, String> {
    let mut text = Vec::new();
    if let Ok(mut entries) = tar::Archive::new(archive).entries()
        && let Some(Ok(entry)) = entries.next()
        && entry.header().entry_type().is_file()
    {
        let _ = entry.take(LARGEST as u64).read_to_end(&mut text);
    }
    let short = |text: &str| -> String {
        text.chars()
            .filter(|letter| !letter.is_control())
            .take(LONGEST)
            .collect()
    };
    String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .take(MOST)
        .map(|(name, value)| (short(name), short(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::docker::container::hardening::tests::assert_hardened;

    #[test]
    fn the_container_of_the_facts_is_hardened() {
        assert_hardened(body("image"));
    }

    #[test]
    fn only_a_regular_file_is_read() {
        let make = |kind: tar::EntryType| {
            let mut archive = tar::Builder::new(Vec::new());
            let text = b"python\t3.11.2\nR: lme4 from\tDebian\x1b[31m package\nno tab\n";
            let mut header = tar::Header::new_ustar();
            header.set_entry_type(kind);
            header.set_size(text.len() as u64);
            header.set_cksum();
            archive.append_data(&mut header, "facts", &text[..]).unwrap();
            archive.into_inner().unwrap()
        };
        let facts = read(&make(tar::EntryType::Regular));
        assert_eq!(facts["python"], "3.11.2");
        assert_eq!(facts["R: lme4 from"], "Debian[31m package");
        assert_eq!(facts.len(), 2);
        assert!(read(&make(tar::EntryType::Symlink)).is_empty());
        assert!(read(b"no archive").is_empty());
    }
}
