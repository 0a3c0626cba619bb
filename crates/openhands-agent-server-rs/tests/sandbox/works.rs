//! Conversations that work in containers as they would here.

use std::process::Command;

use serde_json::json;

use crate::docker::docker;
use crate::model::{Answer, runs};
use crate::world::{World, observed, read};

fn git(directory: &std::path::Path, arguments: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_made_here_by_processes_that_run_there() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let edited = world.project().join("edited.txt");
    let events = world
        .act(
            &id,
            [
                runs("cd .. && cd - && hostname && pwd && echo made > made.txt && export KEPT=here"),
                Answer::Calls("file_editor", json!({"command": "create", "path": edited, "file_text": "by the editor\n", "security_risk": "LOW", "summary": "write a file"})),
                runs("echo the shell is still $KEPT; cat edited.txt"),
                Answer::Says("Done."),
            ],
        )
        .await;
    let seen = observed(&events);
    let container = world.container();
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &container]);
    assert!(seen[0].contains(&hostname), "{seen:?}");
    assert!(
        seen[0].contains(world.project().to_str().unwrap()),
        "{seen:?}"
    );
    assert!(seen[2].contains("the shell is still here"), "{seen:?}");
    assert!(seen[2].contains("by the editor"), "{seen:?}");
    assert_eq!(read(&world.project().join("made.txt")), "made\n");
    assert_eq!(read(&edited), "by the editor\n");
    // Git was set up inside, and the log is outside.
    assert!(world.project().join(".git").is_dir());
    let log = world.directory.path().join("srv/workspace/conversations");
    let inside = docker(&[
        "exec",
        &container,
        "sh",
        "-c",
        &format!("find {} -name 'event-*' 2>/dev/null; true", log.display()),
    ]);
    assert_eq!(inside, "", "the event log is seen inside");
    let (_, info) = world.get(&format!("/api/conversations/{id}")).await;
    assert_eq!(info["runtime_info"]["runtime_status"], "available");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_output_and_task_lists_are_kept_where_both_sides_see_them() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let events = world
        .act(
            &id,
            [
                runs("seq 1 20000"),
                Answer::Calls("task_tracker", json!({"command": "plan", "task_list": [{"title": "one", "notes": "", "status": "todo"}], "security_risk": "LOW", "summary": "plan"})),
                Answer::Says("Done."),
            ],
        )
        .await;
    assert_eq!(observed(&events).len(), 2);
    let kept = world
        .directory
        .path()
        .canonicalize()
        .unwrap()
        .join("srv/workspace/conversations")
        .join(id.replace('-', ""));
    let observations = kept.join("observations");
    let mut saved: Vec<_> = std::fs::read_dir(&observations)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    let saved = saved.pop().expect("the whole output is kept");
    let asked = serde_json::to_string(&world.model.asked()).unwrap();
    assert!(
        asked.contains(saved.to_str().unwrap()),
        "the model is told where"
    );
    assert!(read(&kept.join("sandbox/TASKS.json")).contains("one"));
    // The agent can read it there, and not change what the server writes.
    let tried = format!(
        "tail -n 3 {0} | head -n 1; echo x > {1}/x; echo code $?",
        saved.display(),
        observations.display()
    );
    let events = world.act(&id, [runs(&tried), Answer::Says("Done.")]).await;
    let seen = observed(&events).join("\n");
    assert!(
        seen.contains("Read-only file system") && seen.contains("code 1"),
        "{seen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worktree_is_made_inside_and_its_hooks_run_there() {
    let Some(world) = World::start().await else {
        return;
    };
    let project = world.project();
    git(&project, &["init", "-q", "-b", "main"]);
    std::fs::write(project.join("a.txt"), "first\n").unwrap();
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "first"]);
    // A repository may name programs: they must run in the container.
    let hook = project.join(".git/hooks/post-checkout");
    std::fs::write(&hook, "#!/bin/sh\nhostname > hooked.txt\n").unwrap();
    Command::new("chmod")
        .args(["+x", hook.to_str().unwrap()])
        .status()
        .unwrap();
    let mut request = world.start_request();
    request["worktree"] = json!(true);
    let (status, info) = world.post("/api/conversations", &request).await;
    assert_eq!(status, 201, "{info}\n{}", world.log());
    let id = info["id"].as_str().unwrap().to_owned();
    let tree = std::path::PathBuf::from(info["workspace"]["working_dir"].as_str().unwrap());
    assert!(
        tree.starts_with(world.directory.path().join("worktrees")),
        "{info}"
    );
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &world.container()]);
    assert_eq!(read(&tree.join("hooked.txt")).trim(), hostname);
    let commands = "git config user.name t && git config user.email t@example.org && echo second > a.txt && git commit -q -am second && git log --oneline | cat";
    let events = world
        .act(&id, [runs(commands), Answer::Says("Done.")])
        .await;
    assert!(
        observed(&events)[0].contains("second"),
        "{:?}",
        observed(&events)
    );
    // The work is in the repository, on its branch; the original workspace is as it was.
    let branch = format!("openhands/{id}");
    assert_eq!(
        git(&project, &["log", "-1", "--format=%s", &branch]),
        "second"
    );
    assert_eq!(read(&project.join("a.txt")), "first\n");
    let (status, _) = world
        .send(world.request(reqwest::Method::DELETE, &format!("/api/conversations/{id}")))
        .await;
    assert_eq!(status, 200);
    assert!(!tree.exists(), "the worktree is removed");
    assert!(world.containers().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn project_skills_and_hooks_are_read_and_run_inside() {
    let Some(world) = World::start().await else {
        return;
    };
    let project = world.project();
    std::fs::write(
        project.join("AGENTS.md"),
        "The word of the project is quince.",
    )
    .unwrap();
    let mut request = world.start_request();
    request["agent"]["agent_context"] = json!({"load_project_skills": true});
    request["hook_config"] = json!({"pre_tool_use": [{"matcher": "*", "hooks": [{"type": "command", "command": "hostname >> hooked.txt"}]}]});
    let id = world.converse_as(&request).await;
    world.act(&id, [runs("true"), Answer::Says("Done.")]).await;
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &world.container()]);
    assert_eq!(read(&project.join("hooked.txt")).trim(), hostname);
    let asked = serde_json::to_string(&world.model.asked()).unwrap();
    assert!(
        asked.contains("quince"),
        "the project's own words are told to the model"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn forks_and_sub_agents_work() {
    let Some(world) = World::start().await else {
        return;
    };
    let mut request = world.start_request();
    request["agent"]["tools"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "task_tool_set"}));
    let id = world.converse_as(&request).await;
    // The sub-agent shares the container of its parent.
    let events = world
        .act(
            &id,
            [
                Answer::Calls("task", json!({"description": "look", "prompt": "Run hostname.", "subagent_type": "general-purpose", "security_risk": "LOW", "summary": "delegate"})),
                runs("hostname > sub.txt"),
                Answer::Says("The sub-agent is done."),
                Answer::Says("Done."),
            ],
        )
        .await;
    assert!(
        observed(&events).join(" ").contains("sub-agent is done"),
        "{events:#?}"
    );
    let container = world.container();
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &container]);
    assert_eq!(read(&world.project().join("sub.txt")).trim(), hostname);
    // A fork has a container of its own.
    let (status, fork) = world
        .post(&format!("/api/conversations/{id}/fork"), &json!({}))
        .await;
    assert_eq!(status, 201, "{fork}");
    let fork = fork["id"].as_str().unwrap().to_owned();
    world
        .act(&fork, [runs("hostname > fork.txt"), Answer::Says("Done.")])
        .await;
    assert_ne!(read(&world.project().join("fork.txt")).trim(), hostname);
    assert_eq!(world.containers().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_can_be_switched() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world
        .act(&id, [runs("export KEPT=here"), Answer::Says("Done.")])
        .await;
    let llm = json!({"llm": {"model": "openai/other", "base_url": world.model.url, "num_retries": 0, "usage_id": "other"}});
    let (status, said) = world
        .post(&format!("/api/conversations/{id}/switch_llm"), &llm)
        .await;
    assert_eq!(status, 200, "{said}");
    let events = world
        .act(&id, [runs("echo still $KEPT"), Answer::Says("Done.")])
        .await;
    assert!(
        observed(&events)[0].contains("still here"),
        "{:?}",
        observed(&events)
    );
    let asked = world.model.asked();
    assert_eq!(asked.last().unwrap()["model"], "other");
    assert_eq!(world.containers().len(), 1);
}

/// An MCP server in a few lines of bash: the image has nothing else.
pub(crate) const SERVER: &str = r#"
while read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  [ -n "$id" ] || continue
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"where","description":"Where it runs","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"'"$(hostname) $GREETING $PWD"'"}]}' ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_mcp_server_that_is_marked_for_the_sandbox_runs_there() {
    let Some(world) = World::start().await else {
        return;
    };
    std::fs::write(world.project().join("server.sh"), SERVER).unwrap();
    let mut request = world.start_request();
    let server = json!({"command": "bash", "args": ["server.sh"], "env": {"GREETING": "hello"}, "sandbox": true});
    request["agent"]["mcp_config"] = json!({"inner": server});
    let id = world.converse_as(&request).await;
    let events = world
        .act(
            &id,
            [
                Answer::Calls("where", json!({"security_risk": "LOW", "summary": "ask"})),
                Answer::Says("Done."),
            ],
        )
        .await;
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &world.container()]);
    let seen = observed(&events).join("\n");
    let expected = format!("{hostname} hello {}", world.project().display());
    assert!(seen.contains(&expected), "{seen}\n{events:#?}");
}
