//! A reader that can look ahead, over content of any source.

use std::io::{self, BufRead, ErrorKind, Read};

/// Bytes that are read at once: few at first, since most content is only glanced at.
const LEAST: usize = 1 << 10;
const MOST: usize = 64 << 10;

/// Content that is read from front to back. Damage ends it: what lies behind, nobody can unpack.
pub struct Window<'a> {
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    at: usize,
    block: usize,
    ended: bool,
}

impl<'a> Window<'a> {
    pub fn new(source: impl Read + 'a) -> Self {
        Self {
            source: Box::new(source),
            buffer: Vec::new(),
            at: 0,
            block: LEAST,
            ended: false,
        }
    }

    /// What is buffered, `count` bytes at least; fewer at the end.
    pub fn peek(&mut self, count: usize) -> &[u8] {
        while self.buffer.len() - self.at < count && !self.ended {
            self.fill();
        }
        &self.buffer[self.at..]
    }

    /// Reads up to `most` bytes.
    pub fn read_up_to(&mut self, most: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        // What cannot be read is the end, as everywhere here.
        let _ended = self.by_ref().take(most).read_to_end(&mut bytes);
        bytes
    }

    /// Passes over `count` bytes.
    pub fn skip(&mut self, mut count: u64) {
        while count > 0 {
            let buffered = self.peek(1).len();
            if buffered == 0 {
                return;
            }
            let step = usize::try_from(count).unwrap_or(usize::MAX).min(buffered);
            self.consume(step);
            count -= step as u64;
        }
    }

    fn fill(&mut self) {
        self.buffer.drain(..self.at);
        self.at = 0;
        let held = self.buffer.len();
        self.buffer.resize(held + self.block, 0);
        self.block = (self.block * 2).min(MOST);
        let count = loop {
            match self.source.read(&mut self.buffer[held..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.unwrap_or(0),
            }
        };
        self.buffer.truncate(held + count);
        self.ended = count == 0;
    }
}

impl Read for Window<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut buffered = self.fill_buf()?;
        let count = buffered.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Window<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.peek(1))
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }
}
