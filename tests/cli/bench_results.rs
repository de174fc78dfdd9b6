//! The results of a bench: what is one cluster, quarantined, gone, of a newer format, or not to be published.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::bench::{AUDITED, bench_folder, parsed, place};
use super::support::{Called, Place, called, copy};

/// The folder of the only cell whose name begins so.
fn cell_folder(place: &Place, name: &str) -> std::path::PathBuf {
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let mut found = cells.map(|entry| entry.unwrap().path()).filter(|path| {
        path.file_name()
            .is_some_and(|own| own.to_string_lossy().starts_with(name))
    });
    let folder = found.next().unwrap();
    assert!(found.next().is_none());
    folder
}

/// Two claims of one paper are two tasks, and one cluster; a study of another paper is another.
#[test]
fn claims_of_one_paper_are_one_cluster() {
    let place = place(
        "name = 'claims'\nrepeats = 2\nsettings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true, model = 'scripted:native' }\n\
         [[studies]]\npaths = ['slope', 'second', 'third']\n",
    );
    for name in ["second", "third"] {
        copy(&place.path().join("slope"), &place.path().join(name));
        let manifest = place.path().join(name).join("study.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        let text = text.replacen("id = \"slope\"", &format!("id = \"{name}\""), 1);
        assert!(text.contains(name), "{text}");
        fs::write(&manifest, text).unwrap();
    }
    // Another claim of the same paper.
    let details = place.path().join("second/input/initial_details.txt");
    let text = fs::read_to_string(&details).unwrap();
    fs::write(&details, text + "\n").unwrap();
    // The third is of another paper by what is in it.
    let paper = place.path().join("third/input/original_paper.pdf");
    let mut bytes = fs::read(&paper).unwrap();
    bytes.extend(b"\n");
    fs::write(&paper, bytes).unwrap();
    let planned = parsed(&place.call(&["bench", "plan", "bench.toml", "--json"]));
    let marks = |at: usize| planned["cells"][at]["plan"]["study"].clone();
    assert!(marks(0)[0].as_str().unwrap().starts_with("paper:"), "{planned}");
    assert!(marks(0) == marks(2) && marks(0) != marks(4), "{planned}");
    let ran = place.call(&["bench", "bench.toml", "--json"]);
    let found = parsed(&ran);
    let agent = &found["agents"][0];
    assert_eq!(
        (&agent["cells"], &agent["tasks"], &agent["clusters"]),
        (&json!(6), &json!(3), &json!(2)),
        "{found}{}",
        ran.stderr
    );
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(
        page.contains(r#"data-label="Tasks, clusters">3, 2</td>"#),
        "{page}"
    );
    let told = place.call(&["bench", "report", "bench"]);
    assert!(told.stdout.contains(" over 2 clusters)"), "{}", told.stdout);
}

/// A cell whose folder was removed is named and counted nowhere, and counts again once the folder is back.
#[test]
fn what_is_gone_is_named_and_not_counted() {
    let place = place(AUDITED);
    let ran = place.call(&["bench", "bench.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let folder = cell_folder(&place, "slope");
    let away = place.path().join("away");
    fs::rename(&folder, &away).unwrap();
    let collected = place.call(&["bench", "collect", "bench.toml"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert!(
        collected
            .stdout
            .contains("gone: slope recorded r1: it was met, and cells/slope"),
        "{}",
        collected.stdout
    );
    assert!(
        !collected.stdout.contains("verdicts that decide"),
        "{}",
        collected.stdout
    );
    let told = parsed(&place.call(&["bench", "report", "bench", "--json"]));
    assert_eq!(
        (&told["gone"][0]["task"], told["cells"].as_array().unwrap().len()),
        (&json!("slope"), 1),
        "{told}"
    );
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(page.contains("Gone: 1 cell, counted nowhere") && page.contains("1 of 2 planned cells"));
    let lines = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    assert_eq!(
        (lines.lines().count(), lines.matches(r#""gone":true"#).count()),
        (2, 1)
    );

    fs::rename(&away, &folder).unwrap();
    let again = place.call(&["bench", "collect", "bench.toml"]);
    assert!(
        again.stdout.contains("verdicts that decide 1.000") && !again.stdout.contains("gone"),
        "{}",
        again.stdout
    );
}

/// Nor does what a job left behind, its claim, make another result of a cell whose run was removed.
#[test]
fn the_claim_of_a_cell_that_is_gone_is_no_result() {
    let place = place(
        "name = 'one'\nsettings = { approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true }\n\
         [[studies]]\npaths = ['slope']\n",
    );
    let planned = parsed(&place.call(&["bench", "plan", "bench.toml", "--json"]));
    let cell = planned["cells"][0]["plan"]["cell"].as_str().unwrap().to_owned();
    let worked = place.call(&["bench", "work", "bench.toml", "--cell", &cell, "--quiet"]);
    assert_eq!(worked.status, 0, "{}{}", worked.stdout, worked.stderr);
    let collected = place.call(&["bench", "collect", "bench.toml"]);
    assert!(
        collected.stdout.contains("decide 1.000 (1 of 1"),
        "{}",
        collected.stdout
    );
    fs::remove_dir_all(cell_folder(&place, "slope")).unwrap();
    for _ in 0..2 {
        let gone = place.call(&["bench", "collect", "bench.toml"]);
        assert!(
            gone.stdout.contains("gone: slope recorded r1: it was met") && !gone.stdout.contains("unscored"),
            "{}",
            gone.stdout
        );
    }
    // Run anew, it counts again.
    let again = place.call(&["bench", "bench.toml"]);
    assert!(
        again.stdout.contains("decide 1.000 (1 of 1") && !again.stdout.contains("gone"),
        "{}{}",
        again.stdout,
        again.stderr
    );
}

/// Formats of before there were versions are read, and newer ones are refused and stay as they are.
#[test]
fn files_of_a_newer_format_are_refused_and_older_ones_are_read() {
    let place = Place::new();
    bench_folder(&place, "one", "x", 0, &[("a", "++"), ("b", "-")]);
    let merged = place.call(&["bench", "merge", "two", "one", "one"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    let read = |name: &str| fs::read_to_string(place.path().join("two").join(name)).unwrap();
    let (plan, cells) = (read("bench.json"), read("cells.jsonl"));
    assert!(plan.contains(r#""format": "reprise-bench-plan/1""#), "{plan}");
    assert_eq!(
        cells.matches(r#"{"format":"reprise-bench-cell/1","#).count(),
        3,
        "{cells}"
    );

    let newer_plan = plan.replace("reprise-bench-plan/1", "reprise-bench-plan/2");
    let newer_cells = cells.replace("reprise-bench-cell/1", "reprise-bench-cell/2");
    // The last line alone, without its end, as a line that was cut off stands there; and one that no earlier version
    // could read.
    let (whole, _) = cells.trim_end().rsplit_once('\n').unwrap();
    let last = format!(
        "{whole}\n{}",
        r#"{"format":"reprise-bench-cell/2","cell":{"id":"x"}}"#
    );
    for (name, text, before) in [
        ("bench.json", &newer_plan, &plan),
        ("cells.jsonl", &newer_cells, &cells),
        ("cells.jsonl", &last, &cells),
    ] {
        let path = place.path().join("two").join(name);
        fs::write(&path, text).unwrap();
        for call in [
            &["bench", "report", "two"][..],
            &["bench", "compare", "two", "one"],
            &["bench", "merge", "three", "two", "one"],
        ] {
            let refused = place.call(call);
            assert_eq!(refused.status, 2, "{name}: {call:?}: {}", refused.stdout);
            assert!(
                refused
                    .stderr
                    .contains("/2, which a later version of reprise wrote")
                    && refused.stderr.contains(name),
                "{}",
                refused.stderr
            );
        }
        assert_eq!(&fs::read_to_string(&path).unwrap(), text);
        fs::write(&path, before).unwrap();
    }
    assert_eq!(place.call(&["bench", "report", "two"]).status, 0);
}

#[test]
fn an_empty_author_and_a_licence_of_no_list_are_refused() {
    let place = Place::new();
    bench_folder(&place, "one", "x", 0, &[("a", "+")]);
    for (options, said) in [
        (&["--author", " "][..], "a name is empty"),
        (&["--author", "Doe,"], "give a person as 'Family, Given'"),
        (&["--author", "Doe, Jane", "--author", ""], "a name is empty"),
        (
            &["--author", "Doe, Jane", "--license", "cc-by-4.0"],
            "no identifier of a licence in SPDX's list. `CC-BY-4.0` is one. https://spdx.org/licenses/",
        ),
        (
            &["--author", "Doe, Jane", "--license", "mine"],
            "leave --license out where none is given",
        ),
    ] {
        let mut call = vec!["bench", "publish", "one", "--out", "shown"];
        call.extend(options);
        let refused = place.call(&call);
        assert_eq!(refused.status, 2, "{options:?}: {}", refused.stdout);
        assert!(refused.stderr.contains(said), "{options:?}: {}", refused.stderr);
        assert!(!place.path().join("shown").exists());
    }
}

/// What an audit quarantined stands in every table with its reason, and beside each score is the one without it.
#[test]
fn quarantined_cells_stand_in_tables_with_their_reason() {
    let place = place(
        "name = 'audited'\nsettings = { approve = 'auto', sandbox = 'local', level = 'hard' }\n\
         [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.model = 'scripted:capsule-9000001-hard'\n\
         [[capsules]]\nfiles = ['other.json']\nsettings.model = 'scripted:capsule-9000009-hard'\n",
    );
    // The same capsule under another name, with a question whose right answer is 0.
    let text = fs::read_to_string(place.path().join("sunspots/task.json")).unwrap();
    let other = text
        .replace("49.752104", "0.0")
        .replace("capsule-9000001", "capsule-9000009");
    fs::write(place.path().join("other.json"), other).unwrap();
    copy(
        &place.path().join("sunspots/capsule-9000001"),
        &place.path().join("capsule-9000009"),
    );
    fs::create_dir(place.path().join("recordings")).unwrap();
    let recording =
        fs::read_to_string(place.path().join("sunspots/recordings/capsule-9000001-hard.json")).unwrap();
    fs::write(
        place.path().join("recordings/capsule-9000009-hard.json"),
        recording.replace("capsule-9000001", "capsule-9000009"),
    )
    .unwrap();
    let audit = place.call(&["bench", "audit", "bench.toml"]);
    assert_eq!(audit.status, 1, "{}{}", audit.stdout, audit.stderr);
    let why = "the agent `print`, which earns nothing, gets `Report the mean number of sunspots.` right";
    let planned = parsed(&place.call(&["bench", "plan", "bench.toml", "--json"]));
    let of = |told: &Value, key: &str| -> Vec<(String, String)> {
        let cells = told["cells"].as_array().unwrap().iter();
        let text = |cell: &Value, key: &str| cell[key].as_str().unwrap_or_default().to_owned();
        cells
            .map(|cell| (text(cell, "standing"), text(cell, key)))
            .collect()
    };
    let stands = of(&planned, "detail");
    assert_eq!(stands.len(), 2, "{planned}");
    assert_eq!(stands[0].0, "to begin");
    assert!(
        stands[1].0 == "quarantined" && stands[1].1.contains(why),
        "{stands:?}"
    );
    let table = place.call(&["bench", "plan", "bench.toml"]).stdout;
    assert!(
        table.contains(&format!("quarantined: {why}"))
            && table.contains("2 cells, 1 of them of quarantined tasks"),
        "{table}"
    );
    let status = parsed(&place.call(&["bench", "status", "bench.toml", "--json"]));
    let stands = of(&status, "quarantined");
    assert_eq!(stands[0], ("to_begin".to_owned(), String::new()));
    assert!(
        stands[1].0 == "quarantined" && stands[1].1.contains(why),
        "{stands:?}"
    );
    let table = place.call(&["bench", "status", "bench.toml"]).stdout;
    assert!(table.contains(why) && table.contains("1 quarantined"), "{table}");

    // They can be run all the same: then both lines stand there.
    let ran = place.call(&["bench", "bench.toml", "--quarantined"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for said in [
        "recorded: every answer right 0.500 (1 of 2",
        "recorded, without quarantined tasks: every answer right 1.000 (1 of 1",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let told = parsed(&place.call(&["bench", "report", "bench", "--json"]));
    assert_eq!(
        told["agents_without_quarantined"][0]["success"]["of"], 1,
        "{told}"
    );
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    for said in [
        "recorded, without quarantined tasks",
        "The recorded agent, in the audit, without quarantined tasks",
        "1 of the planned cells is of quarantined tasks",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let table = place.call(&["bench", "status", "bench.toml"]).stdout;
    assert!(
        table.contains("2 finished") && table.contains(&format!("quarantined: {why}")),
        "{table}"
    );
}

/// A part of an audit leaves what was found of the rest, and studies are tried with results that are made up.
#[test]
fn a_part_of_the_tasks_is_audited_and_the_rest_stays() {
    let place = place(AUDITED);
    let audit = |only: &[&str]| {
        let mut call = vec!["bench", "audit", "bench.toml", "--json"];
        call.extend(only);
        place.call(&call)
    };
    let kept = || -> Vec<String> {
        let text = fs::read_to_string(place.path().join("bench/audit.json")).unwrap();
        let written: Value = serde_json::from_str(&text).unwrap();
        let tasks = written["tasks"].as_array().unwrap().iter();
        tasks
            .map(|task| task["task"].as_str().unwrap().to_owned())
            .collect()
    };
    let none = audit(&["--only", "nothing"]);
    assert_eq!(none.status, 2, "{}", none.stdout);
    assert!(
        none.stderr.contains("--only nothing: no task is left"),
        "{}",
        none.stderr
    );
    let study = audit(&["--only", "slope"]);
    assert_eq!(study.status, 0, "{}{}", study.stdout, study.stderr);
    let study = parsed(&study);
    assert_eq!(study["tasks"].as_array().unwrap().len(), 1, "{study}");
    let agents: Vec<&str> = study["tasks"][0]["trivial"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| {
            assert_eq!(attempt["success"], false, "{attempt}");
            attempt["agent"].as_str().unwrap()
        })
        .collect();
    assert_eq!(
        agents,
        ["null", "print", "forged report", "link", "daemon", "number bait"],
        "{study}"
    );
    assert_eq!(kept(), ["slope"]);
    let capsule = audit(&["--only", "capsule-9"]);
    assert_eq!(capsule.status, 0, "{}", capsule.stderr);
    assert_eq!(parsed(&capsule)["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(kept(), ["slope", "capsule-9000001"]);
    // Of a damaged file no part can stay, and a whole audit makes it anew.
    fs::write(place.path().join("bench/audit.json"), "{").unwrap();
    let damaged = audit(&["--only", "slope"]);
    assert!(
        damaged.stderr.contains("`reprise bench audit` writes it anew"),
        "{}",
        damaged.stderr
    );
    let whole = audit(&[]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    assert_eq!(kept(), ["slope", "capsule-9000001"]);
}

/// A call in which no file becomes larger than some kilobytes, as on a disk that becomes full.
fn cramped(place: &Place, arguments: &[&str]) -> Called {
    let inner = place.command(arguments);
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(place.path())
        .env_clear()
        .envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    called(command.output().unwrap())
}

fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What breaks off half-way leaves no folder that looks like a bench, and the same call succeeds later.
#[test]
fn a_merge_or_a_publication_that_breaks_off_leaves_nothing() {
    let place = place(AUDITED);
    let ran = place.call(&["bench", "bench.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    bench_folder(&place, "second", "b", 1, &[("t", "+"), ("u", "-")]);
    let before = names(&place);
    for arguments in [
        &["bench", "merge", "out", "bench", "second"][..],
        &[
            "bench",
            "publish",
            "bench",
            "--out",
            "out",
            "--author",
            "Doe, Jane",
        ],
    ] {
        let broken = cramped(&place, arguments);
        assert!(broken.status > 1, "{}{}", broken.stdout, broken.stderr);
        assert_eq!(names(&place), before, "{}", broken.stderr);
        let whole = place.call(arguments);
        assert_eq!(whole.status, 0, "{}", whole.stderr);
        let written = fs::read_to_string(place.path().join("out/index.html")).unwrap();
        assert!(written.contains("</html>"));
        fs::remove_dir_all(place.path().join("out")).unwrap();
        assert_eq!(names(&place), before);
    }
}

/// Unknown keys and settings that there are not are told in one round.
#[test]
fn faults_of_keys_and_of_settings_are_told_together() {
    let place = place(
        "name = 'x'\nrepeat = 2\nsettings = { approve = 'auto', code-mod = 'native' }\nlimits.max-cost = 'much'\n\
         slurm.tim = '1'\n[[studies]]\npaths = ['slope']\n[[studies]]\npaths = ['nowhere']\n",
    );
    let refused = place.call(&["bench", "bench.toml", "--plan"]);
    assert_eq!(refused.status, 2, "{}{}", refused.stdout, refused.stderr);
    for named in [
        "line 2: `repeat` is not a known key: did you mean `repeats`?",
        "line 5: `slurm.tim` is not a known key: did you mean `time`?",
        "there is no setting `code-mod` for it: did you mean `code-mode`?",
        "[limits]: ",
        "nowhere",
    ] {
        assert!(refused.stderr.contains(named), "{named}: {}", refused.stderr);
    }
    assert!(!place.path().join("bench").exists());
}
