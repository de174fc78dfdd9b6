//! A lock of a day out of an archive of R: of one on loopback, and of the live one that `REPRISE_CRAN` names.

use jiff::Timestamp;
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
    cran_tree::put(&server, TREE, &[]);
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
    let lock = locked(&address);
    for package in lock["packages"].as_array().unwrap() {
        println!("{} {} {}", package["name"], package["version"], package["came"]);
    }
}
