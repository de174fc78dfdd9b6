//! The count of what is read of an archive and of what it unpacks to.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::domain::digest::{Digest, RunningDigest};

use super::limits::ArchiveLimits;
use super::progress::{OnProgress, UnpackProgress};

/// Bytes between two calls of [`OnProgress`].
const STEP: u64 = 1 << 20;

/// The reason for which the meter stopped the unpacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    Cancelled,
    Entries,
    Bytes,
    Ratio,
}

/// Counts, and fails the reading where a limit is passed.
pub(super) struct Meter<'a> {
    limits: ArchiveLimits,
    counted: Cell<UnpackProgress>,
    /// Unpacked bytes when progress was last told.
    told: Cell<u64>,
    digest: RefCell<RunningDigest>,
    on_progress: RefCell<OnProgress<'a>>,
    halt: Cell<Option<Halt>>,
}

impl<'a> Meter<'a> {
    pub fn new(limits: ArchiveLimits, on_progress: OnProgress<'a>) -> Self {
        Self {
            limits,
            counted: Cell::default(),
            told: Cell::default(),
            digest: RefCell::default(),
            on_progress: RefCell::new(on_progress),
            halt: Cell::default(),
        }
    }

    /// The reason for which a read failed, where it is the meter's.
    pub fn halt(&self) -> Option<Halt> {
        self.halt.get()
    }

    /// The digest of the packed bytes that were read.
    pub fn digest(&self) -> Digest {
        self.digest.borrow().digest()
    }

    /// Counts an entry.
    pub fn enter(&self) -> io::Result<()> {
        let mut counted = self.counted.get();
        counted.entries += 1;
        self.counted.set(counted);
        if counted.entries > self.limits.entries {
            return self.stop(Halt::Entries);
        }
        self.tell()
    }

    /// Counts bytes that were unpacked, or copied for a hard link.
    pub fn unpacked(&self, bytes: u64) -> io::Result<()> {
        let mut counted = self.counted.get();
        counted.unpacked += bytes;
        self.counted.set(counted);
        if counted.unpacked > self.limits.bytes {
            return self.stop(Halt::Bytes);
        }
        let allowed = counted.packed.saturating_mul(self.limits.ratio);
        if counted.unpacked > self.limits.ratio_from.max(allowed) {
            return self.stop(Halt::Ratio);
        }
        if counted.unpacked - self.told.get() >= STEP {
            return self.tell();
        }
        Ok(())
    }

    fn tell(&self) -> io::Result<()> {
        self.told.set(self.counted.get().unpacked);
        match (*self.on_progress.borrow_mut())(self.counted.get()) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => self.stop(Halt::Cancelled),
        }
    }

    fn stop(&self, halt: Halt) -> io::Result<()> {
        self.halt.set(Some(halt));
        Err(io::Error::other("a limit of the unpacking was passed"))
    }
}

/// The archive's own bytes, counted and digested.
pub(super) struct PackedReader<'m, 'a, R> {
    pub inner: R,
    pub meter: &'m Meter<'a>,
}

impl<R: Read> Read for PackedReader<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut counted = self.meter.counted.get();
        counted.packed += read as u64;
        self.meter.counted.set(counted);
        self.meter.digest.borrow_mut().add(&buffer[..read]);
        Ok(read)
    }
}

/// Unpacked bytes, counted.
pub(super) struct UnpackedReader<'m, 'a, R> {
    pub inner: R,
    pub meter: &'m Meter<'a>,
}

impl<R: Read> Read for UnpackedReader<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.meter.unpacked(read as u64)?;
        Ok(read)
    }
}
