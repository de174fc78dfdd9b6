use std::collections::BTreeMap;

use super::*;

fn as_of() -> AsOf {
    AsOf {
        instant: "2019-06-30T23:59:59Z".parse().unwrap(),
        day: "2019-06-30".parse().unwrap(),
        from: EvidenceKind::Told,
        reason: "A person says so.".to_owned(),
        weak: false,
    }
}

fn need(language: Language, package: &str, version: Option<&str>) -> PackageNeed {
    PackageNeed {
        language,
        package: package.to_owned(),
        loaded_as: Vec::new(),
        certainty: Certainty::Exact,
        version: version.map(str::to_owned),
        bounds: Vec::new(),
        sha256: Vec::new(),
        reasons: vec!["A lock has it.".to_owned()],
    }
}

fn needs() -> DatedNeeds {
    DatedNeeds {
        as_of: as_of(),
        interpreters: Vec::new(),
        packages: vec![
            need(Language::Python, "pandas", Some("0.24.1")),
            need(Language::R, "lme4", Some("1.1-21")),
        ],
        own: Vec::new(),
        notes: Vec::new(),
    }
}

fn spec(python: &[&str], r: &[(&str, Option<&str>)]) -> EnvironmentSpec {
    let r: BTreeMap<_, _> = r
        .iter()
        .map(|(name, version)| ((*name).to_owned(), version.map(str::to_owned)))
        .collect();
    EnvironmentSpec {
        python: Some(python.iter().map(|&text| text.to_owned()).collect()),
        r: (!r.is_empty()).then_some(r),
        ..EnvironmentSpec::default()
    }
}

fn bounds(draft: &LockDraft) -> Vec<String> {
    let roots = draft.python_roots();
    roots
        .iter()
        .map(|root| format!("{} {}", root.name, root.bounds.join(",")))
        .collect()
}

#[test]
fn what_the_task_tells_goes_before_the_date_and_the_plan_before_the_task() {
    let declared = spec(
        &["Pandas", "numpy>=1.16,<2", "x @ https://a.example/x.whl"],
        &[("lme4", None), ("stats", None), ("plm", Some("2.1-0"))],
    );
    let draft = needs().draft(&declared, Some("3.7.3"));
    assert_eq!(bounds(&draft), ["numpy >=1.16,<2", "pandas ==0.24.1"]);
    assert!(draft.python_roots().iter().all(|root| root.is_wanted));
    // What the task pins and the plan leaves out is held where others need it.
    let without = needs().draft(&spec(&["numpy"], &[]), None);
    assert_eq!(bounds(&without), ["numpy ", "pandas ==0.24.1"]);
    assert!(!without.python_roots()[1].is_wanted);
    let r: Vec<_> = draft.r_roots();
    let r: Vec<(&str, Option<&str>)> = r
        .iter()
        .map(|root| (root.name.as_str(), root.version.as_deref()))
        .collect();
    assert_eq!(r, [("lme4", Some("1.1-21")), ("plm", Some("2.1-0"))]);
    assert_eq!(draft.interpreter(Language::Python), Some("3.7"));
    let lock = needs().draft(&spec(&["pandas>=1"], &[]), Some("3.7.3")).finish();
    assert!(
        lock.notes[0].contains("`pandas>=1`, and the study's own files give pandas 0.24.1"),
        "{:?}",
        lock.notes
    );
    assert_eq!(
        bounds(&needs().draft(&spec(&["pandas>=1"], &[]), None)),
        ["pandas >=1"]
    );
}

#[test]
fn files_are_for_the_python_that_there_is_and_the_lock_says_which_was_wanted() {
    let lock = |here| needs().draft(&spec(&["numpy"], &[]), here).finish();
    let python = |here| lock(here).interpreters[0].clone();
    assert_eq!(python(None).version.as_deref(), Some("3.7"));
    assert_eq!(python(Some("3.7.12")).version.as_deref(), Some("3.7"));
    let other = python(Some("3.11.2"));
    assert_eq!(other.version.as_deref(), Some("3.11"));
    assert!(
        other.reason.contains("Python 3.7 is that of the time") && other.reason.contains("it has 3.11"),
        "{}",
        other.reason
    );
    // One that evidence names gives way to no older one, whatever stands in for it.
    let named = DatedNeeds {
        interpreters: vec![InterpreterChoice::new(
            Language::Python,
            Some("3.8".to_owned()),
            "A lock says so.".to_owned(),
        )],
        ..needs()
    };
    let order = |here, had: &[&str]| {
        let draft = named.draft(&spec(&["numpy"], &[]), Some(here));
        let had = had.iter().map(|&one| one.to_owned()).collect();
        draft.with_releases(had).python_releases().order
    };
    assert_eq!(order("3.8.1", &["3.7", "3.9"]), ["3.8"]);
    assert_eq!(order("3.9.1", &["3.7", "3.11", "3.10"]), ["3.9", "3.10", "3.11"]);
    let asked = needs().of_the_day(&spec(&[], &[("lme4", None)]));
    assert_eq!(asked.python_version.as_deref(), Some("3.7"));
    assert_eq!(asked.r_version.as_deref(), Some("3.6.0"));
}

#[test]
fn another_wish_has_another_digest() {
    let digest = |python: &[&str], here| needs().draft(&spec(python, &[]), Some(here)).digest();
    assert_eq!(
        digest(&["numpy", "pandas"], "3.7.1"),
        digest(&["pandas", "numpy"], "3.7.9")
    );
    assert_ne!(digest(&["numpy"], "3.7.1"), digest(&["numpy>=1"], "3.7.1"));
    assert_ne!(digest(&["numpy"], "3.7.1"), digest(&["numpy"], "3.8.1"));
}

#[test]
fn an_interpreter_that_is_too_old_gives_way_to_the_oldest_that_will_do() {
    let why = "a kernel needs Python 3.8 or later";
    let raised = needs().no_older_than(Language::Python, "3.8", why);
    let choice = raised.interpreter(Language::Python);
    assert_eq!(choice.version.as_deref(), Some("3.8"));
    assert!(
        choice
            .reason
            .starts_with("Python 3.7 would be that of the time (")
            && choice.reason.ends_with(&format!("{why}.")),
        "{}",
        choice.reason
    );
    assert!(!choice.others.unwrap().admits("3.7"));
    let early = needs().no_older_than(Language::Python, "3.6", "x");
    let others = early.interpreter(Language::Python).others.unwrap();
    assert!(others.admits("3.6") && !others.admits("3.5"));
    // One that will do stays, and so does its reason.
    let ten = InterpreterChoice::new(
        Language::Python,
        Some("3.10".to_owned()),
        "A lock says so.".to_owned(),
    );
    let told = DatedNeeds {
        interpreters: vec![ten.clone()],
        ..needs()
    };
    assert_eq!(
        told.no_older_than(Language::Python, "3.8", why)
            .interpreter(Language::Python),
        ten
    );
}

#[test]
fn a_declared_name_that_stands_for_another_is_told_and_not_asked_for() {
    let draft = needs().draft(&spec(&["sklearn==0.0"], &[]), Some("3.7.16"));
    let roots: Vec<(String, Vec<String>)> = (draft.python_roots().into_iter())
        .filter(|root| root.is_wanted)
        .map(|root| (root.name, root.bounds))
        .collect();
    assert_eq!(roots, [("scikit-learn".to_owned(), Vec::new())]);
    let notes = draft.finish().notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("`sklearn` is declared, which holds nothing")),
        "{notes:?}"
    );
}

#[test]
fn the_patch_release_of_the_sandbox_goes_with_the_draft() {
    let full = |here: Option<&str>| {
        let draft = needs().draft(&spec(&["numpy"], &[]), here);
        draft.full_python().map(str::to_owned)
    };
    assert_eq!(full(Some("3.7.16")).as_deref(), Some("3.7.16"));
    assert_eq!(full(Some("3.11.2")).as_deref(), Some("3.11.2"));
    assert_eq!(full(None).as_deref(), Some("3.7"));
}
