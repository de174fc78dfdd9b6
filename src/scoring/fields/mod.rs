//! A post-registration against a reference, field by field.
//!
//! The score is ROUGE-L: the words that a document and a reference share, in
//! order. It is not a judgement of whether a field is right, and a report has to
//! say so next to it. Fields that the reference leaves unstated are marked and
//! counted apart, because an empty document agrees with every one of them.

pub mod document;
pub mod score;
pub mod statement;
