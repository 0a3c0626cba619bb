# Named commands of the project; `just` lists them. CI runs `./test`, which calls the same ones.

default:
    @just --list

# Format the code
fmt:
    cargo fmt --all

# Clippy on every target, warnings denied
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Tests, of all crates or of one: just test openhands-tools
test crate="":
    cargo nextest run {{ if crate == "" { "--workspace" } else { "-p " + crate } }}

# Conversations that go to the Python reference and back; installs it first
handover:
    OPENHANDS_REFERENCE_PYTHON="$(tests/reference/install)" cargo nextest run -p openhands-sdk-rs --test handover --test event_log

# The editor beside the server, with a real code-server; installs it first, which takes minutes
vscode:
    OPENHANDS_TEST_CODE_SERVER="$(packaging/install-code-server)" cargo test -p openhands-agent-server-rs --test api --test v0 vscode:: -- --nocapture

# The long kill tests, of the event log and of conversations: just kill 1000
kill count="1000":
    OPENHANDS_KILLS={{count}} cargo test --release -p openhands-sdk-rs --test event_log --test handover kill:: -- --nocapture

# The recorded cases of every tool
cases dir="crates/openhands-tools/tests/fixtures/tool-cases":
    cargo run --quiet -p openhands-sdk-rs --example tool_cases -- {{dir}}

# The published Python client against our server: just conformance -k conversation/
conformance *args:
    cargo build -p openhands-agent-server-rs
    tests/conformance/run --server-cmd "$PWD/target/debug/openhands-agent-server --host 127.0.0.1 --port {port}" {{args}}

# The published TypeScript client, and Agent Canvas in Chromium, against our server; installs them first
clients:
    cargo build -p openhands-agent-server-rs
    tests/clients/run "$PWD/target/debug/openhands-agent-server"

# The recorded exchanges against our server, or against the reference: just replay [core::stuck], just replay-reference
replay *args:
    cargo nextest run -p openhands-agent-server-rs --test replay {{args}}

replay-reference *args:
    REPLAY_BASE_CMD="$(tests/reference/install) -m openhands.agent_server" cargo nextest run -p openhands-agent-server-rs --test replay --no-fail-fast {{args}}

# The server is killed under load, many times: just kill-server 50
kill-server count="50":
    OPENHANDS_KILLS={{count}} cargo test --release -p openhands-agent-server-rs --test replay kill:: -- --nocapture

# Many subscribers and running conversations at once, on a release build: just load 60 100 500
load seconds="60" conversations="100" subscribers="500":
    OPENHANDS_LOAD={{seconds}},{{conversations}},{{subscribers}} cargo test --release -p openhands-agent-server-rs --test replay load:: -- --nocapture

# The long fuzz of the persistent shell: just fuzz-shell 20000 [seed]
fuzz-shell count="20000" *args:
    cargo run --release -p openhands-process --example shell_fuzz -- --count {{count}} {{args}}

# Made-up requests and WebSocket traffic against our server: just fuzz-api 600 [--only '^/api/git']
fuzz-api seconds="600" *args:
    cargo build -p openhands-agent-server-rs
    "$(tests/fuzz/install)" tests/fuzz/fuzz.py --server target/debug/openhands-agent-server --seconds {{seconds}} {{args}}

# Benchmarks, each beside the machine's limit in the same run
bench:
    cargo run --release -p openhands-process --example shell_bench
    cargo run --release -p openhands-process --example spawn_bench
    cargo run --release -p openhands-tools --example editor_bench
    cargo run --release -p openhands-tools --example grep_bench

# What a step of the agent loop, the view, the event log and a request cost
figures:
    cargo run --release -p openhands-sdk-rs --example conversation_figures -- steps
    cargo run --release -p openhands-sdk-rs --example conversation_figures -- many
    cargo run --release -p openhands-sdk-rs --example view_figures
    cargo run --release -p openhands-sdk-rs --example event_log_figures
    cargo run --release -p openhands-llm --example request_figures

# Unused dependencies, licences, bans and advisories
deps:
    cargo shear
    cargo deny check

# Start the server
run *args:
    cargo run -p openhands-agent-server-rs -- {{args}}

# Write the tables of docs/configuration.md anew from the tables of settings and variables
docs:
    UPDATE_DOCS=1 cargo test -p openhands-agent-server-rs --lib config::tests::the_document_has_every_variable

# Build the image openhands-agent-server-rs:latest
image:
    docker build -t openhands-agent-server-rs:latest .

# Build the image openhands-agent-server-rs:full, with Python, Node, Chromium and VS Code
image-full:
    docker build --target full -t openhands-agent-server-rs:full .

# The same Dockerfile built without a registry, from Debian's mirror; then started and tried. target: minimal or full
image-test program="target/debug/openhands-agent-server" target="minimal":
    tests/image/build {{program}} {{target}}

# The tests that start containers, with the program as it is now; needs a container engine: just docker [NAME]
docker *args:
    cargo build -p openhands-agent-server-rs
    OPENHANDS_TEST_IMAGE="$(tests/docker/image)" CI=true cargo nextest run -p openhands-runtime --test docker {{args}}

# The same on a rootless Docker of a user of this machine, started for it; needs root: just docker-rootless USER [NAME]
docker-rootless user *args:
    cargo build -p openhands-agent-server-rs
    tests/docker/rootless {{user}} {{args}}

# What containers cost: to healthy, to the first command, from the pool, a call without work, twenty at once; on a release build
figures-docker:
    cargo build --release -p openhands-agent-server-rs
    OPENHANDS_TEST_IMAGE="$(tests/docker/image target/release/openhands-agent-server)" cargo run --release -p openhands-runtime --example docker_figures

# The reference's DockerWorkspace with our image; installs it first
workspace:
    cargo build -p openhands-agent-server-rs
    "$(tests/workspace/install)" tests/workspace/check.py "$(tests/docker/image)"

# The image of 0.x sandboxes, openhands-runtime-rs:latest
image-v0: image
    docker build -f Dockerfile.v0 -t openhands-runtime-rs:latest .

# The same Dockerfile built without a registry, from Debian's mirror, PyPI and npm; then started and tried. Takes minutes
image-v0-test program="target/debug/openhands-agent-server":
    tests/image/build-v0 {{program}}

# The upstream V0 client and its runtime tests against our server: just v0-upstream -k grep
v0-upstream *args:
    cargo build -p openhands-agent-server-rs
    tests/v0-upstream/run {{args}}

# Our V0 server beside the Python one in one run; installs that first: just bench-v0 [--rounds 100] [--json FILE]
bench-v0 *args:
    cargo build --release -p openhands-agent-server-rs --bins --example v0_bench
    tests/plain-shell target/release/examples/v0_bench --python "$(tests/v0-reference/install)" {{args}}

# Our server beside the Python one in one run; installs that first: just bench-compare [--quick] [--json FILE] [--svg FILE] [--only NAME] [--ours PATH]
bench-compare *args:
    {{ if args =~ "--ours[ =]" { "true" } else { "cargo build --release -p openhands-agent-server-rs" } }}
    cargo build --release -p openhands-bench
    tests/plain-shell target/release/bench-compare {{args}}

# The browser tools beside Playwright on the same Chromium, in one run: just bench-browser [rounds]
bench-browser *args:
    cargo run --release -p openhands-tools --example browser_bench -- "$(tests/clients/install)" "$(command -v chromium)" {{args}}
