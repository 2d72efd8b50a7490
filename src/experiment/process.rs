//! Process groups: a job or a command with all its descendants can be ended at once.

use std::process::{Child, Command};

/// Gives a process a group of its own, so that a Ctrl-C on the terminal reaches the supervisor only
/// and the whole group can be ended.
#[cfg(unix)]
pub fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Outside Unix there are no process groups.
#[cfg(not(unix))]
pub fn own_group(_: &mut Command) {}

/// Ends the group of a process that was not waited for yet.
#[cfg(unix)]
pub fn end_group(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let ended = group.map(|group| rustix::process::kill_process_group(group, rustix::process::Signal::KILL));
    if !matches!(ended, Some(Ok(()))) {
        let _ = child.kill();
    }
}

/// Outside Unix only the process itself ends.
#[cfg(not(unix))]
pub fn end_group(child: &mut Child) {
    let _ = child.kill();
}

/// The group that the calling process leads, and therefore owns.
#[derive(Clone, Copy, Debug)]
pub struct OwnGroup {
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "other systems do not list processes"))]
    leader: i32,
}

impl OwnGroup {
    /// Returns the group of this process; `None` if another process leads it.
    #[cfg(unix)]
    pub fn find() -> Option<OwnGroup> {
        let (group, own) = (rustix::process::getpgrp(), rustix::process::getpid());
        (group == own).then(|| OwnGroup { leader: own.as_raw_nonzero().get() })
    }

    /// Outside Unix there are no process groups.
    #[cfg(not(unix))]
    pub fn find() -> Option<OwnGroup> {
        None
    }

    /// Returns the living processes of the group except for the leader.
    #[cfg(target_os = "linux")]
    pub fn others(self) -> Vec<i32> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            // The name of the program, in brackets, may contain anything.
            let mut fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
            let (state, group) = (fields.next(), fields.nth(1).and_then(|group| group.parse::<i32>().ok()));
            if group == Some(self.leader) && id != self.leader && state != Some("Z") {
                found.push(id);
            }
        }
        found
    }

    /// Other systems do not list processes in files.
    #[cfg(not(target_os = "linux"))]
    pub fn others(self) -> Vec<i32> {
        Vec::new()
    }

    /// Ends all other processes of the group and waits until they are gone, but not forever.
    pub fn end_others(self) {
        // A process may start another between the list and the signal.
        for _ in 0..200 {
            let others = self.others();
            if others.is_empty() {
                return;
            }
            others.into_iter().for_each(end);
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}

#[cfg(unix)]
fn end(process: i32) {
    if let Some(process) = rustix::process::Pid::from_raw(process) {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end(_: i32) {}
