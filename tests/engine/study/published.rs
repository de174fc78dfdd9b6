//! The studies of ReplicatorBench, where they are at hand.

use reprise::domain::mode::CodeAccess;
use reprise::domain::plan::Interpreter;
use reprise::study::gold::Gold;
use reprise::study::kind::Kind;
use reprise::study::open::Study;

use super::{snapshot, staged};

use crate::need;

/// Study, data files, pointers, code files, and whether an analysis can run: counted in the folders.
const PUBLISHED: [(&str, usize, usize, usize, bool); 15] = [
    ("1", 2, 2, 1, false),
    ("2", 0, 0, 1, false),
    ("3", 2, 1, 1, true),
    ("4", 1, 0, 1, true),
    ("5", 1, 1, 1, false),
    ("6", 1, 1, 1, false),
    ("7", 4, 3, 1, false),
    ("8", 1, 1, 1, false),
    ("9", 2, 2, 1, false),
    ("10", 2, 2, 1, false),
    ("11", 1, 0, 1, true),
    ("13", 3, 0, 1, true),
    ("30", 2, 0, 1, true),
    ("33", 1, 0, 1, true),
    ("37", 3, 0, 1, true),
];

#[test]
fn the_published_studies_open_and_stay_as_they_are() {
    let Some(root) = need::shared("data/replicatorbench/original") else {
        return;
    };
    println!("study layout claim-words data pointers code gold problems");
    for (name, data, pointers, code, runs) in PUBLISHED {
        let folder = root.join(name);
        let before = snapshot(&folder);
        let study = Study::open(&folder).unwrap_or_else(|error| panic!("{error}"));
        let gold = Gold::open(&study).unwrap();
        let problems = study.check();
        let count = |kind| study.files_of_kind(kind).count();
        let found = study.files().iter().filter(|file| file.is_pointer()).count();
        println!(
            "{name} {:?} {} {} {found} {} {} {}",
            study.layout(),
            study.claim().statement.split_whitespace().count(),
            count(Kind::Data),
            count(Kind::Code),
            gold.post_registrations.len(),
            problems.len(),
        );
        for problem in &problems {
            println!("    {:?}: {problem}", problem.severity);
        }
        assert_eq!(
            (count(Kind::Data), found, count(Kind::Code)),
            (data, pointers, code),
            "{name}"
        );
        assert_eq!(study.ensure_usable_data().is_ok(), runs, "{name}");
        assert!(!study.claim().hypotheses.is_empty());
        assert!(gold.unreadable.is_empty() && gold.report.is_some() && gold.preregistration.is_some());
        for access in [CodeAccess::Code, CodeAccess::DataOnly] {
            let (_workspace, result) = staged(&folder, access);
            let expected = if access == CodeAccess::Code { code } else { 0 };
            let result = result.unwrap();
            assert_eq!(result.code.len(), expected, "{name}");
            // What is left holds nothing that a script's interpreter would be chosen for.
            let scripts = result
                .files
                .iter()
                .filter(|file| Interpreter::from_path(&file.path).is_ok());
            assert_eq!(scripts.count(), expected, "{name}");
        }
        assert_eq!(snapshot(&folder), before, "{name} was written");
    }
}
