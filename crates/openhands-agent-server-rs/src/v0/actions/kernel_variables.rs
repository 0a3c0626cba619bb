//! Variables that clients add to the kernel while it runs. A client sets each one once, by a cell; a kernel that takes the
//! place of another needs them again.

/// The variables of a cell that does nothing but set some, in the form that clients of 0.62 have for it.
pub(super) fn variables(code: &str) -> Option<Vec<(String, String)>> {
    let mut lines = code.lines().filter(|line| !line.is_empty());
    if lines.next()? != "import os" {
        return None;
    }
    lines.map(assignment).collect()
}

/// `os.environ["NAME"] = "value"`, where the value is written as JSON.
fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix("os.environ[\"")?.split_once("\"] = ")?;
    Some((name.to_owned(), serde_json::from_str(value).ok()?))
}

#[cfg(test)]
#[path = "kernel_variables_tests.rs"]
mod tests;
