package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// Play plays one round and keeps its run. find names the anomalies to look for; an empty find
// stands for all that are the lock's fault. failure is the error of the harness or of a driver
// that cut the round short; nil if none did. code maps failure to the exit code of the round.
func Play(ctx context.Context, cfg trial.Config, find []string, code func(failure error) int) (r Round, failure, err error) {
	t, err := trial.Run(ctx, cfg)
	if err != nil {
		return r, nil, err
	}
	r = Round{Dir: t.Dir.Path, Anomalies: search.Kinds(t.Result, find), Grade: string(t.Result.Grade), Grants: t.Result.Counts.Grants}
	for _, kind := range search.Kinds(t.Result, nil) {
		if !slices.Contains(r.Anomalies, kind) {
			r.Others = append(r.Others, kind)
		}
	}
	for i, k := range cfg.Act.(*trial.Work).Strikes() {
		if r.Faults++; k.Struck {
			r.Struck++
		} else {
			r.Missed = append(r.Missed, fmt.Sprintf("fault %d did not take effect: %s", i+1, k.Why))
		}
	}
	if t.Failure != nil {
		t.Run.Exit = code(t.Failure)
	}
	err = t.Write()
	t.Dir.Latest()
	if err = errors.Join(err, t.Close()); err != nil {
		err = exit.Coded(t.Dir.Kept(err))
	}
	return r, t.Failure, err
}

// Keep writes the rate into the run directory from which the faults come. It then writes the
// reports of that directory again, so that they show the rate.
func (c *Rate) Keep(path string, invariant func(workload string) checker.Invariant) error {
	var b bytes.Buffer
	if err := report.Encode(&b, c); err != nil {
		return err
	}
	if err := atomicfile.WriteTextIn(path, trial.ConfirmedFile, b.String()); err != nil {
		return err
	}
	run, r, dir, err := trial.Again(path, "", invariant)
	if err != nil {
		return err
	}
	return trial.Write(run, r, dir)
}
