package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// A pipe carries requests to a driver.
type pipe struct {
	tap func(Line)
	// mu serializes the writes to in, because a request is one line and pipes may split longer
	// writes.
	mu sync.Mutex
	in Requests
}

// write sends one request as a single Write.
func (p *pipe) write(q request) error {
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	p.mu.Lock()
	defer p.mu.Unlock()
	// The pipe has room for hundreds of requests, so a write blocks only if the driver has
	// stopped reading. The deadline keeps it from blocking forever.
	_ = p.in.SetWriteDeadline(time.Now().Add(writeLimit))
	p.show(true, b)
	if _, err := p.in.Write(b); err != nil {
		return fmt.Errorf("write to driver: %w", err)
	}
	return nil
}

// writeLimit bounds the wait for a driver to read a request.
const writeLimit = 10 * time.Second

// show passes a line to the tap of the Command.
func (p *pipe) show(sent bool, line []byte) {
	if p.tap != nil {
		p.tap(Line{Sent: sent, Text: string(bytes.TrimSpace(line))})
	}
}

// close ends the driver's input.
func (p *pipe) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.in.Close()
}
