//! What one more conversation costs: at rest, and with a live terminal.

use crate::bench::Bench;
use crate::figures::{Figure, Target, number};
use crate::limits;
use crate::servers::Server;
use crate::talk::Talk;

/// Made before the counting begins: the first ones load what all later ones share.
const WARM_UP: usize = 5;

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rest = Figure::kilobytes("memory of an idle conversation").target(Target::Below(10.0));
    let mut live = Figure::kilobytes("memory of a conversation with a live terminal")
        .limited_by("a bare bash")
        .target(Target::OfLimit(1.2));
    let (rounds, idle) = (bench.pick(1, 3), bench.pick(40, 300));
    bench.tell(&rest);
    for round in 0..rounds {
        for server in bench.servers() {
            if round == 0 {
                create(server, bench, WARM_UP).await?;
            }
            let before = server.memory()?;
            create(server, bench, idle).await?;
            rest.add(server.side, each(before, server.memory()?, idle));
        }
    }
    bench.tell(&live);
    let terminals = bench.pick(6, 16);
    for side in bench.sides() {
        // One uncounted, for the same reason.
        bench.warm_talks(side, 1).await?;
        let server = bench.server(side)?;
        let before = server.memory()?;
        bench.warm_talks(side, 1 + terminals).await?;
        let server = bench.server(side)?;
        live.add(side, each(before, server.memory()?, terminals));
    }
    live.add_limit(number(limits::bare_shells(terminals)?) / 1e3 / number(terminals));
    Ok(vec![rest, live])
}

async fn create(server: &Server, bench: &Bench, count: usize) -> anyhow::Result<()> {
    for _ in 0..count {
        Talk::create(server, &bench.model).await?;
    }
    Ok(())
}

/// The share of one in the growth, in kB.
fn each(before: u64, after: u64, count: usize) -> f64 {
    number(after.saturating_sub(before)) / 1e3 / number(count)
}
