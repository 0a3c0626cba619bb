use openhands_protocol::secrets::{SecretRegistry, SecretSource, StaticSecret};
use openhands_protocol::{Form, Reading, STARS, Secret};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{Cipher, Key, TOKEN_PREFIX};

/// Made by the reference (1.58.0, cryptography's Fernet): `Cipher(key).encrypt(SecretStr(text))`.
const PYTHON_TOKENS: [(&str, &str, &str); 5] = [
    (
        "a server key",
        "s3cr3tvalue",
        "gAAAAABq-l5vEtBEzyHeGPQQ5S1XfHlNwB8p7Ab3kJi8KlRtn9ezr5KqtI21Lemyz4SIZCZFLSI8tmfvNSGV78-0TNq8vD8Wyg==",
    ),
    (
        "a server key",
        "",
        "gAAAAABq-l5v6_jDQIGCQkHTLngvta9qGiZw49o1-tKHGOfxIZbjgelcFbbuaahvly8Aga2ANsJA0tn-gDU9ItEC9aP3LNz0cA==",
    ),
    (
        "ключ",
        "zażółć gęślą jaźń 🔑",
        "gAAAAABq-l5vZ2jW1SGAe1Jl4VKi4yZdeImn2qn3XmpVZcz1v5wndU58UhF4RqriSkU2Don-L15g35CQzJL1K2TIzQmmhkpwvczRoj3Fc_tn7IWazP3h7jI=",
    ),
    (
        "old key",
        "kept under the old key",
        "gAAAAABq-l5vB7KU63W4N2Ab1q7clUS3Em7UBoSZa5z-1POdG2RCg6R_VMe_YKDPyji98P6Q-0YyspH8987Qri82bTcM0ScMTABJpchDb-synbCoAxW9KQM=",
    ),
    (
        "a server key",
        "xxxxxxxxxxxxxxxx",
        "gAAAAABq-l5vUL01D6uYAJgJaBr5bW6P2JtViS4GCkRCnHCRx1jj_MAiW1TdCUxzoKhXADdK_mpuyu2MgQlZd_4SOupd14w9Bt8nSyJFLtrTRDGpFdByVY0=",
    ),
];

/// Made by cryptography: `Fernet(b64encode(sha256(b"a server key").digest()))._encrypt_from_parts(b"hello",
/// 499162800, bytes(range(16)))`. With time and vector given, the token is fixed.
const FIXED_TOKEN: &str = "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODywiPoxi5qla_jQpPU5wSbcx0xFN9zTlHNifqMDCB327QxmGARIK-gWBLxzygmlMsw==";

fn cipher(key: &str, previous: &[&str]) -> Cipher {
    let previous: Vec<Secret> = previous.iter().map(|key| Secret::new(*key)).collect();
    Cipher::new(&Secret::new(key), &previous).unwrap()
}

#[test]
fn tokens_of_the_reference_open() {
    for (key, text, token) in PYTHON_TOKENS {
        assert_eq!(
            cipher(key, &[]).open(token).as_deref(),
            Some(text),
            "{text}"
        );
    }
}

#[test]
fn a_token_is_what_the_reference_makes_of_the_same_parts() {
    let key = Key::derive(&Secret::new("a server key")).unwrap();
    let vector = std::array::from_fn(|index| u8::try_from(index).unwrap());
    assert_eq!(key.encrypt(b"hello", 499_162_800, vector), FIXED_TOKEN);
}

#[test]
fn keys_of_before_open_and_are_moved_to_the_current_one() {
    let (_, text, old_token) = PYTHON_TOKENS[3];
    let cipher = cipher("new key", &["", "new key", "old key", "old key"]);
    assert_eq!(cipher.0.previous.len(), 1);
    assert_eq!(cipher.open(old_token).as_deref(), Some(text));
    assert!(!cipher.is_current(old_token));

    let moved = cipher.seal(old_token);
    assert!(cipher.is_current(&moved));
    assert_eq!(cipher.open(&moved).as_deref(), Some(text));
    assert_eq!(cipher.seal(&moved), moved);
}

#[test]
fn nothing_opens_with_another_key_or_after_a_change() {
    let (_, _, token) = PYTHON_TOKENS[0];
    assert_eq!(cipher("another key", &[]).open(token), None);
    let cipher = cipher("a server key", &[]);
    for place in 0..token.len() {
        let mut bytes = token.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert_eq!(cipher.open(&changed), None, "{changed}");
    }
    for broken in ["", TOKEN_PREFIX, "gAAAAAB", "gAAAAA==", "not a token"] {
        assert_eq!(cipher.open(broken), None, "{broken}");
    }
}

#[test]
fn a_blank_or_hidden_key_is_no_key() {
    for key in [Secret::new(""), Secret::new(" \n"), Secret::masked()] {
        assert!(Cipher::new(&key, []).is_none());
    }
    assert!(!format!("{:?}", cipher("visible?", &["and this?"])).contains('?'));
}

#[test]
fn state_is_sealed_and_opened_on_the_way_to_disk_and_back() {
    let cipher = cipher("a server key", &[]);
    let mut registry = SecretRegistry::default();
    let source = |value| {
        SecretSource::Static(StaticSecret {
            value: Some(Secret::new(value)),
            ..StaticSecret::default()
        })
    };
    registry
        .secret_sources
        .insert("TOKEN".to_owned(), source("s3cr3tvalue"));
    let text = Form::disk(cipher.sealer()).to_string(&registry).unwrap();
    assert!(text.contains(TOKEN_PREFIX) && !text.contains("s3cr3t"));

    let reading = Reading::lenient().opening(cipher.opener());
    let read: SecretRegistry = reading.from_slice(text.as_bytes()).unwrap();
    assert_eq!(read, registry);
    let other = self::cipher("another key", &[]);
    let read: SecretRegistry = Reading::lenient()
        .opening(other.opener())
        .from_slice(text.as_bytes())
        .unwrap();
    assert_eq!(
        Form::PEER.to_value(&read).unwrap()["secret_sources"]["TOKEN"]["value"],
        serde_json::Value::Null
    );
}

#[test]
fn what_was_stored_before_there_was_a_key_is_read_as_it_is() {
    let open = cipher("a server key", &[]).opener();
    assert_eq!(open("plain").as_deref(), Some("plain"));
    assert_eq!(open("  "), None);
    assert_eq!(open("gAAAAAB-no-token"), None);
    assert!(Secret::new(STARS).is_masked());
}

proptest! {
    #[test]
    fn what_is_sealed_opens(text in ".*", key in "\\PC+") {
        prop_assume!(!key.trim().is_empty() && key != STARS);
        let cipher = cipher(&key, &[]);
        let token = cipher.seal(&text);
        prop_assert!(token.starts_with(TOKEN_PREFIX));
        prop_assert_eq!(cipher.open(&token), Some(text));
    }
}
