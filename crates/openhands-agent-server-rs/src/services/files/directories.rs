//! Looking around: the home directory, the directories in a directory, and making one.

use std::io;
use std::path::Path;

use openhands_protocol::Extra;
use openhands_protocol::conversation::SubdirectoryPage;
use openhands_protocol::files::{
    FileBrowserEntry, HomeResponse, SearchSubdirsQuery, SubdirectoryEntry,
};

use super::{FileError, Files, absolute};

/// How many directories of the home directory are offered.
const MAX_FAVORITES: usize = 50;

impl Files {
    /// Where to start browsing.
    pub(crate) fn home(&self, include_hidden: bool) -> HomeResponse {
        // A home that cannot be read offers nothing.
        let mut names = subdirectories(&self.home, include_hidden).unwrap_or_default();
        names.sort_by_key(|name| name.to_lowercase());
        names.truncate(MAX_FAVORITES);
        let entry = |label: String, path: String| FileBrowserEntry {
            label,
            path,
            extra: Extra::EMPTY,
        };
        HomeResponse {
            home: self.home.to_string_lossy().into_owned(),
            favorites: names
                .into_iter()
                .map(|name| {
                    let path = self.home.join(&name).to_string_lossy().into_owned();
                    entry(name, path)
                })
                .collect(),
            locations: vec![entry("/".to_owned(), "/".to_owned())],
            extra: Extra::EMPTY,
        }
    }
}

/// A page of the directories in a directory, sorted by name without regard to case.
pub(crate) fn search(query: &SearchSubdirsQuery) -> Result<SubdirectoryPage, FileError> {
    let directory = absolute(&query.path)?;
    let mut names = match directory.metadata() {
        Ok(there) if !there.is_dir() => return Err(FileError::invalid("Path is not a directory")),
        Ok(_) => subdirectories(&directory, query.include_hidden),
        Err(error) => Err(error),
    }
    .map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            FileError::NotFound("Directory not found")
        }
        _ => FileError::of_system("Failed to list directory", &error, &directory),
    })?;
    names.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
    let first = query.page_id.as_deref().and_then(|id| {
        let exact = names.iter().position(|name| name == id);
        // compat: older servers gave the name in lower case.
        exact.or_else(|| names.iter().position(|name| name.to_lowercase() == id))
    });
    let mut rest = names.into_iter().skip(first.unwrap_or_default());
    let limit = usize::try_from(query.limit).unwrap_or(1);
    let items = rest
        .by_ref()
        .take(limit)
        .map(|name| SubdirectoryEntry {
            path: directory.join(&name).to_string_lossy().into_owned(),
            name,
            extra: Extra::EMPTY,
        })
        .collect();
    Ok(SubdirectoryPage {
        items,
        next_page_id: rest.next(),
        extra: Extra::EMPTY,
    })
}

/// Makes a directory and all above it. One that is there already is left as it is.
pub(crate) fn create(path: &str) -> Result<(), FileError> {
    let path = absolute(path)?;
    std::fs::create_dir_all(&path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            FileError::invalid("Path exists and is not a directory")
        }
        _ => FileError::of_system("Failed to create directory", &error, &path),
    })
}

/// The names of the real directories; links are left out, as are names that are no text, which nobody could ask for.
fn subdirectories(directory: &Path, include_hidden: bool) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && (include_hidden || !name.starts_with('.')) {
            names.push(name);
        }
    }
    Ok(names)
}
