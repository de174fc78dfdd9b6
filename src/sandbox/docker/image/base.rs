//! The image that an environment starts from: which may be used, which is here,
//! and fetching one that is not.

use bollard::errors::Error;
use bollard::query_parameters::{CreateImageOptionsBuilder, ListImagesOptions};
use futures::StreamExt as _;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::image_names::{PythonImage, familiar, not_had, of_time, release, was_not_had};
use super::stopped::{cancelled, silent, too_long};
use crate::domain::execution::{BuildFailure, EnvironmentSpec};
use crate::domain::lazy_regex::LazyRegex;
use crate::policy::glob::Glob;
use crate::sandbox::contract::Lines;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::{infrastructure, is_network, setup};

/// Repositories that an agent may start from, besides the operator's.
const FAMILIES: &[&str] = &["python", "r-base", "rocker/*", "debian", "ubuntu"];
/// The operator's images: patterns of names, separated by commas.
const SETTING: &str = "REPRISE_IMAGES";
/// What stands for no image at all.
const WITH_R: &[&str] = &["r-base:latest", "rocker/r-ver:latest", "rocker/r-ver:4.2.2"];
const WITH_PYTHON: &[&str] = &["python:3.11-slim", "python:3.12-slim"];
const WITH_NEITHER: &[&str] = &["debian:bookworm-slim"];

static NAME: LazyRegex = LazyRegex::new(
    r"^(?P<repository>[a-z0-9]+(?:[._:/-]{1,2}[a-z0-9]+)*?)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?P<digest>@sha256:[0-9a-f]{64})?$",
);

/// An image that is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseImage {
    /// The name it was asked for by.
    pub name: String,
    /// `sha256:` and 64 hexadecimal digits.
    pub id: String,
    /// The search path of its programs.
    pub path: String,
}

/// The search path of an image that sets none.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Fetching, and being told of it.
#[derive(Clone, Copy)]
pub struct Fetch<'a> {
    pub cancel: &'a CancellationToken,
    pub progress: Lines<'a>,
}

/// The image that a specification starts from; one that is not here is fetched.
///
/// # Errors
/// A setup failure that lists what can be used, where the agent named an image
/// that cannot be.
pub async fn base(
    daemon: &Daemon,
    settings: &DockerSettings,
    spec: &EnvironmentSpec,
    fetch: Fetch<'_>,
) -> Result<BaseImage, BuildFailure> {
    let allowed = Allowed::from_settings(settings)?;
    let Some(name) = spec.base_image.as_deref() else {
        return default(daemon, settings, spec, fetch).await;
    };
    let refuse = async |why: String| {
        let here = usable(daemon, &allowed).await.unwrap_or_default();
        let out = if here.is_empty() {
            "leave `base_image` empty".to_owned()
        } else {
            format!("use one of `{}`, or leave `base_image` empty", here.join("`, `"))
        };
        Err(setup(format!("{why}: {out}."), vec![shown(name)]))
    };
    if !allowed.allow(name) {
        return refuse(format!(
            "The base image `{}` is not one that may be used here",
            shown(name)
        ))
        .await;
    }
    if let Some(base) = inspect(daemon, name).await? {
        return Ok(base);
    }
    match pull(daemon, settings, name, fetch).await? {
        Pulled::Here(base) => Ok(base),
        Pulled::Missing(why) => {
            refuse(format!(
                "The base image `{}` is not on this machine, and {why}",
                shown(name)
            ))
            .await
        }
    }
}

/// The image for a specification that names none: that of the interpreter that is wanted, else the first that is
/// here.
async fn default(
    daemon: &Daemon,
    settings: &DockerSettings,
    spec: &EnvironmentSpec,
    fetch: Fetch<'_>,
) -> Result<BaseImage, BuildFailure> {
    let of_time = of_time(spec);
    for name in &of_time {
        if let Some(base) = inspect(daemon, name).await? {
            return Ok(base);
        }
    }
    if let Some(name) = of_time.first().filter(|name| !was_not_had(name)) {
        match pull(daemon, settings, name, fetch).await? {
            Pulled::Here(base) => return Ok(base),
            Pulled::Missing(_) => drop(not_had().insert(name.clone())),
        }
    }
    if let Some(base) = next_newer(daemon, spec).await? {
        return Ok(base);
    }
    let names = match (&spec.r, &spec.python) {
        (Some(_), _) => WITH_R,
        (None, Some(_)) => WITH_PYTHON,
        (None, None) => WITH_NEITHER,
    };
    for name in names {
        if let Some(base) = inspect(daemon, name).await? {
            return Ok(base);
        }
    }
    let first = names.first().copied().unwrap_or_default();
    match pull(daemon, settings, first, fetch).await? {
        Pulled::Here(base) => Ok(base),
        Pulled::Missing(why) => Err(infrastructure(
            format!(
                "The base image `{first}` is not on this machine, and {why}: load or build an image of that name, \
                 or name another one that is here as `base_image`."
            ),
            String::new(),
        )),
    }
}

/// The image of the next newer Python that is here.
async fn next_newer(daemon: &Daemon, spec: &EnvironmentSpec) -> Result<Option<BaseImage>, BuildFailure> {
    let wanted = spec.python_version.as_deref().filter(|_| spec.r.is_none());
    let Some(wanted) = wanted.and_then(release) else {
        return Ok(None);
    };
    let here = python_images(daemon).await?;
    match here.iter().find(|image| image.release > wanted) {
        Some(image) => inspect(daemon, &image.name).await,
        None => Ok(None),
    }
}

/// The images of Python that are here, of `python:3.N-slim` and `python:3.N`, the oldest release first.
async fn python_images(daemon: &Daemon) -> Result<Vec<PythonImage>, BuildFailure> {
    let images = daemon.client.list_images(None::<ListImagesOptions>).await;
    let images = images.map_err(broken)?.into_iter();
    let names = images.flat_map(|image| image.repo_tags);
    let mut here: Vec<PythonImage> = names.filter_map(|name| PythonImage::parse(&name)).collect();
    here.sort();
    Ok(here)
}

/// The releases of Python, such as `3.8`, that images are here for, the oldest first.
///
/// # Errors
/// A daemon that does not answer.
pub async fn python_releases(daemon: &Daemon) -> Result<Vec<String>, BuildFailure> {
    let here = python_images(daemon).await?;
    let mut releases: Vec<(u32, u32)> = here.into_iter().map(|image| image.release).collect();
    releases.dedup();
    let text = |(major, minor): (u32, u32)| format!("{major}.{minor}");
    Ok(releases.into_iter().map(text).collect())
}

/// The patterns of the base images that may be used.
struct Allowed(Vec<Glob>);

impl Allowed {
    fn from_settings(settings: &DockerSettings) -> Result<Self, BuildFailure> {
        let listed = settings.operator.get(SETTING).map_or("", String::as_str);
        FAMILIES
            .iter()
            .copied()
            .chain(listed.split(',').map(str::trim))
            .chain(settings.images.iter().map(String::as_str))
            .filter(|pattern| !pattern.is_empty())
            .map(Glob::parse)
            .collect::<Result<_, _>>()
            .map(Self)
            .map_err(|error| infrastructure(format!("The setting {SETTING}: {error}."), String::new()))
    }

    /// Whether the name is well formed, and its repository or the whole of it is listed.
    fn allow(&self, name: &str) -> bool {
        if name.len() > 300 {
            return false;
        }
        let Some(found) = NAME.captures(name) else {
            return false;
        };
        let repository = familiar(&found["repository"]);
        self.0
            .iter()
            .any(|glob| glob.matches(repository) || glob.matches(familiar(name)))
    }
}

/// A name from outside, fit for a message.
fn shown(name: &str) -> String {
    name.escape_debug().take(100).collect()
}

/// The images here that an agent may start from, by name.
///
/// # Errors
/// A list of allowed images that cannot be read, or a daemon that does not answer.
pub async fn present(daemon: &Daemon, settings: &DockerSettings) -> Result<Vec<String>, BuildFailure> {
    usable(daemon, &Allowed::from_settings(settings)?).await
}

/// The allowed images that are here, sorted.
async fn usable(daemon: &Daemon, allowed: &Allowed) -> Result<Vec<String>, BuildFailure> {
    let images = daemon
        .client
        .list_images(None::<ListImagesOptions>)
        .await
        .map_err(broken)?;
    let mut names: Vec<String> = images
        .into_iter()
        .flat_map(|image| image.repo_tags)
        .filter(|name| allowed.allow(name))
        .collect();
    names.sort();
    names.dedup();
    names.truncate(20);
    Ok(names)
}

/// The image, if it is here.
///
/// # Errors
/// A daemon that does not answer.
pub async fn inspect(daemon: &Daemon, name: &str) -> Result<Option<BaseImage>, BuildFailure> {
    let found = match daemon.client.inspect_image(name).await {
        Ok(found) => found,
        Err(Error::DockerResponseServerError { status_code: 404, .. }) => return Ok(None),
        Err(error) => return Err(broken(error)),
    };
    let path = found
        .config
        .and_then(|config| config.env)
        .unwrap_or_default()
        .iter()
        .find_map(|variable| variable.strip_prefix("PATH=").map(str::to_owned))
        .filter(|path| {
            path.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "/:._+-".contains(letter))
        })
        .unwrap_or_else(|| PATH.to_owned());
    let id = found.id.unwrap_or_default();
    Ok(id.starts_with("sha256:").then(|| BaseImage {
        name: name.to_owned(),
        id,
        path,
    }))
}

/// A daemon that did not do what it was asked.
pub fn broken(error: Error) -> BuildFailure {
    infrastructure(format!("The Docker daemon failed: {error}."), String::new())
}

/// An image that its registry was asked for.
enum Pulled {
    Here(BaseImage),
    Missing(MissingImage),
}

/// The error of a registry's image that could not be had.
#[derive(Debug, thiserror::Error)]
enum MissingImage {
    #[error("its registry cannot be reached")]
    OutOfReach,
    #[error("its registry does not have it")]
    Unknown,
    #[error("the registry did not deliver it")]
    Undelivered,
    #[error("it could not be pulled ({0})")]
    Refused(String),
}

/// Fetches an image.
async fn pull(
    daemon: &Daemon,
    settings: &DockerSettings,
    name: &str,
    fetch: Fetch<'_>,
) -> Result<Pulled, BuildFailure> {
    (fetch.progress)(&format!("Fetching the base image {name}."));
    // Without a tag every tag of the repository would be fetched.
    let tagged = NAME
        .captures(name)
        .is_some_and(|found| found.name("tag").is_some() || found.name("digest").is_some());
    let mut options = CreateImageOptionsBuilder::default().from_image(name);
    if !tagged {
        options = options.tag("latest");
    }
    let end = Instant::now() + settings.build;
    let mut steps = std::pin::pin!(daemon.client.create_image(Some(options.build()), None, None));
    let mut last = String::new();
    loop {
        let step = tokio::select! {
            () = fetch.cancel.cancelled() => return Err(cancelled(String::new())),
            step = timeout_at(end, timeout(settings.build_silence, steps.next())) => step,
        };
        let step = match step {
            Err(_) => return Err(too_long(settings.build, last)),
            Ok(Err(_)) => return Err(silent(settings.build_silence, last)),
            Ok(Ok(step)) => step,
        };
        match step {
            None => break,
            Some(Err(
                error @ (Error::DockerResponseServerError { .. } | Error::DockerStreamError { .. }),
            )) => return Ok(Pulled::Missing(reason(&error))),
            Some(Err(error)) => {
                return Err(infrastructure(
                    format!(
                        "The daemon did not pull the base image `{}`: {error}.",
                        shown(name)
                    ),
                    String::new(),
                ));
            }
            Some(Ok(step)) => {
                if let Some(why) = step.error_detail.and_then(|detail| detail.message) {
                    return Ok(Pulled::Missing(told(&why)));
                }
                let line = format!(
                    "{} {}",
                    step.id.unwrap_or_default(),
                    step.status.unwrap_or_default()
                );
                if line != last {
                    (fetch.progress)(line.trim());
                    last = line;
                }
            }
        }
    }
    Ok(match inspect(daemon, name).await? {
        Some(base) => Pulled::Here(base),
        None => Pulled::Missing(MissingImage::Undelivered),
    })
}

fn reason(error: &Error) -> MissingImage {
    match error {
        Error::DockerResponseServerError { message, .. } => told(message),
        Error::DockerStreamError { error } => told(error),
        other => told(&other.to_string()),
    }
}

fn told(message: &str) -> MissingImage {
    let network = [
        "no such host",
        "dial tcp",
        "i/o timeout",
        "connection refused",
        "TLS handshake",
        "context deadline exceeded",
        "Client.Timeout",
        "x509",
        "Forbidden",
        "EOF",
    ];
    if is_network(message) || network.iter().any(|word| message.contains(word)) {
        MissingImage::OutOfReach
    } else if [
        "not found",
        "manifest unknown",
        "does not exist",
        "denied",
        "unauthorized",
    ]
    .iter()
    .any(|word| message.contains(word))
    {
        MissingImage::Unknown
    } else {
        let message: String = message
            .chars()
            .filter(|letter| !letter.is_control())
            .take(200)
            .collect();
        MissingImage::Refused(message)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn allowed(images: &str) -> Allowed {
        let operator = BTreeMap::from([(SETTING.to_owned(), images.to_owned())]);
        Allowed::from_settings(&DockerSettings::new("/nowhere", operator)).unwrap()
    }

    #[test]
    fn families_and_the_operators_images_may_be_used_and_nothing_else() {
        let allowed = allowed("ghcr.io/lab/*, stata:18");
        for good in [
            "python:3.11-slim",
            "python",
            "docker.io/library/python:3.11",
            "rocker/verse",
            "rocker/r-ver:4.4.2",
            "debian:bookworm-slim",
            "ghcr.io/lab/tool:1",
            "stata:18",
            &format!("python@sha256:{}", "a".repeat(64)),
        ] {
            assert!(allowed.allow(good), "{good}");
        }
        for bad in [
            "alpine",
            "evil/python:3.11",
            "evil.example/python",
            "evil.example:5000/python:3.11",
            "rocker/verse/deeper",
            "stata:17",
            "ghcr.io/other/tool",
            "python:3.11 AS x",
            "python:3.11\nRUN id",
            "python:$(id)",
            "rocker/verse for R.",
            "",
            "scratch",
            "sha256:aaaa",
        ] {
            assert!(!allowed.allow(bad), "{bad}");
        }
    }

    #[test]
    fn a_registry_out_of_reach_is_told_from_one_without_the_image() {
        assert!(told("Get \"https://registry-1.docker.io/v2/\": dial tcp: lookup registry-1.docker.io: no such host").to_string().contains("reached"));
        assert!(
            told("manifest for python:9.9 not found: manifest unknown")
                .to_string()
                .contains("not have it")
        );
    }
}
