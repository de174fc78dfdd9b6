//! The page of verbs, and the names that verbs had.

use super::support::Place;

#[test]
fn the_help_shows_the_verbs_by_task() {
    let called = Place::new().call(&["--help"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("help", called.stdout);
}

#[test]
fn an_old_name_works_and_prints_the_new_one_once() {
    let place = Place::finished();
    let new = place.call(&["show", "cost", "out", "--json"]);
    let old = place.call(&["cost", "out", "--json"]);
    assert_eq!((new.status, old.status), (0, 0), "{}", old.stderr);
    assert_eq!(old.stdout, new.stdout);
    assert_eq!(new.stderr, "");
    assert_eq!(old.stderr, "`reprise cost` is `reprise show cost` now.\n");
}

#[test]
fn a_verb_that_is_gone_names_what_does_its_job() {
    let place = Place::new();
    let called = place.call(&["batch", "studies/a", "studies/b", "--approve", "auto"]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("`reprise bench FILE`"),
        "{}",
        called.stderr
    );
    place.study();
    for verb in ["run", "resume"] {
        let called = place.call(&[verb, "slope", "--max-turns", "batch=5"]);
        assert_eq!(called.status, 2);
        assert!(called.stderr.contains("`[limits]`"), "{verb}: {}", called.stderr);
    }
}

#[test]
fn a_folder_with_the_name_of_a_sub_verb_is_given_as_a_path() {
    let place = Place::finished();
    std::fs::rename(place.path().join("out"), place.path().join("cost")).unwrap();
    let called = place.call(&["show", "./cost", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("standing"), "{}", called.stdout);
    let several = place.call(&["show", "cost", "cost"]);
    assert_eq!(several.status, 0, "{}", several.stderr);
    assert_eq!(place.call(&["show"]).status, 2);
}

#[test]
fn long_lists_of_options_are_shown_in_two_lengths() {
    let place = Place::new();
    for verb in [
        &["run"][..],
        &["resume"],
        &["capsule", "run"],
        &["notebook", "run"],
    ] {
        let help = |option| place.call(&[verb, &[option]].concat()).stdout;
        let (short, all) = (help("--help"), help("--help-all"));
        assert!(short.lines().count() <= 80, "{verb:?}: {short}");
        assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
        for option in ["--model", "--approve", "--max-cost", "--json", "--help-all"] {
            assert!(
                short.contains(option) && all.contains(option),
                "{verb:?}: {option}"
            );
        }
        for option in ["--temperature", "--max-turns", "--sign"] {
            assert!(
                !short.contains(option) && all.contains(option),
                "{verb:?}: {option}"
            );
        }
    }
}
