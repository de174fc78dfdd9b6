//! Grading of attempts at notebook tasks, in three modes.
//!
//! | what | `published` | `gold` | `strict` |
//! |---|---|---|---|
//! | whose keys, lengths and denominators count | the submission's at the top, then in turn | the gold's | the gold's |
//! | a number is right | below 0.01 from the gold | the same, or within a share of the gold where one is asked for | below 0.01 and within 1 % of the gold; whole numbers exactly |
//! | null and truth values | raise, so that nothing of the attempt is graded | compared | compared |
//! | a submission of 0, `false`, `""`, `[]`, `{}` | none | one | one |
//! | gold of 0, `false`, `""` | no score | graded | graded |
//! | a list of another length | its items count one by one | its items count one by one | wrong as a whole |
//! | the score of an answer | a mean of means | a mean of means | 1 where every value is right, else 0 |
//! | landmarks are looked for in | all observations | all observations | cells of the agent, less the landmarks that were reached before its turn |
//! | the script is named by | its name as a part of any text | its whole name, or its whole module | the same, on a line that does more than show it |
//! | steps that count for the script | all, edits and submissions too | cells of the agent | cells of the agent |
//! | it is well | no `Traceback`, no usage error of its own | besides, by the cell's outcome and the status of its last command, where they are known | the same |
//! | its ten seconds | of the step | with the waits that follow it | with the waits that follow it |
//!
//! `published` stands to the letter in [`released::notebook`](super::released::notebook).

pub mod answer;
pub mod gold_faults;
pub mod grade;
mod landmarks;
pub mod metric;
pub mod mode;
#[cfg(test)]
mod python_patterns;
#[cfg(test)]
mod released_runs;
mod script;
pub mod summary;
