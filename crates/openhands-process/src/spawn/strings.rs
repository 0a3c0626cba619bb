//! A command's strings as the kernel takes them.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::SpawnError;

/// The request's strings, NUL-terminated.
pub(super) struct Strings {
    pub(super) program: CString,
    pub(super) args: Vec<CString>,
    pub(super) env: Vec<CString>,
    pub(super) directory: CString,
}

impl Strings {
    pub(super) fn new(
        program: &OsStr,
        arg0: Option<OsString>,
        args: Vec<OsString>,
        envs: Vec<(OsString, OsString)>,
        cwd: Option<&Path>,
    ) -> Result<Self, SpawnError> {
        let first = arg0.unwrap_or_else(|| program.to_owned());
        let args = std::iter::once(first).chain(args);
        let directory = match cwd {
            Some(directory) => directory.to_owned(),
            // The watchdog's own directory is the root, so ours has to be named.
            None => std::env::current_dir().map_err(|source| SpawnError::WorkingDirectory {
                directory: PathBuf::from("."),
                source,
            })?,
        };
        Ok(Self {
            program: terminated(program.as_bytes().to_vec(), "the program's name")?,
            args: args
                .map(|arg| terminated(arg.into_vec(), "an argument"))
                .collect::<Result<_, _>>()?,
            env: envs
                .into_iter()
                .map(|(name, value)| {
                    let mut entry = name.into_vec();
                    entry.push(b'=');
                    entry.extend_from_slice(value.as_bytes());
                    terminated(entry, "the environment")
                })
                .collect::<Result<_, _>>()?,
            directory: terminated(
                directory.into_os_string().into_vec(),
                "the working directory",
            )?,
        })
    }
}

fn terminated(bytes: Vec<u8>, what: &'static str) -> Result<CString, SpawnError> {
    CString::new(bytes).map_err(|_| SpawnError::ContainsNul { what })
}
