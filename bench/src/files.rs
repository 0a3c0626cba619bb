//! Uploads and downloads: 100 MB, and many small files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::{Bytes, BytesMut};

use crate::bash::rate;
use crate::bench::Bench;
use crate::figures::{Figure, Target, number};
use crate::http::Connection;
use crate::limits;
use crate::page_cache;
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
    let mut copies = Vec::new();
    let form = form(&content(LARGE_BYTES));
    // In a quick run there is one round: ours and the copy, which take a fraction of a second, are done several times in it.
    let again = bench.pick(5, 1);
    for round in 0..=bench.pick(1, 5) {
        let mut add = |side: Side, [sent, received]: [Duration; 2], peak: u64| {
            if round > 0 {
                upload.add(side, rate(LARGE_BYTES, sent));
                download.add(side, rate(LARGE_BYTES, received));
                memory.add(side, number(peak) / 1e6);
            }
        };
        for server in bench.servers() {
            // It takes the Python server seconds: in a quick run there is no uncounted one.
            if server.side == Side::Python && (round > 0 || !bench.pick(true, false)) {
                let (times, peak) = there_and_back(server, &form).await?;
                add(server.side, times, peak);
            }
        }
        let server = bench.server(Side::Ours)?;
        for _ in 0..again {
            let (times, peak) = there_and_back(server, &form).await?;
            add(server.side, times, peak);
            let (from, to) = (large_file(server), server.home.path().join("copied.bin"));
            page_cache::make_ready(server.home.path())?;
            copies.push((round, rate(LARGE_BYTES, limits::copy(&from, &to)?)));
        }
    }
    for (_, copied) in copies.into_iter().filter(|(round, _)| *round > 0) {
        upload.add_limit(copied);
        download.add_limit(copied);
    }
    Ok(vec![upload, download, memory])
}

fn large_file(server: &Server) -> PathBuf {
    server.home.path().join("large.bin")
}

/// Uploads 100 MB and downloads them: how long each took, and by how many bytes the server grew meanwhile.
async fn there_and_back(server: &Server, form: &Bytes) -> anyhow::Result<([Duration; 2], u64)> {
    let mut connection = server.connect().await?;
    let file = large_file(server);
    // A copy onto nothing, as the limit's is.
    let _ = std::fs::remove_file(&file);
    page_cache::make_ready(server.home.path())?;
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
    let peak = processes::peak(server.id()?)?;
    Ok(([sent, received], peak.saturating_sub(before)))
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
