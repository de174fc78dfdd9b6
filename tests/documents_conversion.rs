//! Data that no native reader understands, converted by R and pandas in the sandbox.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use reprise::documents::document::{Limits, ReadError};
use reprise::documents::helper::Helper;
use reprise::documents::table::column::{Sort, Table};
use reprise::sandbox::contract::Sandbox;
use reprise::sandbox::local::sandbox::{LocalSandbox, LocalSettings};
use reprise::tools::conversion::convert::Conversion;
use reprise::tools::inspect_data::DataReader;
use reprise::tools::readers::Readers;

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
            .map_err(|error| error.to_string())
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
    match status {
        Ok(status) => {
            assert!(status.success(), "{code}");
            Some(std::fs::read(folder.path().join("out.rds")).unwrap())
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "Rscript: {error}");
            println!("skipped: R is not installed");
            None
        }
    }
}

fn column<'t>(table: &'t Table, name: &str) -> &'t reprise::documents::table::column::Column {
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
        (Sort::Date, 1)
    );
    assert!(
        !document.notes.iter().any(|note| note.contains("the sandbox's R")),
        "{:?}",
        document.notes
    );
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
    let nowhere = Conversion::new(Box::new(|| Err("there is no sandbox here".to_owned())));
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
    let readers = readers();
    let written = transport();
    let document = match DataReader::read(&readers, "t.xpt", &written) {
        Ok(document) => document,
        // Where no package index can be reached, the error says what to install.
        Err(error) if std::env::var_os("CI").is_none() && error.to_string().contains("pandas") => {
            println!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
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
