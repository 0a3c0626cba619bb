pub(crate) fn svg(_: &crate::table::Table) -> String { String::new() }
