package guide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/scenarios/record"
	"locktorture/sweep"
)

// chosen are the locks of the page, in its order.
func chosen() []string {
	return []string{"redis-set", "redis-watchdog", "redis-fenced", "redlock", "mysql-for-update", "mysql-unique-ttl", "postgres-advisory",
		"etcd-concurrency", "zookeeper", "consul"}
}

// A fault is a column of the first table.
type fault struct{ nemesis, head string }

func faults() []fault {
	return []fault{
		{"pause", "holder stopped"}, {"hold", "request late"}, {"clock", "clock jumps"}, {"failover", "fail-over"}, {"restart", "restart"},
		{"partition", "partition"}, {"kill-client", "holder dies"}, {"leader", "leader lost"},
	}
}

// cell is what was seen of a lock under a fault.
func (d *Data) cell(lock, nemesis string) (cell, error) {
	c, ok := d.cells[lock][nemesis]
	if !ok {
		return c, fmt.Errorf("%s has no cell for %s under %s", expectedFile, lock, nemesis)
	}
	return c, nil
}

// torture is the command behind a cell.
func (d *Data) torture(lock, nemesis string) string {
	ttl := sweep.Short(max(time.Second, d.locks[lock].Traits.LeastTTL))
	return fmt.Sprintf("torture run --backend %s --nemesis %s --workload counter --duration 10s --ttl %s", lock, nemesis, ttl)
}

// overview is the table of locks and faults; each lock leads to its section.
func (d *Data) overview() (string, error) {
	var b strings.Builder
	b.WriteString("| lock |")
	for _, f := range faults() {
		fmt.Fprintf(&b, " %s |", f.head)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(faults())) + "\n")
	for _, lock := range chosen() {
		fmt.Fprintf(&b, "| [`%s`](#%s) |", lock, lock)
		for _, f := range faults() {
			c, err := d.cell(lock, f.nemesis)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " %s |", c.short())
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// recovery is the table of what each lock declares: tokens, whose clock counts, what a dead
// holder costs.
func (d *Data) recovery() (string, error) {
	var b strings.Builder
	b.WriteString("| lock | fencing token | the lease ends by | renews itself | a dead holder's lock is free | holders killed in a run |\n|---|---|---|---|---|---|\n")
	for _, lock := range chosen() {
		l, ok := d.locks[lock]
		if !ok {
			return "", fmt.Errorf("there is no lock %s", lock)
		}
		c, err := d.cell(lock, "kill-client")
		if err != nil {
			return "", err
		}
		free := "when its connection ends"
		if l.Traits.FreeWithin != nil {
			free = fmt.Sprintf("within %s, with a TTL of 3s", l.Traits.FreeWithin(3*time.Second).Round(10*time.Millisecond))
		}
		clock := l.Traits.Clock
		if clock == "" {
			clock = "–"
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s | %s |\n", lock, lock, yes(l.Traits.Token), clock, yes(l.Traits.Renews), free, c)
	}
	return b.String(), nil
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// sections is a section for each lock: every fault and every scenario with its command.
func (d *Data) sections() (string, error) {
	var b strings.Builder
	for _, lock := range chosen() {
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n| | seen | command |\n|---|---|---|\n", lock, upper(d.locks[lock].About))
		for _, f := range faults() {
			c, err := d.cell(lock, f.nemesis)
			if err != nil {
				return "", err
			}
			if !c.none {
				fmt.Fprintf(&b, "| %s | %s | `%s` |\n", f.head, c, d.torture(lock, f.nemesis))
			}
		}
		for _, r := range d.playsOf(lock) {
			fmt.Fprintf(&b, "| [%s](scenarios/%s.md)%s | %s: %s | `%s` |\n", r.Scenario, r.Scenario, variant(r.Lock), r.Expected, r.Rate, r.Command)
		}
		fmt.Fprintf(&b, "| cost | [above](#what-it-costs) | `torture bench --backends %s --clients 1 --waiters %d` |\n\n", lock, waiters)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// playsOf are the rows of a lock's scenarios that came out as they must, in the order of their
// commands.
func (d *Data) playsOf(lock string) []record.Row {
	var out []record.Row
	for _, r := range d.plays {
		name, _, _ := strings.Cut(r.Lock, " (")
		if name == lock && !strings.HasPrefix(r.Rate, "0 of") {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b record.Row) int { return strings.Compare(a.Command, b.Command) })
	return out
}

// variant is what stands in brackets behind the name of a lock, if anything does.
func variant(lock string) string {
	if _, v, ok := strings.Cut(lock, " ("); ok {
		return ", " + strings.TrimSuffix(v, ")")
	}
	return ""
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
