use pretty_assertions::assert_eq;
use serde_json::json;

use super::to_text;

#[test]
fn the_text_is_the_one_that_python_writes() {
    let value = json!({"a": {}, "b": [], "c": [1, 8.0, null, true], "d": {"é\u{7f}": "zażółć 🔑 \"\\\n\u{1}"}});
    // python3 -c 'import json; print(json.dumps(value, indent=2))'
    let text = "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    1,\n    8.0,\n    null,\n    true\n  ],\n  \"d\": {\n    \
                \"\\u00e9\u{7f}\": \"za\\u017c\\u00f3\\u0142\\u0107 \\ud83d\\udd11 \\\"\\\\\\n\\u0001\"\n  }\n}";
    assert_eq!(String::from_utf8(to_text(&value).unwrap()).unwrap(), text);
}
