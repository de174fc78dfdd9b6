//! Where the repositories keep their records and the files in them.

use super::address::Address;
use super::record::{Record, digits, doi, version};

fn part_of(record: Record, part: &[&str]) -> Record {
    Record {
        part: part.iter().map(|part| (*part).to_owned()).collect(),
        ..record
    }
}

pub(super) fn zenodo(path: &[&str]) -> Option<Record> {
    let record =
        |number: &str| digits(number).map(|number| Record::whole(format!("10.5281/zenodo.{number}")));
    match path {
        ["record" | "records", number, "files" | "preview", file, ..]
        | ["api", "records", number, "files", file, ..] => {
            record(number).map(|whole| part_of(whole, &[*file]))
        }
        ["record" | "records", number, ..] | ["api", "records", number, ..] => record(number),
        ["doi", rest @ ..] => doi(&rest.join("/")).map(|doi| Record::from_doi(&doi)),
        _ => None,
    }
}

/// OSF's projects, registrations, preprints and many of its files have names of
/// five characters, unique among all of them and without case.
pub(super) fn osf(host: &str, path: &[&str]) -> Option<Record> {
    match (host, path) {
        (
            "api.osf.io",
            [
                "v2",
                "nodes" | "registrations" | "preprints" | "files" | "guids",
                guid,
            ],
        ) => Record::osf(guid),
        ("files.osf.io", ["v1", "resources", guid] | ["v1", "resources", guid, "providers", _]) => {
            Record::osf(guid)
        }
        ("files.osf.io", ["v1", "resources", guid, "providers", _, file @ ..]) => {
            Record::osf(guid).map(|whole| part_of(whole, file))
        }
        (
            "osf.io",
            [guid] | [guid, "overview" | "download"] | ["download" | "preprints" | "registrations", guid],
        ) => Record::osf(guid),
        ("osf.io", ["preprints", _, guid] | ["preprints", _, guid, "download"]) => Record::osf(guid),
        ("osf.io", [guid, "files", "osfstorage", file @ ..]) if !file.is_empty() => {
            Record::osf(guid).map(|whole| part_of(whole, file))
        }
        ("osf.io", [_, "files", file]) => Record::osf(file),
        _ => None,
    }
}

/// `project/100/version/V2/view?path=/openicpsr/100/fcr:versions/V2/a.csv&type=file`.
pub(super) fn openicpsr(address: &Address, path: &[&str]) -> Option<Record> {
    let (number, at) = match path {
        ["openicpsr", "project", number, "version", at, ..] => (number, Some(version(at)?)),
        ["openicpsr", "project", number, ..] => (number, None),
        _ => return None,
    };
    let record = Record {
        version: at.map(|at| format!("v{at}")),
        ..Record::whole(format!("10.3886/e{}", digits(number)?))
    };
    let inside = (address.value("path")).and_then(|path| path.split_once("fcr:versions/"));
    let part: Vec<&str> = inside.map_or_else(Vec::new, |(_, inside)| {
        inside
            .split('/')
            .skip(1)
            .filter(|part| !part.is_empty())
            .collect()
    });
    Some(part_of(record, &part))
}

pub(super) fn icpsr(path: &[&str]) -> Option<Record> {
    let at = path.iter().position(|part| *part == "studies")?;
    let number: u32 = path.get(at + 1)?.parse().ok()?;
    let version = match (path.get(at + 2), path.get(at + 3)) {
        (Some(&"versions"), Some(found)) => version(found),
        _ => None,
    };
    Some(Record {
        version: version.map(|version| format!("v{version}")),
        ..Record::whole(format!("10.3886/icpsr{number:05}"))
    })
}

pub(super) fn figshare(path: &[&str]) -> Option<Record> {
    let at = path.iter().position(|part| *part == "articles")?;
    let mut numbers = path[at + 1..].iter().rev().map_while(|part| digits(part));
    let (number, version) = match (numbers.next(), numbers.next()) {
        (Some(version), Some(number)) => (number, Some(version)),
        (number, _) => (number?, None),
    };
    Some(Record {
        version: version.map(|version| format!("v{version}")),
        ..Record::whole(format!("10.6084/m9.figshare.{number}"))
    })
}

/// A repository, or a file or folder in it; owner and name are without case.
pub(super) fn github(host: &str, path: &[&str]) -> Option<Record> {
    let [owner, repository, rest @ ..] = path else {
        return None;
    };
    let name = format!("{owner}/{}", repository.trim_end_matches(".git")).to_lowercase();
    let root = Record::whole(format!("github:{name}"));
    let rest: Vec<&str> = match rest {
        ["refs", "heads" | "tags", after @ ..] => after.to_vec(),
        [way, "refs", "heads" | "tags", after @ ..] => [&[*way][..], after].concat(),
        _ => rest.to_vec(),
    };
    let at = |reference: &str, file: &[&str]| Record {
        version: Some(reference.to_owned()),
        ..part_of(root.clone(), file)
    };
    let packed = |reference: &str| {
        let reference = reference.trim_end_matches(".zip").trim_end_matches(".tar.gz");
        at(reference, &[])
    };
    match (host, rest.as_slice()) {
        (_, []) => Some(root.clone()),
        ("raw.githubusercontent.com", [reference, file @ ..])
        | ("github.com", ["blob" | "tree" | "raw", reference, file @ ..]) => Some(at(reference, file)),
        ("github.com", ["releases", "tag", reference]) => Some(at(reference, &[])),
        // What is attached to a release is no file of the repository.
        ("github.com", ["releases", "download", reference, file]) => Some(at(reference, &["releases", file])),
        ("github.com", ["archive", reference]) | ("codeload.github.com", ["zip" | "tar.gz", reference]) => {
            Some(packed(reference))
        }
        _ => None,
    }
}

/// `USER/ID`, `USER/ID/raw/REVISION/FILE` or `ID`; a revision is optional.
pub(super) fn gist(path: &[&str]) -> Option<Record> {
    let is_hash = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (id, rest) = match path {
        [_, id, rest @ ..] if is_hash(id.trim_end_matches(".git")) => (id, rest),
        [id, rest @ ..] if is_hash(id.trim_end_matches(".git")) => (id, rest),
        _ => return None,
    };
    let rest = rest.strip_prefix(&["raw"]).unwrap_or(rest);
    let (revision, file) = match rest {
        [revision, file @ ..]
            if revision.len() > 1 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            (Some((*revision).to_owned()), file)
        }
        file => (None, file),
    };
    let whole = Record::whole(format!("gist:{}", id.trim_end_matches(".git").to_lowercase()));
    Some(Record {
        version: revision,
        ..part_of(whole, file)
    })
}
