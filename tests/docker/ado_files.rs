//! Ado-files of a lock, in a container of an image that looks like the operator's with Stata. The program in it is a
//! script of a shell: it shows what Stata would find, and no Stata has read it.

use std::fs;

use reprise::domain::digest::Digest;
use serde_json::json;

use crate::held_to_lock::in_containers;
use crate::images::{build, remove};
use crate::studies::scripted_study::{self, Script, events};
use crate::studies::support::{Called, Place, called};
use crate::support::{PYTHON, sandbox};

const ADO: &str = "*! version 5.7.3 13nov2019\nprogram reghdfe\nend\n";

/// Lists the folder that Stata calls PLUS, and tries to change it.
const STATA: &str = r#"#!/bin/sh
echo "called $*"
cd "$HOME/ado/plus" && find . -type f && cat r/reghdfe.ado
touch r/mine.ado 2>/dev/null && echo changed
echo more >> r/reghdfe.ado 2>/dev/null && echo changed
echo "dose N 4 estimate 1.94 SE 0.0905539 t 21.4 p 0.00217167"
"#;

fn lock(sha256: &str) -> String {
    json!({
        "format": "reprise-lock/1",
        "as_of": {
            "instant": "2020-06-30T23:59:59Z", "day": "2020-06-30", "from": "told", "reason": "A person says so.",
            "weak": false,
        },
        "platform": format!("linux-{}", std::env::consts::ARCH), "interpreters": [], "sources": [],
        "packages": [{
            "language": "stata", "name": "reghdfe", "version": "5.7.3", "file": "reghdfe.ado", "url": "ado:reghdfe.ado",
            "sha256": sha256, "build": false, "certainty": "by-date", "required_by": [], "reasons": [],
        }],
        "not_had": [], "questions": [], "notes": [],
    })
    .to_string()
}

fn run(place: &Place, image: &str, out: &str, more: &[&str]) -> Called {
    let mut command = place.with_daemon(&in_containers(out, more));
    command
        .env("REPRISE_CACHE", place.path().join("cache"))
        .env("REPRISE_STATA_IMAGE", image)
        .env("REPRISE_ADO", place.path().join("plus"));
    called(command.output().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn stata_is_shown_the_files_of_the_lock_where_it_looks_and_cannot_change_them() {
    if sandbox().await.is_none() {
        return;
    }
    let image = format!("reprise-test-stata:{}", std::process::id());
    let lines: Vec<String> = STATA
        .lines()
        .map(|line| format!("'{}'", line.replace('\'', "'\\''")))
        .collect();
    let dockerfile = format!(
        "FROM {PYTHON}\nRUN printf '%s\\n' {} > /usr/local/bin/stata-mp && chmod 755 /usr/local/bin/stata-mp\n",
        lines.join(" ")
    );
    if build(&image, &dockerfile).is_none() {
        return;
    }
    let place = Place::new();
    let script = Script {
        name: "slope.do",
        text: "reghdfe y x, absorb(z)\n",
        edits: &[],
        python: &[],
        again: false,
    };
    scripted_study::study(&place, &script);
    fs::create_dir_all(place.path().join("plus")).unwrap();
    fs::write(place.path().join("plus/reghdfe.ado"), ADO).unwrap();
    fs::write(place.path().join("lock.json"), lock(&Digest::compute(ADO).hex())).unwrap();
    fs::write(place.path().join("other.json"), lock(&"ab".repeat(32))).unwrap();

    let ran = run(&place, &image, "out", &["--lock", "lock.json"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let ended = &events(&place, "out", "execution_finished")[0];
    let printed = scripted_study::content(&place, "out", &ended["stdout"]);
    assert!(
        printed.contains("called -b do slope.do\n./r/reghdfe.ado\n*! version 5.7.3"),
        "{printed}"
    );
    assert!(!printed.contains("changed"), "{printed}");
    let asked = &events(&place, "out", "asked")[0];
    let details = scripted_study::content(&place, "out", &asked["details"]);
    assert!(
        details.contains("ado       reghdfe 5.7.3, of the lock; read-only at /tmp/ado/plus\n"),
        "{details}"
    );
    let subject = scripted_study::content(&place, "out", &asked["subject"]);
    assert!(subject.contains("\"ado\":\"sha256:"), "{subject}");

    // Files that are not those of the lock: nothing is asked about, and nothing runs.
    let refused = run(&place, &image, "refused", &["--lock", "other.json"]);
    assert_eq!(refused.status, 2, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("has it with other files than the lock")
            && refused.stderr.contains("REPRISE_ADO"),
        "{}",
        refused.stderr
    );
    assert!(events(&place, "refused", "asked").is_empty());
    remove(&image).await;
}
