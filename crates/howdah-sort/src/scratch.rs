//! Files that are removed unless the work on them succeeds.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::file::{OutputFile, sync_dir};

/// Removes every file it created when it is dropped, unless they were kept: a kernel that fails, is
/// cancelled or panics leaves no partial file. It never touches other files.
#[derive(Default)]
pub struct Scratch {
    created: Mutex<Vec<PathBuf>>,
}

impl Scratch {
    /// Creates a file, which must not exist.
    pub fn create(&self, path: &Path) -> Result<OutputFile> {
        let file = OutputFile::create(path)?;
        self.created.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Ok(file)
    }

    /// Keeps the files and waits until their directory entries are on disk.
    pub fn keep(mut self) -> Result<()> {
        let created = self.created.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut directories: Vec<_> = created.iter().filter_map(|path| path.parent()).collect();
        directories.sort_unstable();
        directories.dedup();
        directories.into_iter().try_for_each(sync_dir)?;
        created.clear();
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for path in self.created.get_mut().unwrap_or_else(PoisonError::into_inner) {
            // The file may have been removed by another process.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_removed_unless_they_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        Scratch::default().create(&path).unwrap();
        assert!(!path.exists());

        let scratch = Scratch::default();
        scratch.create(&path).unwrap();
        scratch.keep().unwrap();
        assert!(path.exists());
    }

    #[test]
    fn an_existing_file_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "mine").unwrap();
        assert!(Scratch::default().create(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
