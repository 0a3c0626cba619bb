//! What an interactive bash says about jobs, and which of it belongs to a command's output.

/// What the shell said after a command, without what is not about this command: that a job ended well which
/// another command started (it would show up at whichever command happens to come next), and that a job is
/// stopped of which there is later news.
///
/// `output` is what the command itself printed: a job it started announces itself there as `[n] pid`.
pub(crate) fn relevant(after: &[u8], output: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let mut kept = Vec::with_capacity(after.len());
    for (index, line) in lines.iter().enumerate() {
        let later = lines.get(index + 1..).unwrap_or_default();
        let foreign_done = notice(line, b"Done").is_some_and(|job| !started(output, job));
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
        if !foreign_done && !superseded {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// A text without lines that tell that a job ended well which it does not tell the start of.
pub(crate) fn without_foreign_done(text: &str) -> String {
    let kept = text.split_inclusive('\n').filter(|line| {
        notice(line.as_bytes(), b"Done").is_none_or(|job| started(text.as_bytes(), job))
    });
    kept.collect()
}

/// The job number of a line such as `[2]-  Done                    sleep 1`, if it tells of this state.
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

/// Whether the output has a line `[job] pid`.
fn started(output: &[u8], job: &[u8]) -> bool {
    output.split(|byte| *byte == b'\n').any(|line| {
        job_line(line).is_some_and(|(number, rest)| {
            let pid = rest.trim_ascii();
            number == job
                && rest.starts_with(b" ")
                && !pid.is_empty()
                && pid.iter().all(u8::is_ascii_digit)
        })
    })
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
