//! Addresses of one record, and of others that only look like it.

use reprise::addresses::address::bare;
use reprise::addresses::identity::Identity;
use reprise::scoring::url_match::files::PredictedUrl;
use reprise::scoring::url_match::gold::{GoldCase, GoldResource};
use reprise::scoring::url_match::level::{CuratedAlias, Level};
use reprise::scoring::url_match::levels::{by_prediction, matches};
use reprise::scoring::url_match::limit::Limit;
use reprise::scoring::url_match::metrics::{ModelScore, RunScore};

fn resource(id: &str, url: &str) -> GoldResource {
    GoldResource {
        id: id.to_owned(),
        kind: "data".to_owned(),
        required: true,
        filename: String::new(),
        url: url.to_owned(),
        aliases: Vec::new(),
    }
}

fn urls(addresses: &[&str]) -> Vec<PredictedUrl> {
    let one = |address: &&str| PredictedUrl {
        url: (*address).to_owned(),
        ..PredictedUrl::default()
    };
    addresses.iter().map(one).collect()
}

#[test]
fn each_repository_names_its_records() {
    let record = |address: &str| Identity::read(address).unwrap().record.unwrap();
    for (address, expected) in [
        ("https://zenodo.org/doi/10.5281/zenodo.77", "10.5281/zenodo.77"),
        ("https://zenodo.org/api/records/77", "10.5281/zenodo.77"),
        ("https://www.openicpsr.org/openicpsr/project/100", "10.3886/E100"),
        (
            "https://www.icpsr.umich.edu/web/ICPSR/studies/38",
            "10.3886/ICPSR00038",
        ),
        (
            "https://data.mendeley.com/datasets/ab12cd34ef",
            "10.17632/ab12cd34ef",
        ),
        (
            "https://data.mendeley.com/datasets/ab12cd34ef/2",
            "10.17632/ab12cd34ef.2",
        ),
        (
            "https://arxiv.org/pdf/2101.00001v2.pdf",
            "10.48550/arXiv.2101.00001v2",
        ),
        ("https://osf.io/ab3de/download", "10.17605/OSF.IO/AB3DE"),
        (
            "https://rs.figshare.com/articles/dataset/A_title/77",
            "10.6084/m9.figshare.77",
        ),
        ("https://github.com/o/r.git", "https://github.com/O/R"),
        (
            "https://codeload.github.com/o/r/tar.gz/v1.tar.gz",
            "https://github.com/o/r/tree/v1",
        ),
        ("https://hdl.handle.net/1902.1/ABC", "hdl:1902.1/abc"),
        ("info:doi/10.5061/DRYAD.5/", "10.5061/dryad.5"),
    ] {
        assert_eq!(record(address), record(expected), "{address}");
    }
    for address in [
        "https://osf.io/meetings",
        "https://osf.io/a-b_c",
        "https://evil.org/articles/77/2",
        "https://figshare.com/collections/77",
        "https://zenodo.org/records/77a",
        "https://www.openicpsr.org/openicpsr/project/about",
    ] {
        let work = record(address).work;
        assert!(work.starts_with("page:"), "{address}: {work}");
    }
    for (version, work) in [
        (
            "https://data.mendeley.com/datasets/ab12cd34ef/2",
            "https://data.mendeley.com/datasets/ab12cd34ef",
        ),
        (
            "https://arxiv.org/abs/2101.00001v2",
            "https://arxiv.org/abs/2101.00001",
        ),
    ] {
        let (version, work) = (record(version), record(work));
        assert_eq!((version.work, work.version), (work.work, None));
        assert!(version.version.is_some());
    }
}

#[test]
fn marks_around_an_address_are_not_part_of_it() {
    let address = "https://a.org/x_(b)";
    for around in ["<>", "\"\"", "''", "()", "[]", "{}", " ,", " ;", " .", "\t\t"] {
        let (before, after) = around.split_at(1);
        let written = format!("{before}{address}{after}");
        assert_eq!(bare(&written), Some(address), "{written:?}");
    }
    assert_eq!(bare(&format!("<{address}>.")), Some(address));
    assert_eq!(bare("see https://a.org"), None);
    assert_eq!(bare(" . "), None);
}

#[test]
fn entries_of_one_resource_are_one_and_its_closest_counts() {
    let optional = GoldResource {
        required: false,
        ..resource("a", "https://a.org/data/sets")
    };
    let prose = GoldResource {
        required: false,
        ..resource("a", "from the authors")
    };
    let gold = GoldCase {
        id: 1.into(),
        resources: vec![
            prose,
            optional,
            resource("a", "https://b.org/x"),
            resource("b", "by mail"),
        ],
    };
    let found = matches(&gold, &urls(&["https://a.org/data", "https://b.org/x"]), &[]);
    let [one, other] = found.resources.as_slice() else {
        panic!("{found:?}");
    };
    assert!(one.required && one.addressable && other.required && !other.addressable);
    assert_eq!(one.closest, Some((1, Level::CanonicalUrl)));
    let strict = found.count(Limit::Strict);
    assert_eq!(
        (strict.right, strict.wrong, strict.found, strict.missed),
        (1, 1, 1, 1)
    );
    let each: Vec<_> = (by_prediction(&gold, &urls(&["https://a.org/data", "b.org/x", "c.org/y"]), &[]))
        .into_iter()
        .map(|one| (one.position, one.closest))
        .collect();
    let a = |level| Some(("a".to_owned(), level));
    assert_eq!(
        each,
        [(0, a(Level::Path)), (1, a(Level::CanonicalUrl)), (2, None)]
    );
}

#[test]
fn a_recorded_alias_is_of_its_case_and_resource_only() {
    let gold = GoldCase {
        id: 1.into(),
        resources: vec![resource("a", "https://a.org/x"), resource("b", "https://b.org/y")],
    };
    let alias = |case: i64, resource: &str| CuratedAlias {
        case: case.into(),
        resource: resource.to_owned(),
        address: "https://doi.org/10.5061/dryad.5".to_owned(),
    };
    // Another address of the recorded record is the resource as well.
    let answer = urls(&["https://datadryad.org/dataset/doi:10.5061/dryad.5"]);
    let levels = |aliases: &[CuratedAlias]| -> Vec<Option<Level>> {
        let found = matches(&gold, &answer, aliases);
        found
            .resources
            .iter()
            .map(|one| one.closest.map(|(_, level)| level))
            .collect()
    };
    assert_eq!(levels(&[alias(1, "b")]), [None, Some(Level::Curated)]);
    assert_eq!(levels(&[alias(2, "b")]), [None, None]);
    assert_eq!(levels(&[]), [None, None]);
}

#[test]
fn the_spread_of_runs_is_their_population_deviation() {
    let run = |hit_any: f64| RunScore {
        hit_any,
        ..RunScore::default()
    };
    let model = ModelScore {
        model: "m".to_owned(),
        runs: vec![run(0.2), run(0.4), run(0.9)],
    };
    let spread = model.spread(|run| run.hit_any);
    // (0.3² + 0.1² + 0.4²) / 3
    let expected = (0.26_f64 / 3.0).sqrt();
    assert!(
        (spread.mean - 0.5).abs() < 1e-12 && (spread.deviation - expected).abs() < 1e-12,
        "{spread:?}"
    );
}
