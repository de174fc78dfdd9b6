//! Capsules laid out on disk.

use std::os::unix::fs::symlink;

use super::*;

const RESULT: &str = "accuracy of the model on held-out data: 0.9573\n";

/// A folder with a capsule in it, and an empty one beside it.
struct Folders {
    _holder: tempfile::TempDir,
    source: PathBuf,
    target: PathBuf,
}

impl Folders {
    fn new(files: &[(&str, &str)]) -> Self {
        let holder = tempfile::tempdir().unwrap();
        let (source, target) = (holder.path().join("capsule"), holder.path().join("target"));
        for folder in [&source, &target] {
            fs::create_dir(folder).unwrap();
        }
        for (path, text) in files {
            let path = source.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self {
            _holder: holder,
            source,
            target,
        }
    }

    fn whole() -> Self {
        let folders = Self::new(&[
            ("REPRODUCING.md", "docker run"),
            ("README.md", "A paper."),
            ("code/run", "#!/bin/sh\npython main.py\n"),
            ("code/main.py", "print(1)"),
            ("data/train.csv", "a,b\n1,2\n"),
            ("data/report.json", "{\"q\": 1}"),
            ("environment/Dockerfile", "FROM scratch"),
            ("results/output", RESULT),
            ("results/figures/one.txt", "1"),
        ]);
        fs::create_dir_all(folders.source.join("data/empty/inner")).unwrap();
        folders
    }

    fn lay_out(&self, layout: Layout, level: Level) -> Result<LaidOut, LayoutError> {
        lay_out(&self.source, &self.target, layout, level)
    }

    /// All that stands in the target, folders with a slash behind them.
    fn standing(&self) -> Vec<String> {
        let mut standing: Vec<String> = walkdir::WalkDir::new(&self.target)
            .min_depth(1)
            .into_iter()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().strip_prefix(&self.target).unwrap();
                let slash = if entry.file_type().is_dir() { "/" } else { "" };
                format!("{}{slash}", path.display())
            })
            .collect();
        standing.sort();
        standing
    }
}

fn paths(laid_out: &LaidOut) -> Vec<&str> {
    laid_out.kept.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn the_original_copies_folders_and_empties_results() {
    let folders = Folders::whole();
    let laid_out = folders.lay_out(Layout::Original, Level::Hard).unwrap();
    let expected = [
        "README.md",
        "code/",
        "code/main.py",
        "data/",
        "data/empty/",
        "data/empty/inner/",
        "data/train.csv",
        "results/",
    ];
    assert_eq!(folders.standing(), expected);
    assert_eq!(laid_out.empty_folders, ["data/empty/inner", "results"]);
    let removed: Vec<_> = laid_out
        .removed
        .iter()
        .map(|file| (file.path.as_str(), file.reason))
        .collect();
    let expected = [
        ("REPRODUCING.md", RemovalReason::Instructions),
        ("code/run", RemovalReason::RunScript),
        ("data/report.json", RemovalReason::EarlierReport),
        ("environment/Dockerfile", RemovalReason::Environment),
        ("results/figures/one.txt", RemovalReason::Results),
        ("results/output", RemovalReason::Results),
    ];
    assert_eq!(removed, expected);
    assert_eq!(laid_out.removed[5].digest, Digest::compute(RESULT));
    assert_eq!(laid_out.removed[5].size, RESULT.len() as u64);
}

#[test]
fn folders_are_made_as_each_runner_makes_them() {
    for (layout, level, expected) in [
        (Layout::Original, Level::Easy, vec!["data/empty/inner"]),
        (
            Layout::Original,
            Level::Medium,
            vec!["data/empty/inner", "results"],
        ),
        (Layout::Inspect, Level::Hard, vec!["data/empty/inner"]),
        (Layout::Hal, Level::Medium, vec![]),
        (Layout::V1_1, Level::Easy, vec![]),
    ] {
        let folders = Folders::whole();
        let laid_out = folders.lay_out(layout, level).unwrap();
        assert_eq!(laid_out.empty_folders, expected, "{layout} {level}");
        let standing = folders.standing();
        for folder in ["data/empty/inner/", "results/", "environment/"] {
            let is_made = expected.contains(&folder.trim_end_matches('/'))
                || laid_out.kept.iter().any(|file| file.path.starts_with(folder));
            let stands = standing.iter().any(|path| path == folder);
            assert_eq!(stands, is_made, "{layout} {level} {folder}");
        }
    }
}

#[test]
fn what_is_kept_is_what_stands_there() {
    for layout in Layout::ALL {
        for level in Level::ALL {
            let folders = Folders::whole();
            let laid_out = folders.lay_out(layout, level).unwrap();
            let files: Vec<String> = folders
                .standing()
                .into_iter()
                .filter(|path| !path.ends_with('/'))
                .collect();
            assert_eq!(paths(&laid_out), files);
            for file in &laid_out.kept {
                let bytes = fs::read(folders.target.join(&file.path)).unwrap();
                assert_eq!(Digest::compute(&bytes), file.digest);
                assert_eq!(bytes.len() as u64, file.size);
                assert_eq!(
                    decide(layout, level, &file.path),
                    FileDecision::Kept,
                    "{}",
                    file.path
                );
            }
            let holds_result = files.iter().any(|path| path == "results/output");
            assert_eq!(holds_result, level == Level::Easy, "{layout} {level}");
            assert!(!files.iter().any(|path| path.ends_with("report.json")));
        }
    }
}

#[test]
fn copies_of_results_do_not_leak() {
    let short = "0.9573";
    for layout in Layout::ALL {
        let folders = Folders::new(&[
            ("results/output", RESULT),
            ("results/number", short),
            ("results/empty", ""),
            ("docs/expected.txt", RESULT),
            ("docs/number", short),
            ("docs/same_length", &RESULT.replace('9', "8")),
            ("code/__init__.py", ""),
        ]);
        let laid_out = folders.lay_out(layout, Level::Medium).unwrap();
        let copy = LeakedCopy {
            path: "docs/expected.txt".to_owned(),
            of: "results/output".to_owned(),
        };
        assert_eq!(laid_out.copies, [copy]);
        assert_eq!(
            paths(&laid_out),
            ["code/__init__.py", "docs/number", "docs/same_length"]
        );
        assert!(!folders.target.join("docs/expected.txt").exists());
        let folders = Folders::new(&[("results/output", RESULT), ("docs/expected.txt", RESULT)]);
        let easy = folders.lay_out(layout, Level::Easy).unwrap();
        assert_eq!(easy.kept.len(), 2);
    }
}

#[test]
fn links_are_copied_as_files_of_the_capsule_or_named() {
    let folders = Folders::new(&[("data/a.csv", "1,2"), ("results/number", "3")]);
    let outside = folders.source.parent().unwrap().join("secret");
    fs::write(&outside, "secret").unwrap();
    let link = |target: &Path, path: &str| symlink(target, folders.source.join(path)).unwrap();
    link(Path::new("a.csv"), "data/b.csv");
    link(Path::new("../results/number"), "data/answer");
    link(Path::new("../../secret"), "data/outside");
    link(&outside, "data/absolute");
    link(Path::new("nowhere"), "data/broken");
    link(Path::new("loop"), "data/loop");
    link(Path::new("."), "data/folder");
    link(Path::new("../data/a.csv"), "results/input.csv");
    let laid_out = folders.lay_out(Layout::Hal, Level::Medium).unwrap();
    assert_eq!(paths(&laid_out), ["data/a.csv", "data/b.csv"]);
    let copied = folders.target.join("data/b.csv");
    assert!(!fs::symlink_metadata(&copied).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(copied).unwrap(), "1,2");
    let copy = LeakedCopy {
        path: "data/answer".to_owned(),
        of: "results/number".to_owned(),
    };
    assert_eq!(laid_out.copies, [copy]);
    let expected = [
        "`data/absolute` is a symbolic link to an absolute path.",
        "`data/broken` is a symbolic link to nothing.",
        "`data/folder` is a symbolic link to a folder.",
        "`data/loop` is a symbolic link to nothing.",
        "`data/outside` is a symbolic link that leads out of the capsule.",
        "`results/input.csv` is a symbolic link and is among the authors' results.",
    ];
    assert_eq!(laid_out.left_out, expected);
}

#[test]
fn odd_entries_are_named_and_not_opened() {
    use std::os::unix::ffi::OsStrExt as _;

    let folders = Folders::new(&[("a", "1"), ("line\nbreak", "1"), ("back\\slash", "1")]);
    let odd = folders.source.join(std::ffi::OsStr::from_bytes(b"b\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("inner"), "1").unwrap();
    nix::unistd::mkfifo(&folders.source.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let laid_out = folders.lay_out(Layout::Original, Level::Hard).unwrap();
    assert_eq!(paths(&laid_out), ["a", "back\\slash"]);
    assert_eq!(laid_out.left_out.len(), 3, "{:?}", laid_out.left_out);
    assert!(laid_out.left_out[0].starts_with("`b\u{fffd}` has a name"));
    assert!(laid_out.left_out[1].starts_with("`line\\nbreak` has a name"));
    assert!(laid_out.left_out[2].starts_with("`pipe` is neither"));
}

#[test]
fn executable_files_stay_so_and_no_other_permission_is_kept() {
    let folders = Folders::new(&[("a", "1"), ("b", "1")]);
    let source = folders.source.clone();
    fs::set_permissions(source.join("a"), Permissions::from_mode(0o4711)).unwrap();
    fs::set_permissions(source.join("b"), Permissions::from_mode(0o400)).unwrap();
    folders.lay_out(Layout::Hal, Level::Easy).unwrap();
    let mode = |path: &str| {
        fs::metadata(folders.target.join(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    };
    assert_eq!(mode("a"), 0o755);
    assert_eq!(mode("b"), 0o644);
}

#[test]
fn folders_that_cannot_be_laid_out_are_refused() {
    let folders = Folders::new(&[]);
    let says = |result: Result<LaidOut, LayoutError>| result.unwrap_err().to_string();
    assert!(says(folders.lay_out(Layout::Hal, Level::Easy)).contains("holds no file"));
    fs::write(folders.source.join("a"), "1").unwrap();
    fs::create_dir(folders.source.join("in")).unwrap();
    let within = lay_out(
        &folders.source,
        &folders.source.join("in"),
        Layout::Hal,
        Level::Easy,
    );
    assert!(says(within).contains("lie in one another"));
    let missing = lay_out(
        &folders.source.join("a"),
        &folders.target,
        Layout::Hal,
        Level::Easy,
    );
    assert!(says(missing).contains("is no folder"));
    folders.lay_out(Layout::Hal, Level::Easy).unwrap();
    assert!(says(folders.lay_out(Layout::Hal, Level::Easy)).contains("is not empty"));
}
