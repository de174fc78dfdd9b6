//! Equations of Word documents as one line of text: `10⁻⁵`, `1/20`, `√(x)`
//! (ECMA-376, part 1, chapter 22).

use crate::documents::docx::tree::{Child, Element};
use crate::documents::pdf::characters;

/// The text of an equation or of a part of one.
pub fn text(parent: &Element) -> String {
    let mut line = String::new();
    for element in parent.elements() {
        let part = |name: &str| element.child(name).map(text).unwrap_or_default();
        let own = match element.name.as_str() {
            "t" => element
                .children
                .iter()
                .filter_map(|child| match child {
                    Child::Text(part) => Some(part.as_str()),
                    Child::Element(_) => None,
                })
                .collect(),
            "sSup" => part("e") + &raised(&part("sup")),
            "sSub" => part("e") + &lowered(&part("sub")),
            "sSubSup" => part("e") + &lowered(&part("sub")) + &raised(&part("sup")),
            "sPre" => lowered(&part("sub")) + &raised(&part("sup")) + &part("e"),
            "f" => fraction(&part("num"), &part("den")),
            "rad" => root(&part("deg"), &part("e")),
            "nary" => nary(element),
            "d" => delimited(element),
            "func" => format!("{} {}", part("fName"), part("e")),
            "limLow" => part("e") + &lowered(&part("lim")),
            "limUpp" => part("e") + &raised(&part("lim")),
            "m" => joined(element, "mr", "; "),
            "mr" => joined(element, "e", ", "),
            "eqArr" => joined(element, "e", "; "),
            "del" | "moveFrom" | "rPr" | "ctrlPr" => continue,
            name if name.ends_with("Pr") => continue,
            _ => text(element),
        };
        // A number and a fraction behind it are two numbers.
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
        if element.name == "f" && digit(line.chars().next_back()) && digit(own.chars().next()) {
            line.push(' ');
        }
        line.push_str(&own);
    }
    line
}

fn raised(text: &str) -> String {
    characters::raised(text).unwrap_or_else(|| format!("^{}", grouped(text)))
}

fn lowered(text: &str) -> String {
    characters::lowered(text).unwrap_or_else(|| format!("_{}", grouped(text)))
}

fn fraction(above: &str, below: &str) -> String {
    format!("{}/{}", grouped(above), grouped(below))
}

fn root(degree: &str, text: &str) -> String {
    if degree.is_empty() {
        format!("√({text})")
    } else {
        format!("{}√({text})", raised(degree))
    }
}

/// A sum, a product or an integral with its bounds.
fn nary(element: &Element) -> String {
    let sign = element
        .child("naryPr")
        .and_then(|properties| properties.value_of("chr"))
        .unwrap_or("∫");
    let bound = |name: &str| element.child(name).map(text).unwrap_or_default();
    let mut line = sign.to_owned();
    for (mark, bound) in [('_', bound("sub")), ('^', bound("sup"))] {
        if !bound.is_empty() {
            line.push(mark);
            line.push_str(&grouped(&bound));
        }
    }
    line + " " + &bound("e")
}

/// What stands in brackets, in those that the equation names.
fn delimited(element: &Element) -> String {
    let properties = element.child("dPr");
    let mark = |name: &str, usual: &'static str| {
        properties
            .and_then(|properties| properties.value_of(name))
            .unwrap_or(usual)
            .to_owned()
    };
    mark("begChr", "(") + &joined(element, "e", &mark("sepChr", "|")) + &mark("endChr", ")")
}

fn joined(parent: &Element, name: &str, separator: &str) -> String {
    let parts: Vec<String> = parent
        .elements()
        .filter(|element| element.name == name)
        .map(text)
        .collect();
    parts.join(separator)
}

/// A part of more than one term in brackets.
fn grouped(text: &str) -> String {
    let text = text.trim();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    let bare = text.strip_prefix(['-', '−']).unwrap_or(text);
    if bare.chars().all(plain) || text.starts_with('(') && text.ends_with(')') {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::docx::tree;

    fn read(xml: &str) -> String {
        text(&tree::parse(xml).unwrap())
    }

    fn run(text: &str) -> String {
        format!("<m:r><m:t>{text}</m:t></m:r>")
    }

    #[test]
    fn powers_and_fractions_stay_what_they_are() {
        let power = |base: &str, raised: &str| {
            format!(
                "<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>",
                run(base),
                run(raised)
            )
        };
        let fraction = format!(
            "<m:f><m:fPr/><m:num>{}</m:num><m:den>{}</m:den></m:f>",
            run("1"),
            run("20")
        );
        assert_eq!(
            read(&format!(
                "<m:oMath>{}{}{fraction}</m:oMath>",
                power("χ", "2"),
                power("10", "-5")
            )),
            "χ²10⁻⁵ 1/20"
        );
        assert_eq!(
            read(&format!("<m:oMath>{}{fraction}</m:oMath>", run("3"))),
            "3 1/20"
        );
        assert_eq!(
            read(&format!("<m:oMath>{}</m:oMath>", power("e", "x/2"))),
            "e^(x/2)"
        );
        assert_eq!(
            read(&format!(
                "<m:d><m:dPr><m:begChr m:val=\"[\"/></m:dPr><m:e>{}</m:e></m:d>",
                run("a")
            )),
            "[a)"
        );
        assert_eq!(
            read(&format!("<m:rad><m:deg/><m:e>{}</m:e></m:rad>", run("2"))),
            "√(2)"
        );
    }
}
