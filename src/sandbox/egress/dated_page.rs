//! The page of a package as its index had it on a day.

use jiff::Timestamp;
use serde_json::Value;

/// The form of a page that says when each file was uploaded.
pub const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// A page of a package without what came later.
#[derive(Debug, Clone, PartialEq)]
pub struct DatedPage(Value);

/// The reason for which a page cannot be cut to a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UndatedPage {
    #[error("the index answers with no list of files that says when they were uploaded")]
    NoList,
}

impl DatedPage {
    /// A page of the simple interface, without the files that came after an instant or of which the index does not
    /// say when they came.
    ///
    /// # Errors
    /// A page without such a list.
    pub fn parse(bytes: &[u8], until: Timestamp) -> Result<Self, UndatedPage> {
        let mut page: Value = serde_json::from_slice(bytes).map_err(|_| UndatedPage::NoList)?;
        let files = page.get_mut("files").and_then(Value::as_array_mut);
        let files = files.ok_or(UndatedPage::NoList)?;
        files.retain(|file| uploaded(file).is_some_and(|uploaded| uploaded <= until));
        let names: Vec<String> = files
            .iter()
            .map(|file| text(file, "filename").to_owned())
            .collect();
        if let Some(versions) = page.get_mut("versions").and_then(Value::as_array_mut) {
            // Versions of which no file was there.
            versions.retain(|version| {
                let version = version.as_str().unwrap_or_default();
                names.iter().any(|name| name.contains(&format!("-{version}")))
            });
        }
        Ok(Self(page))
    }

    /// The page as JSON.
    pub fn json(&self) -> String {
        self.0.to_string()
    }

    /// The page for installers that read no JSON.
    pub fn html(&self) -> String {
        let files = self.0["files"].as_array();
        let links: String = files.into_iter().flatten().map(link).collect();
        format!("<!DOCTYPE html>\n<html><body>\n{links}</body></html>\n")
    }
}

/// The instant at which a file was uploaded, where the index says it.
fn uploaded(file: &Value) -> Option<Timestamp> {
    file["upload-time"].as_str()?.parse().ok()
}

fn text<'a>(file: &'a Value, key: &str) -> &'a str {
    file[key].as_str().unwrap_or_default()
}

/// The line of a file.
fn link(file: &Value) -> String {
    let digest = file["hashes"]["sha256"].as_str();
    let digest = digest.map_or_else(String::new, |digest| format!("#sha256={digest}"));
    let mut further = String::new();
    if let Some(python) = file["requires-python"].as_str() {
        further.push_str(&format!(" data-requires-python=\"{}\"", escaped(python)));
    }
    match &file["yanked"] {
        Value::String(why) => further.push_str(&format!(" data-yanked=\"{}\"", escaped(why))),
        Value::Bool(true) => further.push_str(" data-yanked=\"\""),
        _ => {}
    }
    format!(
        "<a href=\"{}{}\"{further}>{}</a><br>\n",
        escaped(text(file, "url")),
        escaped(&digest),
        escaped(text(file, "filename"))
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page() -> Vec<u8> {
        let file = |name: &str, day: Option<&str>| {
            let mut file = json!({
                "filename": name, "url": format!("../../files/{name}"), "hashes": {"sha256": "ab"},
                "requires-python": ">=3.6", "yanked": "broken <b>",
            });
            if let Some(day) = day {
                file["upload-time"] = json!(day);
            }
            file
        };
        let page = json!({
            "name": "x", "versions": ["1.0", "2.0"],
            "files": [
                file("x-1.0.tar.gz", Some("2019-06-30T23:59:58.5Z")),
                file("x-2.0.tar.gz", Some("2019-07-01T00:00:00Z")),
                file("x-0.9.tar.gz", None),
            ],
        });
        page.to_string().into_bytes()
    }

    #[test]
    fn what_came_later_or_at_no_known_time_is_not_on_the_page() {
        let until = "2019-06-30T23:59:59Z".parse().unwrap();
        let dated = DatedPage::parse(&page(), until).unwrap();
        let json: Value = serde_json::from_str(&dated.json()).unwrap();
        let files: Vec<&str> = json["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| text(file, "filename"))
            .collect();
        assert_eq!(files, ["x-1.0.tar.gz"]);
        assert_eq!(json["versions"], json!(["1.0"]));
        assert_eq!(
            dated.html(),
            "<!DOCTYPE html>\n<html><body>\n<a href=\"../../files/x-1.0.tar.gz#sha256=ab\" \
             data-requires-python=\"&gt;=3.6\" data-yanked=\"broken &lt;b&gt;\">x-1.0.tar.gz</a><br>\n</body></html>\n"
        );
    }

    #[test]
    fn a_page_without_a_list_of_files_is_none() {
        let until = "2019-06-30T23:59:59Z".parse().unwrap();
        for bytes in [&b"<html></html>"[..], b"{\"info\": {}}"] {
            assert_eq!(DatedPage::parse(bytes, until), Err(UndatedPage::NoList));
        }
    }
}
