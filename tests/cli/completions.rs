//! Completions for shells, and the pages of `man`.

use std::fs;

use super::support::Place;

#[test]
fn shells_complete_every_verb() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let called = place.call(&["doctor", "completions", shell]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        for verb in ["preregister", "resume", "list"] {
            assert!(called.stdout.contains(verb), "{shell}: {verb}");
        }
    }
    assert_eq!(place.call(&["doctor", "completions", "tcsh"]).status, 2);
}

#[test]
fn each_verb_has_a_page() {
    let place = Place::new();
    let called = place.call(&["doctor", "manual", "--out", "man"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let page = fs::read_to_string(place.path().join("man/reprise-run.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("dry\\-run"), "{page}");
    assert!(place.path().join("man/reprise.1").exists());
}
