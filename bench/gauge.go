package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A Counter reads a figure of servers. nil: they do not tell.
type Counter func(ctx context.Context) (int64, error)

func (c Counter) read(ctx context.Context) (int64, error) {
	if c == nil {
		return 0, nil
	}
	return c(ctx)
}

// own is what a question itself adds to the figure.
func (c Counter) own(ctx context.Context) (int64, error) {
	first, err := c.read(ctx)
	if err != nil {
		return 0, err
	}
	second, err := c.read(ctx)
	return second - first, err
}

// A Gauge is what a server tells about itself.
type Gauge struct {
	Commands Counter // requests that it was asked so far
	Memory   Counter // bytes of its data, or that it has allocated
	// What names the two figures as the server does.
	What  string
	Close func() error
}

// gauges are the kinds of servers that tell.
func gauges() map[string]func(addr string) Gauge {
	return map[string]func(addr string) Gauge{
		"redis": redisGauge, "memcached": memcachedGauge, "mariadb": mariadbGauge,
		"postgres": postgresGauge, "zookeeper": zooKeeperGauge, "etcd": etcdGauge, "consul": consulGauge,
	}
}

// ServerArgs are the arguments, by kind of server, with which those tell that do not by
// themselves.
func ServerArgs() map[string][]string {
	return map[string][]string{
		"postgres": {"-c", "shared_preload_libraries=pg_stat_statements"},
		"consul":   {"-hcl", `telemetry { disable_hostname = true prometheus_retention_time = "1h" }`},
	}
}

// A Server is one server of a cluster: its kind ("redis") and where it listens.
type Server struct{ Kind, Addr string }

// GaugeOf returns the sums over all servers. A figure that one of them does not
// tell is nil.
func GaugeOf(servers []Server) Gauge {
	var all []Gauge
	sum := Gauge{Close: func() error {
		var errs []error
		for _, g := range all {
			errs = append(errs, g.Close())
		}
		return errors.Join(errs...)
	}}
	for _, s := range servers {
		if s.Kind == "sentinel" { // only watches the servers that have the locks
			continue
		}
		open, ok := gauges()[s.Kind]
		if !ok {
			all, sum.What = nil, ""
			return sum
		}
		g := open(s.Addr)
		all = append(all, g)
		if !strings.Contains(sum.What, g.What) {
			sum.What = strings.TrimPrefix(sum.What+"; "+g.What, "; ")
		}
	}
	sum.Commands = total(all, func(g Gauge) Counter { return g.Commands })
	sum.Memory = total(all, func(g Gauge) Counter { return g.Memory })
	return sum
}

// total adds up one figure of all gauges.
func total(all []Gauge, figure func(Gauge) Counter) Counter {
	for _, g := range all {
		if figure(g) == nil {
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	return func(ctx context.Context) (sum int64, err error) {
		for _, g := range all {
			n, err := figure(g)(ctx)
			if err != nil {
				return 0, fmt.Errorf("ask a server: %w", err)
			}
			sum += n
		}
		return sum, nil
	}
}
