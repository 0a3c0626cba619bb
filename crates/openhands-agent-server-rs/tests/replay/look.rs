//! What a recording saw on the disk or inside an archive.

use std::path::Path;

use serde_json::{Value, json};

use crate::http::Request;
use crate::stage::Stage;

/// Compares an entry that is not an exchange.
pub(crate) async fn compare(stage: &mut Stage, number: usize, entry: &Value) {
    let name = stage.name.strip_prefix("services/").unwrap().to_owned();
    let store = stage.at("/home/user").join(".openhands");
    let ours = match (name.as_str(), number) {
        ("bash-start-stop-search", 28) => bash_events(stage.at("/srv")),
        ("conversation-runtime", 8) => {
            let conversations = stage.at("/srv").join("workspace/conversations");
            json!({"entries": names(&conversations.join("11111111111141118111111111111111"))})
        }
        ("conversation-runtime", 22) => trajectory(stage).await,
        ("file-archive", 2) => archive(stage).await,
        ("no-secret-key", 7) => json!({
            "settings_api_key": read(&store.join("settings.json"))["agent_settings"]["llm"]["api_key"],
            "secrets": read(&store.join("secrets.json")),
            "profile_api_key": read(&store.join("profiles/p.json"))["api_key"],
        }),
        ("profiles", 21) => json!({
            "files": names(&store.join("profiles")),
            "content": read(&store.join("profiles/quick.json")),
        }),
        ("agent-profiles", 26) => json!({
            "files": names(&store.join("agent-profiles")),
            "content": read(&store.join("agent-profiles/acp1.json")),
        }),
        ("settings-get-patch", 24) => {
            let settings = read(&store.join("settings.json"));
            let keys: Vec<&String> = settings
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::keys)
                .collect();
            json!({"keys": keys, "llm": settings["agent_settings"]["llm"], "full": settings})
        }
        ("settings-secrets", 14) => json!({"content": read(&store.join("secrets.json"))}),
        ("workspaces", 10) => workspaces(stage.at("/srv")),
        other => panic!("{other:?} is not known"),
    };
    let mut recorded = entry.clone();
    recorded.as_object_mut().unwrap().remove("note");
    let (recorded, ours) = (sorted(&recorded), sorted(&ours));
    stage
        .comparison
        .value(&format!("#{number} seen"), &recorded, &ours);
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The names in a directory, in order.
fn names(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn bash_events(srv: &Path) -> Value {
    let dir = srv.join("workspace/bash_events");
    let files = names(&dir);
    let first = files
        .first()
        .map(|first| dir.join(first))
        .unwrap_or_default();
    let raw = std::fs::read_to_string(&first).unwrap_or_default();
    json!({"files": files, "content": read(&first), "raw": raw})
}

fn workspaces(srv: &Path) -> Value {
    use std::os::unix::fs::PermissionsExt;
    let path = srv.join("workspace/.openhands/workspaces.json");
    let mode = std::fs::metadata(&path).map_or(0, |data| data.permissions().mode() & 0o777);
    json!({
        "path": "<parent of conversations_path>/.openhands/workspaces.json",
        "mode": format!("{mode:o}"),
        "content": read(&path),
    })
}

/// The members of a trajectory. How many events there are depends on what was said before.
async fn trajectory(stage: &Stage) -> Value {
    let id = "11111111-1111-4111-8111-111111111111";
    let path = format!("/api/conversations/{id}/file/download-trajectory/{id}");
    let answer = stage.send(&Request::new("GET", &path)).await;
    let zip = stage.at("/scratch").join("trajectory.zip");
    std::fs::write(&zip, &answer.body).unwrap();
    let headers: serde_json::Map<String, Value> = answer
        .headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "date" | "server" | "connection"))
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let listed = stage.run(
        "python3 -c 'import json, sys, zipfile; print(json.dumps(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))' $SCRATCH/trajectory.zip",
    );
    let members: Value = serde_json::from_str(&listed).unwrap();
    json!({"headers": headers, "members": members})
}

/// The members of an archive of the clone, and its manifest.
async fn archive(stage: &Stage) -> Value {
    let path = stage.to_ours("/ws/g/clone");
    let request = Request::new(
        "GET",
        &format!("/api/file/archive?path={path}&format=tar.gz"),
    );
    let answer = stage.send(&request).await;
    std::fs::write(stage.at("/scratch").join("clone.tar.gz"), &answer.body).unwrap();
    let script = "
import json, os, tarfile
archive = tarfile.open(os.environ[\"SCRATCH\"] + \"/clone.tar.gz\")
members = [[m.name, m.type.decode(), m.size] for m in archive.getmembers()]
manifest = json.load(archive.extractfile(\"clone/archive_manifest.json\"))
print(json.dumps({\"members\": members, \"manifest\": manifest}))
";
    let listed = stage.run(&format!("python3 - <<'END'\n{script}END\n"));
    serde_json::from_str(&listed).unwrap()
}

/// Members of archives in any order, and without the events and the lease of a conversation.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.get_mut("members").and_then(Value::as_array_mut) {
        members.retain(|member| !member.as_str().unwrap_or_default().contains("/events/"));
        members.sort_by_key(ToString::to_string);
    }
    value
}
