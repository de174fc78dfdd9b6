//! SPSS system files, plain, compressed and in zlib blocks, after the format
//! notes of the PSPP developers' guide ("System File Format").

mod cases;
mod dictionary;
mod extensions;

pub mod read;
