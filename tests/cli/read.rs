use super::support::Place;

/// A page with a line of text and a grey picture of 64 by 64.
fn paper() -> Vec<u8> {
    let content = b"BT /F 12 Tf 72 700 Td (b = 0.599) Tj ET q 200 0 0 200 72 300 cm /I Do Q";
    let mut pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>\
        /Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
        .to_vec();
    pdf.extend(format!("4 0 obj<</Length {}>>stream\n", content.len()).bytes());
    pdf.extend(content);
    pdf.extend(
        b"\nendstream endobj\n5 0 obj<</Type/XObject/Subtype/Image/Width 64/Height 64/ColorSpace/DeviceGray\
        /BitsPerComponent 8/Length 4096>>stream\n",
    );
    pdf.extend([b'x'; 4096]);
    pdf.extend(b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF");
    pdf
}

#[test]
fn a_document_is_printed_and_its_pictures_are_written() {
    let place = Place::new();
    std::fs::write(place.path().join("paper.pdf"), paper()).unwrap();
    let called = place.call(&["read", "paper.pdf", "--pictures", "pictures"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(called.stdout.trim_end(), "[page 1]\nb = 0.599");
    let png = std::fs::read(place.path().join("pictures/page-001-picture-01.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png[16..24] == [0, 0, 0, 64, 0, 0, 0, 64]);
    std::fs::write(place.path().join("data.dta"), b"").unwrap();
    let called = place.call(&["read", "data.dta"]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("is empty"), "{}", called.stderr);
}
