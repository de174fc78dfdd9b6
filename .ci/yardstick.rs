//! What `.ci/first-build` compiles again and again to learn how fast the processors are meanwhile:
//! code of the kinds that a build consists of, and none of ours, so that the same toolchain takes as
//! long for it at every commit.

macro_rules! parts {
    ($($name:ident)*) => {
        $(pub mod $name {
            use std::collections::{BTreeMap, HashMap};

            #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct Record {
                pub title: Option<String>,
                pub counts: Vec<u32>,
                pub columns: BTreeMap<String, Vec<i64>>,
            }

            #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum Entry {
                Absent,
                Named(u32, String),
                Nested { record: Option<Box<Record>>, last: bool },
            }

            pub fn by_name(entries: &[Entry]) -> HashMap<String, Record> {
                entries
                    .iter()
                    .filter_map(|entry| match entry {
                        Entry::Nested { record: Some(record), .. } => Some((format!("{entry:?}"), (**record).clone())),
                        _ => None,
                    })
                    .collect()
            }
        })*
    };
}

parts!(a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg hh ii jj kk ll mm nn);
