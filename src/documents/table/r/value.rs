//! R values, as far as tables need them.

use crate::documents::table::string_column::StringColumn;

/// A value with its attributes.
#[derive(Debug, Clone, Default)]
pub struct Object {
    pub value: Value,
    pub attributes: Vec<(String, Object)>,
}

/// A value without its attributes.
#[derive(Debug, Clone, Default)]
pub enum Value {
    #[default]
    Null,
    Symbol(String),
    /// `i32::MIN` is `NA`.
    Logicals(Vec<i32>),
    Integers(Vec<i32>),
    Reals(Vec<f64>),
    StringColumn(StringColumn),
    List(Vec<Object>),
    /// A pairlist, its tags empty where there are none.
    Pairs(Vec<(String, Object)>),
    /// The variables of an environment.
    Environment(Vec<(String, Object)>),
    /// An S4 object; its slots are the attributes.
    Slots,
    /// Something that holds no table: functions, byte strings and the like, by R's name for it.
    Other(&'static str),
}

impl Object {
    /// An attribute by its name.
    pub fn attribute(&self, name: &str) -> Option<&Object> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, object)| object)
    }

    /// Whether the value has an S3 class of that name.
    pub fn is(&self, class: &str) -> bool {
        matches!(
            self.attribute("class").map(|object| &object.value),
            Some(Value::StringColumn(classes)) if classes.iter().flatten().any(|name| name == class)
        )
    }

    /// The first string of an attribute.
    pub fn attribute_text(&self, name: &str) -> Option<String> {
        match &self.attribute(name)?.value {
            Value::StringColumn(texts) => texts.get(0).map(str::to_owned),
            _ => None,
        }
    }

    /// The strings of an attribute; missing ones are empty.
    pub fn attribute_texts(&self, name: &str) -> Option<Vec<String>> {
        match &self.attribute(name)?.value {
            Value::StringColumn(texts) => Some(
                texts
                    .iter()
                    .map(|text| text.unwrap_or_default().to_owned())
                    .collect(),
            ),
            _ => None,
        }
    }

    /// Elements of a vector or list.
    pub fn len(&self) -> usize {
        match &self.value {
            Value::Logicals(values) | Value::Integers(values) => values.len(),
            Value::Reals(values) => values.len(),
            Value::StringColumn(values) => values.len(),
            Value::List(values) => values.len(),
            Value::Pairs(values) | Value::Environment(values) => values.len(),
            Value::Null | Value::Symbol(_) | Value::Slots | Value::Other(_) => 0,
        }
    }

    /// The numbers of a numeric vector, `NA` as NaN.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        match &self.value {
            Value::Logicals(values) | Value::Integers(values) => Some(
                values
                    .iter()
                    .map(|value| {
                        if *value == i32::MIN {
                            f64::NAN
                        } else {
                            f64::from(*value)
                        }
                    })
                    .collect(),
            ),
            Value::Reals(values) => Some(values.clone()),
            _ => None,
        }
    }

    /// What R's `class()` would say, near enough.
    pub fn describe(&self) -> String {
        if let Some(class) = self.attribute_text("class") {
            return class;
        }
        match &self.value {
            Value::Null => "NULL",
            Value::Symbol(_) => "name",
            Value::Logicals(_) => "logical",
            Value::Integers(_) => "integer",
            Value::Reals(_) => "numeric",
            Value::StringColumn(_) => "character",
            Value::List(_) => "list",
            Value::Pairs(_) => "pairlist",
            Value::Environment(_) => "environment",
            Value::Slots => "S4 object",
            Value::Other(name) => name,
        }
        .to_owned()
    }
}
