//! Logs against those that Playwright 1.55 printed.

use pretty_assertions::assert_eq;

use super::*;

#[test]
fn repeated_steps_are_shown_once() {
    let mut log = CallLog::default();
    log.add("waiting for get_by_test_id(\"32\")");
    log.add("  locator resolved to <button>D</button>");
    log.add("attempting click action");
    for wait in ["", "20", "100", "100", "500"] {
        log.add("  waiting for element to be visible, enabled and stable");
        log.add("  element is not enabled");
        log.add("retrying click action");
        if !wait.is_empty() {
            log.add(format!("  waiting {wait}ms"));
        }
    }
    assert_eq!(
        log.print(),
        "\nCall log:
  - waiting for get_by_test_id(\"32\")
    - locator resolved to <button>D</button>
  - attempting click action
    2 × waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
    - waiting 20ms
    2 × waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
      - waiting 100ms
    - waiting for element to be visible, enabled and stable
    - element is not enabled
  - retrying click action
    - waiting 500ms
"
    );
}

#[test]
fn a_log_without_lines_prints_nothing() {
    assert_eq!(CallLog::default().print(), "");
}
