//! Files that arrive in parts.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use openhands_sdk_rs::runtime::WorkspaceError;
use openhands_sdk_rs::runtime::hands::WriteParams;
use parking_lot::Mutex;

use super::Owner;

/// Of all files that are on their way.
const MAX_BYTES: usize = 512 << 20;
/// A file of which no part came for so long is given up.
const STALE: Duration = Duration::from_mins(5);

/// Files of which not all parts are there.
#[derive(Debug, Default)]
pub(super) struct Uploads(Mutex<HashMap<(Owner, String), Upload>>);

#[derive(Debug)]
struct Upload {
    content: Vec<u8>,
    /// The file is there; its last part may come once more all the same.
    is_written: bool,
    touched: Instant,
}

impl Uploads {
    /// Takes a part; gives the whole file with the last one. A part may come twice.
    pub(super) fn take(
        &self,
        owner: Owner,
        part: WriteParams,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        if part.offset == 0 && part.is_last {
            return Ok(Some(part.content));
        }
        let mut uploads = self.0.lock();
        uploads.retain(|_, upload| upload.touched.elapsed() < STALE);
        let waiting: usize = uploads.values().map(|upload| upload.content.len()).sum();
        if waiting + part.content.len() > MAX_BYTES {
            return Err(WorkspaceError::TooLarge {
                path: part.path,
                size: (waiting + part.content.len()) as u64,
                limit: MAX_BYTES as u64,
            });
        }
        let key = (owner, part.upload);
        let upload = uploads.entry(key.clone()).or_insert_with(|| Upload {
            content: Vec::new(),
            is_written: false,
            touched: Instant::now(),
        });
        if upload.is_written {
            return Ok(None);
        }
        if upload.content.len() < part.offset {
            uploads.remove(&key);
            return Err(WorkspaceError::Unreachable(
                "a part of the file did not arrive".to_owned(),
            ));
        }
        upload.content.truncate(part.offset);
        upload.content.extend_from_slice(&part.content);
        upload.touched = Instant::now();
        Ok(part.is_last.then(|| {
            upload.is_written = true;
            std::mem::take(&mut upload.content)
        }))
    }
}
