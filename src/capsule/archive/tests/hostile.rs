//! Archives that somebody made to do harm, or that are damaged.

use std::fs;

use tar::EntryType;

use super::scene::{Built, ID, gz, left_out, named, refused};
use crate::capsule::archive::error::ArchiveError;
use crate::capsule::archive::left_out::LeftOutReason::{
    FileInTheWay, FolderInTheWay, HardLinkToNoFile, LinkLeadsOut, LinkToNothing, Pipe, Replaced, SparseFile,
    UnknownKind,
};
use crate::capsule::archive::limits::ArchiveLimits;

#[test]
fn names_that_climb_and_devices_refuse_the_archive() {
    for name in [
        "../out.txt",
        "/etc/out.txt",
        "code/../../out.txt",
        "code/..",
        "..",
    ] {
        let error = refused(&Built::capsule().file(name, b"x").gz(), ArchiveLimits::default());
        assert!(matches!(error, ArchiveError::LeadsOut { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    for built in [
        Built::capsule().long_name(b"/abs\0").file("x", b"x"),
        Built::capsule().extended(b"15 path=../abs\n").file("x", b"x"),
        Built::capsule().extended(b"13 path=a\0b/\n").file("x", b"x"),
        Built::capsule().hard_link("../out.txt", "code/run"),
        Built::capsule().folder("../out/"),
        Built::capsule().link("../out", "code"),
    ] {
        let error = refused(&built.gz(), ArchiveLimits::default());
        assert!(matches!(error, ArchiveError::LeadsOut { .. }), "{error}");
    }
    for kind in [EntryType::Char, EntryType::Block] {
        let error = refused(
            &Built::capsule().kind(kind, "dev/sda").gz(),
            ArchiveLimits::default(),
        );
        assert!(matches!(error, ArchiveError::Device { .. }), "{error}");
    }
}

#[test]
fn links_that_lead_out_are_left_out_however_they_do() {
    let (scene, out) = left_out(
        Built::capsule()
            .file("deep/er/file", b"f")
            .link("absolute", "/etc/passwd")
            .link("climbs", "../../etc")
            .link("code/climbs", "../..")
            // Each stays inside by itself; the second climbs through the first.
            .link("deep/er/top", "../..")
            .link("deep/er/through", "top/../x")
            .link("to-through", "deep/er/through")
            .link("nothing", "code/gone")
            .link("self", "self")
            .link("empty", "")
            .link("deep/ok", "er/../er/file")
            .link("ok", "deep/ok"),
    );
    assert_eq!(
        out,
        named(&[
            ("absolute", LinkLeadsOut),
            ("climbs", LinkLeadsOut),
            ("code/climbs", LinkLeadsOut),
            ("deep/er/through", LinkLeadsOut),
            ("empty", LinkToNothing),
            ("nothing", LinkToNothing),
            ("self", LinkToNothing),
            ("to-through", LinkLeadsOut),
        ])
    );
    assert_eq!(scene.read("ok"), "f");
}

#[test]
fn nothing_is_written_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().to_str().unwrap();
    let (scene, out) = left_out(
        Built::capsule()
            .link("door", target)
            .file("door/in.txt", b"x")
            .link("inner", "code")
            .file("inner/run", b"other")
            .hard_link("stolen", "door/in.txt")
            .hard_link("passwd", "/etc/passwd")
            .hard_link("above", "../given.tar.gz"),
    );
    assert_eq!(
        out,
        named(&[
            ("door/in.txt", FileInTheWay),
            ("inner/run", FileInTheWay),
            ("stolen", HardLinkToNoFile),
            ("passwd", HardLinkToNoFile),
            ("above", HardLinkToNoFile),
            ("door", LinkLeadsOut),
        ])
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(scene.read("code/run"), "make");
}

#[test]
fn later_entries_take_the_place_of_files_and_never_of_folders() {
    let (scene, out) = left_out(
        Built::capsule()
            .file("twice", b"first")
            .file("twice", b"second")
            .file("file", b"f")
            .file("file/below", b"x")
            .folder("file")
            .file("code", b"x")
            .link("code", "twice")
            .link("was-link", "code")
            .file("was-link", b"file")
            .file("was-file", b"x")
            .link("was-file", "twice"),
    );
    assert_eq!(
        out,
        named(&[
            ("twice", Replaced),
            ("file/below", FileInTheWay),
            ("file", FileInTheWay),
            ("code", FolderInTheWay),
            ("code", FolderInTheWay),
            ("was-link", Replaced),
            ("was-file", Replaced),
        ])
    );
    assert_eq!(scene.read("twice"), "second");
    assert_eq!(scene.read("was-link"), "file");
    assert_eq!(scene.read("was-file"), "second");
    assert_eq!(scene.read("file"), "f");
}

#[test]
fn pipes_files_with_holes_and_what_is_unknown_are_left_out() {
    let (_, out) = left_out(
        Built::capsule()
            .kind(EntryType::Fifo, "pipe")
            .kind(EntryType::GNUSparse, "holes")
            .extended(b"22 GNU.sparse.major=1\n")
            .file("pax-holes", b"map")
            .kind(EntryType::new(b'V'), "volume"),
    );
    assert_eq!(
        out,
        named(&[
            ("pipe", Pipe),
            ("holes", SparseFile),
            ("pax-holes", SparseFile),
            ("volume", UnknownKind),
        ])
    );
}

#[test]
fn every_limit_holds_on_what_is_really_decoded() {
    let limits = ArchiveLimits {
        entries: 50,
        bytes: 1 << 20,
        file_bytes: 1 << 16,
        ratio: 20,
        ratio_from: 1 << 18,
    };
    let many = (0..60).fold(Built::new(), |built, at| built.file(&format!("f{at}"), b""));
    let error = refused(&many.gz(), limits);
    assert!(
        matches!(error, ArchiveError::TooManyEntries { limit: 50, .. }),
        "{error}"
    );
    // Folders that no entry names count as well.
    let deep = Built::capsule().long_name(&b"a/".repeat(60)).file("x", b"");
    let error = refused(&deep.gz(), limits);
    assert!(matches!(error, ArchiveError::TooManyEntries { .. }), "{error}");
    let large = Built::capsule().file("large", &[7; (1 << 16) + 1]);
    let error = refused(&large.gz(), limits);
    assert!(
        matches!(error, ArchiveError::FileTooLarge { bytes: 65_537, .. }),
        "{error}"
    );
    let zeros = (0..10).fold(Built::new(), |built, at| {
        built.file(&format!("f{at}"), &[0; 1 << 16])
    });
    let error = refused(&zeros.gz(), limits);
    assert!(matches!(error, ArchiveError::Ratio { limit: 20, .. }), "{error}");
    let wide = ArchiveLimits {
        ratio: 2_000,
        ..limits
    };
    let copies = (0..20).fold(Built::new().file("f", &[0; 1 << 16]), |built, at| {
        built.hard_link(&format!("l{at}"), "f")
    });
    let error = refused(&copies.gz(), wide);
    assert!(
        matches!(error, ArchiveError::TooLarge { limit: 1_048_576, .. }),
        "{error}"
    );
    // Behind the end of the archive, and in what is left out.
    let mut behind = Built::capsule().0;
    behind.resize(2 << 20, 0);
    let error = refused(&gz(&behind), wide);
    assert!(matches!(error, ArchiveError::TooLarge { .. }), "{error}");
    let holes = Built::capsule().entry(EntryType::GNUSparse, b"holes", b"", &vec![0; 2 << 20], 0o644);
    let error = refused(&holes.gz(), wide);
    assert!(matches!(error, ArchiveError::TooLarge { .. }), "{error}");
    let name = Built::capsule()
        .long_name(&vec![b'a'; (1 << 20) + 1])
        .file("x", b"");
    let error = refused(&name.gz(), ArchiveLimits::default());
    assert!(matches!(error, ArchiveError::Header { .. }), "{error}");
}

#[test]
fn headers_that_readers_take_differently_refuse_the_archive() {
    for built in [
        Built::capsule().extended(b"9 size=4\n").file("x", b"x"),
        Built::capsule().extended(b"99 path=x\n").file("x", b"x"),
        Built::capsule().extended(b"0 path=x\n").file("x", b"x"),
        Built::capsule().extended(b"nothing").file("x", b"x"),
        Built::capsule()
            .entry(EntryType::XGlobalHeader, b"g", b"", b"10 path=x\n", 0o644)
            .file("y", b"x"),
    ] {
        let error = refused(&built.gz(), ArchiveLimits::default());
        assert!(matches!(error, ArchiveError::Header { .. }), "{error}");
    }
    let (scene, _) = left_out(
        Built::capsule()
            .entry(EntryType::XGlobalHeader, b"g", b"", b"13 comment=x\n", 0o644)
            .extended(b"9 size=1\n")
            .file("y", b"x"),
    );
    assert_eq!(scene.read("y"), "x");
}

#[test]
fn an_archive_that_is_none_or_is_cut_or_empty_is_refused() {
    let limits = ArchiveLimits::default();
    for none in [&b""[..], b"\x1f", b"PK\x03\x04zip", &Built::capsule().0] {
        let error = refused(none, limits);
        assert!(matches!(error, ArchiveError::NotGzip { .. }), "{error}");
    }
    let noise: Vec<u8> = (0..40_000_u32)
        .flat_map(|at| (at.wrapping_mul(2_654_435_761)).to_le_bytes())
        .collect();
    let whole = Built::capsule().file("noise", &noise).gz();
    for length in [12, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let error = refused(&whole[..length], limits);
        assert!(matches!(error, ArchiveError::Damaged { .. }), "{length}: {error}");
    }
    let mut flipped = whole.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1;
    assert!(matches!(refused(&flipped, limits), ArchiveError::Damaged { .. }));
    // Cut before it was packed.
    let error = refused(&gz(&Built::new().file("a", &[1; 4_096]).0[..1_024]), limits);
    assert!(matches!(error, ArchiveError::Damaged { .. }), "{error}");
    for empty in [
        Built::new(),
        Built::new().folder(ID),
        Built::new().folder(ID).file("beside", b"x"),
    ] {
        let error = refused(&empty.gz(), limits);
        assert!(matches!(error, ArchiveError::Empty { .. }), "{error}");
    }
    let error = refused(&gz(b"not a tar"), limits);
    assert!(
        matches!(error, ArchiveError::Damaged { .. } | ArchiveError::Empty { .. }),
        "{error}"
    );
}
