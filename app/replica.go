package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locktorture/internal/child"
	"locktorture/nemesis"
)

// A replica is one replica of the program, independent of its current process.
type replica struct {
	stage  *stage
	number int
	values values
	box    *box // nil: it is a process of this machine

	mu      sync.Mutex // guards the following, and orders a kill with a start
	process int        // number of the current process
	at      *process   // nil: not started yet
	down    bool       // a fault keeps it ended
	over    bool       // the run has ended: it is not started again
	quick   int        // number of ends in a row before it was ready
}

var _ nemesis.Client = (*replica)(nil)

// again is the pause before a replica is restarted, as a supervisor would wait.
const again = time.Second

// givenUp is the number of times in a row that a replica may end before it is ready.
const givenUp = 3

// start starts a new process and returns once it is ready.
func (r *replica) start(ctx context.Context) error {
	q, err := r.launch()
	if err != nil {
		return err
	}
	return r.await(ctx, q)
}

// await returns once a process is ready; nil: there is none to wait for.
func (r *replica) await(ctx context.Context, q *process) error {
	if q == nil {
		return nil
	}
	if err := r.ready(ctx, q); err != nil {
		if q.struck.Load() { // a fault ended it, not the program
			return nil
		}
		return err
	}
	r.mu.Lock()
	r.quick = 0
	r.mu.Unlock()
	return nil
}

// launch starts a new process. It returns nil if the replica must stay ended.
func (r *replica) launch() (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.down || r.at != nil && r.at.Alive() {
		return nil, nil
	}
	if r.at != nil {
		r.process += r.stage.file.Replicas
	}
	number := r.process
	line := make(chan struct{})
	var spans *collector
	if r.box != nil {
		spans = r.box.spans
	} else if r.stage.file.spans() {
		c, err := r.stage.collect(r.number, number)
		if err != nil {
			return nil, err
		}
		spans = c
	}
	q, err := r.stage.program(r, number, spans, line).start()
	if err != nil {
		if r.box == nil { // the collector of a container serves its next process too
			spans.close()
		}
		return nil, err
	}
	q.line = line
	r.at = q
	r.stage.keeping.Go(func() {
		if r.box == nil {
			defer spans.close()
		}
		r.keep(q, number)
	})
	return q, nil
}

// keep waits for the end of a process, records it, and starts the next one.
func (r *replica) keep(q *process, number int) {
	<-q.Done()
	err := q.ended()
	r.stage.book.died(r.number, number, 0, err) // unless a fault has recorded it
	r.mu.Lock()
	stay := r.over || r.down || r.stage.file.Once
	r.mu.Unlock()
	for attended := stay; !attended && pause(r.stage.life, again); {
		attended = r.restart()
	}
}

// restart starts the next process. It reports false if nothing waits for the end of one, since none
// could be launched.
func (r *replica) restart() (attended bool) {
	q, err := r.launch()
	attended = err == nil
	if attended {
		err = r.await(r.stage.life, q)
	}
	return r.failed(err) || attended
}

// failed counts a start that failed. It reports whether that was one too many, which ends the run.
func (r *replica) failed(err error) (fatal bool) {
	if err == nil || r.stage.life.Err() != nil {
		return false
	}
	r.mu.Lock()
	r.quick++
	fatal = r.quick >= givenUp
	r.mu.Unlock()
	if fatal {
		r.stage.fail(err)
	}
	return fatal
}

// Meet implements nemesis.Client: it waits until the replica is inside a run of a job. If no begin
// is observed, it strikes at any moment.
func (r *replica) Meet(ctx context.Context, bound time.Duration) (string, func(), error) {
	if !r.stage.file.begins() {
		return r.where(), func() {}, nil
	}
	for deadline := time.Now().Add(bound); time.Now().Before(deadline) && pause(ctx, time.Millisecond); {
		if in := r.inside(); in != "" {
			return in, func() {}, nil
		}
	}
	return "", nil, fmt.Errorf("%w: c%d was inside no run within %v", nemesis.ErrNotStruck, r.number, bound)
}

// MeetWaiting implements nemesis.Client. The wait of a replica cannot be observed.
func (r *replica) MeetWaiting(context.Context, time.Duration) (string, func(), error) {
	return "", nil, fmt.Errorf("%w: torture cannot see that a replica waits", nemesis.ErrNotStruck)
}

// HoldWrite implements nemesis.Client. The messages of a replica are not held.
func (r *replica) HoldWrite(context.Context, time.Duration) (string, func(), error) {
	return "", nil, fmt.Errorf("%w: torture cannot hold back what a replica writes", nemesis.ErrNotStruck)
}

// Linger implements nemesis.Client. A replica never waits for the harness.
func (r *replica) Linger(context.Context, time.Duration) (string, func(), error) {
	return "", nil, fmt.Errorf("%w: torture cannot keep a replica at work", nemesis.ErrNotStruck)
}

// inside describes the current run of the replica, or returns "".
func (r *replica) inside() string {
	r.mu.Lock()
	process := r.process
	r.mu.Unlock()
	if in := r.stage.book.inside(process); in != "" {
		return fmt.Sprintf("c%d %s", r.number, in)
	}
	return ""
}

func (r *replica) where() string {
	if in := r.inside(); in != "" {
		return in
	}
	return fmt.Sprintf("c%d", r.number)
}

// number0 returns the number of the current process.
func (r *replica) number0() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process
}

// present returns the current process, if it runs.
func (r *replica) present() (*process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil || !r.at.Alive() {
		return nil, fmt.Errorf("%w: c%d does not run", nemesis.ErrNotStruck, r.number)
	}
	return r.at, nil
}

// Pause implements nemesis.Client.
func (r *replica) Pause(ctx context.Context) (string, func(context.Context) error, error) {
	q, err := r.present()
	if err != nil {
		return "", nil, err
	}
	where := r.where()
	if part := r.stage.file.Pause.Process; part != "" {
		c, ok := q.body.(*child.Child)
		if !ok {
			return "", nil, fmt.Errorf("%w: torture cannot stop a single process of a container", nemesis.ErrNotStruck)
		}
		resume, err := c.PausePart(ctx, part)
		if err != nil { // the replica has ended, or has no such process yet
			return "", nil, fmt.Errorf("%w: %w", nemesis.ErrNotStruck, err)
		}
		return part + " of " + where, func(context.Context) error { resume(); return nil }, nil
	}
	if err := q.Pause(ctx); err != nil {
		if !q.Alive() {
			err = fmt.Errorf("%w: %w", nemesis.ErrNotStruck, err)
		}
		return "", nil, err
	}
	resume := func(ctx context.Context) error {
		if err := q.Resume(ctx); err != nil && q.Alive() {
			return err
		}
		return nil
	}
	return where, resume, nil
}

// Kill implements nemesis.Client. The next process starts as after any other end.
func (r *replica) Kill(ctx context.Context) (string, error) {
	q, err := r.present()
	if err != nil {
		return "", err
	}
	q.struck.Store(true)
	where := r.where()
	return where, r.end(func() error { return q.kill(ctx) })
}

// end ends the current process and records its end.
func (r *replica) end(how func() error) error {
	r.mu.Lock()
	process := r.process
	r.mu.Unlock()
	sent := r.stage.now()
	err := how()
	r.stage.book.died(r.number, process, sent, nil)
	return err
}

// TakeDown asks the process to end, kills it if it does not, and keeps the replica down.
func (r *replica) TakeDown(ctx context.Context) (string, error) {
	q, err := r.present()
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	r.down = true
	r.mu.Unlock()
	q.struck.Store(true)
	where := r.where()
	return where, r.end(func() error { return q.stop(ctx, r.stage.file.Limits.Stop) })
}

// BringUp starts the replica that TakeDown has ended, and waits until it is ready. If that takes
// longer than ctx, or if the process ends first, the replica is attended to as after any other end.
func (r *replica) BringUp(ctx context.Context) error {
	r.mu.Lock()
	r.down = false
	r.mu.Unlock()
	q, err := r.launch()
	if err != nil {
		return err
	}
	ready := make(chan struct{})
	r.stage.keeping.Go(func() {
		defer close(ready)
		r.failed(r.await(r.stage.life, q))
	})
	select {
	case <-ready:
	case <-ctx.Done():
	}
	return nil
}

// finish ends the replica permanently.
func (r *replica) finish(ctx context.Context, grace time.Duration) error {
	r.mu.Lock()
	r.over = true
	q := r.at
	r.mu.Unlock()
	if r.box != nil {
		defer r.box.close()
	}
	if q == nil {
		return nil
	}
	return q.stop(ctx, grace)
}

// pause waits. It returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
