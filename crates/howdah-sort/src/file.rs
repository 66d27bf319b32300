//! Files read and written in large aligned blocks that bypass the page cache.
//!
//! Buffered I/O of data that is used once costs two to four times as much: every byte is copied, and the cache evicts
//! something useful for it. On a file system without direct I/O, such as tmpfs, the same calls use the cache, and
//! `is_direct` returns false.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Offsets, lengths and addresses of direct I/O are multiples of this many bytes.
pub const ALIGN: usize = 4096;

fn open(options: &OpenOptions, path: &Path, action: &'static str) -> Result<(File, bool)> {
    let mut direct = options.clone();
    match direct.custom_flags(libc::O_DIRECT).open(path) {
        Ok(file) => Ok((file, true)),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            Ok((options.open(path).map_err(Error::io(path, action))?, false))
        }
        Err(error) => Err(Error::io(path, action)(error)),
    }
}

/// A file open for reading.
pub struct InputFile {
    file: File,
    path: PathBuf,
    len: u64,
    direct: bool,
}

impl InputFile {
    /// Opens `path`.
    pub fn open(path: &Path) -> Result<Self> {
        let (file, direct) = open(OpenOptions::new().read(true), path, "open")?;
        let len = file.metadata().map_err(Error::io(path, "stat"))?.len();
        Ok(Self { file, path: path.to_owned(), len, direct })
    }

    /// The file's length in bytes when it was opened.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether reads bypass the page cache.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fills `buffer` from `offset`, as far as the file reaches, and returns the bytes read.
    ///
    /// `offset`, the buffer's address and its length are multiples of [`ALIGN`].
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let mut done = 0;
        while done < buffer.len() && offset + (done as u64) < self.len {
            match self.file.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(bytes) => done += bytes,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(&self.path, "read")(error)),
            }
        }
        // A file that shrank since it was opened would leave stale bytes in the buffer.
        let expected = (self.len.saturating_sub(offset)).min(buffer.len() as u64) as usize;
        if done < expected {
            return Err(Error::Input {
                subject: self.path.display().to_string(),
                what: format!("ended at byte {} while it was read", offset + done as u64),
                hint: "leave input files alone while a run reads them".to_owned(),
            });
        }
        Ok(done)
    }
}

/// A file being written from its start to its end.
pub struct OutputFile {
    file: File,
    path: PathBuf,
    offset: u64,
    direct: bool,
}

impl OutputFile {
    /// Creates `path`; it must not exist.
    pub fn create(path: &Path) -> Result<Self> {
        // Read access as well, so an intermediate file can be read through the same handle.
        let (file, direct) =
            open(OpenOptions::new().read(true).write(true).create_new(true), path, "create")?;
        Ok(Self { file, path: path.to_owned(), offset: 0, direct })
    }

    /// Whether writes bypass the page cache.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes appended so far.
    pub fn len(&self) -> u64 {
        self.offset
    }

    /// Whether nothing has been appended yet.
    pub fn is_empty(&self) -> bool {
        self.offset == 0
    }

    /// Appends `block`, whose address and length are multiples of [`ALIGN`].
    pub fn append(&mut self, block: &[u8]) -> Result<()> {
        debug_assert!(block.len() % ALIGN == 0);
        self.write_at(block, self.offset)?;
        self.offset += block.len() as u64;
        Ok(())
    }

    /// Writes `block` at `offset`, both multiples of [`ALIGN`]; several threads may do so at the same time.
    ///
    /// These bytes do not count as appended.
    pub fn write_at(&self, block: &[u8], offset: u64) -> Result<()> {
        self.file.write_all_at(block, offset).map_err(Error::io(&self.path, "write"))
    }

    /// Waits until everything written is on disk.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(Error::io(&self.path, "sync"))
    }

    /// Appends the last `len` bytes, passed in a block padded to a multiple of [`ALIGN`], truncates the
    /// file to its true length and waits until it is on disk.
    pub fn finish(mut self, padded: &[u8], len: usize) -> Result<u64> {
        let end = self.offset + len as u64;
        if len > 0 {
            self.append(&padded[..len.next_multiple_of(ALIGN)])?;
        }
        if self.offset != end {
            self.file.set_len(end).map_err(Error::io(&self.path, "truncate"))?;
        }
        self.sync()?;
        Ok(end)
    }
}

/// A file without a name, for private data: it vanishes when it is closed, even by `kill -9`.
#[derive(Debug)]
pub struct UnnamedFile {
    file: File,
    dir: PathBuf,
    direct: bool,
}

impl UnnamedFile {
    /// Creates a file in `dir`.
    pub fn create(dir: &Path) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!(".howdah-{}-{number}.tmp", std::process::id()));
        // Every file system supports this; few can create a file without a name.
        let (file, direct) =
            open(OpenOptions::new().read(true).write(true).create_new(true), &path, "create")?;
        std::fs::remove_file(&path).map_err(Error::io(&path, "remove"))?;
        Ok(Self { file, dir: dir.to_owned(), direct })
    }

    /// Whether reads and writes bypass the page cache.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Writes `block` at `offset`, both multiples of [`ALIGN`].
    pub fn write_at(&self, block: &[u8], offset: u64) -> Result<()> {
        self.file.write_all_at(block, offset).map_err(Error::io(&self.dir, "write a temporary file in"))
    }

    /// Fills `block` from `offset`, both multiples of [`ALIGN`]; it must have been written.
    pub fn read_at(&self, block: &mut [u8], offset: u64) -> Result<()> {
        self.file.read_exact_at(block, offset).map_err(Error::io(&self.dir, "read a temporary file in"))
    }
}

/// Waits until a directory's entries are on disk.
pub fn sync_dir(path: &Path) -> Result<()> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(Error::io(path, "sync"))
}
