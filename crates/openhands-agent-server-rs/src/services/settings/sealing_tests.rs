use openhands_protocol::llm::Llm;
use openhands_protocol::{Nulls, Reading, STARS, Secret};
use openhands_sdk_rs::secrets::{Cipher, TOKEN_PREFIX};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Exposure, Sealing};
use crate::services::settings::error::StoreError;

fn sealing(key: &str, previous: &[&str]) -> Sealing {
    let previous: Vec<Secret> = previous.iter().map(|key| Secret::new(*key)).collect();
    Sealing::new(Cipher::new(&Secret::new(key), &previous))
}

fn llm(key: &str) -> Llm {
    Llm {
        api_key: Some(Secret::new(key)),
        ..Llm::default()
    }
}

/// Made by the reference with the key `test-secret-key`, from `fernet-vectors.json`.
#[test]
fn tokens_of_the_reference_are_opened_when_they_are_posted() {
    let vectors: Value = serde_json::from_str(include_str!(
        "../../../../openhands-protocol/tests/fixtures/transcripts/services/fernet-vectors.json"
    ))
    .unwrap();
    let sealing = sealing(vectors["secret_key"].as_str().unwrap(), &[]);
    let mut seen = 0;
    for vector in vectors["vectors"].as_array().unwrap() {
        let mut llm = llm(vector["token"].as_str().unwrap());
        sealing.settle_llm(&mut llm);
        let plain = vector["plaintext"].as_str().unwrap();
        assert_eq!(llm.api_key.unwrap().expose(), Some(plain));
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
fn stars_and_blanks_are_no_keys_and_strange_tokens_stay() {
    let sealing = sealing("k", &[]);
    for text in [STARS, "", "  "] {
        let mut llm = llm(text);
        sealing.settle_llm(&mut llm);
        assert_eq!(llm.api_key, None, "{text:?}");
    }
    let foreign = self::sealing("other", &[]).cipher().unwrap().seal("secret");
    let mut llm = llm(&foreign);
    sealing.settle_llm(&mut llm);
    assert_eq!(llm.api_key.unwrap().expose(), Some(foreign.as_str()));
}

#[test]
fn files_hold_tokens_or_without_a_key_plain_text() {
    let with_key = sealing("k", &[]);
    let file = with_key.to_file(Nulls::Keep, &llm("sk-1")).unwrap();
    let token = file["api_key"].as_str().unwrap();
    assert!(token.starts_with(TOKEN_PREFIX));
    let opening = with_key.opening(Reading::lenient());
    let read: Llm = opening.reading.from_value(file.clone()).unwrap();
    assert_eq!(read.api_key.unwrap().expose(), Some("sk-1"));
    assert!(!opening.lost_any());

    let other = sealing("other", &[]).opening(Reading::lenient());
    let read: Llm = other.reading.from_value(file).unwrap();
    assert!(read.api_key.unwrap().is_lost());
    assert!(other.lost_any());

    let plain = Sealing::default()
        .to_file(Nulls::Keep, &llm("sk-1"))
        .unwrap();
    assert_eq!(plain["api_key"], "sk-1");
}

#[test]
fn an_answer_shows_secrets_as_it_was_asked() {
    let with_key = sealing("k", &[]);
    let shown = |exposure| with_key.to_answer(exposure, &llm("sk-1")).unwrap()["api_key"].clone();
    assert_eq!(shown(Exposure::Redacted), json!(STARS));
    assert_eq!(shown(Exposure::Plaintext), json!("sk-1"));
    let token = shown(Exposure::Encrypted);
    assert_eq!(
        with_key.cipher().unwrap().open(token.as_str().unwrap()),
        Some("sk-1".to_owned())
    );

    let without = Sealing::default();
    let refused = without.to_answer(Exposure::Encrypted, &llm("sk-1"));
    assert!(matches!(refused, Err(StoreError::NoKey)));
    assert!(
        without
            .to_answer(Exposure::Encrypted, &Llm::default())
            .is_ok()
    );
    assert!(without.to_answer(Exposure::Plaintext, &llm("sk-1")).is_ok());
}

#[test]
fn tokens_of_earlier_keys_are_found_wherever_they_are() {
    let old = sealing("old", &[]).cipher().unwrap().seal("x");
    let now = sealing("new", &["old"]);
    let new = now.cipher().unwrap().seal("x");
    assert!(now.is_stale(&json!({"a": [{"b": old}]})));
    assert!(!now.is_stale(&json!({"a": [{"b": new}], "c": "plain"})));
    assert!(!Sealing::default().is_stale(&json!(old)));
}

#[test]
fn the_header_has_two_words_and_an_old_one() {
    let of = |value| Exposure::of_header(Some(value));
    assert_eq!(Exposure::of_header(None), Ok(Exposure::Redacted));
    assert_eq!(of(" "), Ok(Exposure::Redacted));
    assert_eq!(of("True"), Ok(Exposure::Encrypted));
    assert_eq!(of(" ENCRYPTED "), Ok(Exposure::Encrypted));
    assert_eq!(of("plaintext"), Ok(Exposure::Plaintext));
    assert_eq!(
        of("bogus"),
        Err(
            "Invalid X-Expose-Secrets header value: 'bogus'. Valid values are: 'encrypted', 'plaintext'."
                .to_owned()
        )
    );
}
