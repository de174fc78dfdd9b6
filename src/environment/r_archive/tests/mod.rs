//! Tables that R wrote of a tree of three tiny packages in six versions (`README.md` beside says how).

use std::collections::BTreeMap;

use super::description::parse;
use super::rds;
use super::resolution::{RResolution, RRoot, ResolvedR};
use super::tables::ArchiveTables;

const ARCHIVE: &[u8] = include_bytes!("archive.rds");
const CURRENT: &[u8] = include_bytes!("current.rds");

fn tables() -> ArchiveTables {
    let mut tables = ArchiveTables::default();
    tables.add_archive(ARCHIVE).unwrap();
    tables.add_current(CURRENT).unwrap();
    tables
}

fn descriptions() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        (
            "Archive/alpha/alpha_1.0.tar.gz",
            "Package: alpha\nDepends: R (>= 3.4)\n",
        ),
        ("Archive/alpha/alpha_1.1.tar.gz", "Package: alpha\n"),
        ("alpha_2.0.tar.gz", "Package: alpha\n"),
        (
            "Archive/beta/beta_0.9.tar.gz",
            "Package: beta\nImports: alpha, stats\n",
        ),
        ("beta_1.0.tar.gz", "Package: beta\nImports: alpha (>= 1.1)\n"),
        (
            "Archive/gone/gone_0.3.tar.gz",
            "Package: gone\nImports: beta\nSystemRequirements: GDAL\n",
        ),
    ])
}

fn resolve(day: &str, roots: &[(&str, Option<&str>)]) -> ResolvedR {
    let roots = roots.iter().map(|(name, version)| RRoot {
        is_wanted: true,
        name: (*name).to_owned(),
        version: version.map(str::to_owned),
        bounds: Vec::new(),
    });
    resolve_roots(day, roots.collect())
}

fn resolve_roots(day: &str, roots: Vec<RRoot>) -> ResolvedR {
    let tables = tables();
    let until = format!("{day}T23:59:59Z").parse().unwrap();
    let mut resolution = RResolution::new(&tables, until, roots);
    let descriptions = descriptions();
    while let Some(wanted) = resolution.step() {
        resolution.give(&wanted.path, parse(descriptions[wanted.path.as_str()]));
    }
    resolution.finish()
}

fn shown(resolved: &ResolvedR) -> Vec<String> {
    let had = resolved
        .packages
        .iter()
        .map(|one| format!("{} {}", one.name, one.version.version.as_str()));
    let refused = resolved
        .refused
        .iter()
        .map(|one| format!("{}: {}", one.name, one.refusal));
    had.chain(refused).collect()
}

#[test]
fn every_version_has_its_day() {
    let tables = tables();
    let versions: Vec<String> = (["alpha", "beta", "gone"].iter())
        .flat_map(|name| tables.versions(name))
        .map(|known| format!("{} {}", known.path, known.came.unwrap()))
        .collect();
    assert_eq!(
        versions,
        [
            "Archive/alpha/alpha_1.0.tar.gz 2018-03-01T12:00:00Z",
            "Archive/alpha/alpha_1.1.tar.gz 2020-02-10T12:00:00Z",
            "alpha_2.0.tar.gz 2022-05-01T12:00:00Z",
            "Archive/beta/beta_0.9.tar.gz 2018-06-01T12:00:00Z",
            "beta_1.0.tar.gz 2021-01-15T12:00:00Z",
            "Archive/gone/gone_0.3.tar.gz 2019-04-01T12:00:00Z",
        ]
    );
}

#[test]
fn versions_of_a_day_in_the_order_of_their_installation() {
    assert_eq!(
        shown(&resolve("2019-12-31", &[("gone", None)])),
        ["alpha 1.0", "beta 0.9", "gone 0.3"]
    );
    assert_eq!(
        shown(&resolve("2024-01-01", &[("beta", None)])),
        ["alpha 2.0", "beta 1.0"]
    );
    assert_eq!(
        shown(&resolve("2018-01-01", &[("beta", None), ("never", None)])),
        [
            "beta: nothing of it was there on the day: its first version came on 2018-06-01",
            "never: the archive has no package of this name"
        ]
    );
    let resolved = resolve("2024-01-01", &[("alpha", Some("1.0")), ("beta", None)]);
    assert_eq!(
        resolved.packages[0].unkept,
        ["beta asks for alpha >= 1.1, and 1.0 is taken."]
    );
    assert_eq!(resolved.r_bounds["alpha"], ">= 3.4");
    let refused = resolve("2024-01-01", &[("alpha", Some("9.9"))]);
    assert_eq!(
        shown(&refused),
        ["alpha: the archive has no version 9.9 of it; it has 2.0, 1.1, 1.0"]
    );
}

#[test]
fn bounds_of_files_are_held_or_told() {
    let bounded = |day: &str, version: Option<&str>, bounds: &[&str]| {
        let root = RRoot {
            name: "alpha".to_owned(),
            version: version.map(str::to_owned),
            bounds: bounds.iter().map(|bound| (*bound).to_owned()).collect(),
            is_wanted: true,
        };
        let resolved = resolve_roots(day, vec![root]);
        let taken = &resolved.packages[0];
        (taken.version.version.as_str().to_owned(), taken.unkept.len())
    };
    assert_eq!(bounded("2024-01-01", None, &["<2.0"]), ("1.1".to_owned(), 0));
    assert_eq!(
        bounded("2024-01-01", None, &[">=1.0,<1.1"]),
        ("1.0".to_owned(), 0)
    );
    assert_eq!(
        bounded("2024-01-01", None, &[">=1.0", "!=2.0"]),
        ("1.1".to_owned(), 0)
    );
    // The day's version stands below the bound: none that came later is taken, and it is told.
    assert_eq!(bounded("2021-01-01", None, &[">=2.0"]), ("1.1".to_owned(), 1));
    assert_eq!(
        bounded("2024-01-01", Some("1.0"), &[">=1.1"]),
        ("1.0".to_owned(), 1)
    );
}

#[test]
fn damaged_tables_are_refused() {
    for table in [ARCHIVE, CURRENT] {
        for at in 0..table.len() {
            let mut damaged = table.to_vec();
            damaged[at] ^= 0x41;
            let _read = rds::read(&damaged);
            let _cut = rds::read(&table[..at]);
        }
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(table), &mut unpacked).unwrap();
        for at in 0..unpacked.len() {
            for byte in [0x00, 0x7f, 0xff, 0x02, 0xee] {
                let mut damaged = unpacked.clone();
                damaged[at] = byte;
                let _read = rds::read(&damaged);
                let _taken = ArchiveTables::default().add_archive(&damaged);
            }
        }
    }
    assert!(rds::read(b"").is_err() && rds::read(b"A\n").is_err());
    let deep: Vec<u8> = b"X\n\0\0\0\x02\0\0\0\0\0\0\0\0"
        .iter()
        .copied()
        .chain(b"\0\0\0\x13\0\0\0\x01".iter().copied().cycle().take(80_000))
        .collect();
    assert!(rds::read(&deep).is_err());
}
