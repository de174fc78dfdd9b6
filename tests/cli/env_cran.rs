//! A lock of a day out of an archive of R: of one on loopback, and of the live one that `REPRISE_CRAN` names.

use std::process::Command;

use jiff::Timestamp;
use reprise::environment::r_archive::resolution::{ADDRESS, RRoot, ResolvedR, SCRIPT, arguments};
use serde_json::Value;

use super::cran_tree;
use super::index_server::IndexServer;
use super::support::Place;

const DAY: &str = "2019-06-30";

/// CRAN's own versions and days of two packages around the day, and in part what they import.
const TREE: &str = "\
digest\t0.6.18\t2018-10-10
digest\t0.6.19\t2019-05-20
digest\t0.6.20\t2019-07-04
lme4\t1.1-20\t2019-02-04\tminqa, boot
lme4\t1.1-21\t2019-03-05\tminqa, boot, stats
lme4\t1.1-23\t2020-04-07\tminqa, boot
minqa\t1.2.4\t2014-10-09\tRcpp
Rcpp\t1.0.1\t2019-03-17
Rcpp\t1.0.2\t2019-07-25
boot\t1.3-22\t2019-04-02
";

/// The lock of a script's packages as of the day, with what any archive of CRAN has to give.
fn locked(address: &str) -> Value {
    let place = Place::new();
    std::fs::create_dir(place.path().join("study")).unwrap();
    std::fs::write(place.path().join("study/a.R"), "library(digest)\nlibrary(lme4)\n").unwrap();
    let called = place.call(&[
        "env",
        "study",
        "--as-of",
        DAY,
        "--lock",
        "env.lock.json",
        "--cran",
        address,
    ]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let lock: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("env.lock.json")).unwrap()).unwrap();
    assert_eq!(
        lock["not_had"].as_array().unwrap().len(),
        0,
        "{}",
        lock["not_had"]
    );
    let packages = lock["packages"].as_array().unwrap();
    let version = |name: &str| {
        let found = packages.iter().find(|one| one["name"] == name);
        found.map(|one| one["version"].as_str().unwrap().to_owned())
    };
    assert_eq!(version("digest").as_deref(), Some("0.6.19"), "{lock}");
    assert_eq!(version("lme4").as_deref(), Some("1.1-21"), "{lock}");
    // What lme4 needs for itself, before it.
    let at = |name: &str| packages.iter().position(|one| one["name"] == name);
    assert!(
        at("Rcpp").is_some() && at("Rcpp") < at("minqa") && at("minqa") < at("lme4"),
        "{lock}"
    );
    let until: Timestamp = format!("{DAY}T23:59:59Z").parse().unwrap();
    for package in packages {
        // An archive that has an address for each day tells no other.
        if let Some(came) = package["came"].as_str() {
            assert!(came.parse::<Timestamp>().unwrap() <= until, "{package}");
        }
    }
    lock
}

#[test]
fn an_archive_on_loopback_gives_the_versions_of_the_day() {
    let server = IndexServer::new();
    let Some(()) = cran_tree::put(&server, TREE, &[]) else {
        return;
    };
    let lock = locked(&server.address);
    assert_eq!(lock["packages"].as_array().unwrap().len(), 5, "{lock}");
}

/// Asks the network where the operator names an archive, such as `REPRISE_CRAN=https://cloud.r-project.org`.
#[test]
#[allow(clippy::print_stdout, reason = "what is passed over is said")]
fn the_archive_that_the_operator_names_gives_the_versions_of_the_day() {
    let Some(address) = std::env::var("REPRISE_CRAN")
        .ok()
        .filter(|address| address.starts_with("https://"))
    else {
        println!("skipped: REPRISE_CRAN names no live archive (https://...)");
        return;
    };
    let Some(()) = cran_tree::reader() else { return };
    let lock = locked(&address);
    for package in lock["packages"].as_array().unwrap() {
        println!("{} {} {}", package["name"], package["version"], package["came"]);
    }
}

fn root(name: &str, version: Option<&str>, bounds: &[&str]) -> RRoot {
    RRoot {
        name: name.to_owned(),
        version: version.map(str::to_owned),
        bounds: bounds.iter().map(|bound| (*bound).to_owned()).collect(),
        is_wanted: true,
    }
}

/// What R says of a day, or its fault.
fn resolve(server: &IndexServer, day: &str, roots: &[RRoot]) -> Result<ResolvedR, String> {
    let until = format!("{day}T23:59:59Z").parse().unwrap();
    let output = Command::new("Rscript")
        .args(["--vanilla", "-e", "eval(parse(text = Sys.getenv('SCRIPT')))"])
        .args(arguments(Some(until), roots))
        .env("SCRIPT", SCRIPT)
        .env(ADDRESS, &server.address)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    ResolvedR::parse(&printed, roots).map_err(|fault| fault.to_string())
}

fn shown(resolved: &ResolvedR) -> Vec<String> {
    let had = resolved.packages.iter();
    let had = had.map(|one| format!("{} {}", one.name, one.version));
    let refused = resolved.refused.iter();
    let refused = refused.map(|one| format!("{}: {}", one.name, one.refusal));
    had.chain(refused).collect()
}

#[test]
fn versions_of_a_day_come_in_the_order_of_their_installation() {
    let Some(()) = cran_tree::reader() else { return };
    let server = IndexServer::new();
    cran_tree::put_listed(&server, cran_tree::ARCHIVE);
    let of = |day, roots: &[RRoot]| resolve(&server, day, roots).unwrap();
    let gone = of("2019-12-31", &[root("gone", None, &[])]);
    assert_eq!(shown(&gone), ["alpha 1.0", "beta 0.9", "gone 0.3"]);
    assert_eq!(gone.packages[0].path, "Archive/alpha/alpha_1.0.tar.gz");
    assert_eq!(gone.packages[0].came.unwrap().to_string(), "2018-03-01T12:00:00Z");
    assert_eq!(gone.packages[1].required_by, ["gone"]);
    assert_eq!(gone.packages[2].system.as_deref(), Some("GDAL"));
    assert_eq!(
        shown(&of("2024-01-01", &[root("beta", None, &[])])),
        ["alpha 2.0", "beta 1.0"]
    );
    assert_eq!(
        shown(&of(
            "2018-01-01",
            &[root("beta", None, &[]), root("never", None, &[])]
        )),
        [
            "beta: nothing of it was there on the day: its first version came on 2018-06-01",
            "never: the archive has no package of this name"
        ]
    );
    let pinned = of(
        "2024-01-01",
        &[root("alpha", Some("1.0"), &[]), root("beta", None, &[])],
    );
    assert_eq!(
        pinned.packages[0].unkept,
        ["beta asks for alpha >= 1.1, and 1.0 is taken."]
    );
    assert_eq!(
        shown(&of("2024-01-01", &[root("alpha", Some("9.9"), &[])])),
        ["alpha: the archive has no version 9.9 of it; it has 2.0, 1.1, 1.0"]
    );
    // What is only held to its version is not taken by itself.
    let held = RRoot {
        is_wanted: false,
        ..root("alpha", Some("1.1"), &[])
    };
    assert_eq!(
        shown(&of("2019-12-31", &[held.clone(), root("never", None, &[])])).len(),
        1
    );
    assert_eq!(
        shown(&of("2019-12-31", &[held, root("beta", None, &[])])),
        ["alpha 1.1", "beta 0.9"]
    );
}

#[test]
fn bounds_of_files_are_held_or_told() {
    let Some(()) = cran_tree::reader() else { return };
    let server = IndexServer::new();
    cran_tree::put_listed(&server, cran_tree::ARCHIVE);
    let bounded = |day: &str, version: Option<&str>, bounds: &[&str]| {
        let resolved = resolve(&server, day, &[root("alpha", version, bounds)]).unwrap();
        let taken = &resolved.packages[0];
        (taken.version.clone(), taken.unkept.len())
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
    // The day's version is below the bound: no later one is taken, and a note says so.
    assert_eq!(bounded("2021-01-01", None, &[">=2.0"]), ("1.1".to_owned(), 1));
    assert_eq!(
        bounded("2024-01-01", Some("1.0"), &[">=1.1"]),
        ("1.0".to_owned(), 1)
    );
}

#[test]
fn an_archive_without_a_whole_list_gives_no_versions() {
    let Some(()) = cran_tree::reader() else { return };
    let server = IndexServer::new();
    let failed =
        |server: &IndexServer| resolve(server, "2024-01-01", &[root("beta", None, &[])]).unwrap_err();
    let none = failed(&server);
    assert!(
        none.contains("Meta/archive.rds") && none.contains("name another with `--cran`"),
        "{none}"
    );
    cran_tree::put_listed(&server, &cran_tree::ARCHIVE[..100]);
    let cut = failed(&server);
    assert!(cut.contains("Meta/archive.rds cannot be read"), "{cut}");
    cran_tree::put_listed(&server, cran_tree::ARCHIVE);
    server.put(
        "/src/contrib/alpha_2.0.tar.gz",
        "application/gzip",
        b"no package".to_vec(),
    );
    let damaged = failed(&server);
    assert!(
        damaged.contains("alpha_2.0.tar.gz holds no DESCRIPTION that can be read"),
        "{damaged}"
    );
    server.hang_up_after(0);
    let down = failed(&server);
    assert!(down.contains("cannot be had"), "{down}");
}
