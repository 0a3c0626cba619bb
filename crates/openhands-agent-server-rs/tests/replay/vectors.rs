//! Secrets that the recorded server sealed can be read with the same key: `fernet-vectors`.

use serde_json::json;

use crate::http::Request;
use crate::recording;
use crate::services::at_path;
use crate::stage::Stage;

const NAME: &str = "services/fernet-vectors";

pub(crate) async fn replay() {
    let mut stage = Stage::new(NAME).await;
    let recording = recording::raw(NAME);
    assert_eq!(
        recording["secret_key"], "h2secret",
        "the key that the server has"
    );
    let store = stage.at("/home/user").join(".openhands");
    std::fs::create_dir_all(store.join("profiles")).unwrap();
    for vector in recording["vectors"].as_array().unwrap() {
        let place = vector["where"].as_str().unwrap();
        let (file, member) = place.split_once(' ').unwrap();
        let token = &vector["token"];
        let (content, path, at) = match member {
            "agent_settings.llm.api_key" => (
                json!({"schema_version": 6, "agent_settings": {"schema_version": 9, "agent_kind": "openhands", "llm": {"model": "openai/x", "api_key": token}}}),
                "/api/settings",
                "agent_settings.llm.api_key",
            ),
            "api_key" => (
                json!({"model": "openai/x", "api_key": token}),
                "/api/profiles/quick",
                "config.api_key",
            ),
            other => panic!("{other}?"),
        };
        std::fs::write(store.join(file), content.to_string()).unwrap();
        let request = Request::new("GET", path).header("X-Expose-Secrets", "plaintext");
        let answer = stage.send(&request).await;
        stage
            .comparison
            .value(place, &vector["plaintext"], &at_path(&answer.value(), at));
    }
    stage.end();
}
