//! Archives as they should be.

use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow::{Break, Continue};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tar::EntryType;

use super::scene::{Built, ID, Scene, id, left_out, named};
use crate::capsule::archive::error::ArchiveError;
use crate::capsule::archive::left_out::LeftOutReason::{
    BesideTheCapsule, HardLinkToNoFile, LinkLeadsOut, NameTooLong,
};
use crate::capsule::archive::limits::ArchiveLimits;
use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::archive::unpack::unpack;

#[test]
fn a_capsule_is_unpacked_whole_and_its_rights_are_plain() {
    let scene = Scene::new();
    let bytes = Built::new()
        .folder("./capsule-0000001/")
        .folder("capsule-0000001/data/")
        .file("capsule-0000001/data/a.csv", b"1,2\n")
        .entry(
            EntryType::Regular,
            b"capsule-0000001/code/run.sh",
            b"",
            b"#!/bin/sh\n",
            0o6757,
        )
        .entry(EntryType::Regular, b"capsule-0000001/secret", b"", b"s", 0)
        .link("capsule-0000001/code/data", "../data")
        .gz();
    let unpacked = scene.unpack(&bytes, ArchiveLimits::default()).unwrap();
    assert_eq!(scene.read("data/a.csv"), "1,2\n");
    assert_eq!(scene.read("code/data/a.csv"), "1,2\n");
    assert_eq!(
        (unpacked.files, unpacked.folders, unpacked.links, unpacked.bytes),
        (3, 2, 1, 15)
    );
    assert_eq!(unpacked.left_out, []);
    assert_eq!(unpacked.archive, crate::domain::digest::Digest::compute(&bytes));
    assert_eq!(unpacked.tree, digest_of_folder(&scene.target()).unwrap());
    let mode = |name: &str| scene.target().join(name).metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode("code/run.sh") & 0o7722, 0o700);
    assert_eq!(mode("secret") & 0o7733, 0o600);
    let modified = scene.target().join("data/a.csv").metadata().unwrap().modified();
    let since = modified.unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 1_500_000_000);
    let again = scene.unpack(&bytes, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(again, ArchiveError::Exists { .. }), "{again}");
}

#[test]
fn the_digest_of_a_tree_is_that_of_paths_contents_and_executability() {
    let tree = |built: Built| {
        let scene = Scene::new();
        scene.unpack(&built.gz(), ArchiveLimits::default()).unwrap().tree
    };
    let plain = tree(Built::new().file("a", b"1").file("b", b"2"));
    assert_eq!(
        tree(Built::new().file("b", b"2").folder("empty").file("a", b"1")),
        plain
    );
    assert_ne!(tree(Built::new().file("a", b"1").file("c", b"2")), plain);
    assert_ne!(tree(Built::new().file("a", b"1").file("b", b"3")), plain);
    assert_ne!(
        tree(
            Built::new()
                .file("b", b"2")
                .entry(EntryType::Regular, b"a", b"", b"1", 0o755)
        ),
        plain
    );
    assert_ne!(
        tree(Built::new().file("a", b"1").file("b", b"2").link("c", "a")),
        plain
    );
}

#[test]
fn hard_links_to_files_inside_become_copies() {
    let (scene, out) = left_out(
        Built::capsule()
            .hard_link("code/run2", "code/run")
            .hard_link("code/run", "code/run"),
    );
    assert_eq!(out, named(&[("code/run", HardLinkToNoFile)]));
    assert_eq!(scene.read("code/run2"), "make");
    fs::write(scene.target().join("code/run2"), "other").unwrap();
    assert_eq!(scene.read("code/run"), "make");
}

#[test]
fn names_may_be_long_and_need_not_be_text() {
    let long = format!("{}/{}", "d".repeat(200), "f".repeat(200));
    let (scene, out) = left_out(
        Built::capsule()
            .entry(EntryType::Regular, b"caf\xe9.csv", b"", b"latin", 0o644)
            .long_name(format!("{long}\0").as_bytes())
            .file("short", b"gnu")
            .extended(b"21 path=data/pax.csv\n")
            .file("short", b"pax")
            .long_name(&[b'a'; 256])
            .file("too-long", b"x")
            .long_name(&b"ab/".repeat(2_000))
            .file("too-deep", b"x"),
    );
    let reasons: Vec<_> = out.iter().map(|(_, reason)| *reason).collect();
    assert_eq!(reasons, [NameTooLong, NameTooLong]);
    assert!(out.iter().all(|(path, _)| path.len() < 400));
    assert_eq!(scene.read(&long), "gnu");
    assert_eq!(scene.read("data/pax.csv"), "pax");
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9.csv");
    assert_eq!(fs::read(scene.target().join(name)).unwrap(), b"latin");
}

#[test]
fn only_the_capsules_own_folder_is_kept_where_there_is_one() {
    let (scene, out) = left_out(
        Built::new()
            .file("._capsule-0000001", b"mac")
            .file("capsule-0000001/code/run", b"make")
            .link("capsule-0000001/beside", "../._capsule-0000001")
            .file("other/x", b"x"),
    );
    assert_eq!(
        out,
        named(&[
            ("._capsule-0000001", BesideTheCapsule),
            ("other", BesideTheCapsule),
            ("beside", LinkLeadsOut),
        ])
    );
    assert_eq!(
        scene.all(),
        [
            "given.tar.gz",
            "out",
            "out/capsule",
            "out/capsule/code",
            "out/capsule/code/run"
        ]
    );
}

#[test]
fn it_tells_how_far_it_is_and_stops_when_it_is_told_to() {
    let scene = Scene::new();
    let bytes = Built::capsule().file("large", &vec![3; 5 << 20]).gz();
    fs::write(scene.archive(), &bytes).unwrap();
    let mut told = Vec::new();
    let on_progress = &mut |progress| {
        told.push(progress);
        Continue(())
    };
    unpack(
        &scene.archive(),
        &scene.target(),
        id().as_str(),
        ArchiveLimits::default(),
        on_progress,
    )
    .unwrap();
    assert!(told.len() >= 7, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0].unpacked <= pair[1].unpacked));
    assert_eq!(told.last().unwrap().entries, 3);
    fs::remove_dir_all(scene.target()).unwrap();
    let mut calls = 0;
    let on_progress = &mut |_| {
        calls += 1;
        if calls == 5 { Break(()) } else { Continue(()) }
    };
    let stopped = unpack(
        &scene.archive(),
        &scene.target(),
        id().as_str(),
        ArchiveLimits::default(),
        on_progress,
    );
    assert!(matches!(stopped, Err(ArchiveError::Stopped { .. })));
    assert_eq!(calls, 5);
    assert_eq!(scene.all(), ["given.tar.gz", "out"]);
}

#[test]
fn a_half_filled_folder_of_a_killed_process_is_taken_over_and_one_in_use_is_not() {
    let scene = Scene::new();
    let partial = scene.folder.path().join("out/.capsule.unpacking");
    fs::create_dir_all(partial.join("old/deep")).unwrap();
    fs::write(partial.join("old/file"), "x").unwrap();
    std::os::unix::fs::symlink("/etc", partial.join("link")).unwrap();
    let bytes = Built::capsule().gz();
    let lock = fs::File::open(&partial).unwrap();
    lock.lock().unwrap();
    let error = scene.unpack(&bytes, ArchiveLimits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::Busy { .. }), "{error}");
    assert!(partial.join("old/file").exists());
    drop(lock);
    scene.unpack(&bytes, ArchiveLimits::default()).unwrap();
    assert_eq!(
        scene.all(),
        [
            "given.tar.gz",
            "out",
            "out/capsule",
            "out/capsule/code",
            "out/capsule/code/run"
        ]
    );
    assert!(Path::new("/etc").exists());
}

#[test]
fn the_capsule_of_a_task_is_a_folder_or_an_archive_that_is_unpacked_once() {
    let scene = Scene::new();
    let (capsules, cache) = (
        scene.folder.path().join("capsules"),
        scene.folder.path().join("cache"),
    );
    fs::create_dir_all(&capsules).unwrap();
    assert_eq!(CapsuleSource::find(&capsules, &id()), None);
    let archive = capsules.join(format!("{ID}.tar.gz"));
    fs::write(&archive, Built::capsule().gz()).unwrap();
    let source = CapsuleSource::find(&capsules, &id()).unwrap();
    assert_eq!(source, CapsuleSource::Archive(archive.clone()));
    let entries = Cell::new(0);
    let prepare = |source: &CapsuleSource| {
        source.prepare(&id(), &cache, ArchiveLimits::default(), &mut |_| {
            entries.set(entries.get() + 1);
            Continue(())
        })
    };
    let first = prepare(&source).unwrap();
    let unpacked = entries.take();
    let second = prepare(&source).unwrap();
    assert!(unpacked > 0 && entries.get() == 0);
    assert!(!first.was_cached && second.was_cached);
    assert_eq!(first.unpacked, second.unpacked);
    assert_eq!(first.folder, second.folder);
    assert_eq!(
        fs::read_to_string(second.folder.join("code/run")).unwrap(),
        "make"
    );
    // Another archive of the same name is another capsule.
    fs::write(&archive, Built::capsule().file("more", b"x").gz()).unwrap();
    let other = prepare(&source).unwrap();
    assert!(!other.was_cached && other.folder != first.folder);
    // A folder without its account is unpacked again.
    fs::write(first.folder.join("../unpacked.json"), "{").unwrap();
    fs::write(&archive, Built::capsule().gz()).unwrap();
    assert!(!prepare(&source).unwrap().was_cached);
    assert!(prepare(&source).unwrap().was_cached);
    fs::create_dir_all(capsules.join(ID)).unwrap();
    let folder = CapsuleSource::find(&capsules, &id()).unwrap();
    assert_eq!(folder.path(), capsules.join(ID));
    assert_eq!(prepare(&folder).unwrap().unpacked, None);
}
