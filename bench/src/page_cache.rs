//! Memory for files, made ready before large files are timed.
//!
//! Where the machine is a virtual one, memory that was free for some seconds is back with its host, and has to be asked for again when it is
//! written to: a file of zeros was written at 0.5 GB/s so, and at 3 GB/s a moment later. What that takes is the doing of no server, and the limit,
//! which keeps nothing, would not have it.

use std::io::Write as _;
use std::path::Path;

/// More than is written to files while something is timed.
const BYTES: usize = 256 << 20;
const WRITE_BYTES: usize = 1 << 20;

/// Writes a file in a directory and deletes it: what is written there next gets its memory.
pub(crate) fn make_ready(directory: &Path) -> anyhow::Result<()> {
    let mut file = tempfile::tempfile_in(directory)?;
    let some = vec![1; WRITE_BYTES];
    for _ in 0..BYTES / WRITE_BYTES {
        file.write_all(&some)?;
    }
    Ok(())
}
