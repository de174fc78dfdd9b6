//! Data that no native reader understands, converted by R and pandas in the sandbox.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use reprise::documents::document::Document;
use reprise::documents::helper::Helper;
use reprise::documents::limits::{Limits, ReadError};
use reprise::documents::table::column::{Column, DataType, Table};
use reprise::sandbox::contract::Sandbox;
use reprise::sandbox::local::sandbox::LocalSandbox;
use reprise::sandbox::local::settings::LocalSettings;
use reprise::tools::conversion::convert::{Conversion, NoEnvironment};
use reprise::tools::inspect_data::DataReader;
use reprise::tools::readers::Readers;

use crate::need::need;

fn helper() -> Helper {
    Helper {
        program: env!("CARGO_BIN_EXE_reprise").into(),
        arguments: vec!["__read".into()],
    }
}

/// Readers whose sandbox keeps its environments below `target`, for the next time.
fn readers() -> Readers {
    let conversion = Conversion::new(Box::new(|| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conversion");
        let mut settings = LocalSettings::new(env!("CARGO_BIN_EXE_reprise"), cache);
        settings.operator = std::env::vars().collect();
        LocalSandbox::detect(settings)
            .map(|sandbox| -> Arc<dyn Sandbox> { Arc::new(sandbox) })
            .map_err(|error| NoEnvironment::Sandbox(error.to_string()))
    }));
    Readers::new(helper()).with_conversion(conversion)
}

/// What R writes into a file of its own, or `None` where R is not installed.
fn by_r(code: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("Rscript")
        .args(["--vanilla", "-e", code])
        .current_dir(folder.path())
        .status();
    let status = need(status.map_err(|error| format!("R is not installed: {error}")))?;
    assert!(status.success(), "{code}");
    Some(std::fs::read(folder.path().join("out.rds")).unwrap())
}

fn column<'t>(table: &'t Table, name: &str) -> &'t Column {
    table
        .column(name)
        .unwrap_or_else(|| panic!("no `{name}` in {table:?}"))
}

#[test]
fn a_frame_in_a_slot_is_found_without_any_conversion() {
    let Some(bytes) = by_r(
        "setClass('Study', representation(name='character', data='data.frame')); \
         saveRDS(new('Study', name='a', data=data.frame(g=factor(c('u','v','u')), y=c(1.5,NA,3), \
         when=as.Date(c('1970-01-02','2021-01-01',NA)))), 'out.rds')",
    ) else {
        return;
    };
    let document = DataReader::read(&readers(), "study.rds", &bytes).unwrap();
    let [table, contents] = document.tables.as_slice() else {
        panic!("{:?}", document.tables);
    };
    assert_eq!((table.name.as_str(), table.rows), ("data", 3));
    assert_eq!(contents.name, "(contents)");
    assert_eq!(column(table, "y").mean(), Some(2.25));
    assert_eq!(column(table, "y").values.missing(), 1);
    assert_eq!(
        (column(table, "when").sort, column(table, "when").values.missing()),
        (DataType::Date, 1)
    );
    assert!(
        !document.notes.iter().any(|note| note.contains("the sandbox's R")),
        "{:?}",
        document.notes
    );
}

/// What a closure was made beside is saved with it; R alone knows the way there.
#[test]
fn data_that_a_function_was_made_beside_is_converted_by_r() {
    let Some(bytes) = by_r(
        "f <- local({ d <- data.frame(g=factor(c('u','v','u')), y=c(1.5,NA,3)); function() mean(d$y) }); \
         saveRDS(f, 'out.rds')",
    ) else {
        return;
    };
    let native = Helper::read(&helper(), "f.rds", &bytes, &Limits::default()).unwrap();
    assert!(native.tables.is_empty(), "{:?}", native.tables);
    assert!(
        native.notes.iter().any(|note| note.contains("function")),
        "{:?}",
        native.notes
    );
    let document = DataReader::read(&readers(), "f.rds", &bytes).unwrap();
    let [table] = document.tables.as_slice() else {
        panic!("{:?} {:?}", document.tables, document.notes);
    };
    assert_eq!((table.name.as_str(), table.rows), ("d", 3));
    assert_eq!(column(table, "y").mean(), Some(2.25));
    assert_eq!(column(table, "y").values.missing(), 1);
    let levels: Vec<&str> = column(table, "g")
        .labels
        .iter()
        .map(|(_, level)| level.as_str())
        .collect();
    assert_eq!(levels, ["u", "v"]);
    let note = document.notes.join(" ");
    assert!(note.contains("the sandbox's R made of `f.rds`"), "{note}");
}

/// Types that no column here has become what can be shown of them.
#[test]
fn matrices_of_bytes_and_of_complex_numbers_are_converted_by_r() {
    let Some(bytes) = by_r(
        "saveRDS(list(b=matrix(as.raw(c(1, 2, 250, 7)), 2), z=matrix(complex(real=1:2, imaginary=3:4), 2)), 'out.rds')",
    ) else {
        return;
    };
    // Beside a list the native reader lists what it leaves out, and nothing is converted.
    let listed = DataReader::read(&readers(), "l.rds", &bytes).unwrap();
    assert_eq!(listed.tables[0].name, "(contents)");
    for (code, values) in [
        (
            "saveRDS(matrix(as.raw(c(1, 2, 250, 7)), 2), 'out.rds')",
            [Some(1.5), Some(128.5)],
        ),
        (
            "saveRDS(matrix(complex(real=1:4, imaginary=0), 2), 'out.rds')",
            [None, None],
        ),
    ] {
        let bytes = by_r(code).unwrap();
        let document = DataReader::read(&readers(), "m.rds", &bytes).unwrap();
        let table = &document.tables[0];
        assert_eq!(
            (table.rows, table.columns.len()),
            (2, 2),
            "{code}: {:?}",
            document.notes
        );
        let means: Vec<Option<f64>> = table.columns.iter().map(Column::mean).collect();
        assert_eq!(means, values, "{code}");
    }
}

/// A format that no program of the sandbox is asked about stays as it was described.
#[test]
fn what_nothing_converts_is_described_without_a_sandbox() {
    let asked = Conversion::new(Box::new(|| panic!("a sandbox was looked for")));
    let readers = Readers::new(helper()).with_conversion(asked);
    let error = DataReader::read(&readers, "s.db", b"SQLite format 3\0").unwrap_err();
    assert!(error.to_string().contains("sqlite3"), "{error}");
}

/// What pandas and its kin make of a file; `None` if no package index can be reached.
fn by_pandas(name: &str, bytes: &[u8]) -> Option<Arc<Document>> {
    match DataReader::read(&readers(), name, bytes) {
        Ok(document) => Some(document),
        // The error then says what to install.
        Err(error) if error.to_string().contains("pandas") => need(Err(error)),
        Err(error) => panic!("{error}"),
    }
}

/// Matrices of MATLAB have no native reader; what is no matrix of numbers is listed.
#[test]
fn a_matlab_file_is_read_by_scipy() {
    let Some(document) = by_pandas("m.mat", &matrix_and_struct()) else {
        return;
    };
    let [matrix, contents] = document.tables.as_slice() else {
        panic!("{:?}", document.tables);
    };
    assert_eq!((matrix.name.as_str(), matrix.rows), ("m", 2));
    assert_eq!(column(matrix, "1").mean(), Some(-0.5));
    assert_eq!((contents.name.as_str(), contents.rows), ("(contents)", 1));
}

/// A MATLAB file of version 5 (MAT-File Format, MathWorks) with the matrix `m` of -2 and 1, and an empty
/// struct `s`.
fn matrix_and_struct() -> Vec<u8> {
    let mut file = format!("{:<124}", "MATLAB 5.0 MAT-file").into_bytes();
    file.extend([0x00, 0x01, b'I', b'M']);
    let mut words = |words: &[u32]| file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    // Flags with the class, two extents, the name in a short element, and two numbers of one byte.
    words(&[14, 48, 6, 8, 6, 0, 5, 8, 2, 1, 1 << 16 | 1, u32::from(b'm')]);
    words(&[2 << 16 | 1, 0x01FE]);
    // The length of names of fields, and no names.
    words(&[14, 56, 6, 8, 2, 0, 5, 8, 1, 1, 1 << 16 | 1, u32::from(b's')]);
    words(&[4 << 16 | 5, 32, 1, 0]);
    file
}

/// A portable file of SPSS, written by pyreadstat.
#[test]
fn a_portable_file_is_read_by_pyreadstat() {
    let Some(document) = by_pandas("ages.por", include_bytes!("../fixtures/data/ages.por")) else {
        return;
    };
    let table = &document.tables[0];
    assert_eq!(table.rows, 3);
    assert_eq!(column(table, "X").mean(), Some((1.5 - 2.25) / 2.0));
    assert_eq!(column(table, "X").values.missing(), 1);
    assert_eq!(column(table, "NAME").values.missing(), 0);
}

/// A value without any table stays what the native reader says of it.
#[test]
fn what_holds_no_table_is_still_described() {
    let Some(bytes) = by_r("saveRDS(function(x) x, 'out.rds')") else {
        return;
    };
    let document = DataReader::read(&readers(), "f.rds", &bytes).unwrap();
    assert!(document.tables.is_empty());
    let notes = document.notes.join(" ");
    assert!(
        notes.contains("function") && notes.contains("finds no table in it either"),
        "{notes}"
    );
}

/// Without a sandbox the error of the native reader stands, with the reason beside it.
#[test]
fn a_machine_without_a_sandbox_says_so() {
    let nowhere = Conversion::new(Box::new(|| {
        Err(NoEnvironment::Sandbox("there is no sandbox here".to_owned()))
    }));
    let readers = Readers::new(helper()).with_conversion(nowhere);
    let error = DataReader::read(&readers, "old.dta", b"\x72\x02\x01\x00broken").unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, ReadError::Unsupported(_)) && text.contains("there is no sandbox here"),
        "{text}"
    );
    assert!(
        Helper::read(
            &helper(),
            "old.dta",
            b"\x72\x02\x01\x00broken",
            &Limits::default()
        )
        .is_err()
    );
}

/// SAS transport files have no native reader in any build.
#[test]
fn a_transport_file_is_read_by_pandas_with_its_labels() {
    let Some(document) = by_pandas("t.xpt", &transport()) else {
        return;
    };
    let table = &document.tables[0];
    assert_eq!((table.rows, table.columns.len()), (2, 2));
    assert_eq!(column(table, "X").mean(), Some(1.5));
    assert_eq!(column(table, "X").label.as_deref(), Some("the x"));
    assert!(
        document.notes.iter().any(|note| note.contains("pandas")),
        "{:?}",
        document.notes
    );
}

/// A SAS transport file of version 5 (SAS technical support document TS-140)
/// with the columns `X` (1 and 2) and `NAME` ("a" and "b").
fn transport() -> Vec<u8> {
    let mut file = Vec::new();
    let mut record = |text: &str| file.extend(format!("{text:<80}").bytes());
    let time = "01JAN20:00:00:00";
    record("HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000000000000000000000000000000  ");
    record(&format!(
        "{:<8}{:<8}{:<8}{:<8}{:<8}{:<24}{time}",
        "SAS", "SAS", "SASLIB", "9.4", "Linux", ""
    ));
    record(time);
    record("HEADER RECORD*******MEMBER  HEADER RECORD!!!!!!!000000000000000001600000000140  ");
    record("HEADER RECORD*******DSCRPTR HEADER RECORD!!!!!!!000000000000000000000000000000  ");
    record(&format!(
        "{:<8}{:<8}{:<8}{:<8}{:<8}{:<24}{time}",
        "SAS", "T", "SASDATA", "9.4", "Linux", ""
    ));
    record(time);
    record("HEADER RECORD*******NAMESTR HEADER RECORD!!!!!!!000000000200000000000000000000  ");
    for (number, (name, label, kind, length, place)) in
        [("X", "the x", 1u16, 8u16, 0u32), ("NAME", "", 2, 4, 8)]
            .into_iter()
            .enumerate()
    {
        let mut entry = Vec::new();
        for value in [kind, 0, length, number as u16 + 1] {
            entry.extend(value.to_be_bytes());
        }
        entry.extend(format!("{name:<8}{label:<40}{:<8}", "").bytes());
        entry.extend([0; 8]);
        entry.extend([b' '; 8]);
        entry.extend([0; 4]);
        entry.extend(place.to_be_bytes());
        entry.resize(140, 0);
        file.extend(entry);
    }
    file.resize(file.len().next_multiple_of(80), b' ');
    file.extend(
        format!(
            "{:<80}",
            "HEADER RECORD*******OBS     HEADER RECORD!!!!!!!000000000000000000000000000000  "
        )
        .bytes(),
    );
    // Numbers are of IBM's form: 1 is 0.0625 times 16, 2 is 0.125 times 16.
    for (number, name) in [([0x41, 0x10], "a   "), ([0x41, 0x20], "b   ")] {
        file.extend(number);
        file.extend([0; 6]);
        file.extend(name.bytes());
    }
    file.resize(file.len().next_multiple_of(80), b' ');
    file
}
