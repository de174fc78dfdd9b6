use std::path::Path;

use reprise::domain::digest::Digest;
use serde_json::{Value, json};

use super::cran_tree;
use super::index_server::IndexServer;
use super::support::{Called, Place};

fn write(place: &Place, path: &str, text: &str) {
    let file = place.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn index() -> IndexServer {
    let server = IndexServer::new();
    server
        .wheel("numpy 1.16.4 2019-05-28")
        .wheel("numpy 1.17.0 2019-07-26")
        .wheel("pytz 2019.1 2019-04-01")
        .wheel("python_dateutil 2.8.0 2019-02-01 six>=1.5")
        .wheel("six 1.12.0 2018-12-01")
        .wheel("pandas 0.23.0 2018-05-15 numpy>=1.9|pytz (>=2011k)|python-dateutil")
        .wheel("pandas 0.24.2 2019-03-12 numpy (>=1.12.0)|pytz (>=2011k)|python-dateutil (>=2.5.0)|pytest; extra == 'test'")
        .wheel("pandas 1.0.0 2020-01-29 numpy>=1.13");
    server.tagged_wheel(
        "seaborn 0.9.1 2019-06-01",
        "py3-none-any",
        &json!({"yanked": "broken"}),
    );
    server.wheel("seaborn 0.9.0 2018-07-16 pandas");
    server
}

fn lock(place: &Place, server: &IndexServer, more: &[&str]) -> Called {
    let simple = format!("{}/simple", server.address);
    let mut arguments = vec![
        "env",
        "study",
        "--lock",
        "env.lock.json",
        "--index",
        &simple,
        "--cran",
        &server.address,
    ];
    arguments.extend(more);
    place.call(&arguments)
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn versions(lock: &Value) -> Vec<String> {
    let all = lock["packages"].as_array().unwrap().iter();
    all.map(|one| {
        format!(
            "{} {}",
            one["name"].as_str().unwrap(),
            one["version"].as_str().unwrap()
        )
    })
    .collect()
}

#[test]
fn a_lock_holds_the_versions_of_the_day() {
    let place = Place::new();
    let server = index();
    write(
        &place,
        "study/a.py",
        "import pandas as pd\nimport seaborn\nimport pandsa\n",
    );
    // Somebody has put a package under the misspelt name.
    server.wheel("pandsa 1.0 2018-01-01");
    let called = lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let file = place.path().join("env.lock.json");
    let made = read(&file);
    assert_eq!(made["format"], "reprise-lock/1");
    assert_eq!(made["as_of"]["instant"], "2019-06-30T23:59:59Z");
    assert_eq!(made["interpreters"][0]["version"], "3.7");
    assert_eq!(
        versions(&made),
        [
            "numpy 1.16.4",
            "pandas 0.24.2",
            "python-dateutil 2.8.0",
            "pytz 2019.1",
            "seaborn 0.9.0",
            "six 1.12.0"
        ]
    );
    assert_eq!(made["packages"][1]["sha256"], "ab".repeat(32));
    assert_eq!(made["packages"][1]["came"], "2019-03-12T10:00:00Z");
    assert_eq!(made["packages"][0]["required_by"], json!(["pandas"]));
    assert_eq!(made["not_had"][0]["name"], "pandsa");
    // The same again is the same, byte for byte, and an earlier day differs by what was there.
    let first = std::fs::read(&file).unwrap();
    lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(std::fs::read(&file).unwrap(), first);
    std::fs::rename(&file, place.path().join("first.json")).unwrap();
    lock(&place, &server, &["--as-of", "2019-02-28"]);
    let called = place.call(&["env", "--diff", "first.json", "env.lock.json"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    for part in ["pandas  0.24.2", "0.23.0", "date"] {
        assert!(called.stdout.contains(part), "{part}\n{}", called.stdout);
    }
    let called = place.call(&["env", "--diff", "first.json", "first.json", "--json"]);
    assert_eq!(called.status, 0);
    assert_eq!(
        serde_json::from_str::<Value>(&called.stdout).unwrap()["changes"],
        json!([])
    );
}

#[test]
fn each_lack_is_told_by_itself() {
    let place = Place::new();
    let server = index();
    server.wheel("networkx 2.0 -");
    server.tagged_wheel("lxml 4.0 2018-01-01", "cp36-cp36m-manylinux1_x86_64", &json!({}));
    server.tagged_wheel("tqdm 4.0 2018-01-01", "py3-none-any", &json!({"yanked": true}));
    server.tagged_wheel(
        "nltk 3.0 2018-01-01",
        "py3-none-any",
        &json!({"yanked": "a leak"}),
    );
    write(
        &place,
        "study/a.py",
        // A module that came with 3.7, so that no older release is taken for the wheel of lxml.
        "import dataclasses\nimport xgboost, networkx, arch, lxml, tqdm, nltk\n",
    );
    write(&place, "study/requirements.txt", "nltk==3.0\n");
    server.wheel("arch 4.0 2021-01-01");
    let called = lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let made = read(&place.path().join("env.lock.json"));
    let why = |name: &str| {
        let all = made["not_had"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap()["why"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(why("xgboost"), "the index has no package of this name");
    assert_eq!(
        why("networkx"),
        "the index gives no dates for its files, so that nothing can be told by date"
    );
    assert_eq!(
        why("arch"),
        "nothing of it was there on the day: its first file came on 2021-01-01"
    );
    assert_eq!(why("lxml"), "4.0 of the day do not fit Python 3.7");
    assert_eq!(
        why("tqdm"),
        "every version of the day that fits was withdrawn: 4.0"
    );
    // What a lock asks for is had all the same, and told.
    assert_eq!(versions(&made), ["nltk 3.0"]);
    assert!(
        made["notes"]
            .to_string()
            .contains("nltk 3.0 was withdrawn (a leak)"),
        "{}",
        made["notes"]
    );
}

/// A wheel of one release alone.
fn compiled(server: &IndexServer, row: &str, release: &str) {
    let tags = format!("cp{release}-cp{release}m-manylinux1_x86_64");
    server.tagged_wheel(row, &tags, &json!({}));
}

#[test]
fn the_interpreter_is_one_for_which_every_package_has_a_wheel() {
    let place = Place::new();
    let server = index();
    compiled(&server, "lxml 4.3.0 2019-01-06", "36");
    write(&place, "study/a.py", "import pandas\nimport lxml\n");
    let as_of = ["--as-of", "2019-06-30"];
    let called = lock(&place, &server, &as_of);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let file = place.path().join("env.lock.json");
    let made = read(&file);
    let python = &made["interpreters"][0];
    assert_eq!(python["version"], "3.6", "{python}");
    assert_eq!(
        python["reason"],
        "Python 3.7 was the newest that was out 6 months before 2019-06-30. On the day there is no wheel for Python \
         3.7 of lxml (there is for 3.6): Python 3.6 is taken, for which each package that comes in wheels has one."
    );
    assert_eq!(
        python["wheels"],
        json!([
            {"release": "3.7", "lacking": [{"package": "lxml", "had_for": ["3.6"]}]},
            {"release": "3.6", "lacking": []},
        ])
    );
    assert!(versions(&made).contains(&"lxml 4.3.0".to_owned()), "{made}");
    assert!(called.stdout.contains("Python 3.6 is taken"), "{}", called.stdout);
    // The same index gives the same bytes.
    let first = std::fs::read(&file).unwrap();
    lock(&place, &server, &as_of);
    assert_eq!(std::fs::read(&file).unwrap(), first);
    // A module that came with 3.7 rules 3.6 out, and evidence that names 3.7 does.
    for (name, text) in [
        ("study/b.py", "import dataclasses\n"),
        ("study/README.md", "Run with Python 3.7.3.\n"),
    ] {
        write(&place, name, text);
        let called = lock(&place, &server, &as_of);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let made = read(&file);
        let python = &made["interpreters"][0];
        assert!(
            python["version"].as_str().unwrap().starts_with("3.7"),
            "{name}: {python}"
        );
        let told = "there is no wheel for it of lxml (there is for 3.6)";
        assert!(
            python["reason"].as_str().unwrap().contains(told),
            "{name}: {python}"
        );
        assert_eq!(made["not_had"][0]["name"], "lxml", "{made}");
        std::fs::remove_file(place.path().join(name)).unwrap();
    }
}

#[test]
fn where_no_release_has_every_wheel_each_lack_is_told() {
    let place = Place::new();
    let server = index();
    compiled(&server, "lxml 4.3.0 2019-01-06", "36");
    compiled(&server, "xgboost 0.90 2019-05-20", "37");
    write(&place, "study/a.py", "import lxml, xgboost, numpy\n");
    let called = lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let made = read(&place.path().join("env.lock.json"));
    let python = &made["interpreters"][0];
    assert_eq!(python["version"], "3.7", "{python}");
    assert!(
        python["reason"].as_str().unwrap().ends_with(
            "No release that may be taken has a wheel of each package on the day: for 3.7 there is none of lxml (there \
             is for 3.6); for 3.6 there is none of xgboost (there is for 3.7)."
        ),
        "{python}"
    );
    assert_eq!(versions(&made), ["numpy 1.16.4", "xgboost 0.90"]);
    // Where all are there for the first choice, no other is tried, and none is listed.
    write(&place, "study/a.py", "import xgboost, numpy\n");
    lock(&place, &server, &["--as-of", "2019-06-30"]);
    let made = read(&place.path().join("env.lock.json"));
    let python = &made["interpreters"][0];
    assert_eq!(python["wheels"], Value::Null, "{python}");
    assert!(
        python["reason"]
            .as_str()
            .unwrap()
            .ends_with("has one for it on the day."),
        "{python}"
    );
}

#[test]
fn an_index_that_fails_half_way_leaves_nothing() {
    let place = Place::new();
    let server = index();
    write(&place, "study/a.py", "import pandas\n");
    server.hang_up_after(3);
    let called = lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(called.status, 7, "{}", called.stdout);
    assert!(
        called.stderr.contains("nothing is kept of them"),
        "{}",
        called.stderr
    );
    assert!(!place.path().join("env.lock.json").exists());
    let names: Vec<_> = std::fs::read_dir(place.path())
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    assert!(
        !names.iter().any(|name| name.to_string_lossy().contains("lock")),
        "{names:?}"
    );
    // An index in HTML has no dates at all.
    let server = IndexServer::new();
    server.put("/simple/pandas/", "text/html", b"<html></html>".to_vec());
    let called = lock(&place, &server, &["--as-of", "2019-06-30"]);
    assert_eq!(called.status, 2, "{}", called.stdout);
    assert!(
        called.stderr.contains("so that it gives no dates"),
        "{}",
        called.stderr
    );
}

#[test]
fn an_archive_of_r_is_read_by_date() {
    let Some(()) = cran_tree::reader() else { return };
    let place = Place::new();
    let server = IndexServer::new();
    cran_tree::put_listed(&server, cran_tree::ARCHIVE);
    write(&place, "study/a.R", "library(gone)\nlibrary(never)\n");
    let called = lock(&place, &server, &["--as-of", "2019-12-31"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let made = read(&place.path().join("env.lock.json"));
    // In an order in which they can be installed.
    assert_eq!(versions(&made), ["alpha 1.0", "beta 0.9", "gone 0.3"]);
    assert_eq!(made["interpreters"][0]["version"], "3.6.2");
    assert_eq!(
        made["packages"][0]["url"],
        format!("{}/src/contrib/Archive/alpha/alpha_1.0.tar.gz", server.address)
    );
    assert_eq!(
        made["not_had"][0]["why"],
        "the archive has no package of this name"
    );
    assert!(
        made["notes"]
            .to_string()
            .contains("gone asks the system for: GDAL"),
        "{}",
        made["notes"]
    );
    // A lock gives the very version, whatever the day.
    let renv =
        json!({"R": {"Version": "4.0.3"}, "Packages": {"alpha": {"Version": "2.0", "Source": "Repository"}}});
    write(&place, "study/renv.lock", &renv.to_string());
    lock(&place, &server, &["--as-of", "2019-12-31"]);
    let made = read(&place.path().join("env.lock.json"));
    assert_eq!(versions(&made)[0], "alpha 2.0");
    assert!(
        made["notes"]
            .to_string()
            .contains("alpha 2.0 came on 2022-05-01, behind the chosen day")
    );
    // A service of dated snapshots has one list a day.
    let list = b"Package: gone\nVersion: 0.2\nImports: beta\n\nPackage: beta\nVersion: 0.8\n".to_vec();
    server.put("/snapshots/2019-12-31/src/contrib/PACKAGES", "text/plain", list);
    std::fs::remove_file(place.path().join("study/renv.lock")).unwrap();
    let dated = format!("{}/snapshots/{{date}}", server.address);
    let arguments = [
        "env",
        "study",
        "--lock",
        "s.json",
        "--cran",
        &dated,
        "--as-of",
        "2019-12-31",
    ];
    assert_eq!(place.call(&arguments).status, 0);
    assert_eq!(
        versions(&read(&place.path().join("s.json"))),
        ["beta 0.8", "gone 0.2"]
    );
}

#[test]
fn packages_of_stata_are_locked_by_digest_and_day_from_a_folder() {
    let place = Place::new();
    write(
        &place,
        "study/a.do",
        "ssc install estout\nuse x\nreghdfe y x, absorb(id)\nesttab\n",
    );
    for (day, version) in [("2018-12-31", "4.0.0"), ("2021-12-31", "6.0.0")] {
        let head = format!("*! version {version}\nprogram reghdfe\nend\n");
        write(&place, &format!("ado/{day}/r/reghdfe.ado"), &head);
    }
    write(&place, "ado/2018-12-31/e/esttab.ado", "*! version 3.1 1jan2020\n");
    let mut arguments = vec![
        "env",
        "study",
        "--lock",
        "s.json",
        "--as-of",
        "2019-06-30",
        "--ado",
    ];
    arguments.push("ado");
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let made = read(&place.path().join("s.json"));
    assert_eq!(versions(&made), ["reghdfe 4.0.0"]);
    let locked = &made["packages"][0];
    let bytes = std::fs::read(place.path().join("ado/2018-12-31/r/reghdfe.ado")).unwrap();
    assert_eq!(locked["sha256"], Digest::compute(bytes).hex());
    assert_eq!(locked["came"], "2018-12-31T23:59:59Z");
    let why = |name: &str| {
        let all = made["not_had"].as_array().unwrap();
        let found = all.iter().find(|one| one["name"] == name);
        found.unwrap()["why"].as_str().unwrap().to_owned()
    };
    assert!(
        why("estout").contains("of 2020-01-01, behind the chosen day"),
        "{}",
        why("estout")
    );
    assert!(why("ftools").contains("has no file of it"), "{}", why("ftools"));
    // Another version of a day is another lock.
    arguments[3] = "t.json";
    arguments[5] = "2022-06-30";
    assert_eq!(place.call(&arguments).status, 0);
    let differs = place.call(&["env", "--diff", "s.json", "t.json"]);
    assert_eq!(differs.status, 1, "{}", differs.stderr);
    assert!(differs.stdout.contains("reghdfe  4.0.0"), "{}", differs.stdout);
}

#[test]
fn what_is_no_lock_is_refused() {
    let place = Place::new();
    let large = std::fs::File::create(place.path().join("large.json")).unwrap();
    large.set_len(100 << 20).unwrap();
    write(&place, "deep.json", &"[".repeat(100_000));
    write(&place, "newer.json", r#"{"format": "reprise-lock/9"}"#);
    write(&place, "other.json", r#"{"format": "other"}"#);
    for (name, part) in [
        ("large.json", "more than the"),
        ("deep.json", "no lock of an environment"),
        ("newer.json", "use a newer reprise"),
        ("other.json", "no lock of an environment"),
        ("none.json", "cannot be read"),
    ] {
        let called = place.call(&["env", "--diff", name, name]);
        assert_eq!(called.status, 2, "{name}");
        assert!(
            called.stderr.contains(name) && called.stderr.contains(part),
            "{}",
            called.stderr
        );
    }
    let called = place.call(&["env"]);
    assert_eq!(called.status, 2);
}
