//! Environments made by uv, out of a cache that no package's code reaches.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use reprise::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use reprise::sandbox::contract::Sandbox as _;
use reprise::sandbox::local::sandbox::LocalSandbox;
use reprise::sandbox::local::settings::LocalSettings;
use tokio_util::sync::CancellationToken;

use crate::environments::{fresh, python};
use crate::harness::{LOCAL, Range};
use crate::need::{self, PATIENCE, need};

/// The name under which an environment says what installed it.
const INSTALLED_BY: &str = "installed by";

/// The machine's uv, or `None`, with a message: a copy of it, since code that runs as another user may not reach the
/// folder of the operator's.
pub fn program() -> Option<String> {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    let found = need::uv()?;
    let copy = COPY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (draft, copy) = (
            folder.join(format!("uv-{}", std::process::id())),
            folder.join("uv"),
        );
        std::fs::copy(found, &draft).unwrap();
        std::fs::rename(draft, &copy).unwrap();
        copy
    });
    Some(copy.display().to_string())
}

/// A folder of wheels: `top` needs `middle`, which needs `low` in one of two versions.
fn wheels() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    for (name, version, needs) in [
        ("top_pkg", "1.0", "middle-pkg>=1"),
        ("top_pkg", "0.9", ""),
        ("middle_pkg", "1.5", "low-pkg<2"),
        ("low_pkg", "1.9", ""),
        ("low_pkg", "2.0", ""),
    ] {
        wheel(folder.path(), name, version, needs);
    }
    folder
}

fn wheel(folder: &Path, name: &str, version: &str, needs: &str) {
    wheel_of(folder, name, version, needs, &format!("VERSION = '{version}'\n"));
}

fn wheel_of(folder: &Path, name: &str, version: &str, needs: &str, module: &str) {
    let file = std::fs::File::create(folder.join(format!("{name}-{version}-py3-none-any.whl"))).unwrap();
    let mut archive = zip::ZipWriter::new(file);
    let info = format!("{name}-{version}.dist-info");
    let needs = match needs {
        "" => String::new(),
        needs => format!("Requires-Dist: {needs}\n"),
    };
    for (entry, text) in [
        (format!("{name}.py"), module.to_owned()),
        (
            format!("{info}/METADATA"),
            format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"),
        ),
        (
            format!("{info}/WHEEL"),
            "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
        ),
        (
            format!("{info}/RECORD"),
            format!("{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"),
        ),
    ] {
        archive
            .start_file(entry, zip::write::SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

fn finds_packages_in(settings: &mut LocalSettings, wheels: &Path, uv: &str) {
    let operator = &mut settings.operator;
    operator.insert("PIP_FIND_LINKS".to_owned(), wheels.display().to_string());
    operator.insert("PIP_NO_INDEX".to_owned(), "1".to_owned());
    operator.insert("REPRISE_UV".to_owned(), uv.to_owned());
}

/// A sandbox with a cache of its own that finds packages in a folder alone.
async fn among(tier: Tier, wheels: &Path, uv: &str) -> Option<(LocalSandbox, tempfile::TempDir)> {
    fresh(tier, |settings| finds_packages_in(settings, wheels, uv))
}

/// The result of a build, and the lines that were shown meanwhile.
struct Built {
    result: Result<Environment, BuildFailure>,
    lines: Vec<String>,
}

impl Built {
    async fn of(sandbox: &LocalSandbox, requirements: &[&str]) -> Self {
        let lines = Mutex::new(Vec::new());
        let result = sandbox
            .prepare(&python(requirements), &CancellationToken::new(), &|line| {
                lines.lock().unwrap().push(line.to_owned());
            })
            .await;
        Self {
            result,
            lines: lines.into_inner().unwrap(),
        }
    }

    fn environment(&self) -> &Environment {
        self.result
            .as_ref()
            .unwrap_or_else(|failure| panic!("{failure}\n{}\n{}", failure.log, self.lines.join("\n")))
    }
}

#[tokio::test]
async fn uv_installs_the_versions_that_go_together() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    let (one, other) = (
        [("low-pkg", "1.9"), ("middle-pkg", "1.5"), ("top-pkg", "1.0")],
        [("low-pkg", "1.9"), ("middle-pkg", "1.5"), ("top-pkg", "0.9")],
    );
    for tier in LOCAL {
        for (wanted, expected) in [
            (&["top-pkg"][..], one),
            (&["top-pkg<1", "low-pkg", "middle-pkg==1.5"], other),
        ] {
            let Some((sandbox, _cache)) = among(tier, wheels.path(), &uv).await else {
                break;
            };
            let built = Built::of(&sandbox, wanted).await;
            let mut versions = built.environment().versions.clone();
            let by = versions.remove(INSTALLED_BY).unwrap();
            assert!(
                by.starts_with("uv "),
                "{tier:?}: {by}\n{}",
                built.lines.join("\n")
            );
            versions.remove("python");
            let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
            assert_eq!(versions, BTreeMap::from(expected), "{tier:?} {wanted:?}");
        }
    }
}

/// The files of a folder with what must not change: links, owner, mode and size.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let found = entry.metadata().unwrap();
            let text = std::fs::read(entry.path()).unwrap();
            let told = format!("{} {:o} {text:?}", found.uid(), found.mode());
            (entry.into_path(), told)
        })
        .collect()
}

#[tokio::test]
async fn code_reaches_no_file_of_the_shared_cache() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    for tier in LOCAL {
        let Some((sandbox, cache)) = among(tier, wheels.path(), &uv).await else {
            continue;
        };
        let built = Built::of(&sandbox, &["low-pkg==1.9"]).await;
        let environment = built.environment().clone();
        let archive = cache.path().join("uv");
        let before = files(&archive);
        let module = before.keys().find(|file| file.ends_with("low_pkg.py"));
        let links = module.unwrap().metadata().unwrap().nlink();
        assert_eq!(links, 2, "{tier:?}: the environment is no link to the cache");
        let mut range = Range::open(tier).await.unwrap();
        (range.sandbox, range.environment) = (Arc::new(sandbox.clone()), environment);
        let came = range
            .python(&format!(
                r#"
import low_pkg, os
file = low_pkg.__file__
for attempt in (
    lambda: open(file, "a").write("evil"),
    lambda: os.chmod(file, 0o777),
    lambda: os.utime(file),
    lambda: os.unlink(file),
    lambda: os.link(file, "/workspace/work/link"),
    lambda: open(os.path.join(os.path.dirname(file), "evil.pth"), "w"),
    lambda: os.listdir({archive:?}),
):
    try:
        attempt()
        print("done")
    except OSError as error:
        print("refused")
print(low_pkg.VERSION)
"#
            ))
            .await;
        assert!(came.text().ends_with("1.9\n"), "{}{}", came.text(), came.errors());
        assert_eq!(files(&archive), before, "{tier:?}: {}", came.text());
        // What is made from the cache afterwards is what was in it.
        let again = Built::of(&sandbox, &["low-pkg==1.9", "top-pkg<1"]).await;
        range.environment = again.environment().clone();
        let came = range.python("import low_pkg; print(low_pkg.VERSION)").await;
        assert_eq!(came.text(), "1.9\n", "{}", came.errors());
    }
}

#[tokio::test]
async fn a_uv_that_does_not_work_is_told_and_nothing_is_made() {
    let wheels = wheels();
    for (script, why) in [
        ("exit 3", "does not run confined"),
        ("echo 'uv 0.1.0'", "at least"),
        ("echo nonsense", "no version that can be read"),
        (
            "[ \"$1\" = --version ] && echo 'uv 99.0.0' && exit; echo garbage; kill -SEGV $$",
            "uv was ended from outside",
        ),
        (
            "[ \"$1\" = --version ] && echo 'uv 99.0.0' && exit; echo 'error: no route'; exit 2",
            "error: no route",
        ),
        ("echo 'uv 99.0.0'", "`low-pkg` is not installed"),
    ] {
        let program = wheels.path().join("uv");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        // The same code in either tier.
        let tiers = if script == "exit 3" {
            &LOCAL[..]
        } else {
            &LOCAL[..1]
        };
        for &tier in tiers {
            let named = program.display().to_string();
            let Some((sandbox, cache)) = among(tier, wheels.path(), &named).await else {
                continue;
            };
            let built = Built::of(&sandbox, &["low-pkg==1.9"]).await;
            let failure = built.result.unwrap_err();
            let told = format!("{}\n{}", failure.summary, failure.log);
            assert!(told.contains(why), "{tier:?} {script}: {told}");
            let left = std::fs::read_dir(cache.path().join("environments"))
                .unwrap()
                .flatten();
            assert_eq!(
                left.filter(|entry| entry.path().is_dir()).count(),
                0,
                "{tier:?} {script}"
            );
        }
    }
}

#[tokio::test]
async fn without_uv_the_way_out_is_told() {
    let wheels = wheels();
    // The index has a wheel of the right name with another content.
    wheel(wheels.path(), "uv", "0.13.9", "");
    for (setting, parts) in [
        ("off", ["REPRISE_UV is `off`", "leave REPRISE_UV out"]),
        ("", ["could not be fetched", "`pip install uv`"]),
    ] {
        let found = fresh(Tier::Namespaces, |settings| {
            finds_packages_in(settings, wheels.path(), setting);
            let path = "/usr/bin:/bin".to_owned();
            settings.operator.insert("PATH".to_owned(), path);
        });
        let Some((sandbox, cache)) = found else { return };
        let built = Built::of(&sandbox, &["low-pkg==1.9"]).await;
        let failure = built.result.unwrap_err();
        for part in parts {
            assert!(failure.summary.contains(part), "{setting}: {failure}");
        }
        let program = cache.path().join("installers/uv-0.13.9-x86_64/uv");
        assert!(!program.exists());
        // An environment without packages needs none.
        Built::of(&sandbox, &[]).await.environment();
    }
}

#[tokio::test]
async fn nothing_half_installed_is_left_by_either() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    // Its digest is not that of the record, and its end is missing.
    let whole = wheels.path().join("low_pkg-2.0-py3-none-any.whl");
    let bytes = std::fs::read(&whole).unwrap();
    std::fs::write(&whole, &bytes[..bytes.len() / 2]).unwrap();
    for tier in LOCAL {
        let Some((sandbox, cache)) = among(tier, wheels.path(), &uv).await else {
            continue;
        };
        let built = Built::of(&sandbox, &["top-pkg", "low-pkg==2.0"]).await;
        let failure = built.result.as_ref().unwrap_err();
        println!("{failure}");
        let left: Vec<_> = std::fs::read_dir(cache.path().join("environments"))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .collect();
        assert!(left.is_empty(), "{tier:?}: {left:?}");
    }
}

#[tokio::test]
async fn modules_are_compiled_after_the_first_execution_and_by_nobody_else() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    for tier in LOCAL {
        let Some((sandbox, _cache)) = among(tier, wheels.path(), &uv).await else {
            continue;
        };
        let built = Built::of(&sandbox, &["low-pkg==1.9"]).await;
        let location = PathBuf::from(&built.environment().location);
        let compiled = || {
            walkdir::WalkDir::new(location.join("venv"))
                .into_iter()
                .flatten()
                .filter(|entry| entry.file_name().to_string_lossy().starts_with("low_pkg.cpython"))
                .map(|entry| std::fs::read(entry.path()).unwrap())
                .collect::<Vec<_>>()
        };
        assert!(compiled().is_empty());
        let mut range = Range::open(tier).await.unwrap();
        (range.sandbox, range.environment) = (Arc::new(sandbox.clone()), built.environment().clone());
        let came = range.python("import low_pkg; print(low_pkg.__cached__)").await;
        assert!(came.text().contains("__pycache__"), "{}", came.errors());
        let begin = std::time::Instant::now();
        while !location.join("compiled").exists() {
            assert!(begin.elapsed() < PATIENCE, "{tier:?}: nothing was compiled");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let bytes = compiled();
        assert_eq!(bytes.len(), 1);
        // Taken whatever the time of the source (PEP 552: a hash that is not checked).
        assert_eq!(bytes[0][4..8], [1, 0, 0, 0]);
        let came = range.python("import low_pkg; print(low_pkg.VERSION)").await;
        assert_eq!(came.text(), "1.9\n", "{}", came.errors());
    }
}

#[tokio::test]
#[ignore = "looks at files while they are compiled: .ci/run long"]
async fn modules_that_a_script_imports_are_compiled_before_the_rest() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    // It takes so long that the others would be seen without it.
    let lines: String = (0..60_000)
        .map(|at| format!("x{at} = [{at}, 'text', {at}.5]\n"))
        .collect();
    wheel_of(wheels.path(), "bulky_pkg", "1.0", "", &lines);
    for tier in LOCAL {
        let Some((sandbox, _cache)) = among(tier, wheels.path(), &uv).await else {
            continue;
        };
        let built = Built::of(&sandbox, &["low-pkg==1.9", "bulky-pkg"]).await;
        let location = PathBuf::from(&built.environment().location);
        let is_compiled = |module: &str| {
            let files = walkdir::WalkDir::new(location.join("venv")).into_iter().flatten();
            let begin = format!("{module}.cpython");
            files
                .into_iter()
                .any(|entry| entry.file_name().to_string_lossy().starts_with(&begin))
        };
        let mut range = Range::open(tier).await.unwrap();
        (range.sandbox, range.environment) = (Arc::new(sandbox.clone()), built.environment().clone());
        for (script, text) in [
            ("main", "import beside\n"),
            ("beside", "from low_pkg import VERSION\nprint(VERSION)\n"),
        ] {
            std::fs::write(range.workspace.join(format!("work/{script}.py")), text).unwrap();
        }
        let came = range.run(&["python", "main.py"]).await.unwrap();
        assert_eq!(came.text(), "1.9\n", "{}", came.errors());
        let begin = std::time::Instant::now();
        while !is_compiled("low_pkg") {
            assert!(begin.elapsed() < PATIENCE, "{tier:?}: nothing was compiled");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        assert!(!is_compiled("bulky_pkg"), "{tier:?}: all at once");
        while !location.join("compiled").exists() {
            assert!(begin.elapsed() < PATIENCE, "{tier:?}: the rest was not compiled");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert!(is_compiled("bulky_pkg"), "{tier:?}");
    }
}

#[tokio::test]
async fn before_many_executions_every_module_is_compiled_whoever_compiles() {
    let Some(uv) = program() else { return };
    let wheels = wheels();
    for tier in LOCAL {
        let Some((sandbox, _cache)) = among(tier, wheels.path(), &uv).await else {
            continue;
        };
        let built = Built::of(&sandbox, &["low-pkg==1.9"]).await;
        let environment = built.environment();
        let marker = PathBuf::from(&environment.location).join("compiled");
        let stopped = CancellationToken::new();
        stopped.cancel();
        sandbox.warm_up(environment, &stopped).await;
        assert!(
            !marker.exists(),
            "{tier:?}: compiled although it was told to stop"
        );
        let go_on = CancellationToken::new();
        tokio::join!(
            sandbox.warm_up(environment, &go_on),
            sandbox.warm_up(environment, &go_on)
        );
        assert!(marker.exists(), "{tier:?}: not compiled");
    }
}

/// Needs the package index that the operator's settings name.
#[tokio::test]
#[ignore = "fetches uv from the index: run it with --ignored"]
async fn uv_is_fetched_where_the_machine_has_none() {
    for tier in LOCAL {
        let Some((sandbox, cache)) = fresh(tier, |settings| {
            settings
                .operator
                .insert("PATH".to_owned(), "/usr/bin:/bin".to_owned());
            settings.operator.remove("REPRISE_UV");
        }) else {
            continue;
        };
        let built = Built::of(&sandbox, &["six==1.16.0"]).await;
        let by = &built.environment().versions[INSTALLED_BY];
        assert!(by.starts_with("uv "), "{by}\n{}", built.lines.join("\n"));
        let fetched = walkdir::WalkDir::new(cache.path().join("installers"))
            .into_iter()
            .flatten()
            .filter(|entry| {
                entry.file_name() == "uv" || entry.file_name().to_string_lossy().ends_with(".whl")
            });
        assert_eq!(fetched.count(), 1, "the program alone is left");
    }
}

/// A program in the place of uv, which puts a Python of 3.7.99 where it is told to, and notes what it was told.
fn stand_in(folder: &Path) -> PathBuf {
    let python = "#!/bin/sh\ncase \"$*\" in\n*base_exec*)\n\
                  echo \"{\\\"executable\\\": \\\"$0\\\", \\\"prefix\\\": \\\"${0%/bin/*}\\\", \\\"version\\\": \\\"3.7.99\\\"}\" ;;\n\
                  *) exec /usr/bin/env python3 \"$@\" ;;\nesac\n";
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'uv 0.13.9'; exit; fi\necho \"$*\" >> {told}\n\
         while [ $# -gt 1 ]; do [ \"$1\" = --install-dir ] && into=$2; shift; done\n\
         mkdir -p \"$into/cpython-$1/bin\"\ncat > \"$into/cpython-$1/bin/python$1\" <<'END'\n{python}END\n\
         chmod 755 \"$into/cpython-$1/bin/python$1\"\n",
        told = folder.join("told").display()
    );
    let program = folder.join("uv");
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

#[tokio::test]
async fn a_python_that_the_machine_lacks_is_fetched_from_the_mirror_that_is_named_and_from_nowhere_else() {
    let folder = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let uv = stand_in(folder.path());
    let sandbox = |mirror: Option<&str>| {
        let mut settings = LocalSettings::new(env!("CARGO_BIN_EXE_reprise"), folder.path().join("cache"));
        settings.operator = BTreeMap::from([
            // No Python of the release lies here.
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("HOME".to_owned(), folder.path().display().to_string()),
            ("REPRISE_UV".to_owned(), uv.display().to_string()),
        ]);
        let named = mirror.map(|mirror| ("UV_PYTHON_INSTALL_MIRROR".to_owned(), mirror.to_owned()));
        settings.operator.extend(named);
        settings.tier = Some(Tier::Namespaces);
        LocalSandbox::detect(settings)
    };
    let spec = EnvironmentSpec {
        python_version: Some("3.7".to_owned()),
        ..python(&[])
    };
    let Some(without) = need(sandbox(None)) else {
        return;
    };
    let found = without.python_of(&spec).await.unwrap().unwrap();
    assert!(!found.starts_with("3.7."), "{found}");
    assert!(!folder.path().join("told").exists());
    let with = sandbox(Some("https://mirror.example/pythons")).unwrap();
    assert_eq!(with.python_of(&spec).await.unwrap().as_deref(), Some("3.7.99"));
    let told = std::fs::read_to_string(folder.path().join("told")).unwrap();
    let into = folder.path().join("cache/pythons");
    assert_eq!(
        told,
        format!(
            "python install --no-config --no-bin --no-progress --mirror https://mirror.example/pythons --install-dir {} 3.7\n",
            into.display()
        )
    );
    // One that was fetched is found without a mirror, and is not fetched again.
    let later = sandbox(None).unwrap();
    assert_eq!(later.python_of(&spec).await.unwrap().as_deref(), Some("3.7.99"));
    assert_eq!(std::fs::read_to_string(folder.path().join("told")).unwrap(), told);
}
