//! Splitting a command text into its top-level statements, by bash's grammar.

use openhands_process::bash_tree;
use tree_sitter::Node;

/// The statements of `command` that stand on lines of their own.
///
/// What one line joins (`a; b`, `a && b`) is one statement, and so is anything that bash reads as a whole: a
/// loop, a function, a quoted newline, a heredoc. A comment belongs to the statement before it. Text that does
/// not parse counts as one statement: bash itself will say what is wrong with it.
pub(super) fn split(command: &str) -> Vec<&str> {
    let whole = || vec![command.trim()];
    let Some(tree) = bash_tree(command) else {
        return whole();
    };
    let root = tree.root_node();
    if root.has_error() {
        return whole();
    }
    let mut starts = Vec::new();
    let mut previous: Option<Node<'_>> = None;
    let mut cursor = root.walk();
    for node in root
        .named_children(&mut cursor)
        .filter(|node| node.kind() != "comment")
    {
        let begins_entry = previous.is_none_or(|before| {
            // compat: what follows a heredoc's last line stays with the heredoc.
            !ends_with_heredoc(before)
                && command
                    .get(before.end_byte()..node.start_byte())
                    .is_some_and(|gap| gap.contains('\n'))
        });
        if begins_entry {
            starts.push(node.start_byte());
        }
        previous = Some(node);
    }
    if starts.is_empty() {
        return whole();
    }
    let ends = starts.iter().skip(1).copied().chain([command.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| command.get(*start..end).map(str::trim))
        .collect()
}

/// Whether the last thing in the node is a heredoc's terminator.
fn ends_with_heredoc(node: Node<'_>) -> bool {
    let end = node.end_byte();
    let mut last = node;
    loop {
        if matches!(
            last.kind(),
            "heredoc_redirect" | "heredoc_body" | "heredoc_end"
        ) {
            return true;
        }
        let mut cursor = last.walk();
        // A pipeline hangs below the redirect that carries the body, so look at every child that reaches the end.
        let Some(next) = last
            .children(&mut cursor)
            .filter(|child| child.end_byte() == end)
            .last()
        else {
            return false;
        };
        last = next;
    }
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
