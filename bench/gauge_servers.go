package bench

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	mysql "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"locktorture/cluster"
	"locktorture/internal/rediscmd"
)

// askTime bounds one question, an election on a busy machine included.
const askTime = 20 * time.Second

func noClose() error { return nil }

// redisGauge asks INFO over one connection that it keeps.
func redisGauge(addr string) Gauge {
	c := rediscmd.Open(rediscmd.Server{Addr: addr, Retries: 3})
	figure := func(section, field string) Counter {
		return func(ctx context.Context) (int64, error) {
			text, err := c.Info(ctx, section).Result()
			if err != nil {
				return 0, err
			}
			return sumOf(text, ":", field)
		}
	}
	return Gauge{
		Commands: figure("stats", "total_commands_processed"), Memory: figure("memory", "used_memory"),
		What: "total_commands_processed, used_memory", Close: c.Close,
	}
}

// memcachedGauge asks stats; every command is one of these.
func memcachedGauge(addr string) Gauge {
	ask := func(ctx context.Context) (string, error) {
		return converse(ctx, addr, "stats\r\n", "END")
	}
	return Gauge{
		Commands: asked(ask, " ", "STAT cmd_get", "STAT cmd_set", "STAT cmd_touch", "STAT cmd_meta", "STAT delete_hits", "STAT delete_misses"),
		Memory:   asked(ask, " ", "STAT bytes"), What: "cmd_get + cmd_set + cmd_touch + cmd_meta + deletes, bytes", Close: noClose,
	}
}

// zooKeeperGauge asks mntr.
func zooKeeperGauge(addr string) Gauge {
	ask := func(ctx context.Context) (string, error) { return cluster.AskServing(ctx, addr, "mntr") }
	return Gauge{
		Commands: asked(ask, "\t", "zk_packets_received"), Memory: asked(ask, "\t", "zk_approximate_data_size"),
		What: "zk_packets_received, zk_approximate_data_size", Close: noClose,
	}
}

// etcdGauge reads the server's metrics: every message of a client, those of
// its watches and keep-alives too.
func etcdGauge(addr string) Gauge {
	return Gauge{Commands: metric(addr, "/metrics", "grpc_server_msg_received_total{"), What: "grpc_server_msg_received_total", Close: noClose}
}

// consulGauge reads the agent's metrics: every request that was answered,
// those that waited when they were.
func consulGauge(addr string) Gauge {
	return Gauge{Commands: metric(addr, "/v1/agent/metrics?format=prometheus", "consul_api_http_count{"), What: "consul_api_http_count", Close: noClose}
}

// metric is the sum over all lines of Prometheus' text format that begin with a prefix.
func metric(addr, path, prefix string) Counter {
	ask := func(ctx context.Context) (string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
		if err != nil {
			return "", err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		b := strings.Builder{}
		b.WriteString("counted 0\n") // nothing is counted before it first happens
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if line := lines.Text(); strings.HasPrefix(line, prefix) {
				b.WriteString("counted " + line[strings.LastIndexByte(line, ' ')+1:] + "\n")
			}
		}
		return b.String(), lines.Err()
	}
	return asked(ask, " ", "counted")
}

// postgresGauge asks the extension that counts statements as they end.
func postgresGauge(addr string) Gauge {
	cfg, err := pgx.ParseConfig("postgres://postgres@" + addr + "/postgres?sslmode=disable")
	if err != nil {
		return Gauge{Close: noClose}
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(1)
	return Gauge{
		Commands: func(ctx context.Context) (n int64, err error) {
			if _, err := db.ExecContext(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
				return 0, err
			}
			err = db.QueryRowContext(ctx, "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements").Scan(&n)
			return n, err
		},
		What: "pg_stat_statements.calls", Close: db.Close,
	}
}

// mariadbGauge asks for the global status. What it allocates for rows it does not tell.
func mariadbGauge(addr string) Gauge {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Logger = "tcp", addr, "root", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return Gauge{Close: noClose}
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return Gauge{
		Commands: func(ctx context.Context) (n int64, err error) {
			var name string
			err = db.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Questions'").Scan(&name, &n)
			return n, err
		},
		What: "Questions", Close: db.Close,
	}
}

// asked is the sum of some fields of an answer.
func asked(ask func(context.Context) (string, error), separator string, fields ...string) Counter {
	return func(ctx context.Context) (int64, error) {
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		text, err := ask(ctx)
		if err != nil {
			return 0, err
		}
		return sumOf(text, separator, fields...)
	}
}

// sumOf adds up the lines "field separator value"; a field may come several times, and one of
// them must.
func sumOf(text, separator string, fields ...string) (sum int64, err error) {
	found := false
	for line := range strings.Lines(text) {
		for _, f := range fields {
			value, ok := strings.CutPrefix(strings.TrimSpace(line), f+separator)
			if !ok {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				return 0, fmt.Errorf("read %q: %w", line, err)
			}
			sum, found = sum+int64(v), true
		}
	}
	if !found {
		return 0, fmt.Errorf("no %s in the answer", strings.Join(fields, ", "))
	}
	return sum, nil
}

// converse sends a line over a connection of its own and reads up to the line that ends the
// answer.
func converse(ctx context.Context, addr, question, end string) (string, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := c.SetDeadline(deadline); err != nil {
			return "", err
		}
	}
	if _, err := fmt.Fprint(c, question); err != nil {
		return "", err
	}
	var b strings.Builder
	lines := bufio.NewScanner(c)
	for lines.Scan() && strings.TrimSpace(lines.Text()) != end {
		b.WriteString(lines.Text() + "\n")
	}
	return b.String(), lines.Err()
}
