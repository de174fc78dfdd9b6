//! Fonts that say little or other things than they draw.

use lopdf::{Dictionary, Object, Stream, dictionary};

use super::truetype::{Outline, font};
use super::{TestPdf, shown};

/// A font of Type 3 whose characters are boxes, its matrix, and what each advances
/// in the units of its matrix.
fn type3(pdf: &mut TestPdf, matrix: [f32; 6], advances: &[(char, i64)]) -> Object {
    let mut drawings = Dictionary::new();
    let mut differences = Vec::new();
    let mut widths = vec![Object::from(0); 128];
    for (character, advance) in advances {
        let name = match character {
            ' ' => "space".to_owned(),
            letter => letter.to_string(),
        };
        let drawing = format!("{advance} 0 0 0 {advance} {advance} d1 0 0 {advance} {advance} re f");
        let drawing = Stream::new(Dictionary::new(), drawing.into_bytes());
        drawings.set(name.as_str(), pdf.document.add_object(drawing));
        let code = *character as usize;
        differences.extend([Object::from(code as i64), Object::Name(name.into_bytes())]);
        widths[code] = (*advance).into();
    }
    Object::Dictionary(dictionary! {
        "Type" => "Font", "Subtype" => "Type3", "FontBBox" => vec![Object::from(0); 4],
        "FontMatrix" => matrix.iter().map(|entry| Object::Real(*entry)).collect::<Vec<_>>(),
        "CharProcs" => drawings, "FirstChar" => 0, "LastChar" => 127, "Widths" => widths,
        "Encoding" => dictionary! { "Differences" => differences }
    })
}

/// What the letters of Arial advance, of 2048.
const ARIAL: [(char, i64); 14] = [
    (' ', 569),
    ('a', 1139),
    ('b', 1139),
    ('c', 1024),
    ('d', 1139),
    ('e', 1139),
    ('i', 455),
    ('k', 1024),
    ('l', 455),
    ('n', 1139),
    ('p', 1139),
    ('r', 682),
    ('s', 1024),
    ('w', 1479),
];

/// As Chrome prints pages: y downwards, a unit of which 2048 are an em.
#[test]
fn characters_of_type_3_are_as_wide_as_their_font_says() {
    let mut pdf = TestPdf::new();
    let em = 1.0 / 2048.0;
    let font = type3(&mut pdf, [em, 0.0, 0.0, -em, 0.0, 0.0], &ARIAL);
    pdf.fonts.set("T", font);
    pdf.page(
        ".75 0 0 -.75 0 800 cm BT /T 16 Tf 1 0 0 -1 96 96 Tm (readers will be asked) Tj ET \
         BT /T 16 Tf 1 0 0 -1 96 120 Tm [(will) -278 (scan)] TJ ET",
    );
    assert_eq!(pdf.lines(), ["readers will be asked", "will scan"]);
}

/// As `dvips` writes fonts of dots: 600 dots an inch, a unit is a dot, and no space is drawn.
#[test]
fn a_font_that_counts_dots_has_the_size_that_its_characters_show() {
    let mut pdf = TestPdf::new();
    let dots: Vec<(char, i64)> = ARIAL
        .iter()
        .map(|(letter, advance)| (*letter, advance * 83 / 2048))
        .collect();
    let font = type3(&mut pdf, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], &dots);
    pdf.fonts.set("T", font);
    pdf.page("BT /T .12 Tf 1 0 0 1 72 700 Tm [(w) 1000 (ill) -28000 (scan) -28000 (a) -28000 (pin)] TJ ET");
    pdf.page(&shown("H", 10.0, [72.0, 700.0], "other"));
    assert_eq!(pdf.lines(), ["will scan a pin"]);
}

const LESS: Outline<'_> = &[&[
    (50, 220),
    (50, 280),
    (620, 530),
    (620, 450),
    (170, 250),
    (620, 50),
    (620, -30),
]];
const EQUAL: Outline<'_> = &[
    &[(50, 120), (50, 180), (620, 180), (620, 120)],
    &[(50, 320), (50, 380), (620, 380), (620, 320)],
];
/// A letter of straight strokes, with its counter.
const B: Outline<'_> = &[
    &[(50, 0), (50, 700), (130, 700), (130, 500), (450, 500), (450, 0)],
    &[(130, 70), (370, 70), (370, 430), (130, 430)],
];

/// As in journals whose fonts hold signs at the codes of letters and fractions.
#[test]
fn signs_are_read_by_their_shape_where_the_font_calls_them_letters() {
    let mut pdf = TestPdf::new();
    let signs = font(&mut pdf, &[(b'b', LESS), (b',', LESS), (b'5', EQUAL)]);
    let letters = font(&mut pdf, &[(b'b', B)]);
    pdf.fonts.set("S", signs);
    pdf.fonts.set("L", letters);
    let content = [
        shown("H", 10.0, [72.0, 700.0], "p"),
        shown("S", 10.0, [80.0, 700.0], "b"),
        shown("H", 10.0, [93.0, 700.0], ".001, d"),
        shown("S", 10.0, [130.0, 700.0], "5"),
        shown("H", 10.0, [143.0, 700.0], "0.3, n"),
        shown("S", 10.0, [175.0, 700.0], ","),
        shown("H", 10.0, [188.0, 700.0], "40 b 5,"),
        shown("L", 10.0, [226.0, 700.0], "b"),
    ];
    pdf.page(&content.concat());
    let text = pdf.read();
    assert_eq!(text.pages[0].lines[0].text, "p < .001, d = 0.3, n < 40 b 5, b");
    assert_eq!(
        text.notes,
        [
            "3 signs were read by the drawn shape, since the font calls them something else: `<` for `,`, `=` for \
             `5`, `<` for `b`. Check them on the page where they matter."
        ]
    );
}

const BAR: Outline<'_> = &[&[(50, 220), (50, 280), (550, 280), (550, 220)]];
const DOT: Outline<'_> = &[&[(400, 0), (400, 100), (500, 100), (500, 0)]];
const GREATER: Outline<'_> = &[&[
    (620, 220),
    (620, 280),
    (50, 530),
    (50, 450),
    (500, 250),
    (50, 50),
    (50, -30),
]];

/// A font whose map says something of one code.
fn mapped(pdf: &mut TestPdf, outlines: &[(u8, Outline<'_>)], code: u8, text: u16) -> Object {
    let map = format!(
        "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <{code:02X}> <{text:04X}> endbfchar endcmap"
    );
    let map = pdf
        .document
        .add_object(Stream::new(Dictionary::new(), map.into_bytes()));
    let mut font = font(pdf, outlines);
    if let Object::Dictionary(font) = &mut font {
        font.set("ToUnicode", map);
    }
    font
}

/// As in papers whose maps call the minus a control character, a blank or nothing known.
#[test]
fn a_minus_that_the_map_calls_unseen_is_a_minus() {
    for text in [0x03, 0x08, 0x20, 0xA0, 0x7F, 0x2003, 0x200B, 0xFFFD] {
        let mut pdf = TestPdf::new();
        let minus = mapped(&mut pdf, &[(b'A', BAR)], b'A', text);
        pdf.fonts.set("M", minus);
        let content = [
            shown("H", 10.0, [72.0, 700.0], "b = "),
            shown("M", 10.0, [92.0, 700.0], "A"),
            shown("H", 10.0, [102.0, 700.0], ".27"),
        ];
        pdf.page(&content.concat());
        let read = pdf.read();
        assert_eq!(read.pages[0].lines[0].text, "b = −.27", "{text:x}");
        assert!(
            read.notes[0].contains(&format!("`−` for U+{text:04X}")),
            "{:?}",
            read.notes
        );
    }
}

/// Whatever a shape shows: right between two digits a point is a point.
#[test]
fn a_point_between_digits_stays_a_point() {
    for (outline, right) in [(GREATER, "1.5"), (DOT, "1.5")] {
        let mut pdf = TestPdf::new();
        let point = font(&mut pdf, &[(b'.', outline)]);
        pdf.fonts.set("P", point);
        let content = [
            shown("F", 10.0, [72.0, 700.0], "1"),
            shown("P", 6.0, [78.0, 700.0], "."),
            shown("F", 10.0, [84.0, 700.0], "5"),
        ];
        pdf.page(&content.concat());
        assert_eq!(pdf.lines(), [right]);
    }
}
