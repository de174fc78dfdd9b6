//! The releases of Python that bring the modules that scripts load.

use super::super::language::Language;
use super::super::need::{Mention, MentionForm};
use super::super::release_span::ReleaseSpan;
use super::super::tables::standard_library;
use super::local_modules::LocalModules;

/// A span without the releases that lack a module which the chosen one brings, since scripts that load it ran on
/// none of them.
pub fn narrowed(span: ReleaseSpan, chosen: &str, mentions: &[Mention], local: &LocalModules) -> ReleaseSpan {
    let loaded = mentions
        .iter()
        .filter(|mention| mention.language == Language::Python && mention.form == MentionForm::Loads);
    let modules = loaded.filter_map(|mention| {
        let module = mention.name.split('.').next().unwrap_or_default();
        let is_local = local.holds(module, &mention.place.file, false);
        standard_library::span(module).filter(|known| !is_local && known.holds(chosen))
    });
    modules.fold(span, |span, module| {
        let release = |(major, minor): (u32, u32)| format!("{major}.{minor}");
        let span = span.not_before(&release(module.first));
        match module.last {
            Some(last) => span.not_behind(&release(last)),
            None => span,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::need::SourcePlace;

    fn mention(name: &str, form: MentionForm) -> Mention {
        Mention {
            language: Language::Python,
            name: name.to_owned(),
            place: SourcePlace {
                file: "a.py".to_owned(),
                line: 1,
            },
            form,
        }
    }

    #[test]
    fn modules_that_came_and_went_bound_the_releases() {
        let span = |chosen: &str, mentions: &[Mention]| {
            narrowed(
                ReleaseSpan::since("3.0"),
                chosen,
                mentions,
                &LocalModules::default(),
            )
        };
        let loads = |name: &str| mention(name, MentionForm::Loads);
        let both = span(
            "3.8",
            &[
                loads("dataclasses"),
                loads("imp"),
                loads("pandas"),
                loads("os.path"),
            ],
        );
        assert!(!both.admits("3.6") && both.admits("3.7") && both.admits("3.11") && !both.admits("3.12"));
        // What is only tried, and what the chosen one lacks as well, tells nothing.
        let tried = span("3.8", &[mention("dataclasses", MentionForm::Tries)]);
        let lacking = span("3.6", &[loads("dataclasses")]);
        assert!(tried.admits("3.6") && lacking.admits("3.6"));
    }
}
