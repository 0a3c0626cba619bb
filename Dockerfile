# The agent server in a small Debian image: docker build -t openhands-agent-server-rs .
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p openhands-agent-server-rs

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bash ca-certificates git procps python3 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/target/release/openhands-agent-server /usr/local/bin/
WORKDIR /workspace
EXPOSE 8000
ENTRYPOINT ["openhands-agent-server"]
CMD ["--host", "0.0.0.0", "--port", "8000"]
