use std::process::ExitCode;

use reprise::sandbox::local::helper::entry;

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == entry::ARGUMENT)
    {
        return entry::main();
    }
    ExitCode::SUCCESS
}
