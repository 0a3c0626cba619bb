use pretty_assertions::assert_eq;

use super::*;

fn at(mounts: &str, membership: &str) -> Option<String> {
    own_group(mounts, membership).map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn the_unified_hierarchy_of_a_systemd_host() {
    let mounts = "\
22 28 0:20 / /sys rw,nosuid,nodev - sysfs sysfs rw
30 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate";
    assert_eq!(
        at(mounts, "0::/user.slice/user-1000.slice/session-1.scope\n").unwrap(),
        "/sys/fs/cgroup/user.slice/user-1000.slice/session-1.scope"
    );
}

#[test]
fn the_second_hierarchy_of_a_hybrid_host() {
    let mounts = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";
    let membership = "9:name=systemd:/\n4:memory:/deep/down\n0::/\n";
    assert_eq!(at(mounts, membership).unwrap(), "/sys/fs/cgroup/unified");
}

#[test]
fn a_container_that_sees_only_its_part_of_the_tree() {
    let mounts = "600 599 0:26 /docker/abc /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw";
    assert_eq!(
        at(mounts, "0::/docker/abc/inner\n").unwrap(),
        "/sys/fs/cgroup/inner"
    );
    assert_eq!(at(mounts, "0::/docker/abc\n").unwrap(), "/sys/fs/cgroup");
    assert_eq!(at(mounts, "0::/docker/abcdef\n"), None);
}

#[test]
fn a_cgroup_outside_of_our_namespace_is_not_ours_to_use() {
    let mounts = "600 599 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw";
    assert_eq!(at(mounts, "0::/../sibling\n"), None);
}

#[test]
fn a_mount_point_with_a_space() {
    let mounts = "30 22 0:26 / /my\\040cgroup\\134s rw - cgroup2 none rw";
    assert_eq!(at(mounts, "0::/x\n").unwrap(), "/my cgroup\\s/x");
}

#[test]
fn hosts_without_the_second_version_have_none() {
    assert_eq!(
        at(
            "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
            "4:memory:/\n"
        ),
        None
    );
    assert_eq!(at("", "0::/\n"), None);
    assert_eq!(at("no such line", "0::/\n"), None);
}
