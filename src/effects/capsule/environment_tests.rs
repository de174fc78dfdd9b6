//! Requests to a sandbox for a capsule.

use std::fs;
use std::path::Path;

use super::*;
use crate::capsule::layout::level::Layout;
use crate::capsule::task_file::CapsuleId;
use crate::engine::request::LostSession;

const DOCKERFILE: &str = "FROM registry.codeocean.com/codeocean/py-r:python3.8.12-R4.1.0-ubuntu20.04\n\
    RUN apt-get install -y git 'bad name'\n\
    RUN pip install Six==1.16.0 'numpy=1' -r requirements.txt\n\
    RUN R -e 'remotes::install_version(\"lme4\", \"~> 1.1\"); install.packages(\"zoo\")'\n\
    COPY x /x\n";

fn capsule(folder: &Path, dockerfile: &str) {
    fs::create_dir_all(folder.join("environment")).unwrap();
    fs::write(folder.join("environment/Dockerfile"), dockerfile).unwrap();
    fs::write(folder.join("environment/requirements.txt"), "tqdm==4\n").unwrap();
}

fn request(source: &Path, level: Level, images: &[(&str, &str)]) -> CapsuleRequest {
    let images = images
        .iter()
        .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()));
    CapsuleRequest {
        tasks: "task.json".to_owned(),
        id: CapsuleId::parse("capsule-0000001").unwrap(),
        source: source.to_owned(),
        level,
        layout: Layout::Original,
        hosts: Vec::new(),
        base_images: images.collect(),
        lost_session: LostSession::default(),
        agent: None,
        beneath: None,
    }
}

#[test]
fn the_published_environment_is_asked_for_at_medium_and_without_a_network() {
    let place = tempfile::tempdir().unwrap();
    capsule(place.path(), DOCKERFILE);
    let python = CodeLanguage::Python;
    let of = |level, tier| wanted(&request(place.path(), level, &[]), python, tier);
    for level in [Level::Easy, Level::Hard] {
        assert_eq!(of(level, Tier::Docker), WantedEnvironment::plain(python));
        assert_eq!(
            of(level, Tier::Landlock).spec,
            of(Level::Medium, Tier::Docker).spec
        );
    }
    let medium = of(Level::Medium, Tier::Docker);
    let versioned = |name: &str| (name.to_owned(), None);
    assert_eq!(
        medium.spec,
        EnvironmentSpec {
            base_image: None,
            python: Some(vec!["six==1.16.0".to_owned(), "tqdm==4".to_owned()]),
            r: Some(["lme4", "zoo"].map(versioned).into()),
            system: vec!["git".to_owned()],
            ..EnvironmentSpec::default()
        }
    );
    let notes = medium.notes.join("\n");
    for part in [
        "In place of the published image registry.codeocean.com/codeocean/py-r:python3.8.12-R4.1.0-ubuntu20.04 stands \
         the engine's own image for Python and R.",
        "`lme4` is taken in any version, not in `~> 1.1`",
        "no names of packages or too many: bad name.",
        "line 3, `numpy=1`: it is not the name of a package",
        "line 5, `COPY x /x`: instructions of this kind",
    ] {
        assert!(notes.contains(part), "{part}\n---\n{notes}");
    }
    assert_eq!(medium.versions["python"], "3.8.12");
    let local = of(Level::Hard, Tier::Namespaces).notes.join("\n");
    assert!(local.contains("this machine's own Python and R."), "{local}");
}

#[test]
fn a_persons_image_stands_in_for_the_published_one_in_containers_alone() {
    let place = tempfile::tempdir().unwrap();
    capsule(place.path(), DOCKERFILE);
    let images = [
        ("*codeocean/py-r:*", "python:3.11-slim"),
        ("*", "debian:bookworm-slim"),
    ];
    let request = request(place.path(), Level::Medium, &images);
    let docker = wanted(&request, CodeLanguage::Python, Tier::Docker);
    assert_eq!(docker.spec.base_image.as_deref(), Some("python:3.11-slim"));
    assert!(
        docker
            .notes
            .join("\n")
            .contains("the image python:3.11-slim, by the table of --base-images")
    );
    let local = wanted(&request, CodeLanguage::Python, Tier::Landlock);
    assert_eq!(local.spec.base_image, None);
}

#[test]
fn a_dockerfile_that_cannot_be_read_leaves_the_language_and_says_so() {
    let place = tempfile::tempdir().unwrap();
    let r = language(" r ");
    let of = || wanted(&request(place.path(), Level::Medium, &[]), r, Tier::Docker);
    let absent = of();
    assert_eq!((absent.spec, absent.notes.len()), (plain(CodeLanguage::R), 1));
    assert!(
        absent.notes[0].contains("no environment/Dockerfile"),
        "{}",
        absent.notes[0]
    );
    capsule(place.path(), "FROM x\0");
    assert!(
        of().notes[0].contains("is no text: the environment is R"),
        "{:?}",
        of().notes
    );
    capsule(place.path(), "FROM ubuntu:20.04\n");
    assert!(
        of().notes[0].contains("which no table of base images knows"),
        "{:?}",
        of().notes
    );
}

#[test]
fn more_packages_than_are_installed_are_named() {
    let place = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..250).map(|number| format!("p{number}")).collect();
    capsule(
        place.path(),
        &format!("FROM python:3\nRUN pip install {}\n", names.join(" ")),
    );
    let wanted = wanted(
        &request(place.path(), Level::Medium, &[]),
        CodeLanguage::Python,
        Tier::Docker,
    );
    assert_eq!(wanted.spec.python.unwrap().len(), MOST_PYTHON);
    assert!(
        wanted.notes.join("\n").contains("and 38 more"),
        "{:?}",
        wanted.notes
    );
}
