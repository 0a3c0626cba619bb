//! The hooks of a project.

use crate::harness::World;
use crate::recording::recorded;

#[tokio::test]
async fn every_style_of_file_is_read_as_recorded() {
    let world = World::new().await;
    let project = world.path().join("proj");
    let file = project.join(".openhands/hooks.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let texts = [("/ws/proj", project.to_str().unwrap())];
    let exchanges = recorded("hooks");
    let claude = r#"{"hooks": {
        "PreToolUse": [{"matcher": "terminal", "hooks": [{"type": "command", "command": "check.sh", "timeout": 5}]}],
        "Stop": [{"hooks": [{"command": "true"}]}]
    }}"#;
    let flat = r#"{"post_tool_use": [{"hooks": [{"command": "x", "async": true}]}]}"#;
    exchanges[0].check(&world, &texts).await;
    exchanges[1].check(&world, &texts).await;
    for (exchange, content) in exchanges[2..].iter().zip([claude, flat, "{not json", "{}"]) {
        std::fs::write(&file, content).unwrap();
        exchange.check(&world, &texts).await;
    }
    assert_eq!(exchanges.len(), 6);
}
