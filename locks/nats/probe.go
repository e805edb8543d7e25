package nats

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
)

// A Probe queries the leader of the bucket for the record of a lock. Its sight stands for all
// servers.
type Probe struct {
	endpoints []string
	node      string

	mu sync.Mutex
	// conn is the current connection, or nil if there is none.
	conn *wire
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe that connects to the servers directly and reports them as one node.
func NewProbe(endpoints []string, node string) *Probe {
	return &Probe{endpoints: endpoints, node: node}
}

// probeTime limits each query.
const probeTime = 200 * time.Millisecond

// notFound is the error code for a key without a message.
const notFound = 10037

// An answer is the leader's reply to a query for the last message of a key.
type answer struct {
	Error *struct {
		Code        int    `json:"err_code"`
		Description string `json:"description"`
	}
	Message struct {
		Data []byte
		Time time.Time
	}
}

// Probe returns the owner and the remaining time of the record.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	a, err := p.ask(ctx, name)
	if err == nil && a.Error != nil && a.Error.Code != notFound {
		err = fmt.Errorf("%s (%d)", a.Error.Description, a.Error.Code)
	}
	var r Record
	if err == nil && len(a.Message.Data) > 0 {
		err = json.Unmarshal(a.Message.Data, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	s := locks.Sight{Node: p.node, Owner: r.Owner, Left: -1}
	if r.Milliseconds > 0 {
		// The lock is free when the server has removed the record, which may be later.
		s.Left = max(0, time.Until(a.Message.Time.Add(time.Duration(r.Milliseconds)*time.Millisecond)))
	}
	return []locks.Sight{s}, nil
}

// ask queries the leader of the bucket for the last message of a key, because another replica may
// not have it yet. A connection that did not answer is not used again.
func (p *Probe) ask(ctx context.Context, name string) (a answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if p.conn == nil {
		if p.conn, err = dial(ctx, p.endpoints); err != nil {
			return a, err
		}
	}
	question, err := json.Marshal(map[string]string{"last_by_subj": Subject(Bucket, name)})
	if err != nil {
		return a, err
	}
	reply, err := p.conn.request(ctx, "$JS.API.STREAM.MSG.GET.KV_"+Bucket, question)
	if err != nil {
		p.conn.close()
		p.conn = nil
		return a, err
	}
	return a, json.Unmarshal(reply, &a)
}

// Close drops the connection.
func (p *Probe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.close()
		p.conn = nil
	}
	return nil
}
