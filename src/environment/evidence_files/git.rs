//! The newest commit of a folder's repository, read from its files: no program of it is run.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use flate2::read::ZlibDecoder;
use jiff::Timestamp;

use super::super::evidence::{Evidence, EvidenceKind};

/// Bytes of a commit, of a reference and of an index that are read.
const LARGEST_COMMIT: u64 = 1 << 20;
const LARGEST_INDEX: u64 = 256 << 20;
/// Packs that are looked into.
const MOST_PACKS: usize = 64;

/// The commit that the folder stands at, as evidence; `None` without a repository that can be read.
pub fn newest_commit(root: &Path) -> Option<Evidence> {
    let git = root.join(".git");
    // A link, or a file that leads to a repository elsewhere, is not followed.
    if !fs::symlink_metadata(&git).ok()?.is_dir() {
        return None;
    }
    let commit = head(&git)?;
    let content = loose(&git, &commit).or_else(|| packed(&git, &commit))?;
    let instant = committed(&content)?;
    let day = instant.to_zoned(jiff::tz::TimeZone::UTC).date();
    let short = commit.get(..12).unwrap_or_default();
    let says = format!("The newest commit, {short}, is of {day}.");
    Some(Evidence::new(EvidenceKind::Commit, ".git", says).dated(Some(day)))
}

fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    let known = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    (known.len() <= LARGEST_COMMIT).then_some(())?;
    File::open(path)
        .ok()?
        .take(LARGEST_COMMIT)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

fn is_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn head(git: &Path) -> Option<String> {
    let text = small(&git.join("HEAD"))?;
    let text = text.trim();
    if is_id(text) {
        return Some(text.to_ascii_lowercase());
    }
    let name = text.strip_prefix("ref:")?.trim();
    let is_inside = name.starts_with("refs/") && !name.split('/').any(|part| part == ".." || part.is_empty());
    if !is_inside {
        return None;
    }
    let own = small(&git.join(name)).map(|text| text.trim().to_ascii_lowercase());
    own.filter(|id| is_id(id)).or_else(|| {
        let packed = small(&git.join("packed-refs"))?;
        let line = packed.lines().find(|line| line.ends_with(&format!(" {name}")))?;
        line.split(' ')
            .next()
            .filter(|id| is_id(id))
            .map(str::to_ascii_lowercase)
    })
}

fn inflated(reader: impl std::io::Read) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    ZlibDecoder::new(reader)
        .take(LARGEST_COMMIT)
        .read_to_end(&mut content)
        .ok()?;
    Some(content)
}

fn loose(git: &Path, id: &str) -> Option<Vec<u8>> {
    let (folder, name) = id.split_at_checked(2)?;
    let file = File::open(git.join("objects").join(folder).join(name)).ok()?;
    let content = inflated(file)?;
    let begin = content.iter().position(|byte| *byte == 0)?;
    content
        .starts_with(b"commit ")
        .then(|| content[begin + 1..].to_vec())
}

/// The object in a pack, where it stands there whole. Commits nearly always do.
fn packed(git: &Path, id: &str) -> Option<Vec<u8>> {
    let id = hex_bytes(id)?;
    let packs = fs::read_dir(git.join("objects/pack")).ok()?.flatten();
    let indexes = packs
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "idx"));
    indexes.take(MOST_PACKS).find_map(|index| {
        let offset = offset(&index, &id)?;
        whole(&index.with_extension("pack"), offset)
    })
}

fn hex_bytes(id: &str) -> Option<[u8; 20]> {
    let mut bytes = [0; 20];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(id.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// The offset of an object by the second version of a pack's index.
fn offset(index: &Path, id: &[u8; 20]) -> Option<u64> {
    let known = fs::symlink_metadata(index).ok().filter(fs::Metadata::is_file)?;
    (known.len() <= LARGEST_INDEX).then_some(())?;
    let bytes = fs::read(index).ok()?;
    (bytes.get(..8)? == b"\xfftOc\x00\x00\x00\x02").then_some(())?;
    let word = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(four))
    };
    let fan_out = |at: u8| Some(word(8 + 4 * usize::from(at))? as usize);
    let count = fan_out(255)?;
    let first = match id[0] {
        0 => 0,
        byte => fan_out(byte - 1)?,
    };
    let names = 8 + 4 * 256;
    let last = fan_out(id[0])?;
    let at = (first..last.min(count))
        .find(|at| bytes.get(names + 20 * at..names + 20 * at + 20) == Some(&id[..]))?;
    let offsets = names + 24 * count;
    let small = word(offsets + 4 * at)?;
    if small >> 31 == 0 {
        return Some(u64::from(small));
    }
    let long = offsets + 4 * count + 8 * (small & 0x7fff_ffff) as usize;
    let eight: [u8; 8] = bytes.get(long..long + 8)?.try_into().ok()?;
    Some(u64::from_be_bytes(eight))
}

/// A commit that a pack holds as it is; `None` of another object and of a difference to one.
fn whole(pack: &Path, offset: u64) -> Option<Vec<u8>> {
    let mut file = File::open(pack).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut byte = [0; 1];
    file.read_exact(&mut byte).ok()?;
    let kind = (byte[0] >> 4) & 7;
    let mut rest = 0;
    while byte[0] & 0x80 != 0 && rest < 10 {
        file.read_exact(&mut byte).ok()?;
        rest += 1;
    }
    (kind == 1).then(|| inflated(file)).flatten()
}

/// The instant of the `committer` line.
fn committed(content: &[u8]) -> Option<Timestamp> {
    let text = String::from_utf8_lossy(content);
    let line = text
        .lines()
        .take_while(|line| !line.is_empty())
        .find(|line| line.starts_with("committer "))?;
    let seconds = line.rsplit(' ').nth(1)?.parse().ok()?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn repository(seconds: i64) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("objects/ab")).unwrap();
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        let id = format!("ab{}", "0".repeat(38));
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("refs/heads/main"), format!("{id}\n")).unwrap();
        let body = format!(
            "tree x\nauthor A <a@example.org> 1 +0000\ncommitter A <a@example.org> {seconds} +0200\n\nmessage\n"
        );
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        write!(packed, "commit {}\0{body}", body.len()).unwrap();
        fs::write(git.join("objects/ab").join(&id[2..]), packed.finish().unwrap()).unwrap();
        folder
    }

    #[test]
    fn the_newest_commit_gives_a_day() {
        let folder = repository(1_577_880_000);
        let found = newest_commit(folder.path()).unwrap();
        assert_eq!(found.date.unwrap().to_string(), "2020-01-01");
        assert_eq!(newest_commit(&folder.path().join(".git")), None);
    }

    #[test]
    fn a_repository_leads_nowhere_else() {
        let folder = repository(1_577_880_000);
        let head = folder.path().join(".git/HEAD");
        for text in [
            "ref: refs/../../../etc/passwd",
            "ref: /etc/passwd",
            "nonsense",
            "",
            "ref: refs/heads/none",
        ] {
            fs::write(&head, text).unwrap();
            assert_eq!(newest_commit(folder.path()), None, "{text}");
        }
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path().join(".git"), other.path().join(".git")).unwrap();
        assert_eq!(newest_commit(other.path()), None);
    }
}
