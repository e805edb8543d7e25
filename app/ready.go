package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

const (
	readyEvery = 20 * time.Millisecond
	// settled is the time that a replica without a sign of readiness must live to count as ready.
	settled = 300 * time.Millisecond
)

// errNotReady is wrapped by the error of a replica that was not ready in time.
var errNotReady = errors.New("was not ready in time")

// ready waits until a process can work.
func (r *replica) ready(ctx context.Context, q *process) error {
	f := r.stage.file
	ctx, cancel := context.WithTimeout(ctx, f.Limits.Ready)
	defer cancel()
	if f.Once {
		return nil // it may have ended before the first check
	}
	begun := time.Now()
	for why := error(nil); ; {
		select {
		case <-q.Done():
			return q.fault(fmt.Errorf("it ended before it was ready: %w", q.ended()))
		default:
		}
		switch {
		case f.Ready.Line != nil:
			why = fmt.Errorf("no line matches %s", f.Ready.Line)
			select {
			case <-q.line:
				return nil
			default:
			}
		case f.Ready.HTTP != "":
			why = askHTTP(ctx, r.reach(f.Ready.HTTP))
		case f.Ready.TCP != "":
			why = askTCP(ctx, r.reach(f.Ready.TCP))
		case time.Since(begun) < settled, r.unhealthy(ctx, q):
			why = errNotReady
		default:
			why = nil
		}
		if why == nil {
			return nil
		}
		if !pause(ctx, readyEvery) {
			return q.fault(fmt.Errorf("it %w (%s; limits: ready): %w", errNotReady, f.Limits.Ready, why))
		}
	}
}

func askHTTP(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = answer.Body.Close() // the body is not read
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return nil
}

func askTCP(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}
