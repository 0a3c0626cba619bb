//! Shell scripts that lay out what lay in the workspace when a recording was made.

/// A repository with two commits, one without any, and a directory that is none.
pub(crate) const REPOSITORIES: &str = r"
mkdir -p g/plain; echo a > g/plain/a
git init -qb main g/empty; echo n > g/empty/new.txt
git init -qb main g/repo; cd g/repo
printf 'line1\nline2\n' > keep.txt
echo bye > del.txt
printf 'same content that is long enough\nto be detected\n' > old.txt
for i in $(seq 0 255); do printf '%b' '\x'$(printf %02x $i); done > bin.dat
printf 'a\nb\n' > crlf.txt
mkdir sub; echo i > sub/in.txt
git add -A; git commit -qm 'first commit'
printf 'line1\nchanged\n' > keep.txt
git commit -qam 'second: change keep'
";

/// Changes of every kind in the work tree of the repository.
pub(crate) const CHANGES: &str = r"
cd g/repo
printf 'line1\nchanged again\n\n' > keep.txt
rm del.txt; git mv old.txt renamed.txt
printf '\x00\xff\xfe' > bin.dat
printf 'a\r\nb\r\n' > crlf.txt
echo in > sub/in.txt
echo '*.ig' > .gitignore; echo x > a.ig
echo u > untracked.txt; mkdir -p untr/dir; echo f > untr/dir/f
";

pub(crate) const BIG_FILE: &str = r"head -c 1048577 /dev/zero | tr '\0' x > g/repo/big.txt";

pub(crate) const ODD_NAMES: &str = r"
cd g/repo; rm big.txt
printf s > 'with space.txt'; printf x > üni.txt
";

pub(crate) const ODD_NAMES_STAGED: &str = "cd g/repo; git add 'with space.txt' üni.txt";

pub(crate) const ODD_NAME_STAGED: &str =
    "cd g/repo; git rm -q --cached 'with space.txt'; rm 'with space.txt'";

pub(crate) const OTHER_TYPE: &str = "cd g/repo; rm sub/in.txt; ln -s ../keep.txt sub/in.txt";

/// The changes as a third commit.
pub(crate) const THIRD_COMMIT: &str =
    "cd g/repo; printf x > üni.txt; git add -A; git commit -qm t3";

/// A clone with a branch of its own, not pushed.
pub(crate) const CLONE: &str = r"
git clone -q --bare g/repo g/remote.git
git clone -q $PWD/g/remote.git g/clone; cd g/clone
git checkout -qb feat; echo z > z.txt; git add z.txt; git commit -qm z
";

pub(crate) const PUSHED: &str = "cd g/clone; git push -q origin feat";

pub(crate) const DIRTY: &str = "cd g/clone; echo dirty >> keep.txt";

/// A repository two levels below a directory that is none.
pub(crate) const NESTED: &str = r"
git init -qb main orgrepo; cd orgrepo; echo r > r.txt; git add -A; git commit -qm r; cd ..
mkdir -p parent1/grp; echo b > parent1/beside.txt
git clone -q $PWD/orgrepo parent1/grp/only; echo n > parent1/grp/only/new.txt
";

pub(crate) const SECOND_NESTED: &str = "git init -qb main parent1/other";

pub(crate) const DIRECTORIES: &str = r"
cd f/d1; mkdir alpha Beta gamma .hid; echo x > file; ln -s alpha link
";

/// Waits until a command of the server is at work.
pub(crate) const SLEEPS: &str = r#"
at_work() {
  for p in /proc/[0-9]*; do
    if [ "$(tr '\0' ' ' 2>/dev/null < $p/cmdline)" = 'sleep 30 ' ] && grep -qzxF "HOME=$HOME" $p/environ 2>/dev/null; then return 0; fi
  done
  return 1
}
until at_work; do sleep 0.02; done
"#;

/// Skills of every form, in a project and of a user.
pub(crate) const SKILLS: &str = r#"
mkdir -p proj/server proj/.agents/skills/pdf proj/.openhands/skills proj/.openhands/microagents proj/.agents/agents
cd proj
printf 'cursor rules' > .cursorrules
printf '# repo rules\nUse tabs.\n' > AGENTS.md
printf 'claude rules' > CLAUDE.md
printf 'nested rules' > server/AGENTS.md
printf -- '---\nname: pdf\ndescription: Work with PDFs\n---\nRead the PDF.' > .agents/skills/pdf/SKILL.md
printf 'Always on text.' > .openhands/skills/always.md
printf -- '---\ntriggers:\n- deploy\n- ship it\n---\nHow to deploy.' > .openhands/skills/deploy.md
printf -- '---\npaths:\n- "**/*.py"\n---\nPython rules.' > .openhands/skills/pathy.md
printf -- '---\ninputs:\n- name: TARGET\n  description: what\n---\nDo ${TARGET}' > .openhands/skills/tasky.md
printf -- '---\nname: legacyrepo\n---\nlegacy' > .openhands/microagents/repo.md
mkdir -p ~/.agents/skills/userskill ~/.openhands/skills
printf -- '---\nname: userskill\ndescription: d\n---\nx' > ~/.agents/skills/userskill/SKILL.md
printf -- '---\ntriggers:\n- mine\n---\nuser skill' > ~/.openhands/skills/mine.md
"#;

/// Sub-agents of a project and of a user.
pub(crate) const SUB_AGENTS: &str = r"
mkdir -p proj/.agents/agents ~/.openhands/agents
cat > proj/.agents/agents/reviewer.md <<'END'
---
name: reviewer
description: Reviews <example>please review</example>
color: red
tools: [terminal, file_editor]
skills: [pdf]
permission_mode: always_confirm
max_iteration_per_run: 5
extra_key: v
---
You review.
END
cat > ~/.openhands/agents/userag.md <<'END'
---
name: userag
description: u
---
You.
END
";

/// A server of tools on standard input and output: it adds, and it fails.
pub(crate) const TOOL_SERVER: &str = r#"
cat > $SCRATCH/mcpsrv.py <<'END'
import json, sys
NUMBER = {"type": "integer"}
TOOLS = [
    {"name": "add", "inputSchema": {"type": "object", "properties": {"a": NUMBER, "b": NUMBER}, "required": ["a", "b"]}},
    {"name": "fail", "inputSchema": {"type": "object", "properties": {}}},
]
def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call" and params["name"] == "add":
        numbers = params["arguments"]
        return {"content": [{"type": "text", "text": str(numbers["a"] + numbers["b"])}], "isError": False}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "Error calling tool 'fail': nope"}], "isError": True}
    return {}
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request["method"], request.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
END
"#;
