package sweep

import (
	"fmt"
	"time"

	"locktorture/internal/exit"
	"locktorture/ledger"
	"locktorture/runs"
)

// book opens the ledger for the lines of a sweep, if the flags name one.
func (p plan) book() (*runs.Bookkeeper, error) {
	if p.run.Ledger != "" && p.run.Driver != "" {
		return nil, exit.Usage("--ledger: not with --driver, because everybody must be able to repeat what a ledger keeps")
	}
	k, err := p.run.LedgerSpec.Bookkeeper(p.run.Commit)
	if err == nil {
		err = k.BeginKind(ledger.Sweep, p.lock, "")
	}
	return k, err
}

// note adds a line for each TTL.
func (p plan) note(k *runs.Bookkeeper, r Report) error {
	for _, t := range r.TTLs {
		err := k.Note(p.lock, ledger.Line{
			Kind: ledger.Sweep, Server: p.lock.Topology, Workload: p.run.Workloads, Seed: p.run.FirstSeed,
			Flags: fmt.Sprintf("--ttl %s --duration %s --pause %s --death-every %s --hold %s --long-hold %s", Short(t.TTL),
				Short(p.run.Duration), p.Pause, Short(p.DeathEvery), p.run.Hold, p.run.LongHold),
			Grade: ledger.Taken, Grants: t.Sections, Duration: p.run.Duration.Milliseconds(),
			Figures: []ledger.Figure{
				{Name: "overruns_of_stops", Value: float64(t.Overruns), N: t.Stops},
				{Name: "out_p50_ms", Value: float64(t.Out / time.Millisecond), N: t.Deaths},
				{Name: "out_worst_ms", Value: float64(t.OutMax / time.Millisecond), N: t.Deaths},
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
