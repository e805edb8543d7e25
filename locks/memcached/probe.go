package memcached

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locktorture/locks"
)

// A Probe queries a server for owner and expiry of a lock, with the meta command that returns both
// (memcached 1.6).
type Probe struct {
	node string
	cfg  Config
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of the server at host:port, without proxies, under the cluster's name
// for it.
func NewProbe(node, addr string) *Probe { return NewProbeWith(Config{Addr: addr}, node) }

// NewProbeWith returns a probe for a server that requires a login or TLS.
func NewProbeWith(cfg Config, node string) *Probe { return &Probe{node: node, cfg: cfg.withDefaults()} }

// probeTime limits each query.
const probeTime = 200 * time.Millisecond

// Probe returns the owner and the remaining time, accurate to a second.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	sight, err := p.look(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{sight}, nil
}

// look reads the item of a lock over a connection of its own.
func (p *Probe) look(ctx context.Context, name string) (locks.Sight, error) {
	sight := locks.Sight{Node: p.node}
	conn, err := p.cfg.Dial(ctx, "tcp", p.cfg.Addr)
	if err != nil {
		return sight, err
	}
	defer conn.Close()
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		return sight, err
	}
	if _, err := fmt.Fprintf(conn, "mg %s t v\r\n", itemKey(name)); err != nil {
		return sight, err
	}
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n')
	if err != nil {
		return sight, err
	}
	fields := strings.Fields(line) // VA <size> t<seconds>, or EN
	if len(fields) == 1 && fields[0] == "EN" {
		return sight, nil
	}
	if len(fields) != 3 || fields[0] != "VA" || !strings.HasPrefix(fields[2], "t") {
		return sight, fmt.Errorf("the server answered %q", line)
	}
	size, err := strconv.Atoi(fields[1])
	if err != nil || size < 0 || size > 1<<20 {
		return sight, fmt.Errorf("the server answered %q", line)
	}
	seconds, err := strconv.Atoi(fields[2][1:])
	if err != nil {
		return sight, fmt.Errorf("the server answered %q", line)
	}
	value := make([]byte, size)
	if _, err := io.ReadFull(in, value); err != nil {
		return sight, err
	}
	sight.Owner, sight.Left = string(value), time.Duration(seconds)*time.Second
	return sight, nil
}

// Close does nothing, because a probe keeps no connection.
func (p *Probe) Close() error { return nil }
