//! Accounts of this machine, from the system's own files.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use crate::watchdog::User;

/// One line of the password file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Login name.
    pub name: String,
    /// Who its processes run as.
    pub user: User,
    /// Home directory.
    pub home: PathBuf,
    /// Login shell.
    pub shell: PathBuf,
}

impl Account {
    /// The account with this login name, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        Self::find(|account| account.name == name)
    }

    /// The account that this process runs as, if it has one.
    pub fn current() -> Option<Self> {
        let uid = rustix::process::geteuid().as_raw();
        Self::find(|account| account.user.uid == uid)
    }

    /// The variables that a login sets.
    pub fn login_environment(&self) -> [(OsString, OsString); 4] {
        [
            ("HOME".into(), self.home.clone().into()),
            ("USER".into(), self.name.clone().into()),
            ("LOGNAME".into(), self.name.clone().into()),
            ("SHELL".into(), self.shell.clone().into()),
        ]
    }

    // The files are read directly, because a static binary cannot load the system's name services.
    fn find(wanted: impl Fn(&Self) -> bool) -> Option<Self> {
        let passwd = fs::read_to_string("/etc/passwd").ok()?;
        let mut account = passwd.lines().filter_map(parse).find(wanted)?;
        let groups = fs::read_to_string("/etc/group").unwrap_or_default();
        account.user.groups.extend(
            groups
                .lines()
                .filter_map(|line| member_of(line, &account.name)),
        );
        Some(account)
    }
}

/// `name:x:uid:gid:comment:home:shell`.
fn parse(line: &str) -> Option<Account> {
    let mut fields = line.split(':');
    let name = fields.next()?.to_owned();
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    let home = fields.nth(1)?.into();
    let shell = fields.next()?.into();
    Some(Account {
        name,
        user: User {
            uid,
            gid,
            groups: vec![gid],
        },
        home,
        shell,
    })
}

/// The id of the group in `name:x:gid:member,member`, if the account is a member.
fn member_of(line: &str, name: &str) -> Option<u32> {
    let mut fields = line.split(':').skip(2);
    let gid = fields.next()?.parse().ok()?;
    fields
        .next()?
        .split(',')
        .any(|member| member == name)
        .then_some(gid)
}

#[cfg(test)]
#[path = "account_tests.rs"]
mod tests;
