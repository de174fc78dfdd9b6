//! The simple index of Python, asked for the versions of a day.

use futures::stream::{self, StreamExt as _};
use jiff::Timestamp;
use reqwest::Url;

use super::client::{HadBytes, IndexClient, WantedBytes};
use super::error::IndexError;
use crate::domain::excerpt;
use crate::environment::python_index::first_day::PinnedDay;
use crate::environment::python_index::page::{self, IndexPage};
use crate::environment::python_index::pick::PickedFile;
use crate::environment::python_index::release_choice::{CandidateReleases, ChosenRelease, ReleaseChoice};
use crate::environment::python_index::requirement::MetadataRequirements;
use crate::environment::python_index::resolution::{Resolution, ResolutionStep, RootPackage};
use crate::environment::python_index::wheel_directory::{FilePart, WheelFault, directory, metadata_entry};

const JSON: &str = "application/vnd.pypi.simple.v1+json";
const ANY: &str = "*/*";
/// Bytes of a page, of a wheel that is read whole, and of a metadata file.
const LARGEST_PAGE: usize = 128 << 20;
const LARGEST_WHEEL: usize = 256 << 20;
const LARGEST_METADATA: usize = 4 << 20;
/// Bytes of a wheel's end, in which its list of files mostly stands.
const TAIL: u64 = 96 << 10;
/// Requests at once.
const AT_ONCE: usize = 6;

/// An answer to a step.
enum StepAnswer {
    Page {
        name: String,
        page: Option<IndexPage>,
    },
    Metadata {
        file: String,
        metadata: MetadataRequirements,
    },
}

/// Asks for the versions that go together, under the release of Python for which the most packages have wheels;
/// `None` where there is no release.
///
/// # Errors
/// An index that does not answer, or without dates; nothing is kept then.
pub async fn resolve(
    client: &IndexClient<'_>,
    candidates: CandidateReleases,
    until: Timestamp,
    roots: Vec<RootPackage>,
) -> Result<Option<ChosenRelease>, IndexError> {
    let mut choice = ReleaseChoice::new(candidates);
    let mut known: Option<Resolution> = None;
    while let Some(target) = choice.next_release().cloned() {
        let mut resolution = match known.take() {
            Some(known) => known.with_target(target),
            None => Resolution::new(target, until, roots.clone()),
        };
        settle(client, &mut resolution).await?;
        choice.take(&resolution);
        known = Some(resolution);
    }
    Ok(choice.finish())
}

/// The instant at which the first file of each version came, of those that the index has with a date.
///
/// # Errors
/// An index that does not answer, or without dates.
pub async fn first_days(
    client: &IndexClient<'_>,
    pinned: &[(String, String)],
) -> Result<Vec<PinnedDay>, IndexError> {
    let mut pages = stream::iter(pinned.iter().map(|(name, version)| async move {
        let page = index_page(client, name).await?;
        Ok::<_, IndexError>(page.and_then(|page| PinnedDay::of(name, version, &page)))
    }))
    .buffered(AT_ONCE);
    let mut days = Vec::new();
    while let Some(day) = pages.next().await {
        days.extend(day?);
    }
    Ok(days)
}

async fn settle(client: &IndexClient<'_>, resolution: &mut Resolution) -> Result<(), IndexError> {
    loop {
        let steps = resolution.step();
        if steps.is_empty() {
            return Ok(());
        }
        let mut answers = stream::iter(steps.into_iter().map(|step| answer(client, step))).buffered(AT_ONCE);
        while let Some(answer) = answers.next().await {
            match answer? {
                StepAnswer::Page { name, page } => resolution.give_page(&name, page),
                StepAnswer::Metadata { file, metadata } => resolution.give_metadata(&file, metadata),
            }
        }
    }
}

async fn answer(client: &IndexClient<'_>, step: ResolutionStep) -> Result<StepAnswer, IndexError> {
    match step {
        ResolutionStep::Page(name) => {
            let page = index_page(client, &name).await?;
            Ok(StepAnswer::Page { name, page })
        }
        ResolutionStep::Metadata(picked) => {
            let text = metadata(client, &picked).await?;
            Ok(StepAnswer::Metadata {
                metadata: MetadataRequirements::parse(&text),
                file: picked.file.name,
            })
        }
    }
}

async fn index_page(client: &IndexClient<'_>, name: &str) -> Result<Option<IndexPage>, IndexError> {
    let url = client.below(&format!("{name}/"))?;
    let Some(had) = client.get(&url, JSON, WantedBytes::Whole, LARGEST_PAGE).await? else {
        return Ok(None);
    };
    if !had.content_type.contains("json") {
        return Err(IndexError::NoDates {
            address: url.to_string(),
            kind: excerpt::shortened(&had.content_type, 60),
        });
    }
    let mut page = page::parse(&had.bytes).map_err(|error| content(&url, error))?;
    for file in &mut page.files {
        // Addresses may be relative to the page; a digest behind them is another form of what is there.
        if let Ok(mut whole) = url.join(&file.url) {
            whole.set_fragment(None);
            file.url = whole.to_string();
        }
    }
    Ok(Some(page))
}

fn content(url: &Url, error: impl ToString) -> IndexError {
    IndexError::Content {
        address: url.to_string(),
        reason: error.to_string(),
    }
}

/// The metadata of a wheel: by itself where the index has it so, else out of the wheel.
async fn metadata(client: &IndexClient<'_>, picked: &PickedFile) -> Result<String, IndexError> {
    let url = client.below(&picked.file.url)?;
    if picked.file.has_metadata {
        let mut beside = url.clone();
        beside.set_path(&format!("{}.metadata", url.path()));
        if let Some(had) = client
            .get(&beside, ANY, WantedBytes::Whole, LARGEST_METADATA)
            .await?
        {
            return Ok(String::from_utf8_lossy(&had.bytes).into_owned());
        }
    }
    let tail = part(client, &url, WantedBytes::Last(TAIL)).await?;
    let fault = |fault: WheelFault| content(&url, fault);
    let list = directory(&tail.bytes, tail.length).map_err(fault)?;
    let list = bytes(client, &url, &tail, list).await?;
    let entry = metadata_entry(&list).map_err(fault)?;
    let content = bytes(client, &url, &tail, entry.part(tail.length)).await?;
    entry.text(&content).map_err(fault)
}

async fn part(client: &IndexClient<'_>, url: &Url, wanted: WantedBytes) -> Result<HadBytes, IndexError> {
    let had = client.get(url, ANY, wanted, LARGEST_WHEEL).await?;
    had.ok_or_else(|| content(url, "the index names this file, and it is not there"))
}

/// Bytes of a file, out of what is there already where they stand in it.
async fn bytes(
    client: &IndexClient<'_>,
    url: &Url,
    had: &HadBytes,
    wanted: FilePart,
) -> Result<Vec<u8>, IndexError> {
    if let Some(there) = slice(had, wanted) {
        return Ok(there.to_vec());
    }
    let more = part(client, url, WantedBytes::Part(wanted)).await?;
    let there = slice(&more, wanted).map(<[u8]>::to_vec);
    there.ok_or_else(|| content(url, "its server gives other bytes than were asked for"))
}

fn slice(had: &HadBytes, wanted: FilePart) -> Option<&[u8]> {
    let from = usize::try_from(wanted.from.checked_sub(had.from)?).ok()?;
    let to = usize::try_from(wanted.to.checked_sub(had.from)?).ok()?;
    had.bytes.get(from..to)
}
