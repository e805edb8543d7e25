package locktest_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"locktorture/locks/locktest"
	"locktorture/locks/nats"
)

func TestNATS(t *testing.T) {
	t.Parallel()
	w := start(t, "nats-3")
	for _, name := range []string{"nats", "nats-update"} {
		t.Run(name, func(t *testing.T) { // one after another: they share the links that are cut
			s := w.suite(nats.Traits(), program(t, name, ttl, nil))
			probe := nats.NewProbe(w.cluster.Endpoints(0), "nats")
			t.Cleanup(func() { probe.Close() })
			s.Prober, s.Quorum = probe, 1 // the leader speaks for all
			s.Revoke = func(ctx context.Context, name string) error {
				return takeRecord(ctx, w.cluster.Nodes[0].Addr(), nats.Subject(nats.Bucket, name))
			}
			locktest.Run(t, s)
		})
	}
}

// takeRecord leaves an empty message at a key, as a deletion does, and waits until it is kept.
func takeRecord(ctx context.Context, addr, subject string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "CONNECT {\"verbose\":false}\r\nSUB _INBOX.revoke 1\r\nPUB %s _INBOX.revoke 0\r\n\r\n", subject); err != nil {
		return err
	}
	for in := bufio.NewScanner(conn); in.Scan(); {
		if strings.HasPrefix(in.Text(), "MSG ") {
			return nil
		}
	}
	return fmt.Errorf("%s: nothing was acknowledged", subject)
}
