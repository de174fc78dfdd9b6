//! Archives with references, of every form and place, and hostile ones.

use std::fs;
use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

use bzip2::write::BzEncoder;
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{LzmaOptions, LzmaWriter, XzOptions, XzWriter};

use super::look::{ArchiveFinding, ArchiveSearch, Bounds};

const GOLD: &str = "study/gt/expected_post_registration.json";

fn searched(bytes: &[u8], mut search: ArchiveSearch) -> ArchiveFinding {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data.bin");
    fs::write(&file, bytes).unwrap();
    search.look(&file).unwrap()
}

fn found(bytes: &[u8]) -> ArchiveFinding {
    searched(bytes, ArchiveSearch::default())
}

fn reference(entry: &str) -> ArchiveFinding {
    ArchiveFinding::Reference(entry.to_owned())
}

/// A ZIP file by the headers of its format: what is stored, or deflated.
fn zip_of(entries: &[(&str, &[u8])], deflated: bool) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in entries {
        let mut packed = content.to_vec();
        if deflated {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(content).unwrap();
            packed = encoder.finish().unwrap();
        }
        let offset = u32::try_from(archive.len()).unwrap();
        let mut shared = Vec::new();
        for number in [20, 0, if deflated { 8 } else { 0 }, 0, 0] {
            shared.extend(u16::to_le_bytes(number));
        }
        for number in [0, packed.len(), content.len()] {
            shared.extend(u32::try_from(number).unwrap().to_le_bytes());
        }
        shared.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        shared.extend([0, 0]);
        archive.extend(b"PK\x03\x04");
        archive.extend(&shared);
        archive.extend(name.as_bytes());
        archive.extend(packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&shared);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06");
    archive.extend([0; 18]);
    archive
}

fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *content).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A 7z archive without content, whose header names a file; packed by LZMA, or as it is.
fn seven_zip(name: &str, packed: bool) -> Vec<u8> {
    let mut names: Vec<u8> = vec![0];
    names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    let mut header = vec![0x01, 0x05, 1, 0x11, u8::try_from(names.len()).unwrap()];
    header.extend(names);
    header.extend([0, 0]);
    let mut content = Vec::new();
    if packed {
        let options = LzmaOptions::with_preset(1);
        let mut writer = LzmaWriter::new_no_header(&mut content, &options, false).unwrap();
        writer.write_all(&header).unwrap();
        writer.finish().unwrap();
        let mut described = vec![0x17, 0x06, 0, 1, 0x09, u8::try_from(content.len()).unwrap(), 0];
        described.extend([
            0x07,
            0x0b,
            1,
            0,
            1,
            0x23,
            0x03,
            0x01,
            0x01,
            5,
            options.get_props(),
        ]);
        described.extend(options.dict_size.to_le_bytes());
        described.extend([0x0c, u8::try_from(header.len()).unwrap(), 0, 0]);
        header = described;
    }
    let mut archive = b"7z\xbc\xaf\x27\x1c\0\x04".to_vec();
    archive.extend([0; 4]);
    archive.extend((content.len() as u64).to_le_bytes());
    archive.extend((header.len() as u64).to_le_bytes());
    archive.extend([0; 4]);
    archive.extend(content);
    archive.extend(header);
    archive
}

#[test]
fn references_are_found_in_every_form() {
    let entries: &[(&str, &[u8])] = &[("study/data.csv", b"x\n1\n"), (GOLD, b"{}")];
    for archive in [
        zip_of(entries, false),
        zip_of(entries, true),
        tar_of(entries),
        gz(&tar_of(entries)),
        bz2(&tar_of(entries)),
        xz(&tar_of(entries)),
        seven_zip(GOLD, false),
        seven_zip(GOLD, true),
        // Behind a program that unpacks it.
        [&b"#!/bin/sh\nexec unzip $0\n"[..], &zip_of(entries, true)].concat(),
    ] {
        assert_eq!(found(&archive), reference(GOLD));
    }
}

#[test]
fn every_name_that_a_folder_keeps_back_is_one() {
    for (name, is_reference) in [
        ("gt/", true),
        ("GT\\a.json", true),
        ("../../gt/a.json", true),
        ("a/study.toml", true),
        ("Human_Report.pdf", true),
        ("expected_post_registration_2.json", true),
        ("gt.csv", false),
        ("a/target/x", false),
        ("report.pdf", false),
    ] {
        for archive in [zip_of(&[(name, b"x")], false), gz(&zip_of(&[(name, b"x")], true))] {
            let finding = found(&archive);
            assert_eq!(
                finding != ArchiveFinding::Clear,
                is_reference,
                "{name}: {finding:?}"
            );
        }
    }
    // A name that is too long for a header, in both ways that tar has.
    let long = format!("{}/gt/a.json", "folder/".repeat(40));
    let pax = format!("{} path={long}\n", long.len() + 10);
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(tar::EntryType::XHeader);
    header.set_size(pax.len() as u64);
    header.set_path("pax").unwrap();
    header.set_cksum();
    let mut by_pax = header.as_bytes().to_vec();
    by_pax.extend(pax.as_bytes());
    by_pax.resize(2 * 512, 0);
    by_pax.extend(tar_of(&[("short", b"")]));
    for archive in [tar_of(&[(long.as_str(), b"{}")]), by_pax] {
        assert!(matches!(found(&archive), ArchiveFinding::Reference(_)));
    }
}

#[test]
fn archives_inside_are_looked_into() {
    let inner = zip_of(&[(GOLD, b"{}")], true);
    for (archive, entry) in [
        (zip_of(&[("a.zip", &inner)], true), format!("a.zip > {GOLD}")),
        (zip_of(&[("a.zip", &inner)], false), GOLD.to_owned()),
        (
            zip_of(
                &[("b.csv", b"x"), ("a.tgz", &gz(&tar_of(&[(GOLD, b"{}")])))],
                false,
            ),
            format!("a.tgz > {GOLD}"),
        ),
        (
            gz(&tar_of(&[("b.csv", &[b'x'; 3000]), ("a.zip", &inner)])),
            format!("a.zip > {GOLD}"),
        ),
        (
            tar_of(&[("a.7z", &seven_zip(GOLD, true)), ("b", b"")]),
            format!("a.7z > {GOLD}"),
        ),
    ] {
        assert_eq!(found(&archive), reference(&entry));
    }
}

#[test]
fn data_are_no_archives() {
    let table = b"x,y\n1,2\n".repeat(4000);
    let office = zip_of(
        &[("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>")],
        true,
    );
    for bytes in [
        &table[..],
        &gz(&table),
        &bz2(&table),
        &xz(&table),
        &office,
        b"PK",
        b"",
        &[0; 2000],
    ] {
        assert_eq!(found(bytes), ArchiveFinding::Clear);
    }
}

#[test]
fn damage_hides_nothing_that_could_be_unpacked() {
    let many: Vec<(String, Vec<u8>)> = (0..50)
        .map(|number| (format!("data/{number}.csv"), vec![b'x'; 100]))
        .collect();
    let mut entries: Vec<(&str, &[u8])> = vec![(GOLD, b"{}")];
    entries.extend(many.iter().map(|(name, content)| (name.as_str(), &content[..])));
    for archive in [zip_of(&entries, true), tar_of(&entries), gz(&tar_of(&entries))] {
        for part in [archive.len() / 2, archive.len() - 30] {
            assert_eq!(found(&archive[..part]), reference(GOLD));
        }
    }
    // A directory of nonsense, and headers behind it.
    let mut broken = zip_of(&entries, false);
    broken.splice(0..4, *b"PK\x03\x04");
    broken.splice(26..28, [0xff, 0xff]);
    assert_eq!(found(&broken), reference(GOLD));
}

#[test]
fn what_cannot_be_seen_to_its_end_is_said() {
    let bounds = |bytes, entries| ArchiveSearch::new(Bounds { bytes, entries }, Bounds::IN_ALL);
    let unseen = |finding: ArchiveFinding| match finding {
        ArchiveFinding::Unseen(reason) => reason,
        other => panic!("{other:?}"),
    };
    let begin = Instant::now();
    // A bomb: 64 MiB from 64 kB, and one in a ZIP in a gzip.
    let bomb = tar_of(&[("a", &vec![0; 64 << 20]), (GOLD, b"{}")]);
    let inner = zip_of(&[("a.tar", &bomb)], true);
    for archive in [gz(&bomb), xz(&bomb), gz(&inner)] {
        let reason = unseen(searched(&archive, bounds(8 << 20, 1000)));
        assert_eq!(reason, "it unpacks to more than is looked at");
    }
    assert_eq!(found(&gz(&bomb)), reference(GOLD));
    let names: Vec<String> = (0..2000).map(|number| number.to_string()).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    for archive in [zip_of(&entries, false), zip_of(&entries, true), tar_of(&entries)] {
        let reason = unseen(searched(&archive, bounds(1 << 30, 1000)));
        assert_eq!(reason, "it has too many entries to be listed");
    }
    let mut nested = zip_of(&[("a", b"x")], true);
    for _ in 0..8 {
        nested = zip_of(&[("a.zip", &nested)], true);
    }
    assert_eq!(unseen(found(&nested)), "it nests archives too deeply");
    assert_eq!(
        unseen(found(b"Rar!\x1a\x07\x01\0")),
        "RAR archives cannot be listed"
    );
    let mut encrypted = seven_zip("data.csv", true);
    let at = encrypted
        .windows(3)
        .rposition(|three| three == [0x03, 0x01, 0x01])
        .unwrap();
    encrypted.splice(at..at + 3, [0x06, 0xf1, 0x07]);
    assert_eq!(unseen(found(&encrypted)), "its names cannot be read");
    assert!(
        begin.elapsed() < Duration::from_secs(600),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn the_files_of_a_study_share_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tgz");
    fs::write(&file, gz(&tar_of(&[("a", &vec![0; 3 << 20])]))).unwrap();
    let bounds = |bytes| Bounds { bytes, entries: 1000 };
    let mut search = ArchiveSearch::new(bounds(4 << 20), bounds(7 << 20));
    let findings = [0; 3].map(|_| search.look(&file).unwrap() == ArchiveFinding::Clear);
    assert_eq!(findings, [true, true, false]);
}

#[test]
fn archives_of_the_zip_crate_are_read() {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, content) in [("data.csv", "x".repeat(10_000)), (GOLD, "{}".to_owned())] {
        writer.start_file(name, options).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    assert_eq!(found(&writer.finish().unwrap().into_inner()), reference(GOLD));
}
