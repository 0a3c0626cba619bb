use pretty_assertions::assert_eq;

use super::*;

async fn read(files: &[(&str, &str)]) -> Limits {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Limits::read_from(root.path()).await
}

#[tokio::test]
async fn limits_are_read_from_both_versions() {
    let second = read(&[
        ("memory.max", "1073741824\n"),
        ("memory.current", "5000\n"),
        ("cpu.max", "150000 100000\n"),
        ("pids.max", "max\n"),
        ("pids.current", "12\n"),
    ])
    .await;
    let expected = Limits {
        memory_bytes: Some(1_073_741_824),
        memory_used_bytes: Some(5000),
        cpus: Some(1.5),
        processes: None,
        processes_used: Some(12),
    };
    assert_eq!(second, expected);
    let first = read(&[
        ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ("cpu/cpu.cfs_quota_us", "-1\n"),
        ("cpu/cpu.cfs_period_us", "100000\n"),
        ("pids/pids.max", "100\n"),
    ])
    .await;
    let expected = Limits {
        processes: Some(100),
        ..Limits::default()
    };
    assert_eq!(first, expected);
    assert_eq!(
        read(&[("cpu.max", "max 100000\n")]).await,
        Limits::default()
    );
    assert_eq!(read(&[]).await, Limits::default());
}
