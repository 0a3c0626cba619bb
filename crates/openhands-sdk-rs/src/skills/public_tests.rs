use super::*;
use pretty_assertions::assert_eq;
use std::process::Command;
use tempfile::TempDir;

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A repository with three skills, of which the default list has two.
struct Remote {
    directory: TempDir,
}

impl Remote {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().join("remote");
        write(&at.join("skills/pdf/SKILL.md"), "first");
        write(&at.join("skills/old.md"), "---\ntriggers: [old]\n---\nold");
        write(&at.join("skills/unlisted/SKILL.md"), "unlisted");
        write(
            &at.join(DEFAULT_MARKETPLACE),
            r#"{"name": "d", "plugins": [{"name": "pdf"}, {"name": "old"}, {"name": "missing"}, {"name": "../remote"}]}"#,
        );
        git(&at, &["init", "--quiet", "."]);
        let remote = Self { directory };
        remote.commit("first");
        remote
    }

    fn at(&self) -> PathBuf {
        self.directory.path().join("remote")
    }

    fn checkout(&self) -> PathBuf {
        self.directory.path().join("cache/skills/public-skills")
    }

    fn commit(&self, pdf: &str) {
        write(&self.at().join("skills/pdf/SKILL.md"), pdf);
        git(&self.at(), &["add", "--all"]);
        git(
            &self.at(),
            &["commit", "--quiet", "--allow-empty", "--message", pdf],
        );
    }

    fn skills(&self, git_ref: &str) -> PublicSkills {
        let repository = Repository {
            url: format!("file://{}", self.at().display()),
            git_ref: git_ref.to_owned(),
            checkout: self.checkout(),
        };
        PublicSkills::new(PublicSource::Git(repository), &env())
    }
}

fn env() -> Vec<(String, String)> {
    vec![("PATH".to_owned(), "/usr/bin:/bin:/usr/local/bin".to_owned())]
}

async fn load(skills: &PublicSkills) -> Loaded {
    skills
        .load(Some(DEFAULT_MARKETPLACE), &CancellationToken::new())
        .await
}

fn contents(loaded: &Loaded) -> Vec<(&str, &str)> {
    let skills = loaded.skills.iter();
    skills
        .map(|skill| (skill.name.as_str(), skill.content.as_str()))
        .collect()
}

#[tokio::test]
async fn what_is_listed_is_loaded() {
    let remote = Remote::new();
    let skills = remote.skills("main");
    let loaded = load(&skills).await;
    assert_eq!(contents(&loaded), [("pdf", "first"), ("skills/old", "old")]);
    assert_eq!(loaded.warnings, []);
    let all = skills.load(None, &CancellationToken::new()).await;
    assert_eq!(
        contents(&all),
        [
            ("skills/old", "old"),
            ("pdf", "first"),
            ("unlisted", "unlisted")
        ]
    );
    let other = skills
        .load(Some("marketplaces/none.json"), &CancellationToken::new())
        .await;
    assert_eq!(other.skills, []);
    assert!(
        other.warnings[0]
            .to_string()
            .ends_with("marketplaces/none.json: there is no such list")
    );
    let outside = skills
        .load(Some("../x.json"), &CancellationToken::new())
        .await;
    assert!(
        outside.warnings[0]
            .problem
            .contains("inside its repository")
    );
}

#[tokio::test]
async fn a_branch_is_asked_again_after_a_minute() {
    let remote = Remote::new();
    let skills = remote.skills("main");
    assert_eq!(contents(&load(&skills).await)[0], ("pdf", "first"));
    remote.commit("second");
    assert_eq!(contents(&load(&skills).await)[0], ("pdf", "first"));
    skills
        .kept
        .lock()
        .values_mut()
        .for_each(|kept| kept.until = Some(Instant::now()));
    assert_eq!(contents(&load(&skills).await)[0], ("pdf", "second"));
}

#[tokio::test]
async fn sync_does_not_wait_for_the_minute() {
    let remote = Remote::new();
    let skills = remote.skills("main");
    load(&skills).await;
    remote.commit("second");
    skills.sync(&CancellationToken::new()).await.unwrap();
    assert_eq!(contents(&load(&skills).await)[0], ("pdf", "second"));
}

#[tokio::test]
async fn a_tag_or_a_commit_is_asked_once() {
    let remote = Remote::new();
    git(&remote.at(), &["tag", "v1"]);
    let commit = git(&remote.at(), &["rev-parse", "HEAD"]);
    for git_ref in ["v1", commit.as_str()] {
        let skills = remote.skills(git_ref);
        assert_eq!(contents(&load(&skills).await)[0], ("pdf", "first"));
        assert!(
            skills.kept.lock().values().all(|kept| kept.until.is_none()),
            "{git_ref}"
        );
    }
}

#[tokio::test]
async fn offline_the_last_checkout_is_used() {
    let remote = Remote::new();
    load(&remote.skills("main")).await;
    std::fs::rename(remote.at(), remote.directory.path().join("gone")).unwrap();
    let skills = remote.skills("main");
    let loaded = load(&skills).await;
    assert_eq!(contents(&loaded)[0], ("pdf", "first"));
    assert_eq!(loaded.warnings.len(), 1);
    assert!(loaded.warnings[0].problem.starts_with("git fetch failed: "));
    assert!(skills.sync(&CancellationToken::new()).await.is_err());
}

#[tokio::test]
async fn offline_without_a_checkout_there_are_none_and_nothing_is_left_behind() {
    let remote = Remote::new();
    std::fs::rename(remote.at(), remote.directory.path().join("gone")).unwrap();
    let loaded = load(&remote.skills("main")).await;
    assert_eq!(loaded.skills, []);
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    let parent = remote.checkout();
    assert_eq!(
        std::fs::read_dir(parent.parent().unwrap()).unwrap().count(),
        0
    );
}

#[tokio::test]
async fn a_reference_that_is_an_option_is_refused() {
    let remote = Remote::new();
    let loaded = load(&remote.skills("--upload-pack=touch x")).await;
    assert!(
        loaded.warnings[0]
            .problem
            .contains("no address or reference of git")
    );
}

#[tokio::test]
async fn many_at_once_fetch_once_and_agree() {
    let remote = Remote::new();
    let skills = remote.skills("main");
    let loads = (0..8).map(|_| load(&skills));
    let all = futures_util::future::join_all(loads).await;
    assert!(
        all.iter()
            .all(|loaded| contents(loaded)[0] == ("pdf", "first"))
    );
}

#[tokio::test]
async fn a_local_copy_needs_no_git() {
    let remote = Remote::new();
    std::fs::remove_dir_all(remote.at().join(".git")).unwrap();
    let skills = PublicSkills::new(PublicSource::Directory(remote.at()), &[]);
    assert_eq!(contents(&load(&skills).await)[0], ("pdf", "first"));
    skills.sync(&CancellationToken::new()).await.unwrap();
    std::fs::remove_file(remote.at().join(DEFAULT_MARKETPLACE)).unwrap();
    let all = PublicSkills::new(PublicSource::Directory(remote.at()), &[]);
    assert_eq!(load(&all).await.skills.len(), 3);
}
