//! The pages of the program that a process has in memory and may do without.
//!
//! Unsafe code: one call that the kernel offers to no safe interface.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use rustix::mm::{Advice, madvise};

/// Takes the program's own code and constants out of the process's memory. They are in the file: what is used again comes back
/// from the kernel's cache, page by page, and what only the start used does not.
pub fn give_back_program() {
    let (Ok(program), Ok(mappings)) = (
        std::fs::read_link("/proc/self/exe"),
        File::open("/proc/self/smaps"),
    ) else {
        return;
    };
    for (start, length) in unchanged_parts(BufReader::new(mappings), &program) {
        let start = std::ptr::with_exposed_provenance_mut::<c_void>(start);
        // SAFETY: the range is a mapping of the program's file that cannot be written to and of which no page was changed. After
        // the call each of its pages reads from the file what it read before: nothing that runs or looks there can tell. Mappings
        // of the program stay where they are as long as the process lives.
        let _ = unsafe { madvise(start, length, Advice::LinuxDontNeed) };
    }
}

/// The mappings of a file that are read-only and have no page that differs from the file, as address and length. Relocated
/// constants do differ: to drop those would be to lose them.
fn unchanged_parts(mut mappings: impl BufRead, file: &Path) -> Vec<(usize, usize)> {
    let Some(file) = file.to_str() else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    let mut current = None;
    let mut line = String::new();
    // One after the other in the same memory: a process that is to be small does not take more for it.
    while mappings.read_line(&mut line).is_ok_and(|read| read > 0) {
        let said = line.trim_end();
        if let Some(part) = mapping(said) {
            current = part.filter(|_| said.ends_with(file));
        } else if said.strip_prefix("Anonymous:").map(str::trim) == Some("0 kB") {
            parts.extend(current.take());
        }
        line.clear();
    }
    parts
}

/// Reads the first line of a mapping's description: where it is, if it is private and read-only. None for any other line.
#[allow(
    clippy::option_option,
    reason = "another line, or a mapping that is not meant"
)]
fn mapping(line: &str) -> Option<Option<(usize, usize)>> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    let is_meant = matches!(words.next()?, "r-xp" | "r--p");
    Some(is_meant.then_some((start, end.checked_sub(start)?)))
}

#[cfg(test)]
#[path = "program_pages_tests.rs"]
mod tests;
