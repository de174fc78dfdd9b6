use crate::documents::limits::Limits;
use crate::documents::read::read;
use crate::documents::table::column::Table;

fn table(text: &str) -> Table {
    read("a.csv", text.as_bytes(), &Limits::default())
        .unwrap()
        .tables
        .remove(0)
}

fn shape(text: &str) -> (usize, Vec<String>, Option<f64>) {
    let table = table(text);
    let names = table.columns.iter().map(|column| column.name.clone()).collect();
    (
        table.rows,
        names,
        table.columns.last().and_then(|column| column.mean()),
    )
}

fn right(rows: usize, names: &[&str], last: f64) -> (usize, Vec<String>, Option<f64>) {
    (
        rows,
        names.iter().map(|name| (*name).to_owned()).collect(),
        Some(last),
    )
}

#[test]
fn what_is_above_the_names_is_left_out() {
    for (text, rows, names, last) in [
        (
            "# agency\n# unit: index\nyear,value\n2001,1.5\n2002,2.5\n2003,3.5\n",
            3,
            ["year", "value"].as_slice(),
            2.5,
        ),
        (
            "% made by a program, version 2\nx;y\n1;2,5\n2;3,5\n",
            2,
            &["x", "y"],
            3.0,
        ),
        ("#id,score\n1,4\n2,6\n", 2, &["#id", "score"], 5.0),
        ("sep=;\nid;x\n1;2\n2;4\n", 2, &["id", "x"], 3.0),
        (
            "Table 3: results\n\nid,x,y\na,1,2\nb,3,4\nc,5,6\n",
            3,
            &["id", "x", "y"],
            4.0,
        ),
        (
            "Sales by region,,\n,,\nregion,2019,2020\nNorth,1.5,2\nSouth,2.5,4\n",
            2,
            &["region", "2019", "2020"],
            3.0,
        ),
        (
            "\"Data Source\",\"Indicators\",\n\n\"Last Updated\",\"2023-01-02\",\n\n\
             \"Country\",\"Code\",\"Name\",\"Kind\",\"1960\",\"1961\"\n\
             \"Aruba\",\"ABW\",\"n\",\"k\",\"1.5\",\"2\"\n\"Angola\",\"AGO\",\"n\",\"k\",\"3.5\",\"4\"\n",
            2,
            &["Country", "Code", "Name", "Kind", "1960", "1961"],
            3.0,
        ),
        ("a,b\n# checked\n1,2\n# checked by x\n3,4\n", 2, &["a", "b"], 3.0),
    ] {
        assert_eq!(shape(text), right(rows, names, last), "{text}");
    }
    let notes = table("Title\n\nid;x\n1;2\n2;4\n").notes;
    assert!(
        notes[0].contains("on line 3. Everything above it (\"Title\") was left out"),
        "{notes:?}"
    );
    assert_eq!(
        notes[1],
        "pandas reads the same with `read_csv(FILE, sep=\";\", skiprows=2)`."
    );
}

#[test]
fn a_delimiter_at_every_end_moves_no_column() {
    for text in [
        "a,b,c\n0,1,2,\n3,4,5,\n6,7,8,\n",
        "a;b;c\n0;1;2;\n3;4;5;\n6;7;8;\n",
        "a\tb\tc\n0\t1\t2\t\n3\t4\t5\t\n6\t7\t8\t\n",
    ] {
        assert_eq!(shape(text), right(3, &["a", "b", "c"], 5.0), "{text}");
        let notes = table(text).notes;
        // Runs of blanks and tabs part the fields of the last one.
        let is_noted = notes.iter().any(|note| note.contains("index_col=False"));
        assert_eq!(is_noted, !text.contains('\t'), "{text}: {notes:?}");
    }
    // R's names of rows are no delimiter at the end, whatever the last column holds.
    let named = table("\"a\",\"b\"\n\"1\",5,\n\"2\",6,\n\"3\",7,\n");
    assert_eq!(named.columns[0].name, "(row names)");
    assert_eq!(named.columns[1].mean(), Some(6.0));
    // Only some records end so.
    assert_eq!(shape("a,b\n1,2,\n3,4\n5,6\n"), right(3, &["a", "b"], 4.0));
}

#[test]
fn units_and_question_texts_are_no_record() {
    for (text, rows, last, label) in [
        (
            "id,mass,length\n,(kg),(cm)\na,1.5,10\nb,2.5,20\n",
            2,
            15.0,
            "(cm)",
        ),
        ("t;temp\ns;°C\n1;2,5\n2;3,5\n", 2, 3.0, "°C"),
        (
            "id,Q1,Q2\nResponse,How old are you in years?,How many children have you?\n\
             \"{\"\"ImportId\"\":\"\"_id\"\"}\",\"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\"\n\
             R_1,31,1\nR_2,41,3\n",
            2,
            2.0,
            "How many children have you?",
        ),
        (
            "v1,v2,v3\nAge,Income,Score\n31,100,4\n41,200,6\n",
            2,
            5.0,
            "Score",
        ),
    ] {
        let table = table(text);
        let column = table.columns.last().unwrap();
        assert_eq!(
            (table.rows, column.mean(), column.label.as_deref()),
            (rows, Some(last), Some(label)),
            "{text}"
        );
    }
    // A reference category, a missing mark and a first row of text are records.
    for (text, rows) in [
        ("term,b,p\nbase,ref,ref\nx,0.5,.03\ny,0.7,.01\n", 3),
        ("id,x\na,-\nb,2\nc,3\n", 3),
        ("name,x,y\nNA,NA,NA\nb,2,1\nc,3,1\n", 3),
    ] {
        assert_eq!(table(text).rows, rows, "{text}");
    }
}

#[test]
fn notes_below_are_left_out_and_totals_are_named() {
    for (text, rows, last) in [
        (
            "year,value\n2001,1\n2002,2\n2003,3\n\nSource: agency, 2004\n",
            3,
            2.0,
        ),
        ("year,value,n\n2001,1,5\n2002,2,7\nNote: preliminary.,,\n", 2, 6.0),
        (
            "jahr;wert\n2001;1,5\n2002;2,5\nQuelle: Amt; eigene Rechnung\n",
            2,
            2.0,
        ),
        ("a,b\n1,2\n3,4\n* p < .05\n", 2, 3.0),
    ] {
        let read = shape(text);
        assert_eq!((read.0, read.2), (rows, Some(last)), "{text}");
    }
    // A record with one value, or one that was cut, is a record.
    assert_eq!(table("country,x,y\nA,1,2\nB,3,4\nZambia,,\n").rows, 3);
    assert_eq!(table("a,b\n1,2\n3,4\n5\n").rows, 3);
    for total in ["Total", "Insgesamt", "Grand total:"] {
        let table = table(&format!("region,x\nNorth,1\nSouth,2\n{total},3\n"));
        assert_eq!(table.rows, 3);
        assert!(
            table.notes.iter().any(|note| note.contains("sum the others up")),
            "{:?}",
            table.notes
        );
    }
}
