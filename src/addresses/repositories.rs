//! Sites whose addresses no row of patterns can tell: `code` of `sites.toml` names the reader.

use super::address::Address;
use super::record::{Record, digits, doi, version};

fn part_of(record: Record, part: &[&str]) -> Record {
    Record {
        part: part.iter().map(|part| (*part).to_owned()).collect(),
        ..record
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

/// An article's page. More than a DOI's prefix and suffix is something below the
/// article, and so is a file that a query asks for.
pub(super) fn article(address: &Address, path: &[&str]) -> Option<Record> {
    let path = path.join("/");
    let parts: Vec<&str> = path.split('/').collect();
    let in_path = (parts.iter().position(|part| *part == "doi")).and_then(|at| match &parts[at + 1..] {
        ["abs" | "full" | "pdf" | "epdf" | "reader", prefix, suffix] | [prefix, suffix] => {
            doi(&format!("{prefix}/{suffix}"))
        }
        _ => None,
    });
    let in_query = || {
        let given = ["doi", "id"].iter().filter_map(|key| address.value(key));
        given.filter_map(doi).next()
    };
    let record = Record::from_doi(&in_path.or_else(in_query)?);
    Some(match address.value("file") {
        Some(file) => Record {
            part: vec![file.to_owned()],
            ..record
        },
        None => record,
    })
}
