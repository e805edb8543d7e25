package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"locktorture/history"
	"locktorture/internal/atomicfile"
	"locktorture/internal/plainfile"
	"locktorture/report"
	"locktorture/trial"
)

// A Config is a sweep.
type Config struct {
	Out    string // directory of the sweep, which is made
	TTLs   []time.Duration
	Faults Faults
	// Trial makes the trial of one TTL, with the faults of a stored schedule.
	Trial func(ttl time.Duration, schedule string) (trial.Config, error)
	// Explain puts an error of a trial into the caller's words, with its exit code.
	Explain func(error) error
	// Say tells which TTL is next, and how far it is; may be nil.
	Say func(line string)
}

// Run measures one TTL after the other and fills them into the report, which says what is the
// same for all. What was measured before ctx was done, or before an error, is in it; the TTL
// that was under way is not.
func Run(ctx context.Context, c Config, r *Report) error {
	schedule := filepath.Join(c.Out, "schedule.jsonl")
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	if err := c.Faults.write(schedule, r.Duration, slices.Max(c.TTLs)); err != nil {
		return err
	}
	var err error
	for i, ttl := range c.TTLs {
		if c.Say != nil {
			c.Say(fmt.Sprintf("ttl %s (%d of %d)", ttl, i+1, len(c.TTLs)))
		}
		var t TTL
		if t, err = c.measure(ctx, ttl, schedule, r.Rates); err != nil {
			break
		}
		r.TTLs = append(r.TTLs, t)
		if err = r.keep(c.Out, i == len(c.TTLs)-1); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		r.Interrupted, err = true, nil
	}
	r.Advice = r.advise()
	return err
}

// keep writes what was measured so far: a sweep that is killed keeps it.
func (r *Report) keep(dir string, whole bool) error {
	r.Advice = r.advise()
	so := *r
	so.Interrupted = !whole
	return so.Write(dir)
}

// measure tries one TTL.
func (c Config) measure(ctx context.Context, ttl time.Duration, schedule string, rates Rates) (t TTL, err error) {
	cfg, err := c.Trial(ttl, schedule)
	if err != nil {
		return t, err
	}
	o, err := trial.Run(ctx, cfg)
	if err != nil {
		return t, c.Explain(err)
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := errors.Join(o.Failure, ctx.Err(), o.Write()); err != nil {
		return t, o.Dir.Kept(err)
	}
	file, err := plainfile.OpenIn(o.Dir.Path, "history.jsonl")
	if err != nil {
		return t, err
	}
	defer file.Close()
	entries, err := history.NewReader(file)
	if err != nil {
		return t, err
	}
	counted, err := read(entries, ttl)
	if err != nil {
		return t, err
	}
	t = counted.scale(o.Result.Counts.Anomalies["overrun"], rates)
	t.Grade = string(o.Result.Grade)
	t.Dir, err = filepath.Rel(c.Out, o.Dir.Path)
	return t, err
}

// Write writes sweep.json, sweep.txt and sweep.html, the chart, to a directory.
func (r Report) Write(dir string) error {
	object, err := report.Indented(r)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		fill func(io.Writer) error
	}{
		{"sweep.json", func(w io.Writer) error { _, err := w.Write(object); return err }},
		{"sweep.txt", r.Text},
		{"sweep.html", r.page},
	} {
		if err := atomicfile.WriteIn(dir, file.name, file.fill); err != nil {
			return err
		}
	}
	return nil
}
