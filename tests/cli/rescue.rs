use super::support::Place;

const OLD: &str = "import time\nimport numpy as np\n\nstart = time.clock()\nx = np.float(3)  # np.int\n";

#[test]
fn a_script_is_diagnosed_and_its_code_is_left() {
    let place = Place::new();
    std::fs::write(place.path().join("old.py"), OLD).unwrap();
    let called = place.call(&["env", "rescue", "old.py"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert!(
        called.stdout.contains("old.py:4: `time.clock` was removed"),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("this mend does not change results"),
        "{}",
        called.stdout
    );

    let json = place.call(&["env", "rescue", "old.py", "--interpreter", "3.7", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["format"], "reprise-rescue/2");
    assert!(value["table"].as_u64().unwrap() > 0);
    let ids: Vec<&str> = (value["scripts"][0]["findings"].as_array().unwrap().iter())
        .map(|finding| finding["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["numpy-python-types"], "time.clock was there in 3.7");

    let called = place.call(&["env", "rescue", "old.py", "--write"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(std::fs::read_to_string(place.path().join("old.py")).unwrap(), OLD);
    assert!(!place.path().join("old.py.before-rescue").exists());
    let gone = place.call(&["env", "rescue", "old.py", "--may-change"]);
    assert!(
        gone.status == 2 && gone.stderr.contains("use 2to3 or pyupgrade"),
        "{}",
        gone.stderr
    );
}

#[test]
fn a_missing_package_is_attached_and_the_repair_is_listed() {
    let place = Place::new();
    let script = "x <- c(\"a\", \"b\")\nstr_detect(x, \"a\")\n";
    std::fs::write(place.path().join("old.R"), script).unwrap();
    let log = "Error in str_detect(x, \"a\") : could not find function \"str_detect\"\n";
    std::fs::write(place.path().join("log"), log).unwrap();
    let called = place.call(&["env", "rescue", "old.R", "--log", "log"]);
    assert!(
        called
            .stdout
            .contains("old.R: repairs (--diff shows them, --write makes them): r-function-elsewhere"),
        "{}{}",
        called.stdout,
        called.stderr
    );
    let json = place.call(&["env", "rescue", "old.R", "--log", "log", "--json", "--write"]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["scripts"][0]["repairs"][0]["risk"], "may-change", "{value}");
    assert_eq!(
        std::fs::read_to_string(place.path().join("old.R")).unwrap(),
        format!("library(stringr)\n{script}")
    );
}

#[test]
fn a_mend_that_changes_results_is_told_and_never_made() {
    let place = Place::new();
    let script = "set.seed(1)\nx <- sample(10, 3)\n";
    std::fs::write(place.path().join("old.R"), script).unwrap();
    let called = place.call(&["env", "rescue", "old.R", "--write"]);
    assert!(
        called.stdout.contains("this mend changes results"),
        "{}",
        called.stdout
    );
    assert_eq!(
        std::fs::read_to_string(place.path().join("old.R")).unwrap(),
        script
    );
    assert!(!place.path().join("old.R.before-rescue").exists());
}

#[test]
fn mistakes_are_told() {
    let place = Place::new();
    for (arguments, told) in [
        (&["env", "rescue", "nowhere.py"][..], "cannot be read"),
        (&["env", "rescue", "script.txt"][..], ".py, .R, .do, .sps, .Rmd"),
        (
            &["env", "rescue", "nowhere.py", "--interpreter", "new"][..],
            "such as 3.11",
        ),
    ] {
        let called = place.call(arguments);
        assert_eq!(called.status, 2);
        assert!(called.stderr.contains(told), "{}", called.stderr);
    }
    let shim = place.call(&["env", "rescue", "--r3-shim"]);
    assert!(shim.stdout.contains("stringsAsFactors"), "{}", shim.stdout);
}

#[test]
fn documents_are_repaired_line_by_line_and_notebooks_are_told_by_cell() {
    let place = Place::new();
    let document = "---\ntitle: read.csv('C:/x/d.csv')\n---\n\n```{r}\nx <- read.csv('C:/x/d.csv')\n```\n\n```{python}\nd = open('/home/x/e.csv')\n```\n";
    for file in ["d.csv", "e.csv"] {
        std::fs::write(place.path().join(file), "y\n1\n").unwrap();
    }
    std::fs::write(place.path().join("old.qmd"), document).unwrap();
    let called = place.call(&["env", "rescue", "old.qmd", "--write"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let mended = std::fs::read_to_string(place.path().join("old.qmd")).unwrap();
    let wanted = document
        .replace("x <- read.csv('C:/x/d.csv')", "x <- read.csv('d.csv')")
        .replace("/home/x/e.csv", "e.csv");
    assert_eq!(mended, wanted, "{}", called.stdout);

    let notebook = serde_json::json!({"cells": [
        {"cell_type": "markdown", "source": "time.clock()"},
        {"cell_type": "code", "source": ["import time\n", "start = time.clock()\n", "d = open('/home/x/e.csv')"]},
    ]});
    std::fs::write(place.path().join("old.ipynb"), notebook.to_string()).unwrap();
    let called = place.call(&["env", "rescue", "old.ipynb", "--write"]);
    assert!(
        called
            .stdout
            .contains("old.ipynb:cell 2:2: `time.clock` was removed"),
        "{}{}",
        called.stdout,
        called.stderr
    );
    assert!(called.stdout.contains("to be made by hand"), "{}", called.stdout);
    let kept = std::fs::read_to_string(place.path().join("old.ipynb")).unwrap();
    assert_eq!(kept, notebook.to_string());
}

/// What a study holds is not written over, and nothing is read in another's place.
#[test]
fn paths_that_could_be_other_files_are_told_and_left() {
    let place = Place::new();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write("d.csv", "y\n1\n2\n");
    let script = "d <- read.csv(\"C:/Users/me/d.csv\")\nd$y <- d$y * 10\nwrite.csv(d, \"results/d.csv\")\n";
    write("a.R", script);
    write(
        "log",
        "Error in file(file, \"rt\") : cannot open the connection\nCalls: read.csv\nIn addition: Warning message:\n\
         In file(file, \"rt\") :\n  cannot open file 'C:/Users/me/d.csv': No such file or directory\n",
    );
    let called = place.call(&["env", "rescue", "a.R", "--log", "log", "--write"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("a.R:1"),
        "it is diagnosed: {}",
        called.stdout
    );
    assert_eq!(std::fs::read_to_string(place.path().join("a.R")).unwrap(), script);
    write("a.R", "d <- read.csv(\"C:/Users/me/d.csv\")\nprint(sum(d$y))\n");
    let called = place.call(&["env", "rescue", "a.R", "--log", "log", "--write"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        std::fs::read_to_string(place.path().join("a.R"))
            .unwrap()
            .contains("read.csv(\"d.csv\")")
    );
}

/// Letters of another encoding stay the bytes that they were, and a link is not written through.
#[test]
fn a_script_keeps_its_bytes_and_a_link_is_refused() {
    let place = Place::new();
    let script = b"# M\xfcller\nd = open('/home/x/d.csv')\n";
    std::fs::write(place.path().join("d.csv"), "y\n1\n").unwrap();
    let path = place.path().join("old.py");
    std::fs::write(&path, script).unwrap();
    let called = place.call(&["env", "rescue", "old.py", "--write"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), b"# M\xfcller\nd = open('d.csv')\n");
    assert_eq!(
        std::fs::read(place.path().join("old.py.before-rescue")).unwrap(),
        script
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("far.py");
    std::fs::write(&target, script).unwrap();
    std::os::unix::fs::symlink(&target, place.path().join("near.py")).unwrap();
    let called = place.call(&["env", "rescue", "near.py", "--write"]);
    assert!(
        called.status == 2 && called.stderr.contains("is a link"),
        "{}",
        called.stderr
    );
    assert_eq!(std::fs::read(&target).unwrap(), script);
}
