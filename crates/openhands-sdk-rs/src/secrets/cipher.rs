//! How secrets are sealed on disk: Fernet tokens, as the reference writes and reads them.
//!
//! A token is the URL-safe base64 of version (0x80), time (8 bytes), initialisation vector (16 bytes), AES-128-CBC
//! ciphertext with PKCS#7 padding, and HMAC-SHA-256 of all that. The first half of the key signs, the second encrypts.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use aes::Aes128;
use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockDecryptMut as _, BlockEncryptMut as _, KeyIvInit as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use hmac::{Hmac, Mac as _};
use openhands_protocol::{Opener, STARS, Sealer, Secret};
use sha2::{Digest as _, Sha256};

/// What every token starts with: the version and a time before the year 2242. Nothing shorter is safe, because plain
/// secrets may be base64, too.
pub const TOKEN_PREFIX: &str = "gAAAAA";

const VERSION: u8 = 0x80;
const HALF_KEY_BYTES: usize = 16;
const TIME_BYTES: usize = 8;
const VECTOR_BYTES: usize = 16;
const SIGNATURE_BYTES: usize = 32;

/// Seals with one key; opens with that one and with those that came before it.
#[derive(Clone)]
pub struct Cipher(Arc<Keys>);

struct Keys {
    current: Key,
    /// The latest first.
    previous: Vec<Key>,
}

impl std::fmt::Debug for Cipher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cipher")
            .field("previous_keys", &self.0.previous.len())
            .finish_non_exhaustive()
    }
}

impl Cipher {
    /// A cipher with the server's secret key and the keys that it had before, the latest first. Without a key that
    /// says something there is no cipher.
    pub fn new<'a>(
        secret_key: &Secret,
        previous: impl IntoIterator<Item = &'a Secret>,
    ) -> Option<Self> {
        let current = Key::derive(secret_key)?;
        let mut keys: Vec<Key> = Vec::new();
        for key in previous.into_iter().filter_map(Key::derive) {
            if key != current && !keys.contains(&key) {
                keys.push(key);
            }
        }
        Some(Self(Arc::new(Keys {
            current,
            previous: keys,
        })))
    }

    /// Seals a text. One that is a token of this cipher already is not sealed twice, but moved to the current key.
    pub fn seal(&self, text: &str) -> String {
        let plain = self.open(text);
        if plain.is_some() && self.is_current(text) {
            return text.to_owned();
        }
        let seconds = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| elapsed.as_secs());
        let mut vector = [0; VECTOR_BYTES];
        if let Err(error) = getrandom::fill(&mut vector) {
            // A secret that is not stored can be given again; one that is stored in clear cannot be taken back.
            tracing::error!(%error, "no random numbers: a secret is not stored");
            return STARS.to_owned();
        }
        let plain = plain.as_deref().unwrap_or(text);
        self.0.current.encrypt(plain.as_bytes(), seconds, vector)
    }

    /// Opens a token. `None` if it is none, or if it was sealed with a key that is not known.
    pub fn open(&self, token: &str) -> Option<String> {
        if !token.starts_with(TOKEN_PREFIX) {
            return None;
        }
        let bytes = URL_SAFE.decode(token).ok()?;
        let plain = std::iter::once(&self.0.current)
            .chain(&self.0.previous)
            .find_map(|key| key.decrypt(&bytes))?;
        String::from_utf8(plain).ok()
    }

    /// Whether a token was sealed with the current key.
    pub fn is_current(&self, token: &str) -> bool {
        URL_SAFE
            .decode(token)
            .is_ok_and(|bytes| self.0.current.decrypt(&bytes).is_some())
    }

    /// For writing: [`Form::disk`](openhands_protocol::Form::disk) and
    /// [`Form::meta`](openhands_protocol::Form::meta).
    pub fn sealer(&self) -> Sealer {
        let cipher = self.clone();
        Arc::new(move |text| cipher.seal(text))
    }

    /// For reading: [`Reading::opening`](openhands_protocol::Reading::opening). A text that is no token was written
    /// before there was a key, and is the secret itself; a blank one is no secret.
    pub fn opener(&self) -> Opener {
        let cipher = self.clone();
        Arc::new(move |text| {
            if text.starts_with(TOKEN_PREFIX) {
                let opened = cipher.open(text);
                if opened.is_none() {
                    tracing::warn!("a stored secret was sealed with another key: it is lost");
                }
                opened
            } else {
                (!text.trim().is_empty()).then(|| text.to_owned())
            }
        })
    }
}

/// A key of 32 bytes: 16 to sign, 16 to encrypt.
#[derive(PartialEq, Eq)]
struct Key {
    sign: [u8; HALF_KEY_BYTES],
    encrypt: [u8; HALF_KEY_BYTES],
}

impl Key {
    fn derive(secret_key: &Secret) -> Option<Self> {
        let text = secret_key.expose().filter(|text| !text.trim().is_empty())?;
        let hash = Sha256::digest(text.as_bytes());
        let (sign, encrypt) = hash.split_at_checked(HALF_KEY_BYTES)?;
        Some(Self {
            sign: sign.try_into().ok()?,
            encrypt: encrypt.try_into().ok()?,
        })
    }

    fn signature(&self) -> Option<Hmac<Sha256>> {
        Hmac::new_from_slice(&self.sign).ok()
    }

    fn encrypt(&self, plain: &[u8], seconds: u64, vector: [u8; VECTOR_BYTES]) -> String {
        let sealed = cbc::Encryptor::<Aes128>::new(&self.encrypt.into(), &vector.into())
            .encrypt_padded_vec_mut::<Pkcs7>(plain);
        let mut token = vec![VERSION];
        token.extend(seconds.to_be_bytes());
        token.extend(vector);
        token.extend(sealed);
        if let Some(mut signature) = self.signature() {
            signature.update(&token);
            token.extend(signature.finalize().into_bytes());
        }
        URL_SAFE.encode(token)
    }

    fn decrypt(&self, token: &[u8]) -> Option<Vec<u8>> {
        let (signed, tag) = token.split_at_checked(token.len().checked_sub(SIGNATURE_BYTES)?)?;
        let mut signature = self.signature()?;
        signature.update(signed);
        signature.verify_slice(tag).ok()?;
        let rest = signed.strip_prefix(&[VERSION])?.get(TIME_BYTES..)?;
        let (vector, sealed) = rest.split_at_checked(VECTOR_BYTES)?;
        let vector: [u8; VECTOR_BYTES] = vector.try_into().ok()?;
        cbc::Decryptor::<Aes128>::new(&self.encrypt.into(), &vector.into())
            .decrypt_padded_vec_mut::<Pkcs7>(sealed)
            .ok()
    }
}

#[cfg(test)]
#[path = "cipher_tests.rs"]
mod tests;
