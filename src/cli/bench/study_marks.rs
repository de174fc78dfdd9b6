//! Marks of the study that a task is of: tasks that share one are of one study.

use crate::addresses::identity::Identity;
use crate::capsule::task_file::CapsuleTask;
use crate::domain::digest::Digest;
use crate::notebook::task::NotebookTask;
use crate::study::open::Study;

/// The DOI of a study's paper, and the paper itself: claims of one paper have the one or the other in common.
pub fn of_study(study: &Study) -> Vec<String> {
    let doi = study.about().and_then(|about| about.doi.as_deref());
    let paper = study.paper().ok();
    let paper = paper.map(|bytes| format!("paper:{}", Digest::compute(bytes).short()));
    doi.map(of_doi).into_iter().chain(paper).collect()
}

/// The DOI of a capsule.
pub fn of_capsule(task: &CapsuleTask) -> Vec<String> {
    let doi = task.doi.as_deref().filter(|doi| !doi.trim().is_empty());
    doi.map(of_doi).into_iter().collect()
}

/// The repository of a notebook task.
pub fn of_notebook(task: &NotebookTask) -> Vec<String> {
    let repository = task.repository.iter();
    let name = |repository: &String| {
        let plain = repository.trim().trim_end_matches('/').to_lowercase();
        format!("repository:{}", plain.strip_suffix(".git").unwrap_or(&plain))
    };
    repository.map(name).collect()
}

/// However it is written.
fn of_doi(written: &str) -> String {
    let read = Identity::read(written).and_then(|identity| identity.doi);
    format!("doi:{}", read.unwrap_or_else(|| written.trim().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doi_is_one_however_it_is_written() {
        for written in [
            "10.1234/AbC",
            "https://doi.org/10.1234/abc",
            "doi:10.1234/abc",
            " 10.1234/abc ",
        ] {
            assert_eq!(of_doi(written), "doi:10.1234/abc", "{written}");
        }
        assert_eq!(of_doi("In press"), "doi:in press");
    }
}
