//! Independent implementations in Python, run in an environment of their own
//! below `target/`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The packages that the oracles import, with the versions they were checked with.
const PACKAGES: [&str; 5] = [
    "numpy==2.4.6",
    "scipy==1.17.1",
    "scikit-learn==1.9.1",
    "krippendorff==0.9.0",
    "rouge-score==0.1.2",
];

static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Runs `tests/oracles/<script>` on `input`; `None`, with a message, where there is no `python3` or no index.
pub fn ask(script: &str, input: &serde_json::Value) -> Option<serde_json::Value> {
    let python = PYTHON.get_or_init(environment).as_ref()?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/oracles")
        .join(script);
    let mut child = Command::new(python)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = serde_json::to_vec(input).unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "{script} failed");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn environment() -> Option<PathBuf> {
    crate::need::program("python3", "apt-get install python3 python3-venv")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/oracles");
    let (python, ready) = (root.join("bin/python"), root.join("ready"));
    let wanted = PACKAGES.join("\n");
    std::fs::create_dir_all(&root).unwrap();
    // Test binaries may run side by side, and only one may build the environment.
    let lock = std::fs::File::create(root.join("lock")).unwrap();
    lock.lock().unwrap();
    if std::fs::read_to_string(&ready).is_ok_and(|found| found == wanted) {
        return Some(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&root)
        .status()
        .unwrap();
    assert!(made.success(), "no virtual environment can be made");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]).args(PACKAGES);
    let is_installed = install.status().is_ok_and(|status| status.success());
    crate::need::need_that(
        is_installed,
        "the oracles' packages cannot be installed: no index of Python packages",
    )?;
    std::fs::write(&ready, wanted).unwrap();
    Some(python)
}
