//! A TrueType font of a few outlines, at the codes of other characters.

use lopdf::{Object, Stream, dictionary};

use super::TestPdf;

/// The corners of the parts of an outline.
pub type Outline<'a> = &'a [&'a [(i16, i16)]];

/// A font whose characters are as wide as an em of 1000 units.
fn font_file(characters: &[(u8, Outline<'_>)]) -> Vec<u8> {
    let words = |values: &[u16]| -> Vec<u8> { values.iter().flat_map(|value| value.to_be_bytes()).collect() };
    let count = characters.len() as u16 + 1;
    let mut glyphs: Vec<u8> = Vec::new();
    let mut places = vec![0u32, 0];
    let mut codes = vec![0u8; 256];
    for (at, (code, outline)) in characters.iter().enumerate() {
        codes[usize::from(*code)] = at as u8 + 1;
        glyphs.extend(drawn(outline));
        glyphs.resize(glyphs.len().next_multiple_of(4), 0);
        places.push(glyphs.len() as u32);
    }
    let mut head = words(&[1, 0, 1, 0, 0, 0, 0x5F0F, 0x3CF5, 0, 1000]);
    head.extend([0; 16]);
    head.extend(words(&[0, 0, 1000, 1000, 0, 8, 2, 1, 0]));
    let mut metrics = words(&[1, 0, 800, (-200_i16).cast_unsigned(), 0, 1000]);
    metrics.extend([0; 22]);
    metrics.extend(words(&[count]));
    let mut most = words(&[1, 0, count]);
    most.extend([0; 26]);
    let mut mapping = words(&[0, 1, 1, 0, 0, 12, 0, 262, 0]);
    mapping.extend(codes);
    let tables: [(&[u8; 4], Vec<u8>); 7] = [
        (b"cmap", mapping),
        (b"glyf", glyphs),
        (b"head", head),
        (b"hhea", metrics),
        (b"hmtx", (0..count).flat_map(|_| words(&[1000, 0])).collect()),
        (
            b"loca",
            places.iter().flat_map(|place| place.to_be_bytes()).collect(),
        ),
        (b"maxp", most),
    ];
    let mut file = words(&[1, 0, tables.len() as u16, 64, 2, 48]);
    let mut start = file.len() + 16 * tables.len();
    let mut bodies = Vec::new();
    for (name, mut body) in tables {
        file.extend(name);
        for value in [0, start as u32, body.len() as u32] {
            file.extend(value.to_be_bytes());
        }
        body.resize(body.len().next_multiple_of(4), 0);
        start += body.len();
        bodies.extend(body);
    }
    file.extend(bodies);
    file
}

/// A glyph of straight lines (OpenType, `glyf`).
fn drawn(outline: Outline<'_>) -> Vec<u8> {
    let points: Vec<(i16, i16)> = outline.concat();
    let (xs, ys): (Vec<i16>, Vec<i16>) = points.iter().copied().unzip();
    let bound = |values: &[i16]| (*values.iter().min().unwrap(), *values.iter().max().unwrap());
    let ((left, right), (low, high)) = (bound(&xs), bound(&ys));
    let mut values = vec![outline.len() as i16, left, low, right, high];
    let mut end = -1;
    for part in outline {
        end += part.len() as i16;
        values.push(end);
    }
    values.push(0);
    let mut glyph: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    // Every point is on the outline, and its steps are two bytes long.
    glyph.resize(glyph.len() + points.len(), 1);
    for coordinates in [xs, ys] {
        let mut last = 0;
        for coordinate in coordinates {
            glyph.extend((coordinate - last).to_be_bytes());
            last = coordinate;
        }
    }
    glyph
}

/// The font as an object of a document; it says that its characters are those of Windows.
pub fn font(pdf: &mut TestPdf, characters: &[(u8, Outline<'_>)]) -> Object {
    let file = font_file(characters);
    let length = file.len() as i64;
    let file = pdf
        .document
        .add_object(Stream::new(dictionary! { "Length1" => length }, file));
    let descriptor = pdf.document.add_object(dictionary! {
        "Type" => "FontDescriptor", "FontName" => "ABCDEF+Signs", "Flags" => 32, "FontFile2" => file,
        "FontBBox" => vec![0.into(), Object::from(-200), 1000.into(), 800.into()], "ItalicAngle" => 0,
        "Ascent" => 800, "Descent" => -200, "CapHeight" => 700, "StemV" => 80
    });
    Object::Dictionary(dictionary! {
        "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => "ABCDEF+Signs", "FirstChar" => 0,
        "LastChar" => 255, "Widths" => vec![Object::from(1000); 256], "FontDescriptor" => descriptor,
        "Encoding" => "WinAnsiEncoding"
    })
}
