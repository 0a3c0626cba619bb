//! Uploads and downloads: 100 MB, and many small files.

use std::path::Path;
use std::time::Instant;

use anyhow::ensure;
use bytes::{Bytes, BytesMut};

use crate::bash::rate;
use crate::bench::Bench;
use crate::figures::{Figure, Target, number};
use crate::http::Connection;
use crate::limits;
use crate::processes;
use crate::servers::{Server, Side};

const LARGE_BYTES: usize = 100_000_000;
const SMALL_BYTES: usize = 1_000;
const BOUNDARY: &str = "a-boundary-between-parts";

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figures = large(bench).await?;
    figures.push(small(bench).await?);
    Ok(figures)
}

async fn large(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let mut upload = Figure::rate("upload of 100 MB", "MB/s")
        .limited_by("copy of the file")
        .target(Target::OfLimit(0.6));
    let mut download = Figure::rate("download of 100 MB", "MB/s")
        .limited_by("copy of the file")
        .target(Target::OfLimit(0.7));
    let mut memory =
        Figure::megabytes("memory that both add at their peak").target(Target::Below(10.0));
    bench.tell(&upload);
    let form = form(&content(LARGE_BYTES));
    for round in 0..=bench.pick(1, 5) {
        for server in bench.servers() {
            // It takes the Python server seconds: in a quick run there is no uncounted one.
            if round == 0 && server.side == Side::Python && bench.pick(true, false) {
                continue;
            }
            let mut connection = server.connect().await?;
            let file = server.home.path().join("large.bin");
            // A copy onto nothing, as the limit's is.
            let _ = std::fs::remove_file(&file);
            processes::forget_peak(server.id()?)?;
            let before = processes::peak(server.id()?)?;
            let began = Instant::now();
            send(&mut connection, &file.to_string_lossy(), form.clone()).await?;
            let sent = began.elapsed();
            ensure!(std::fs::metadata(&file)?.len() == u64::try_from(LARGE_BYTES)?);
            let path = format!("/api/file/download?path={}", file.display());
            let began = Instant::now();
            let size = connection.drain(&path).await?;
            let received = began.elapsed();
            ensure!(size == LARGE_BYTES, "{size} bytes arrived");
            if round > 0 {
                upload.add(server.side, rate(LARGE_BYTES, sent));
                download.add(server.side, rate(LARGE_BYTES, received));
                let peak = processes::peak(server.id()?)?;
                memory.add(server.side, number(peak.saturating_sub(before)) / 1e6);
            }
        }
        let server = bench.server(Side::Ours)?;
        let (from, to) = (
            server.home.path().join("large.bin"),
            server.home.path().join("copied.bin"),
        );
        let copied = rate(LARGE_BYTES, limits::copy(&from, &to)?);
        if round > 0 {
            upload.add_limit(copied);
            download.add_limit(copied);
        }
    }
    Ok(vec![upload, download, memory])
}

/// One small file after the other.
async fn small(bench: &Bench) -> anyhow::Result<Figure> {
    let mut figure =
        Figure::rate("upload of small files, one by one", "/s").target(Target::Times(20.0));
    bench.tell(&figure);
    let form = form(&content(SMALL_BYTES));
    for round in 0..=bench.pick(2, 5) {
        for server in bench.servers() {
            // New files each time: replacing others is another thing, and another time.
            let directory = server.home.path().join(format!("small-{round}"));
            let count = server.side.pick(1_000, bench.pick(100, 1_000));
            let took = many(server, &directory, count, &form).await?;
            if round > 0 {
                figure.add(server.side, took);
            }
        }
    }
    Ok(figure)
}

async fn many(
    server: &Server,
    directory: &Path,
    count: usize,
    form: &Bytes,
) -> anyhow::Result<f64> {
    let mut connection = server.connect().await?;
    let began = Instant::now();
    for number in 0..count {
        let file = directory.join(format!("{number}.bin"));
        send(&mut connection, &file.to_string_lossy(), form.clone()).await?;
    }
    Ok(number(count) / began.elapsed().as_secs_f64())
}

async fn send(connection: &mut Connection, path: &str, form: Bytes) -> anyhow::Result<()> {
    let route = format!("/api/file/upload?path={path}");
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let answer = connection.post_bytes(&route, &kind, form).await?.json()?;
    ensure!(
        answer.get("success") == Some(&true.into()),
        "the upload was answered {answer}"
    );
    Ok(())
}

/// A form with one file.
fn form(content: &[u8]) -> Bytes {
    let mut form = BytesMut::with_capacity(content.len() + 300);
    form.extend_from_slice(
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"upload.bin\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .as_bytes(),
    );
    form.extend_from_slice(content);
    form.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    form.freeze()
}

/// Bytes without order, the same each time (an xorshift).
fn content(size: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .flatten()
    .take(size)
    .collect()
}
