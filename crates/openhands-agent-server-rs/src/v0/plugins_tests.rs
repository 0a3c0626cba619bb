use super::*;
use crate::config::Environment;
use crate::v0::command::ActionServerArgs;
use clap::Parser;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    args: ActionServerArgs,
}

fn settings(line: &[&str]) -> Settings {
    let line = Line::parse_from(["action-server", "0"].iter().chain(line));
    Settings::new(line.args, Environment::new([]), std::path::Path::new("/")).unwrap()
}

#[tokio::test]
async fn an_unknown_plugin_is_an_error() {
    let error = Plugins::start(&settings(&["--plugins", "agent_skills", "nope"]))
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "Plugin nope not found");
}

#[tokio::test]
async fn no_plugins_are_no_work() {
    let plugins = Plugins::start(&settings(&["--plugins"])).await.unwrap();
    assert!(plugins.ipython().is_none());
    assert_eq!(plugins.connection_token(), None);
    plugins.stop().await;
}

#[tokio::test]
async fn names_in_the_table_are_those_of_the_plugins() {
    for (name, make) in TABLE {
        let plugin = make(&settings(&["--username", "nobody"])).unwrap();
        assert_eq!(plugin.name(), *name);
    }
}

#[tokio::test]
async fn a_jupyter_without_ipykernel_says_what_to_install() {
    let error = Plugins::start(&settings(&["--username", "nobody", "--plugins", "jupyter"]))
        .await
        .unwrap_err();
    let error = format!("{error:#}");
    assert!(error.contains("pip install ipykernel"), "{error}");
}
