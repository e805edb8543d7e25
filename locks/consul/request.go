package consul

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"locktorture/locks/attempt"
)

// A reply is an agent's HTTP answer with any status.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// errNoAnswer is wrapped by errors of unknown outcome: the request may have been, or may yet be,
// carried out.
var errNoAnswer = errors.New("no answer")

// refusals lists texts in the answers of agents that did nothing. The same request may succeed at
// another agent, or later.
var refusals = [...]string{"No cluster leader", "No path to datacenter", "Raft leader not found"}

// ask sends a request once. An error wraps errNoAnswer unless nothing was sent.
func (a *agent) ask(ctx context.Context, method, path string, body any, timeout time.Duration) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	at := a.next.Load()
	r, err := a.send(ctx, a.cfg.Endpoints[at%uint64(len(a.cfg.Endpoints))], method, path, body)
	if err != nil || r.status >= http.StatusInternalServerError {
		a.next.CompareAndSwap(at, at+1) // the next request goes to the next endpoint
	}
	if err == nil && r.status >= http.StatusInternalServerError {
		err = fmt.Errorf("%s %s: %d: %s", method, path, r.status, bytes.TrimSpace(r.body))
		for _, s := range refusals {
			if strings.Contains(err.Error(), s) {
				return r, err
			}
		}
		return r, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return r, err
}

// send sends one request to an endpoint. Its errors wrap errNoAnswer only if the request may have
// left this machine.
func (a *agent) send(ctx context.Context, addr, method, path string, body any) (reply, error) {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+"/v1/"+path, payload)
	if err != nil {
		return reply{}, err
	}
	if _, token := a.cfg.Access.Login(); token != "" {
		req.Header.Set("X-Consul-Token", token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return reply{resp.StatusCode, resp.Header, b}, nil
}

// insist repeats an idempotent request until it is answered or ctx is done; see attempt.Insist.
func (a *agent) insist(ctx context.Context, method, path string, body any) (r reply, again bool, err error) {
	i := &attempt.Insister{
		Pause: retry, Clock: a.cfg.Clock,
		Final: func(error) bool { return false },
		Open:  func(err error) bool { return errors.Is(err, errNoAnswer) },
	}
	return attempt.Insist(ctx, i, func(ctx context.Context) (reply, error) {
		return a.ask(ctx, method, path, body, a.cfg.Timeout)
	})
}

// ok returns an error unless the status is 200.
func (r reply) ok() error {
	if r.status != http.StatusOK {
		return fmt.Errorf("agent answered %d: %s", r.status, bytes.TrimSpace(r.body))
	}
	return nil
}
