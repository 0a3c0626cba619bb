use serde_json::json;

use super::*;

#[test]
fn secrets_are_masked_by_the_names_of_their_members() {
    let mut kwargs = json!({
        "max_tokens": 10,
        "max_completion_tokens": 20,
        "metadata": {"api_key": "sk-1", "access_token": "t", "name": "x"},
        "list": [{"Authorization": "Bearer y"}],
    });
    mask_members(&mut kwargs);
    assert_eq!(
        kwargs,
        json!({
            "max_tokens": 10,
            "max_completion_tokens": 20,
            "metadata": {"api_key": MASK, "access_token": MASK, "name": "x"},
            "list": [{"Authorization": MASK}],
        })
    );
}
