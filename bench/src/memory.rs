//! What one more conversation costs: at rest, and with a live terminal.

use crate::bench::{Bench, WARMED_AT_ONCE};
use crate::figures::{Figure, Target, number};
use crate::limits;
use crate::servers::{Server, Side};
use crate::talk::Talk;

/// Made before the counting begins: the first ones load what all later ones share. Ours are so small that a page of the program that
/// comes in late would count as much as one of them, so there are more of them; each takes a millisecond.
const WARM_UP: (usize, usize) = (300, 5);
/// Terminals that are counted, and before them as many that are not, for the same reason; fewer of Python's.
const TERMINALS: (usize, usize) = (32, 16);

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rest = Figure::kilobytes("memory of an idle conversation").target(Target::Below(10.0));
    let mut live = Figure::kilobytes("memory of a conversation with a live terminal")
        .limited_by("a bare bash")
        .target(Target::OfLimit(1.2));
    let rounds = bench.pick(1, 3);
    bench.tell(&rest);
    for round in 0..rounds {
        for server in bench.servers() {
            let (ours, python) = WARM_UP;
            if round == 0 {
                create(server, bench, server.side.pick(ours, python)).await?;
            }
            let idle = server.side.pick(300, bench.pick(40, 300));
            let before = server.memory()?;
            create(server, bench, idle).await?;
            rest.add(server.side, each(before, server.memory()?, idle));
        }
    }
    bench.tell(&live);
    for side in bench.sides() {
        let (ours, python) = TERMINALS;
        let terminals = side.pick(ours, bench.pick(6, python));
        let uncounted = side.pick(ours, bench.pick(1, WARMED_AT_ONCE));
        bench.warm_talks(side, uncounted).await?;
        bench.leave_talks(side).await;
        let server = bench.server(side)?;
        let before = server.memory()?;
        bench.warm_talks(side, uncounted + terminals).await?;
        bench.leave_talks(side).await;
        let server = bench.server(side)?;
        live.add(side, each(before, server.memory()?, terminals));
    }
    let (shells, _) = TERMINALS;
    live.add_limit(number(limits::bare_shells(shells)?) / 1e3 / number(shells));
    begin_anew(bench).await?;
    Ok(vec![rest, live])
}

/// What comes next is measured without these hundreds of conversations. In a quick run the Python server goes on with them: it takes seconds to
/// start, and they are little beside what it has in memory anyway.
async fn begin_anew(bench: &mut Bench) -> anyhow::Result<()> {
    for side in bench.sides() {
        if side == Side::Ours || bench.pick(false, true) {
            let (_, home) = bench.stop(side).await?;
            bench.restart(side, home).await?;
        }
    }
    Ok(())
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
