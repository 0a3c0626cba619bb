use super::*;
use pretty_assertions::assert_eq;

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

async fn loaded(home: &Path) -> Loaded {
    load_user(&UserDirectories {
        home: Some(home.to_owned()),
        persistence: home.join(".openhands"),
    })
    .await
}

fn contents(loaded: &Loaded) -> Vec<(&str, &str)> {
    let skills = loaded.skills.iter();
    skills
        .map(|skill| (skill.name.as_str(), skill.content.as_str()))
        .collect()
}

#[tokio::test]
async fn the_users_directories_come_before_what_is_installed() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write(&home.join(".agents/skills/one.md"), "agents");
    write(&home.join(".openhands/skills/one.md"), "openhands");
    write(&home.join(".openhands/skills/two.md"), "openhands");
    write(&home.join(".openhands/microagents/three.md"), "microagents");
    write(&home.join(".openhands/skills/installed/on/SKILL.md"), "on");
    write(
        &home.join(".openhands/skills/installed/on/guide.md"),
        "no skill",
    );
    write(
        &home.join(".openhands/skills/installed/off/SKILL.md"),
        "off",
    );
    write(
        &home.join(".openhands/skills/installed/unknown/SKILL.md"),
        "unknown",
    );
    write(
        &home.join(".openhands/skills/installed/.installed.json"),
        r#"{"skills": {"on": {"enabled": false}}, "extensions": {"on": {"enabled": true}, "off": {"enabled": false}}}"#,
    );
    let loaded = loaded(home).await;
    assert_eq!(
        contents(&loaded),
        [
            ("one", "agents"),
            ("two", "openhands"),
            ("three", "microagents"),
            ("on", "on"),
            ("unknown", "unknown")
        ]
    );
    assert_eq!(loaded.warnings, []);
}

#[tokio::test]
async fn a_link_from_one_directory_to_the_other_is_loaded_once() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write(&home.join(".openhands/skills/one.md"), "one");
    write(
        &home.join(".openhands/skills/installed/off/SKILL.md"),
        "off",
    );
    write(
        &home.join(".openhands/skills/installed/.installed.json"),
        r#"{"extensions": {"off": {"enabled": false}}}"#,
    );
    std::fs::create_dir(home.join(".agents")).unwrap();
    std::os::unix::fs::symlink(home.join(".openhands/skills"), home.join(".agents/skills"))
        .unwrap();
    let loaded = loaded(home).await;
    assert_eq!(contents(&loaded), [("one", "one")]);
    assert_eq!(loaded.warnings, []);
}

#[tokio::test]
async fn a_broken_record_turns_nothing_off() {
    let home = tempfile::tempdir().unwrap();
    let installed = home.path().join(".openhands/skills/installed");
    write(&installed.join("on/SKILL.md"), "on");
    write(&installed.join(".installed.json"), "{");
    assert_eq!(contents(&loaded(home.path()).await), [("on", "on")]);
}

#[tokio::test]
async fn a_user_without_directories_has_no_skills() {
    let directories = UserDirectories {
        home: None,
        persistence: "/nowhere/at/all".into(),
    };
    assert_eq!(load_user(&directories).await, Loaded::default());
}
