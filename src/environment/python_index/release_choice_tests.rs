use super::super::page::{IndexFile, IndexPage};
use super::super::requirement::MetadataRequirements;
use super::super::resolution::{ResolutionStep, RootPackage};
use super::*;

/// A file in words: `file day`, with `yanked` or bounds such as `>=3.7` behind it.
fn file(words: &str) -> IndexFile {
    let parts: Vec<&str> = words.split(' ').collect();
    IndexFile {
        name: parts[0].to_owned(),
        url: String::new(),
        sha256: None,
        requires_python: parts
            .iter()
            .find(|part| part.contains('3') && part.contains(['<', '>']))
            .map(|&part| part.to_owned()),
        uploaded: parts
            .get(1)
            .filter(|day| **day != "-")
            .map(|day| format!("{day}T00:00:00Z").parse().unwrap()),
        yanked: parts.contains(&"yanked").then(String::new),
        size: None,
        has_metadata: false,
    }
}

/// An index in words: a package with its files.
type Pages<'a> = &'a [(&'a str, &'a [&'a str])];

fn targets(releases: &[&str]) -> Vec<TargetPlatform> {
    let all = releases.iter();
    all.map(|one| TargetPlatform::new(one, "x86_64").unwrap())
        .collect()
}

/// What is chosen: the release, and of each that was tried what it lacks. `needs` is a file with its requirements.
fn chosen(
    pages: Pages<'_>,
    order: &[&str],
    others: &[&str],
    needs: &[(&str, &str)],
) -> (String, Vec<String>) {
    let mut choice = ReleaseChoice::new(CandidateReleases {
        order: targets(order),
        others: targets(others),
    });
    let until = "2019-06-30T23:59:59Z".parse().unwrap();
    let roots: Vec<RootPackage> = pages
        .iter()
        .filter(|(name, _)| !name.starts_with("needed"))
        .map(|(name, _)| RootPackage {
            sha256: Vec::new(),
            name: (*name).to_owned(),
            bounds: Vec::new(),
            is_wanted: true,
        })
        .collect();
    let mut known: Option<Resolution> = None;
    while let Some(target) = choice.next_release().cloned() {
        let mut resolution = match known.take() {
            Some(known) => known.with_target(target),
            None => Resolution::new(target, until, roots.clone()),
        };
        loop {
            let steps = resolution.step();
            if steps.is_empty() {
                break;
            }
            for step in steps {
                match step {
                    ResolutionStep::Page(name) => {
                        let page = pages.iter().find(|(known, _)| *known == name);
                        let page = page.map(|(_, files)| IndexPage {
                            files: files.iter().map(|words| file(words)).collect(),
                        });
                        resolution.give_page(&name, page);
                    }
                    ResolutionStep::Metadata(picked) => {
                        let requires = needs.iter().find(|(file, _)| *file == picked.file.name);
                        let text =
                            requires.map_or_else(String::new, |(_, name)| format!("Requires-Dist: {name}\n"));
                        resolution.give_metadata(&picked.file.name, MetadataRequirements::parse(&text));
                    }
                }
            }
        }
        choice.take(&resolution);
        known = Some(resolution);
    }
    let end = choice.finish().unwrap();
    let told = end.wheels.iter().map(|one| {
        let lacking = one.lacking.iter();
        let lacking: Vec<String> = lacking
            .map(|lack| format!("{} ({})", lack.package, lack.had_for.join(" ")))
            .collect();
        format!("{}: {}", one.release, lacking.join(", "))
    });
    (end.release, told.collect())
}

const OLD: &str = "x-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01";
const SOURCE: &str = "x-1.0.tar.gz 2019-01-01";

fn only(files: &[&str], order: &[&str], others: &[&str]) -> (String, Vec<String>) {
    chosen(&[("x", files)], order, others, &[])
}

fn told(release: &str, tried: &[&str]) -> (String, Vec<String>) {
    (
        release.to_owned(),
        tried.iter().map(|&one| one.to_owned()).collect(),
    )
}

#[test]
fn a_release_for_which_all_have_wheels_is_preferred() {
    let order = ["3.7", "3.6", "3.5"];
    assert_eq!(
        only(&[OLD, SOURCE], &order, &[]),
        told("3.6", &["3.7: x (3.6)", "3.6: "])
    );
    // Also where there is no source: nothing would be had.
    assert_eq!(only(&[OLD], &order, &[]), told("3.6", &["3.7: x (3.6)", "3.6: "]));
    // The first choice stands where it has all, whatever there is for others.
    let both = [OLD, "x-1.0-cp37-cp37m-manylinux1_x86_64.whl 2019-01-01"];
    assert_eq!(only(&both, &order, &[]), told("3.7", &["3.7: "]));
    let pure = ["x-1.0-py3-none-any.whl 2019-01-01"];
    assert_eq!(only(&pure, &order, &[]), told("3.7", &["3.7: "]));
    let stable = ["x-1.0-cp35-abi3-manylinux1_x86_64.whl 2019-01-01"];
    assert_eq!(only(&stable, &order, &[]), told("3.7", &["3.7: "]));
    // What is built for every release speaks for none.
    assert_eq!(only(&[SOURCE], &order, &[]), told("3.7", &["3.7: "]));
}

#[test]
fn only_wheels_that_could_be_taken_on_the_day_count() {
    let order = ["3.7", "3.6"];
    for odd in [
        "x-1.0-cp36-cp36m-win_amd64.whl 2019-01-01",
        "x-1.0-cp36-cp36m-macosx_10_6_intel.whl 2019-01-01",
        "x-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-07-01",
        "x-1.0-cp36-cp36m-manylinux1_x86_64.whl -",
        "x-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01 yanked",
        // Tag and bounds exclude one another.
        "x-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01 >=3.7",
        "x-1.0-cp36-abi9-manylinux1_x86_64.whl 2019-01-01",
        "x-1.0-cp36.whl 2019-01-01",
    ] {
        assert_eq!(
            only(&["x-0.9.tar.gz 2018-01-01", odd], &order, &[]).0,
            "3.7",
            "{odd}"
        );
    }
    // A wheel of an older version is not worth another release than the one that builds the newest.
    let newer = [OLD, "x-2.0.tar.gz 2019-02-01"];
    assert_eq!(only(&newer, &order, &[]), told("3.7", &["3.7: "]));
    let older = ["x-1.1-cp36-cp36m-manylinux1_x86_64.whl 2019-03-01", SOURCE];
    assert_eq!(only(&older, &order, &[]).0, "3.6");
}

#[test]
fn an_empty_list_and_an_absent_one_change_nothing() {
    assert_eq!(only(&[], &["3.7", "3.6"], &[]), told("3.7", &["3.7: "]));
    let ends = chosen(
        &[("x", &[]), ("y", &["y-1.tar.gz 2019-01-01"])],
        &["3.7", "3.6"],
        &[],
        &[],
    );
    assert_eq!(ends, told("3.7", &["3.7: "]));
}

#[test]
fn where_none_has_all_the_fewest_lack_and_each_lack_is_told() {
    let pages: Pages<'_> = &[
        ("x", &[OLD]),
        ("y", &["y-1.0-cp37-cp37m-manylinux1_x86_64.whl 2019-01-01"]),
    ];
    assert_eq!(
        chosen(pages, &["3.7", "3.6"], &[], &[]),
        told("3.7", &["3.7: x (3.6)", "3.6: y (3.7)"])
    );
    let more: Pages<'_> = &[
        ("v", &["v-1.0-cp35-cp35m-manylinux1_x86_64.whl 2019-01-01"]),
        ("w", &["w-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01"]),
        ("x", &[OLD]),
    ];
    assert_eq!(
        chosen(more, &["3.7", "3.6", "3.5"], &[], &[]),
        told(
            "3.6",
            &[
                "3.7: v (3.5), w (3.6), x (3.6)",
                "3.6: v (3.5)",
                "3.5: w (3.6), x (3.6)"
            ]
        )
    );
}

#[test]
fn a_release_that_may_not_be_taken_is_told_and_not_tried() {
    assert_eq!(
        only(&[OLD], &["3.7"], &["3.6", "3.5"]),
        told("3.7", &["3.7: x (3.6)"])
    );
    // Neither is one for which nothing of what is lacking is there.
    assert_eq!(
        only(&[OLD], &["3.7", "3.5"], &["3.6"]),
        told("3.7", &["3.7: x (3.6)"])
    );
}

#[test]
fn what_is_needed_by_others_counts_as_well() {
    let pages: Pages<'_> = &[
        (
            "x",
            &[
                "x-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01",
                "x-1.0-cp37-cp37m-manylinux1_x86_64.whl 2019-01-01",
            ],
        ),
        (
            "needed",
            &[
                "needed-1.0-cp36-cp36m-manylinux1_x86_64.whl 2019-01-01",
                "needed-1.0.tar.gz 2019-01-01",
            ],
        ),
    ];
    let needs = [
        ("x-1.0-cp36-cp36m-manylinux1_x86_64.whl", "needed"),
        ("x-1.0-cp37-cp37m-manylinux1_x86_64.whl", "needed"),
    ];
    assert_eq!(
        chosen(pages, &["3.7", "3.6"], &[], &needs),
        told("3.6", &["3.7: needed (3.6)", "3.6: "])
    );
}
