//! PDFs that `lopdf` writes for the purpose, read by our reader.

mod damage;
mod fonts;
mod tables;
mod truetype;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use crate::documents::limits::Limits;
use crate::documents::pdf::read::{PdfText, read};

/// A document under construction, with Courier as `F` and Helvetica as `H` of every page.
struct TestPdf {
    document: Document,
    tree: ObjectId,
    fonts: Dictionary,
    pages: Vec<ObjectId>,
}

impl TestPdf {
    fn new() -> Self {
        let mut document = Document::with_version("1.5");
        let tree = document.new_object_id();
        let standard = |name: &str| {
            Object::Dictionary(dictionary! {
                "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name, "Encoding" => "WinAnsiEncoding"
            })
        };
        let fonts = dictionary! { "F" => standard("Courier"), "H" => standard("Helvetica") };
        Self {
            document,
            tree,
            fonts,
            pages: Vec::new(),
        }
    }

    /// A document of one page.
    fn of(content: &str) -> Self {
        let mut pdf = Self::new();
        pdf.page(content);
        pdf
    }

    fn page(&mut self, content: &str) -> ObjectId {
        let content = Stream::new(Dictionary::new(), content.as_bytes().to_vec());
        let content = self.document.add_object(content);
        self.page_of(content.into())
    }

    fn page_of(&mut self, contents: Object) -> ObjectId {
        let page = self.document.add_object(dictionary! {
            "Type" => "Page", "Parent" => self.tree, "Contents" => contents
        });
        self.pages.push(page);
        page
    }

    fn bytes(mut self) -> Vec<u8> {
        let kids: Vec<Object> = self.pages.iter().map(|page| (*page).into()).collect();
        self.document.set_object(
            self.tree,
            dictionary! {
                "Type" => "Pages", "Count" => kids.len() as i64, "Kids" => kids,
                "MediaBox" => vec![0.into(), 0.into(), 600.into(), 800.into()],
                "Resources" => dictionary! { "Font" => self.fonts }
            },
        );
        let root = self
            .document
            .add_object(dictionary! { "Type" => "Catalog", "Pages" => self.tree });
        self.document.trailer.set("Root", root);
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }

    fn read(self) -> PdfText {
        read(self.bytes(), &Limits::default()).unwrap()
    }

    /// The lines of the first page, without blank ones.
    fn lines(self) -> Vec<String> {
        let text = self.read();
        text.pages[0].lines.iter().map(|line| line.text.clone()).collect()
    }
}

/// Text in a font of a size at a place, in points from the lower left corner.
fn shown(font: &str, size: f64, place: [f64; 2], text: &str) -> String {
    let [x, y] = place;
    format!("BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}
