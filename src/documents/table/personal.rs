//! Columns that are likely to hold personal data: by their names, the shapes of their values
//! and how many different ones there are.
//!
//! Names of people, addresses of every kind, numbers of telephones and the ids of the
//! platforms that studies recruit on are hidden; a pseudonym of a study's own is not. A name
//! alone hides nothing that cannot be what the name says: `phone` with 0 and 1 is an answer.

use regex::Regex;

use crate::documents::table::column::{Column, DataType, Values};
use crate::domain::lazy_regex::LazyRegex;

/// Different values that are looked at.
const LOOKED_AT: usize = 1000;

/// The columns that may be shown all the same, because a person has said so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Privacy {
    allowed: Vec<String>,
}

impl Privacy {
    /// Hides what is personal, but for the columns of these names.
    pub fn allowing(columns: impl IntoIterator<Item = String>) -> Self {
        Self {
            allowed: columns.into_iter().collect(),
        }
    }

    /// Whether the values of a column are kept back.
    pub fn hides(&self, column: &Column) -> bool {
        !self.allows(column) && is_personal(column)
    }

    /// Whether a person has allowed a column.
    pub fn allows(&self, column: &Column) -> bool {
        self.allowed.contains(&column.name)
    }
}

static EMAIL: LazyRegex = LazyRegex::new(r"^[^@\s,;]+@[^@\s,;]+\.[^@\s.,;]{2,}$");
static IP: LazyRegex = LazyRegex::new(
    r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7})$",
);
/// Ids of Prolific's participants and of MTurk's workers.
static PROLIFIC: LazyRegex = LazyRegex::new(r"^[0-9a-f]{24}$");
static MTURK: LazyRegex = LazyRegex::new(r"^A[0-9A-Z]{11,20}$");
static PHONE: LazyRegex = LazyRegex::new(r"^\+?\(?\d[\d\s()./-]{6,18}$");
static PERSON: LazyRegex = LazyRegex::new(r"^\p{L}[\p{L}'’.-]*(?:,? \p{L}[\p{L}'’.-]*){0,3}$");
/// What labels of a survey call a question for such data.
static ASKED: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:(?:your|full|first|last|family|participant's) name|e-?mail address|ip address|(?:tele)?phone number|prolific id|(?:mturk|worker) id)\b",
);

/// Names of people in front of `name`.
const PERSONS: [&str; 23] = [
    "child",
    "contact",
    "father",
    "first",
    "given",
    "family",
    "interviewee",
    "interviewer",
    "last",
    "maiden",
    "middle",
    "mother",
    "nick",
    "parent",
    "participant",
    "patient",
    "person",
    "recipient",
    "respondent",
    "student",
    "sur",
    "user",
    "worker",
];

/// Places that are often the `name` of a row.
const PLACES: [&str; 40] = [
    "argentina",
    "australia",
    "austria",
    "belgium",
    "brazil",
    "canada",
    "chile",
    "china",
    "colombia",
    "denmark",
    "egypt",
    "finland",
    "france",
    "germany",
    "ghana",
    "greece",
    "hungary",
    "india",
    "indonesia",
    "ireland",
    "israel",
    "italy",
    "japan",
    "kenya",
    "mexico",
    "netherlands",
    "nigeria",
    "norway",
    "peru",
    "poland",
    "portugal",
    "spain",
    "sweden",
    "switzerland",
    "turkey",
    "alabama",
    "california",
    "florida",
    "texas",
    "ohio",
];

/// Whether name or values suggest that a column holds personal data.
pub fn is_personal(column: &Column) -> bool {
    let texts = filled(column);
    match &texts {
        Some(texts) if texts.is_empty() => false,
        Some(texts) => {
            let share = |pattern: &Regex| share_of(texts, |text| pattern.is_match(text));
            texts.iter().any(|text| EMAIL.is_match(text))
                || share(&IP) >= 0.5
                || share(&PROLIFIC) >= 0.5
                || share_of(texts, is_workers_id) >= 0.5
                || of_name(column, texts)
                || of_label(column, texts)
        }
        None => of_numbers(column),
    }
}

/// The filled values of a column of text, or of a factor; `None` of numbers.
fn filled(column: &Column) -> Option<Vec<&str>> {
    let all: Vec<&str> = match (&column.values, column.sort) {
        (Values::Strings(texts), _) => texts.distinct().iter().map(String::as_str).collect(),
        (Values::Numbers(_), DataType::Factor { .. }) => {
            column.labels.iter().map(|(_, label)| label.as_str()).collect()
        }
        (Values::Numbers(_), _) => return None,
    };
    let all = all.into_iter().map(str::trim).filter(|text| !text.is_empty());
    Some(all.take(LOOKED_AT).collect())
}

fn share_of(texts: &[&str], holds: impl Fn(&str) -> bool) -> f64 {
    let count = texts.iter().filter(|text| holds(text)).count();
    count as f64 / texts.len().max(1) as f64
}

/// A word in capitals is no id: it holds digits, and letters after the first.
fn is_workers_id(text: &str) -> bool {
    let rest = text.get(1..).unwrap_or_default();
    MTURK.is_match(text)
        && rest.bytes().any(|byte| byte.is_ascii_digit())
        && rest.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Names as two sheets of one survey write them: `RecipientFirstName`, `recipient_first_name`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, &one) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let begins = one.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || (before.is_uppercase() && after.is_some_and(|next| next.is_lowercase()))
            });
        if begins || !one.is_alphabetic() {
            words.push(String::new());
        }
        if one.is_alphabetic()
            && let Some(last) = words.last_mut()
        {
            last.extend(one.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Names of columns that hold personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameOf {
    /// A person, beyond doubt, or an address that is nobody else's.
    Person,
    /// Something, maybe a person.
    Something,
    Address,
    Phone,
    Number,
    Birth,
    Place,
    PlatformId,
}

fn name_of(name: &str) -> Option<NameOf> {
    let words = words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |wanted: &[&str]| words.windows(wanted.len()).any(|found| found == wanted);
    let is_one_of = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    // The full name of a variable or a country is no person's.
    let is_named = words
        .windows(2)
        .any(|pair| pair[1] == "name" && PERSONS.contains(&pair[0]));
    let is_full = has(&["full", "name"]) || is_one_of(&["fullname"]);
    let joined = PERSONS
        .iter()
        .any(|person| is_one_of(&[&format!("{person}name")]));
    Some(
        if is_named
            || joined
            || is_one_of(&["email", "recipientemail", "ipaddress"])
            || has(&["e", "mail"])
            || has(&["ip", "address"])
            || has(&["mail", "address"])
        {
            NameOf::Person
        } else if is_full || words == ["name"] || words == ["names"] {
            NameOf::Something
        } else if is_one_of(&["phone", "telephone", "mobile", "cellphone", "phonenumber"]) {
            NameOf::Phone
        } else if is_one_of(&["ssn"]) {
            NameOf::Number
        } else if is_one_of(&["dob", "birthdate", "birthday", "dateofbirth"])
            || has(&["birth", "date"])
            || has(&["date", "of", "birth"])
        {
            NameOf::Birth
        } else if is_one_of(&["latitude", "longitude", "locationlatitude", "locationlongitude"]) {
            NameOf::Place
        } else if is_one_of(&["address", "streetaddress", "homeaddress"]) {
            NameOf::Address
        } else if is_one_of(&[
            "prolificid",
            "prolificpid",
            "mturkid",
            "workerid",
            "mturkworkerid",
        ]) || has(&["prolific", "id"])
            || has(&["prolific", "pid"])
            || has(&["worker", "id"])
        {
            NameOf::PlatformId
        } else {
            return None;
        },
    )
}

fn of_name(column: &Column, texts: &[&str]) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let are_many = texts.len() > 1;
    match name_of(&column.name) {
        Some(NameOf::Person | NameOf::Place) => true,
        Some(NameOf::Something) => are_many && are_people(column, texts),
        Some(NameOf::Phone) => share_of(texts, |text| PHONE.is_match(text) && digits(text) >= 7) >= 0.5,
        Some(NameOf::Number) => share_of(texts, |text| digits(text) >= 7) >= 0.5,
        Some(NameOf::Birth) => share_of(texts, |text| digits(text) > 4) >= 0.5,
        Some(NameOf::Address | NameOf::PlatformId) => are_many && is_mostly_different(column, texts),
        None => false,
    }
}

/// Half of the rows at least have a value of their own.
fn is_mostly_different(column: &Column, texts: &[&str]) -> bool {
    let rows = column.values.len() - column.values.missing();
    // Of many rows the first different values are looked at.
    texts.len() == LOOKED_AT || 2 * texts.len() >= rows
}

fn are_people(column: &Column, texts: &[&str]) -> bool {
    let is_place = |text: &str| PLACES.contains(&text.to_lowercase().as_str());
    is_mostly_different(column, texts)
        && share_of(texts, |text| PERSON.is_match(text)) >= 0.6
        && texts.iter().filter(|text| is_place(text)).count() < 3
}

fn of_label(column: &Column, texts: &[&str]) -> bool {
    let label = column.label.as_deref().unwrap_or_default();
    texts.len() > 1 && ASKED.is_match(label) && is_mostly_different(column, texts)
}

fn of_numbers(column: &Column) -> bool {
    let Values::Numbers(numbers) = &column.values else {
        return false;
    };
    let mut filled = numbers.iter().filter(|number| !number.is_nan()).peekable();
    if filled.peek().is_none() {
        return false;
    }
    let share = |holds: fn(f64) -> bool| {
        let (hits, all) = numbers
            .iter()
            .filter(|number| !number.is_nan())
            .fold((0, 0), |(hits, all), number| {
                (hits + usize::from(holds(*number)), all + 1)
            });
        2 * hits >= all
    };
    match name_of(&column.name) {
        Some(NameOf::Place) => true,
        Some(NameOf::Phone | NameOf::Number) => share(|number| number.abs() >= 1e6),
        // A year alone is nobody's date.
        Some(NameOf::Birth) => {
            matches!(column.sort, DataType::Date | DataType::DateTime)
                || share(|number| number.abs() >= 10_000.0)
        }
        Some(NameOf::Person | NameOf::Something | NameOf::Address | NameOf::PlatformId) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    /// Names of the columns that are hidden.
    fn hidden(text: &str) -> Vec<String> {
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        let columns = table.columns.iter().filter(|column| is_personal(column));
        columns.map(|column| column.name.clone()).collect()
    }

    #[test]
    fn what_a_survey_keeps_of_its_participants_is_hidden() {
        assert_eq!(
            hidden(
                "RecipientFirstName,RecipientLastName,Name,IPAddress,contact,phone,dob\n\
                 Jane,Doe,Jane Doe,1.2.3.4,jane@example.org,+1 (555) 010-9999,1980-02-03\n\
                 Joe,Roe,Joe O'Neil,5.6.7.8,,555 010 1234,1990-04-05\n"
            ),
            [
                "RecipientFirstName",
                "RecipientLastName",
                "Name",
                "IPAddress",
                "contact",
                "phone",
                "dob"
            ]
        );
        assert_eq!(
            hidden(
                "pid,worker,w\n5f3c9b2a1d4e5f6a7b8c9d0e,A1B2C3D4E5F6G7,x\n\
                 60ab9b2a1d4e5f6a7b8c9d0f,A2ZZZ9ZZ8ZZ7Z6,y\n"
            ),
            ["pid", "worker"]
        );
        assert_eq!(hidden("ip\n10.0.0.1\n10.0.0.2\n"), ["ip"]);
        assert_eq!(
            hidden("addr,v\n2001:db8:0:1::17,1\n2001:db8:0:2::18,2\n"),
            ["addr"]
        );
    }

    #[test]
    fn answers_pseudonyms_and_names_of_things_are_shown() {
        let none: [&str; 0] = [];
        // Asked for and left empty, or answered by yes and no.
        assert_eq!(hidden("RecipientEmail,phone,mail,x\n,0,1,a\n,1,0,b\n"), none);
        assert_eq!(
            hidden(
                "country.name,filename,brandname,id,ResponseId\nPeru,a.csv,Acme,1,R_1\nChile,b.csv,Bolt,2,R_2\n"
            ),
            none
        );
        // Rows that are countries, or cars.
        assert_eq!(hidden("Name,gdp\nPeru,1\nChile,2\nGhana,3\nTogo,4\n"), none);
        assert_eq!(hidden("name,mpg\nMazda RX4,21\nFiat 128,32\n"), none);
        // One of a few groups, a version, industrial production, a word in capitals.
        assert_eq!(
            hidden(
                "name,version,ip,word,birth_year\nanna,1.2.3,98.5,ALPHABETICALLY,1980\nanna,1.2.4,99.1,ASSOCIATIONS,1990\nanna,1,98.5,ALPHABETICAL,1985\n"
            ),
            none
        );
        assert_eq!(hidden("note,birthdate\nwrite to a@b.org,1980\nx,1990\n"), none);
    }

    #[test]
    fn a_person_can_allow_a_column() {
        let text = "Name,x\nJane Doe,1\nJoe Roe,2\n";
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        assert!(Privacy::default().hides(&table.columns[0]));
        assert!(!Privacy::allowing(["Name".to_owned()]).hides(&table.columns[0]));
        assert!(Privacy::allowing(["name".to_owned()]).hides(&table.columns[0]));
    }

    #[test]
    fn levels_of_a_factor_are_values() {
        use crate::documents::table::column::Key;
        let mut column = Column::numbers("contact", DataType::Factor { ordered: false }, vec![1.0, 2.0]);
        column.labels = vec![
            (Key::Number(1.0), "jane@example.org".to_owned()),
            (Key::Number(2.0), "joe@example.org".to_owned()),
        ];
        assert!(is_personal(&column));
    }
}
