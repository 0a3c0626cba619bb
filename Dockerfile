# The agent server in a small Debian image, without root: just image
#
#   docker build -t openhands-agent-server-rs:latest .
#   docker run -p 127.0.0.1:8000:8000 -e OH_SESSION_API_KEYS_0=secret -v agents:/workspace openhands-agent-server-rs:latest
#
# Where no registry can be reached, tests/image/build makes an image of the same shape from the files of this machine.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked -p openhands-agent-server-rs \
 && cp target/release/openhands-agent-server /usr/local/bin/

FROM debian:12-slim
# What agents expect of a machine; the server itself needs libc and bash only.
RUN apt-get update \
 && apt-get install -y --no-install-recommends bash ca-certificates curl git procps python3 ripgrep \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 openhands \
 && install -d -o openhands -g openhands /workspace
COPY --from=build /usr/local/bin/openhands-agent-server /usr/local/bin/
USER openhands
WORKDIR /workspace
ENV LOG_JSON=1
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["openhands-agent-server", "--check-health"]
ENTRYPOINT ["openhands-agent-server"]
CMD ["--host", "0.0.0.0", "--port", "8000"]
