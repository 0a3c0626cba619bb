//! The recorded exchanges of the reference, played against a real server process.
//!
//! Each recording is a test. A server is started as the recording needs it, a scripted model stands in for the language
//! model, the recorded requests and frames are sent in their order, and all that comes back is compared. Where ours differs
//! on purpose stands in `differences.rs`.
//!
//! The same can be played against the reference itself, which shows that the player is right:
//!
//! ```sh
//! REPLAY_BASE_CMD="$(tests/reference/install) -m openhands.agent_server" cargo nextest run -p openhands-agent-server-rs --test replay
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    // Scenes are long and alike.
    clippy::too_many_lines,
    clippy::format_push_string,
    clippy::match_same_arms,
    clippy::struct_field_names,
    clippy::unused_self
)]

mod bash_sockets;
mod client;
mod compare;
mod core_parts;
mod crash;
mod crowd;
mod differences;
mod doors;
mod hooks;
mod http;
mod kill;
mod load;
mod look;
mod model;
mod part;
mod play;
mod recording;
mod scenes;
mod server;
mod service_parts;
mod services;
mod socket;
mod stage;
mod stop;
mod vectors;
mod watch;
mod webhooks;

macro_rules! core {
    ($($test:ident: $name:literal,)*) => {
        mod core {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    crate::play::replay(concat!("core/", $name)).await;
                }
            )*

            #[tokio::test(flavor = "multi_thread")]
            async fn crash_recovery() {
                crate::crash::replay().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn sigterm() {
                crate::stop::replay().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn webhooks() {
                crate::webhooks::replay().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn remote_conversation_calls() {
                crate::client::replay().await;
            }
        }
    };
}

core! {
    plain_message: "01_plain_message",
    tool_turn: "02_tool_turn",
    parallel_tools: "03_parallel_tools",
    tool_errors: "04_tool_errors",
    finish_and_think: "05_finish_and_think",
    stuck: "06_stuck",
    max_iterations: "07_max_iterations",
    llm_error_500: "08_llm_error_500",
    llm_error_401: "09_llm_error_401",
    llm_error_context: "10_llm_error_context",
    empty_response: "11_empty_response",
    streaming: "12_streaming",
    confirmation_reject: "20_confirmation_reject",
    pause_resume: "21_pause_resume",
    interrupt: "22_interrupt",
    interrupt_tool: "23_interrupt_tool",
    message_while_running: "24_message_while_running",
    run_when_idle_without_message: "25_run_when_idle_without_message",
    initial_message: "26_initial_message",
    socket_send: "27_ws_send",
    resend: "28_resend",
    rest_edges: "30_rest_edges",
    live_updates: "31_live_updates",
    more_edges: "32_more_edges",
    error_nudge_and_stuck: "33_error_nudge_and_stuck",
    context_error_with_condenser: "34_context_error_with_condenser",
    condense_manual: "40_condense_manual",
    condense_auto: "41_condense_auto",
    fork_navigate: "42_fork_navigate",
    goal: "43_goal",
    children: "44_children",
    autotitle: "45_autotitle",
    client_tools: "46_client_tools",
    secrets: "47_secrets",
    security_analyzer: "48_security_analyzer",
    hooks: "49_hooks",
    socket_errors: "50_ws_errors",
    bash_socket: "51_bash_socket",
    auth: "61_auth",
    capacity: "63_capacity_429",
    deferred_init: "65_deferred_init",
    session_socket: "70_session_socket",
}

macro_rules! services {
    ($($test:ident: $name:literal,)*) => {
        mod service {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    crate::services::replay(concat!("services/", $name)).await;
                }
            )*

            #[tokio::test(flavor = "multi_thread")]
            async fn fernet_vectors() {
                crate::vectors::replay().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn bash_socket_auth() {
                crate::bash_sockets::keys().await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn bash_socket() {
                crate::bash_sockets::frames().await;
            }
        }
    };
}

services! {
    agent_profiles: "agent-profiles",
    auth: "auth",
    bash_chunking: "bash-chunking",
    bash_execute: "bash-execute",
    bash_start_stop_search: "bash-start-stop-search",
    conversation_runtime: "conversation-runtime",
    file_archive: "file-archive",
    file_archive_nested: "file-archive-nested",
    file_directories: "file-directories",
    file_upload_download: "file-upload-download",
    git_changes_diff: "git-changes-diff",
    git_commits: "git-commits",
    git_no_repo_and_empty: "git-no-repo-and-empty",
    git_remote_base: "git-remote-base",
    hooks: "hooks",
    init_deferred: "init-deferred",
    init_not_deferred: "init-not-deferred",
    init_open: "init-open",
    llm_catalog: "llm-catalog",
    llm_catalog_full: "llm-catalog-full",
    mcp_test: "mcp-test",
    no_secret_key: "no-secret-key",
    profiles: "profiles",
    profiles_validate: "profiles-validate",
    provider_connections: "provider-connections",
    runtime_symlink: "runtime-symlink",
    server_details: "server-details",
    settings_get_patch: "settings-get-patch",
    settings_mcp: "settings-mcp",
    settings_schemas: "settings-schemas",
    settings_secrets: "settings-secrets",
    skills_list: "skills-list",
    sub_agents: "sub-agents",
    tools: "tools",
    validation_redaction: "validation-redaction",
    vscode: "vscode",
    workspace_files: "workspace-files",
    workspaces: "workspaces",
}
