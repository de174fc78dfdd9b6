use super::support::Place;

const SURVEY: &[u8] =
    b"id,sex,age,vote,email\n1,f,20,yes,a@example.org\n2,m,31,no,b@example.org\n3,f,-9,yes,c@example.org\n\
4,m,44,,d@example.org\n5,f,28,no,e@example.org\n";

fn with(files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    for (name, content) in files {
        std::fs::write(place.path().join(name), content).unwrap();
    }
    place
}

#[test]
fn a_data_set_is_described() {
    let place = with(&[("survey.csv", SURVEY)]);
    let mut shown = String::new();
    for arguments in [
        &["read", "survey.csv"] as &[&str],
        &["read", "survey.csv", "--head", "2", "--columns", "a*, email"],
        &["read", "survey.csv", "--summary"],
        &["read", "survey.csv", "--variable", "age"],
        &["read", "survey.csv", "--crosstab", "sex", "vote"],
    ] {
        let called = place.call(arguments);
        assert_eq!(called.status, 0, "{}", called.stderr);
        shown.push_str(&format!("$ reprise {}\n{}\n", arguments.join(" "), called.stdout));
    }
    assert!(
        !shown.contains("example.org"),
        "personal values are shown: {shown}"
    );
    insta::assert_snapshot!("data", shown);
    let called = place.call(&["read", "survey.csv", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-data/1");
    assert_eq!(value["columns"][3]["missing"], 1);
    assert_eq!(value["columns"][4]["likely_personal"], true);
    assert!(!called.stdout.contains("example.org"));
}

#[test]
fn what_is_no_data_is_called_what_it_is() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 7000000\n";
    let place = with(&[
        ("pointer.dta", pointer),
        ("empty.sav", b""),
        (
            "blocked.csv",
            b"<!DOCTYPE html><html><body>Forbidden</body></html>",
        ),
        ("packed.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ("survey.csv", SURVEY),
    ]);
    let mut shown = String::new();
    for arguments in [
        &["read", "pointer.dta"] as &[&str],
        &["read", "empty.sav"],
        &["read", "blocked.csv", "--summary"],
        &["read", "packed.zip"],
        &["read", "absent.csv"],
        &["read", "survey.csv", "--variable", "agee"],
    ] {
        let called = place.call(arguments);
        assert_eq!(called.status, 2, "{}", called.stdout);
        shown.push_str(&format!("$ reprise {}\n{}\n", arguments.join(" "), called.stderr));
    }
    insta::assert_snapshot!("data_refused", shown);
}

/// Converting installs packages, which is nothing to do unasked; without a terminal nobody is asked.
#[test]
fn a_conversion_is_offered_and_not_made_unasked() {
    let transport = format!("{:<160}", "HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!0000");
    let place = with(&[("t.xpt", transport.as_bytes())]);
    let cache = place.path().join("own-cache");
    let output = place
        .command(&["read", "t.xpt"])
        .env("REPRISE_CACHE", &cache)
        .output()
        .unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    for words in [
        "t.xpt",
        "SAS transport",
        "`--convert`",
        "pandas, pyreadstat",
        "installed",
    ] {
        assert!(complaint.contains(words), "no {words}: {complaint}");
    }
    assert!(!cache.exists(), "something was prepared in the cache");
}

const RECRUITED: &[u8] = b"RecipientFirstName,Name,IPAddress,pid,score\n\
Jane,Jane Doe,1.2.3.4,5f3c9b2a1d4e5f6a7b8c9d0e,1\nJoe,Joe Roe,5.6.7.8,60ab9b2a1d4e5f6a7b8c9d0f,2\n";

#[test]
fn a_person_allows_single_columns() {
    let place = with(&[("people.csv", RECRUITED)]);
    let shown = place.call(&["read", "people.csv", "--head", "2"]).stdout;
    for value in ["Jane", "Doe", "1.2.3.4", "5f3c9b2a"] {
        assert!(!shown.contains(value), "{value}: {shown}");
    }
    let allowed = ["read", "people.csv", "--head", "2", "--show-personal", "Name"];
    let shown = place.call(&allowed).stdout;
    assert!(
        shown.contains("Jane Doe") && !shown.contains("1.2.3.4"),
        "{shown}"
    );
    let json = place
        .call(&["read", "people.csv", "--show-personal", "Name", "--json"])
        .stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let hidden: Vec<bool> = value["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["values_hidden"].as_bool().unwrap())
        .collect();
    assert_eq!(hidden, [true, false, true, true, false]);
    let called = place.call(&["read", "people.csv", "--show-personal", "Nam"]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("names no column"), "{}", called.stderr);
}

#[test]
fn a_study_allows_columns_and_check_names_them() {
    let place = Place::new();
    let study = place.study();
    std::fs::write(study.join("input/replication_data/people.csv"), RECRUITED).unwrap();
    let manifest = study.join("study.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let with = |table: &str| std::fs::write(&manifest, format!("{text}\n[personal]\n{table}\n")).unwrap();
    with("show = [\"Name\", \"Names\"]");
    let called = place.call(&["check", "slope"]);
    assert!(
        called
            .stdout
            .contains("allows that agents see the values of `Name`, `Names`")
            && called
                .stdout
                .contains("shows the column `Names`, which no data file has"),
        "{}",
        called.stdout
    );
    assert!(
        !called.stdout.contains("shows the column `Name`,"),
        "{}",
        called.stdout
    );
    for (table, words) in [
        ("show = [\"\"]", "empty name"),
        ("show = [\"a\", \"a\"]", "twice"),
        ("hide = []", "personal.hide"),
    ] {
        with(table);
        let called = place.call(&["check", "slope"]);
        assert_eq!(called.status, 3);
        assert!(called.stderr.contains(words), "{}", called.stderr);
    }
}
