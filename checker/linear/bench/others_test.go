package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
	"locktorture/history"
)

// readLines reads a history of a million lines and keeps nothing.
func readLines(gen.Config) (run func() measurement, plain func()) {
	var b bytes.Buffer
	lines := 0
	for k := 0; lines < 1_000_000; k++ {
		p, t := k%10, int64(k)*1000
		for _, s := range []string{
			`{"time":%d,"process":%d,"client":%d,"type":"invoke","f":"acquire","lock":"a"}`,
			`{"time":%d,"process":%d,"client":%d,"type":"ok","f":"acquire","lock":"a","lease":%d,"token":33,"value":"owner-5"}`,
			`{"time":%d,"process":%d,"client":%d,"type":"invoke","f":"release","lock":"a","lease":%d,"token":33}`,
			`{"time":%d,"process":%d,"client":%d,"type":"ok","f":"release","lock":"a","lease":%d,"token":33}`,
		} {
			if strings.Contains(s, "lease") {
				fmt.Fprintf(&b, s+"\n", t+int64(lines%4), p, p+1, k+1)
			} else {
				fmt.Fprintf(&b, s+"\n", t+int64(lines%4), p, p+1)
			}
			lines++
		}
	}
	text := b.Bytes()
	plain = func() {
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				panic("not JSON")
			}
		}
	}
	return func() measurement {
		start := cpu()
		r, err := history.NewReader(bytes.NewReader(text))
		if err != nil {
			return measurement{Outcome: err.Error()}
		}
		for n := 0; ; n++ {
			switch _, err := r.Next(); {
			case err == io.EOF && n == lines:
				return measurement{Outcome: "valid", Algorithm: "reader", Elapsed: cpu() - start}
			case err != nil:
				return measurement{Outcome: err.Error(), Algorithm: "reader"}
			}
		}
	}, plain
}

// watch feeds a monitor ten million events, made on the way: it may not grow.
func watch(cfg gen.Config) (run func() measurement, plain func()) {
	const events = 10_000_000
	run = func() measurement {
		m, err := linear.NewMonitor(cfg.Model)
		if err != nil {
			return measurement{Outcome: err.Error()}
		}
		r := rand.New(rand.NewPCG(7, 7))
		var feeding time.Duration
		batch := make([]history.Op, 0, 1<<16)
		for n, now := 0, int64(0); n < events; n += len(batch) {
			batch = batch[:0]
			for len(batch) < 1<<16-4 {
				process := r.IntN(cfg.Processes) + n/1000 // old clients go, new ones come
				for _, op := range []history.Op{
					{Type: history.Invoke, F: history.Acquire}, {Type: history.OK, F: history.Acquire},
					{Type: history.Invoke, F: history.Release}, {Type: history.OK, F: history.Release},
				} {
					now++
					op.Time, op.Process, op.Lock = now, process, "a"
					batch = append(batch, op)
				}
			}
			start := cpu()
			for i := range batch {
				if v := m.Feed(&batch[i]); v != nil {
					return measurement{Outcome: v.Explanation, Algorithm: "monitor"}
				}
			}
			feeding += cpu() - start
		}
		return measurement{Outcome: "valid", Algorithm: "monitor", Elapsed: feeding}
	}
	return run, func() {
		last := map[int]int64{}
		for n := range int64(events) {
			process := int(n/4%int64(cfg.Processes) + n/1000)
			last[process] = n
			if n%4 == 3 {
				delete(last, process)
			}
		}
	}
}
