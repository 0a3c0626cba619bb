use std::sync::Arc;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{Form, Reading};

#[test]
fn debug_and_plain_serde_show_stars() {
    let secret = Secret::new("sk-abc");
    assert_eq!(format!("{secret:?}"), "Secret(**********)");
    assert_eq!(serde_json::to_string(&secret).unwrap(), "\"**********\"");
}

#[test]
fn each_form_shows_a_secret_its_own_way() {
    let secret = Secret::new("sk-abc");
    assert_eq!(Form::REST.to_value(&secret).unwrap(), json!(null));
    assert_eq!(Form::SOCKET.to_value(&secret).unwrap(), json!("**********"));
    assert_eq!(Form::PEER.to_value(&secret).unwrap(), json!("sk-abc"));
    let sealed = Form::disk(Arc::new(|text| format!("sealed:{text}")));
    assert_eq!(sealed.to_value(&secret).unwrap(), json!("sealed:sk-abc"));
    assert_eq!(
        serde_json::to_value(&secret).unwrap(),
        json!("**********"),
        "the form ended with the write"
    );
}

#[test]
fn a_masked_secret_stays_stars_even_in_plain_and_sealed_forms() {
    let secret: Secret = serde_json::from_value(json!("**********")).unwrap();
    assert!(secret.is_masked());
    assert_eq!(secret.expose(), None);
    assert_eq!(Form::PEER.to_value(&secret).unwrap(), json!("**********"));
    let sealed = Form::disk(Arc::new(|_| panic!("nothing to seal")));
    assert_eq!(sealed.to_value(&secret).unwrap(), json!("**********"));
}

#[test]
fn reading_with_an_opener_opens_sealed_and_loses_unreadable_secrets() {
    let reading = Reading::lenient().opening(Arc::new(|token| {
        token.strip_prefix("sealed:").map(str::to_owned)
    }));
    let read = |json| reading.from_value::<Secret>(json).unwrap();
    assert_eq!(read(json!("sealed:sk-abc")).expose(), Some("sk-abc"));
    for unreadable in ["**********", "garbage"] {
        let secret = read(json!(unreadable));
        assert!(secret.is_lost());
        assert_eq!(Form::PEER.to_value(&secret).unwrap(), json!(null));
    }
}
