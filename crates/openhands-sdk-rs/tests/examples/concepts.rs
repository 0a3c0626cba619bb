//! One example for each concept of the SDK.

use pretty_assertions::assert_eq;

use crate::play::play;

async fn shows(name: &str, lines: &[&str]) {
    let played = play(name, &[], &[]).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    played.shows(lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_the_program_is_called_and_its_error_read() {
    shows(
        "custom_tool",
        &[
            "the tool: took 8, 2 are left",
            "the agent: I have eight bolts. Of the other four there are only two.",
            "left in stock: 2",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn risky_actions_wait_and_a_rejected_one_never_runs() {
    shows(
        "confirmation",
        &[
            "it wants to run `rm -rf *` (risk HIGH)",
            "no: it does not say what",
            "it wants to run `rm -rf cache` (risk HIGH)",
            "yes",
            "the agent: The cache is gone, your notes are not.",
            "left: [\"notes.txt\"]",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_and_output_arrive_while_they_are_made() {
    let played = play("streaming", &[], &[]).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    played.shows(&[
        "I count slowly, so that you can watch.",
        "[terminal begins]",
        "count 1",
        "count 3",
        "[terminal ended]",
        "There you are: three numbers, each shown the moment it was printed.",
    ]);
    assert!(!played.text.contains(" and 0 of output"), "{}", played.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_tools_is_started_and_asked() {
    shows(
        "mcp",
        &[
            "tools: finish, think, high_water",
            "call: high_water {\"port\": \"Husum\"}",
            "answer: [Tool 'high_water' executed.]14:20",
            "the agent: High water in Husum is at 14:20.",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_come_up_in_the_prompt_by_a_word_and_by_a_path() {
    shows(
        "skills",
        &[
            "AGENTS.md is in the system prompt: true",
            "the message brought up: release",
            "| Releases are cut on Tuesdays, from the branch `stable`.",
            "the path brought up:",
            "| Documentation uses short sentences.",
            "the agent: The page is written.",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_is_summed_up_and_kept() {
    let played = play("condenser", &[], &[]).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    let summaries = played.text.matches("events gave way to").count();
    assert!(summaries >= 1, "{}", played.text);
    played.shows(&[
        "default: 13 calls",
        &format!("condenser: {summaries} calls"),
        "the agent: All twelve steps are done.",
    ]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_loses_nothing_and_the_next_one_goes_on() {
    shows(
        "resume",
        &[
            "it was killed: signal: 9 (SIGKILL)",
            "call: {\"command\": \"echo one half > work.txt; cat work.txt; sleep 600\"}",
            "answer: one half",
            "the other half",
            "the agent: Both halves are there.",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sub_agents_answer_their_parent() {
    shows(
        "subagents",
        &[
            "counter, completed: a.txt has 3 words",
            "counter, completed: b.txt has 2 words",
            "the agent: Together the files have five words.",
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_work_beside_each_other() {
    let played = play("parallel", &["4"], &[]).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    let last = played.text.lines().last().unwrap();
    assert!(last.starts_with("4 of 4 conversations"), "{}", played.text);
}
