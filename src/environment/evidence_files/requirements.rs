//! Requirements of Python, one a line, with their markers.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, IncludedFile, Pin, PinSource};
use super::super::language::Language;
use super::conda;
use super::listed::Listing;
use super::python_span;
use super::shown_line::shown;
use super::unread::about;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::names::normalized;

static NAME: LazyRegex = LazyRegex::new(r"(?i)^(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in)$");
static REQUIREMENT: LazyRegex = LazyRegex::new(
    r"^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?$",
);
static HASH: LazyRegex = LazyRegex::new(r"\s--hash[= ]\s*sha256:(\S*)");
static INCLUDED: LazyRegex = LazyRegex::new(r"^-(?:(-requirement|-constraint)(?:\s+|=)|(r|c)\s*)([^\s=].*)$");
static CONDA: LazyRegex = LazyRegex::new(r"^[A-Za-z0-9_][A-Za-z0-9._-]*=[0-9][^=\s]*(?:=[^=\s]+)?$");
static EXACT: LazyRegex = LazyRegex::new(r"^={2,3}\s*([^,*\s]+)$");
/// The folder in which conda built a package, as `pip freeze` names it.
static CONDA_BUILD: LazyRegex = LazyRegex::new(
    r"(?i) @ file:///(?:[^\s#]*_(?:[0-9]{13}|[0-9]{10})/work(?:/|#|\s|$)|(?:[a-z]:/)?(?:croot|home/conda/feedstock_root|tmp/build/80754af9)/)",
);
/// Marks of a merge.
const MERGE: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

/// Whether a file's name is that of a file of requirements.
pub fn is_name(name: &str) -> bool {
    NAME.is_match(name)
}

/// Reads a file of requirements, or a listing that stands in its place. Files that `-r` and `-c` name are gathered,
/// other options of pip are named as not followed.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut ask = |line: usize, problem: &str| {
        let question = format!("{file}, line {line}: {problem}.");
        found
            .questions
            .push(about(Language::Python, file, line, question));
    };
    let first = |is_it: &dyn Fn(&str) -> bool| text.lines().position(is_it).map(|at| at + 1);
    if let [Some(begin), Some(_)] = MERGE.map(|mark| first(&|line| line.starts_with(mark))) {
        return ask(
            begin,
            "a merge is unfinished here, so that the file is not read: finish it",
        );
    }
    if let Some(line) = first(&|line| CONDA_BUILD.is_match(line)) {
        ask(
            line,
            "a folder of conda's builds is named here instead of a version, so that the version of the day is taken: write \
             the version if you know it",
        );
    }
    if let Some(listing) = Listing::of(text) {
        return listing.read(file, text, found);
    }
    let mut whole = String::new();
    for (at, part) in text.lines().enumerate() {
        if let Some(goes_on) = part.strip_suffix('\\') {
            whole.push_str(goes_on);
            continue;
        }
        whole.push_str(part);
        let entry = std::mem::take(&mut whole);
        line(file, at + 1, &entry, found);
    }
}

/// Reads one line.
pub fn line(file: &str, number: usize, text: &str, found: &mut FoundEvidence) {
    let text = text.replace('\t', " ");
    let text = text.split(" #").next().unwrap_or_default().trim();
    let sha256 = HASH.captures_iter(text).map(|hash| hash[1].to_ascii_lowercase());
    let sha256 = sha256.collect();
    let text = text.split(" --hash").next().unwrap_or_default().trim();
    if text.is_empty() || text.starts_with('#') {
        return;
    }
    let mut pin = Pin::new(Language::Python, "", EvidenceKind::LockFile, file, number);
    let editable = ["-e ", "--editable "]
        .iter()
        .find_map(|flag| text.strip_prefix(flag));
    let address = editable.unwrap_or(text).trim();
    // The project itself, whose own files say what it needs.
    if matches!(address.split('[').next(), Some("." | "./")) {
        return;
    }
    let is_address =
        address.contains("://") || address.starts_with("git+") || address.starts_with(['.', '/']);
    if is_address && !address.starts_with('-') {
        let (address, marker) = address.split_once(" ;").unwrap_or((address, ""));
        pin.name = name_of_address(address.trim());
        if CONDA_BUILD.is_match(address) {
            if !conda::is_no_package(&pin.name.to_ascii_lowercase()) {
                found.pins.push(pin);
            }
            return;
        }
        pin.marker = Some(marker.trim().to_owned()).filter(|marker| !marker.is_empty());
        pin.source = PinSource::Elsewhere(excerpt::start(address.trim(), 200).to_owned());
        return found.pins.push(pin);
    }
    if let Some(include) = INCLUDED.captures(text) {
        let flag = include.get(1).or_else(|| include.get(2));
        return found.includes.push(IncludedFile {
            file: file.to_owned(),
            line: number,
            path: include[3].trim().trim_matches(['"', '\'']).to_owned(),
            is_constraint: flag
                .is_some_and(|flag| flag.as_str().ends_with('c') || flag.as_str() == "-constraint"),
        });
    }
    // A requirement has two signs or none of these: one is conda's.
    if CONDA.is_match(text) {
        return conda::package(file, number, text, found);
    }
    if text.starts_with('-') {
        return found.fault(file, format!("line {number}, `{}`, is not followed", shown(text)));
    }
    let Some(read) = REQUIREMENT.captures(text) else {
        return found.fault(
            file,
            format!("line {number}, `{}`, is no requirement", shown(text)),
        );
    };
    pin.name = read[1].to_owned();
    let marker = read
        .get(3)
        .map(|marker| marker.as_str().trim_start_matches(';').trim());
    pin.marker = marker.filter(|marker| !marker.is_empty()).map(str::to_owned);
    let bounds = read[2].trim();
    // No index has the interpreter: who writes it here means that.
    if pin.name.eq_ignore_ascii_case("python") {
        if !bounds.is_empty() {
            let says = format!("It asks for Python {bounds}.");
            let evidence = Evidence::new(EvidenceKind::LockFile, file, says).at(number);
            python_span::read(evidence, bounds, found);
        }
        return;
    }
    match EXACT.captures(bounds) {
        // Debian's pip lists its own parts so; no index has that release.
        Some(exact) if normalized(&pin.name) == "pkg-resources" && &exact[1] == "0.0.0" => return,
        Some(exact) => {
            pin.version = Some(exact[1].to_owned());
            pin.sha256 = sha256;
        }
        None if bounds.is_empty() => {}
        None if bounds.starts_with(['<', '>', '=', '!', '~']) => pin.bounds = Some(bounds.replace(' ', "")),
        None => {
            return found.fault(
                file,
                format!("line {number}, `{}`, is no requirement", shown(text)),
            );
        }
    }
    found.pins.push(pin);
}

/// `git+https://host/owner/name.git@ref#egg=name`, or `name @ address`.
fn name_of_address(address: &str) -> String {
    if let Some((_, egg)) = address.split_once("#egg=") {
        return egg.split('&').next().unwrap_or_default().to_owned();
    }
    if let Some((name, _)) = address.split_once(" @ ") {
        return name.trim().to_owned();
    }
    let bare = address.split(['#', '?']).next().unwrap_or_default();
    let last = bare.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = last.split('@').next().unwrap_or_default();
    name.trim_end_matches(".git").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn what_pip_of_debian_lists_of_itself_is_no_requirement() {
        let mut read = FoundEvidence::default();
        let text = "pkg-resources==0.0.0\npkg_resources==0.0.0\npandas==1.0.3\npkg-info==0.0.0\n";
        for (number, one) in text.lines().enumerate() {
            line("requirements.txt", number + 1, one, &mut read);
        }
        let names: Vec<&str> = read.pins.iter().map(|pin| pin.name.as_str()).collect();
        assert_eq!(names, ["pandas", "pkg-info"]);
    }

    #[test]
    fn pins_bounds_and_addresses() {
        let text = "# comment\npandas==0.25.3\nnumpy>=1.16, <1.18 # why\nscipy\nscikit-learn[extra]==0.22.1; python_version < '3.9'\n\
                    git+https://example.org/o/own.git@v1#egg=own\nother @ https://example.org/x.whl\n-r more.txt\n--index-url http://other.example\nnot a requirement\n\
                    attrs==19.3.0 \\\n    --hash=sha256:aa\nmatplotlib==3.1.*\npytz (>=2011k)\n";
        let mut found = FoundEvidence::default();
        read("requirements.txt", text, &mut found);
        let shown = shown_pins(&found);
        assert_eq!(
            shown,
            [
                "pandas|0.25.3|",
                "numpy||>=1.16,<1.18",
                "scipy||",
                "scikit-learn|0.22.1|",
                "own||",
                "other||",
                "attrs|19.3.0|",
                "matplotlib||==3.1.*",
                "pytz||>=2011k"
            ]
        );
        assert_eq!(found.faults.len(), 2, "{:?}", found.faults);
        let included: Vec<&str> = found.includes.iter().map(|one| one.path.as_str()).collect();
        assert_eq!((included, found.includes[0].line), (vec!["more.txt"], 8));
    }

    #[test]
    fn other_files_are_gathered_in_each_spelling() {
        let text = "-r a.txt\n--requirement=b.txt\n-rc.txt\n-c d.txt\n--constraint e.txt  # why\n-i http://x.example\n--no-binary x\n";
        let mut found = FoundEvidence::default();
        read("requirements.txt", text, &mut found);
        let shown = found
            .includes
            .iter()
            .map(|one| format!("{}{}", one.path, if one.is_constraint { " c" } else { "" }));
        assert_eq!(
            Vec::from_iter(shown),
            ["a.txt", "b.txt", "c.txt", "d.txt c", "e.txt c"]
        );
        assert_eq!(found.faults.len(), 2, "{:?}", found.faults);
    }

    #[test]
    fn the_interpreter_is_no_package() {
        for (text, named) in [
            ("python==3.7.5", Some("3.7.5")),
            ("Python >=3.6, <3.9", Some(">=3.6,<3.9")),
            ("python=3.7", Some("3.7")),
            ("python", None),
        ] {
            let mut found = FoundEvidence::default();
            read("requirements.txt", &format!("six==1.14\n{text}\n"), &mut found);
            assert_eq!(shown_pins(&found), ["six|1.14|"], "{text}");
            let interpreter = found.evidence.first().and_then(|one| one.interpreter.as_ref());
            assert_eq!(interpreter.map(|one| one.version.as_str()), named, "{text}");
        }
    }

    #[test]
    fn folders_of_conda_are_no_places() {
        let text = "certifi @ file:///croot/certifi_1671487769961/work/certifi\nnumpy @ file:///C:/ci/numpy_and_numpy_base_1620831199783/work\n\
                    mkl-fft @ file:///croot/mkl_fft_1695058164594/work\nown @ file:///home/someone/own\n\
                    tomli @ file:///home/conda/feedstock_root/build_artifacts/tomli_1727974628237/work/dist/tomli-2.0.2-py3-none-any.whl#sha256=aa\n\
                    pandas==1.2.4\nsix=1.14\nscipy=1.4.1=py37_0\n";
        let mut found = FoundEvidence::default();
        read("requirements.txt", text, &mut found);
        assert_eq!(
            shown_pins(&found),
            [
                "certifi||",
                "numpy||",
                "own||",
                "tomli||",
                "pandas|1.2.4|",
                "six||==1.14.*",
                "scipy|1.4.1|"
            ]
        );
        let elsewhere = found
            .pins
            .iter()
            .filter(|pin| matches!(pin.source, PinSource::Elsewhere(_)));
        assert_eq!(Vec::from_iter(elsewhere.map(|pin| &pin.name)), ["own"]);
        let asked: Vec<usize> = found.questions.iter().map(|one| one.places[0].line).collect();
        assert_eq!((asked, found.evidence.len()), (vec![1], 0));
    }

    #[test]
    fn folders_of_builders_are_told_from_those_of_people() {
        for address in [
            "file:///croot/numpy_and_numpy_base_1682520569166/work",
            "file:///C:/ci/numpy_and_numpy_base_1620831199783/work",
            "file:///C:/b/abs_d8gtwgr6l7/croot/aiobotocore_1680004292094/work",
            "file:///tmp/build/80754af9/attrs_1604765588209/work",
            "file:///home/conda/feedstock_root/build_artifacts/bld/rattler-build_pandas_1726878443/work",
            "file:///Users/ktietz/demo/mc3/conda-bld/six_1629299742001/work#sha256=aa",
            "file:///croot/x/work/x-latest.tar.gz",
        ] {
            assert!(CONDA_BUILD.is_match(&format!("x @ {address}")), "{address}");
        }
        for address in [
            "file:///home/someone/mypkg",
            "file:///home/someone/data_2020/work",
            "file:///home/someone/mypkg_1682520569166",
            "https://example.org/croot/x_1682520569166/work",
            "git+file:///croot/x_1682520569166/work",
        ] {
            assert!(!CONDA_BUILD.is_match(&format!("x @ {address}")), "{address}");
        }
    }

    #[test]
    fn a_file_with_an_unfinished_merge_is_asked_about() {
        let text =
            "six==1.14\n<<<<<<< HEAD\npandas==1.0.3\n=======\npandas==1.1.0\n>>>>>>> x\nnumpy==1.18.1\n";
        let mut found = FoundEvidence::default();
        read("requirements.txt", text, &mut found);
        assert_eq!((shown_pins(&found).len(), found.faults.len()), (0, 0));
        assert!(
            found.questions[0]
                .question
                .starts_with("requirements.txt, line 2: a merge is unfinished")
        );
        for whole in ["# Title\n# =======\nsix\n", "# <<<<<<< a\nsix\n"] {
            let mut found = FoundEvidence::default();
            read("requirements.txt", whole, &mut found);
            assert_eq!((found.pins.len(), found.questions.len()), (1, 0), "{whole}");
        }
    }
}
