//! The XML of a spreadsheet beyond its values: the digits of numbers that no double holds, and
//! formulas whose result was never stored.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use crate::documents::docx::tree::{self, Element};
use crate::documents::table::number;

/// Findings about one sheet.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SheetFindings {
    /// The digits of too long whole numbers, by row and column from 0.
    pub long: HashMap<(u32, u32), String>,
    /// Formulas without a stored value.
    pub uncomputed: usize,
}

/// Reads a sheet of a workbook by its name; `None` where it is not found.
/// At most `most` bytes of XML are looked at.
pub fn read(bytes: &[u8], sheet: &str, most: u64) -> Option<SheetFindings> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let workbook = tree::parse(&part(&mut archive, "xl/workbook.xml", most)?).ok()?;
    let relations = tree::parse(&part(&mut archive, "xl/_rels/workbook.xml.rels", most)?).ok()?;
    let sheets = workbook.child("workbook")?.child("sheets")?;
    let id = sheets
        .elements()
        .find(|element| element.attribute("name") == Some(sheet))?
        .attribute("id")?;
    let target = relations
        .elements()
        .flat_map(Element::elements)
        .find(|element| element.attribute("Id") == Some(id))?
        .attribute("Target")?;
    let path = match target.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None => format!("xl/{target}"),
    };
    cells(&part(&mut archive, &path, most)?)
}

fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str, most: u64) -> Option<String> {
    let mut text = String::new();
    let member = archive.by_name(name).ok()?;
    member.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}

fn cells(xml: &str) -> Option<SheetFindings> {
    let mut reader = Reader::from_str(xml);
    let mut written = SheetFindings::default();
    let (mut place, mut formula, mut inside, mut value) = (None, false, false, String::new());
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => match start.local_name().into_inner() {
                "c" => {
                    place = position(&start);
                    formula = false;
                    value.clear();
                }
                "f" => formula = true,
                "v" | "t" => inside = true,
                _ => {}
            },
            Event::Empty(start) => formula |= start.local_name().into_inner() == "f",
            Event::Text(text) if inside => value.push_str(&text.xml_content(XmlVersion::Implicit1_0)),
            Event::End(end) => match end.local_name().into_inner() {
                "v" | "t" => inside = false,
                "c" => {
                    if formula && value.trim().is_empty() {
                        written.uncomputed += 1;
                    }
                    if let Some(place) = place
                        && number::plain(&value).is_some_and(|number| number.inexact)
                    {
                        written.long.insert(place, value.trim().to_owned());
                    }
                }
                "sheetData" => return Some(written),
                _ => {}
            },
            Event::Eof => return Some(written),
            _ => {}
        }
    }
}

/// Row and column, from 0, of a cell that holds a number.
fn position(start: &BytesStart<'_>) -> Option<(u32, u32)> {
    let mut place = None;
    for attribute in start.attributes().flatten() {
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
        match attribute.key.0 {
            "r" => place = reference(&value),
            "t" if value != "n" => return None,
            _ => {}
        }
    }
    place
}

/// `B3` as row 2 and column 1.
fn reference(text: &str) -> Option<(u32, u32)> {
    let digits = text.find(|character: char| character.is_ascii_digit())?;
    let (letters, row) = text.split_at(digits);
    let mut column = 0u32;
    for letter in letters.bytes() {
        let value = u32::from(letter.to_ascii_uppercase().checked_sub(b'@')?);
        column = column.checked_mul(26)?.checked_add(value)?;
    }
    Some((row.parse::<u32>().ok()?.checked_sub(1)?, column.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_uncomputed_formulas_are_found() {
        let xml = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><v>12345678901234567</v></c>\
                   <c r=\"B1\" t=\"s\"><v>12345678901234567</v></c><c r=\"C1\"><f>A1*2</f><v></v></c>\
                   <c r=\"D1\"><f>A1*2</f><v>4</v></c><c r=\"E1\"><f>1</f></c></row></sheetData></worksheet>";
        let written = cells(xml).unwrap();
        assert_eq!(written.uncomputed, 2);
        assert_eq!(written.long, [((0, 0), "12345678901234567".to_owned())].into());
        assert_eq!(reference("AB12"), Some((11, 27)));
    }
}
