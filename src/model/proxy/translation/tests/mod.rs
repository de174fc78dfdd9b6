//! Tables of what each dialect's requests hold, and answers that clients read back.

mod answers;
mod chat;
mod contents;
mod generate_content;
mod messages;
mod properties;
mod responses;
mod rig;
