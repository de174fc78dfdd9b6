//! Studies of ReplicatorBench, in their own folders and by their own scripts,
//! beside what their human replicators reported. `README.md` has the story.

mod figures;
mod folders;
mod judged;
mod place;
mod ran;
mod replications;
mod tables;
