package app_test

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/wire"
	"locktorture/wire/blank"
	"locktorture/wire/protocols"
	"locktorture/wire/tape"
)

var overhead = flag.Int("overhead", 0, "measure what links cost, in so many turns")

// TestOverhead measures the throughput of eight clients over a direct connection and over links, in
// turns: bare links, with the recording of the traffic, and with effects observed as well.
func TestOverhead(t *testing.T) {
	if *overhead == 0 {
		t.Skip("it measures: -overhead 5")
	}
	redis := func(more ...string) func(host, port string) []string {
		return func(host, port string) []string {
			return append([]string{"redis-benchmark", "-h", host, "-p", port, "-c", "8", "-n", "60000", "-t", "set", "--csv"}, more...)
		}
	}
	pgbench := func(more ...string) func(host, port string) []string {
		return func(host, port string) []string {
			return append([]string{"pgbench", "-h", host, "-p", port, "-U", "postgres", "-n", "-c", "8", "-j", "2", "-T", "4", "postgres"}, more...)
		}
	}
	tps, rps := regexp.MustCompile(`tps = ([0-9.]+)`), regexp.MustCompile(`"SET","([0-9.]+)"`)
	for _, c := range []struct {
		name, topology string
		command        func(host, port string) []string
		result         *regexp.Regexp
	}{
		{"redis-benchmark SET", "redis", redis(), rps},
		{"redis-benchmark SET, 16 in a pipeline", "redis", redis("-P", "16", "-n", "400000"), rps},
		{"pgbench TPC-B", "postgres", pgbench(), tps},
		{"pgbench select only", "postgres", pgbench("-S"), tps},
	} {
		t.Run(c.name, func(t *testing.T) { measure(t, c.topology, c.command, c.result) })
	}
}

func measure(t *testing.T, topology string, command func(host, port string) []string, result *regexp.Regexp) {
	d, err := cluster.StartConfig(t.Context(), cluster.Config{Topology: topology, Provisioner: clustertest.Servers("../bin/servers"), Clients: 4, Forward: cluster.Plain})
	if err != nil {
		t.Skip(err)
	}
	defer d.Close()
	tp := taped(t, d, topology)
	defer tp.Close()
	ways := []string{"direct", "link", "link and recording", "link, recording and effects"}
	got := map[string][]float64{}
	if topology == "postgres" {
		on, port := host(d.Nodes[0].Addr())
		play(t, []string{"pgbench", "-h", on, "-p", port, "-U", "postgres", "-i", "-s", "5", "-q", "postgres"}, nil)
	}
	for range *overhead {
		for i, way := range ways {
			addr := d.Nodes[0].Addr()
			if i > 0 {
				addr = d.Link(i, 0).Addr()
			}
			got[way] = append(got[way], play(t, command(host(addr)), result))
		}
	}
	slices.Sort(got["direct"])
	for _, way := range ways {
		slices.Sort(got[way])
		median, direct := got[way][len(got[way])/2], got["direct"][len(got["direct"])/2]
		t.Logf("%-28s median %9.0f a second, %5.1f %% less than direct (%.0f to %.0f)", way, median, 100*(1-median/direct), got[way][0], got[way][len(got[way])-1])
	}
}

// taped records the links of the clients 2 and 3, and watches those of client 3 for effects.
func taped(t *testing.T, c *cluster.Cluster, protocol string) *tape.Tape {
	t.Helper()
	var links []tape.Link
	for _, w := range c.Ways() {
		links = append(links, tape.Link{Client: w.Client, To: c.Nodes[0].Name(), Protocol: protocol})
	}
	began := time.Now()
	tp, err := tape.New(tape.Config{
		Path: filepath.Join(t.TempDir(), "wire.bin"), Links: links, Limit: 64 << 20, Now: func() int64 { return int64(time.Since(began)) },
		Blank: func(protocol string) tape.Blanker { return blank.For(protocol) },
	})
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`^INSERT INTO payouts`)
	var seen atomic.Int64
	observer := &wire.Observer{
		Decoder: func(w cluster.Way) wire.Decoder {
			if w.Client < 3 {
				return nil
			}
			return protocols.New(nil).For(protocol)
		},
		See: func(_ cluster.Way, _ int, m wire.Message) func() {
			if !m.Reply && pattern.MatchString(m.String()) {
				seen.Add(1)
			}
			return nil
		},
	}
	c.Tap(func(link int) cluster.Tap {
		if links[link].Client < 2 {
			return nil
		}
		return wire.Both(tp.On(link), observer)
	})
	return tp
}

func host(addr string) (host, port string) {
	host, port, _ = strings.Cut(addr, ":")
	return host, port
}

func play(t *testing.T, words []string, result *regexp.Regexp) float64 {
	t.Helper()
	if words[0] == "pgbench" {
		if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench"); err == nil && len(found) > 0 {
			words[0] = found[0]
		}
	}
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Skipf("%v: %v\n%s", words, err, out)
	}
	if result == nil {
		return 0
	}
	m := result.FindSubmatch(out)
	if m == nil {
		t.Fatalf("no result in\n%s", out)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", m[1], err))
	}
	return v
}
