//! How a client shows who it is.

use indexmap::IndexMap;

use crate::json::Json;
use crate::json::JsonObject;
use crate::schema::{Branch, Described, Schema};
use crate::secret::StarredSecret;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// Not at all.
    pub struct McpNoneAuth ["strategy" = "none"] (default) {
    }

    /// By a key in a header.
    pub struct McpApiKeyAuth ["strategy" = "api_key"] (default) {
        value when some: Option<StarredSecret> = None,
        header_name when some: Option<String> = None,
    }

    /// By a bearer token.
    pub struct McpBearerAuth ["strategy" = "bearer"] (default) {
        value when some: Option<StarredSecret> = None,
    }

    /// By name and password.
    pub struct McpBasicAuth ["strategy" = "basic"] (default) {
        username: String,
        password when some: Option<StarredSecret> = None,
    }

    /// By headers.
    pub struct McpHeaderAuth ["strategy" = "header"] (default) {
        headers: IndexMap<String, StarredSecret> = IndexMap::new(),
    }

    /// By OAuth.
    pub struct McpOauthAuth ["strategy" = "oauth2"] (default) {
        authentication when some: Option<McpOauthAuthentication> = None,
        state when some: Option<McpOauthState> = None,
    }
}

union! {
    /// How a client shows who it is.
    pub enum McpAuth by "strategy" {
        None(McpNoneAuth),
        ApiKey(McpApiKeyAuth),
        Bearer(McpBearerAuth),
        Basic(McpBasicAuth),
        Header(McpHeaderAuth),
        Oauth(McpOauthAuth),
    }
}

wire! {
    /// What the OAuth client says about itself.
    pub struct McpOauthAuthentication ["type" = "oauth"] (default, closed) {
        client_auth_method when some in [words(&["none", "client_secret_post", "client_secret_basic", "private_key_jwt"])]: Option<String> = None,
        scopes when some in [schema(scopes)]: Option<Json> = None,
        client_name when some: Option<String> = None,
        client_metadata_url when some: Option<String> = None,
        client_id when some: Option<String> = None,
        client_secret when some: Option<StarredSecret> = None,
        additional_client_metadata when some: Option<JsonObject> = None,
    }

    /// Tokens; further members are kept.
    pub struct McpOauthTokenState (default) {
        access_token when some: Option<StarredSecret> = None,
        refresh_token when some: Option<StarredSecret> = None,
    }

    /// The registered client; further members are kept.
    pub struct McpOauthClientInfoState (default) {
        client_secret when some: Option<StarredSecret> = None,
    }

    /// What is left of a login.
    pub struct McpOauthState (default) {
        tokens when some: Option<McpOauthTokenState> = None,
        client_info when some: Option<McpOauthClientInfoState> = None,
        token_expires_at when some: Option<f64> = None,
    }
}

/// Scopes in one text, or one by one.
fn scopes() -> &'static Schema {
    &Schema::Nullable(|| {
        &Schema::OneOf(&[
            Branch {
                label: "str",
                schema: String::schema,
            },
            Branch {
                label: "list[str]",
                schema: <Vec<String>>::schema,
            },
        ])
    })
}
