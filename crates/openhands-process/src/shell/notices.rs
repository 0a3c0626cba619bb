//! What an interactive bash says about jobs, and which of it belongs to a command's output.

/// What the shell said after a command, without old news: that a job is stopped of which there is later news.
pub(crate) fn current(after: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let mut kept = Vec::with_capacity(after.len());
    for (index, line) in lines.iter().enumerate() {
        let later = lines.get(index + 1..).unwrap_or_default();
        // Bash puts an empty line before a stopped job.
        let stopped = notice(line, b"Stopped").or_else(|| {
            let blank = line.trim_ascii().is_empty();
            later
                .first()
                .filter(|_| blank)
                .and_then(|next| notice(next, b"Stopped"))
        });
        let superseded = stopped.is_some_and(|job| {
            let mut news = later
                .iter()
                .filter_map(|line| job_line(line))
                .filter(|(other, _)| *other == job);
            news.any(|(_, rest)| state(rest) != Some(b"Stopped"))
        });
        if !superseded {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// The job number of a line such as `[2]-  Stopped                 sleep 1`, if it tells of this state.
fn notice<'a>(line: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let (job, rest) = job_line(line)?;
    (state(rest)? == wanted).then_some(job)
}

/// The state in what follows a job's number: the first word after the sign and two blanks.
fn state(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest
        .strip_prefix(b"+")
        .or_else(|| rest.strip_prefix(b"-"))
        .unwrap_or(rest);
    let rest = rest.strip_prefix(b"  ")?.trim_ascii_start();
    rest.split(u8::is_ascii_whitespace).next()
}

fn job_line(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', rest)?;
    let (number, rest) = (rest.get(..end)?, rest.get(end + 1..)?);
    (!number.is_empty() && number.iter().all(u8::is_ascii_digit)).then_some((number, rest))
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
