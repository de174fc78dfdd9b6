//! A CRAN-like archive on loopback: its two tables as R saves them, and source packages with a `DESCRIPTION`.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::index_server::IndexServer;
use super::need;

/// A package at a version: `name version day` and what it imports.
struct TreePackage<'a> {
    name: &'a str,
    version: &'a str,
    seconds: f64,
    imports: &'a str,
}

impl<'a> TreePackage<'a> {
    fn parse(row: &'a str) -> Self {
        let parts: Vec<&str> = row.splitn(4, '\t').collect();
        let day: Date = parts[2].parse().unwrap();
        let instant = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp();
        Self {
            name: parts[0],
            version: parts[1],
            seconds: instant.as_second() as f64,
            imports: parts.get(3).copied().unwrap_or_default().trim(),
        }
    }

    fn file(&self) -> String {
        format!("{}_{}.tar.gz", self.name, self.version)
    }

    fn source(&self) -> Vec<u8> {
        let mut description = format!("Package: {}\nVersion: {}\n", self.name, self.version);
        if !self.imports.is_empty() {
            description.push_str(&format!("Imports: {}\n", self.imports));
        }
        source(self.name, &description)
    }
}

/// Files of the tree whose lists R itself wrote (`cran_lists`), with what each `DESCRIPTION` says besides its name.
const LISTED: [(&str, &str); 6] = [
    ("Archive/alpha/alpha_1.0.tar.gz", "Depends: R (>= 3.4)\n"),
    ("Archive/alpha/alpha_1.1.tar.gz", ""),
    ("alpha_2.0.tar.gz", ""),
    ("Archive/beta/beta_0.9.tar.gz", "Imports: alpha, stats\n"),
    ("beta_1.0.tar.gz", "Imports: alpha (>= 1.1)\n"),
    (
        "Archive/gone/gone_0.3.tar.gz",
        "Imports: beta, stats\nSystemRequirements: GDAL\n",
    ),
];

/// The list of its archive.
pub const ARCHIVE: &[u8] = include_bytes!("cran_lists/archive.rds");

/// Puts that tree onto a server, with the bytes of its list of the archive.
pub fn put_listed(server: &IndexServer, archive: &[u8]) {
    let current: &[u8] = include_bytes!("cran_lists/current.rds");
    for (list, bytes) in [("archive.rds", archive), ("current.rds", current)] {
        let path = format!("/src/contrib/Meta/{list}");
        server.put(&path, "application/octet-stream", bytes.to_vec());
    }
    for (path, says) in LISTED {
        let name = path
            .rsplit('/')
            .next()
            .and_then(|file| file.split('_').next())
            .unwrap();
        let description = format!("Package: {name}\n{says}");
        let path = format!("/src/contrib/{path}");
        server.put(&path, "application/gzip", source(name, &description));
    }
}

/// R, which reads an archive by date; `None`, with a message, where it is missing.
pub fn reader() -> Option<()> {
    need::program("Rscript", "apt-get install r-base-core")
}

/// Puts the packages of a table onto a server: of each the newest version is current, apart from those that were
/// taken from the archive's front. `None` where no R is here to read it.
#[must_use]
pub fn put(server: &IndexServer, table: &str, gone: &[&str]) -> Option<()> {
    let rows = table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut by_name: BTreeMap<&str, Vec<TreePackage<'_>>> = BTreeMap::new();
    for row in rows {
        let package = TreePackage::parse(row);
        by_name.entry(package.name).or_default().push(package);
    }
    let (mut archived, mut current) = (Vec::new(), Vec::new());
    for (name, packages) in &mut by_name {
        packages.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let last = packages.len() - usize::from(!gone.contains(name));
        let mut older = Vec::new();
        for (at, package) in packages.iter().enumerate() {
            let below = match at < last {
                true => format!("Archive/{name}/"),
                false => String::new(),
            };
            let path = format!("/src/contrib/{below}{}", package.file());
            server.put(&path, "application/gzip", package.source());
            match at < last {
                true => older.push((format!("{name}/{}", package.file()), package.seconds)),
                false => current.push((package.file(), package.seconds)),
            }
        }
        if !older.is_empty() {
            archived.push(((*name).to_owned(), older));
        }
    }
    let mut list = Rds::new();
    list.head(VECTOR, false, true);
    list.integer(i32::try_from(archived.len()).unwrap());
    for (_, files) in &archived {
        list.table(files);
    }
    list.attributes(&[("names", archived.iter().map(|(name, _)| name.clone()).collect())]);
    let archive = "/src/contrib/Meta/archive.rds";
    server.put(archive, "application/octet-stream", list.packed());
    let mut table = Rds::new();
    table.table(&current);
    let meta = "/src/contrib/Meta/current.rds";
    server.put(meta, "application/octet-stream", table.packed());
    reader()
}

fn source(name: &str, description: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(description.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    let path = format!("{name}/DESCRIPTION");
    builder
        .append_data(&mut header, path, description.as_bytes())
        .unwrap();
    builder.into_inner().unwrap().finish().unwrap()
}

/// A value as R's `saveRDS` writes it (version 2, big-endian binary).
struct Rds(Vec<u8>);

const PAIRS: i32 = 2;
const SYMBOL: i32 = 1;
const LETTERS: i32 = 9;
const INTEGERS: i32 = 13;
const NUMBERS: i32 = 14;
const TEXTS: i32 = 16;
const VECTOR: i32 = 19;
const END: i32 = 254;
/// A text in ASCII, which R marks.
const ASCII: i32 = 1 << 18;

impl Rds {
    fn new() -> Self {
        let mut rds = Self(b"X\n".to_vec());
        for number in [2, 0x0004_0202, 0x0002_0300] {
            rds.integer(number);
        }
        rds
    }

    fn integer(&mut self, number: i32) {
        self.0.extend(number.to_be_bytes());
    }

    fn head(&mut self, kind: i32, is_object: bool, has_attributes: bool) {
        self.integer(kind | i32::from(is_object) << 8 | i32::from(has_attributes) << 9);
    }

    fn letters(&mut self, text: &str) {
        self.integer(LETTERS | ASCII);
        self.integer(i32::try_from(text.len()).unwrap());
        self.0.extend(text.as_bytes());
    }

    fn texts(&mut self, texts: &[String]) {
        self.head(TEXTS, false, false);
        self.integer(i32::try_from(texts.len()).unwrap());
        texts.iter().for_each(|text| self.letters(text));
    }

    /// Attributes of texts, and the end of their list.
    fn attributes(&mut self, all: &[(&str, Vec<String>)]) {
        for (tag, texts) in all {
            self.integer(PAIRS | 1 << 10);
            self.head(SYMBOL, false, false);
            self.letters(tag);
            self.texts(texts);
        }
        self.integer(END);
    }

    /// A data frame of files with their sizes and times.
    fn table(&mut self, files: &[(String, f64)]) {
        let count = i32::try_from(files.len()).unwrap();
        self.head(VECTOR, true, true);
        self.integer(3);
        self.head(NUMBERS, false, false);
        self.integer(count);
        files.iter().for_each(|_| self.0.extend(1000_f64.to_be_bytes()));
        self.head(INTEGERS, false, false);
        self.integer(count);
        files.iter().for_each(|_| self.integer(0));
        self.head(NUMBERS, true, true);
        self.integer(count);
        files
            .iter()
            .for_each(|(_, time)| self.0.extend(time.to_be_bytes()));
        self.attributes(&[("class", vec!["POSIXct".to_owned(), "POSIXt".to_owned()])]);
        let names = ["size", "isdir", "mtime"].map(str::to_owned).to_vec();
        let rows = files.iter().map(|(name, _)| name.clone()).collect();
        let class = vec!["data.frame".to_owned()];
        self.attributes(&[("names", names), ("row.names", rows), ("class", class)]);
    }

    fn packed(&self) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&self.0).unwrap();
        packed.finish().unwrap()
    }
}
