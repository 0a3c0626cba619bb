//! What an interactive bash says about jobs, and which of it belongs to a command's output.

/// Takes the notices of jobs that ended well, and that this command did not start, out of what the shell
/// said after a command. They would show up at whichever command happens to come next.
///
/// `output` is what the command itself printed: a job it started announces itself there as `[n] pid`.
pub(crate) fn without_foreign_done(after: &[u8], output: &[u8]) -> Vec<u8> {
    after
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| match done_job(line) {
            Some(job) => started(output, job),
            None => true,
        })
        .flatten()
        .copied()
        .collect()
}

/// The job number of a line such as `[2]-  Done                    sleep 1`.
fn done_job(line: &[u8]) -> Option<&[u8]> {
    let (job, rest) = job_line(line)?;
    let rest = rest
        .strip_prefix(b"+")
        .or_else(|| rest.strip_prefix(b"-"))
        .unwrap_or(rest);
    let state = rest.strip_prefix(b"  ")?;
    let state = state.trim_ascii_start();
    (state.starts_with(b"Done ") || state.trim_ascii_end() == b"Done").then_some(job)
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
