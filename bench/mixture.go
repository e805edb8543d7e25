package bench

import (
	"context"
	"time"
)

// A mixture is one slice in which readers want a lock beside one writer.
type mixture struct {
	shift
	readers int  // that hold it
	writing bool // the writer holds it

	since    time.Time // when the writer asked; zero: it does not wait
	past     int       // readers let in since that had asked after it
	letIn    int       // readers, counted or not
	reads    []time.Duration
	writes   []time.Duration
	bypasses int64
	overlaps int64

	waiting  time.Duration // how long the writer had waited when the counted part ended
	passedBy int           // readers past it until then
}

func newMixture() *mixture {
	m := &mixture{shift: newShift()}
	m.ended = func(now time.Time) {
		if !m.since.IsZero() {
			m.waiting, m.passedBy = now.Sub(m.since), m.past
		}
	}
	return m
}

// starving reports whether so many readers past a waiting writer are each of them several
// times over, which no queue lets happen, however short the slice was.
func (m *mixture) starving(past int) bool { return past >= 3*(m.clients-1) }

// write is one turn of the writer, and the wait for a reader.
func (m *mixture) write(ctx context.Context, w *crew, name string) error {
	m.tell(func() { m.since, m.past = time.Now(), 0 })
	before := 0
	err := w.turn(ctx, w.clients[0], name, m.wrote, func() { before = m.unlock() })
	if err == nil {
		m.until(ctx, func() bool { return m.letIn > before })
	}
	return err
}

// reading notes that a reader was let in.
func (m *mixture) reading(asked time.Time) {
	now := time.Now()
	m.tell(func() {
		m.grants++
		m.letIn++
		m.readers++
		if !m.since.IsZero() && asked.After(m.since) {
			m.past++
		}
		if m.counting {
			m.reads = append(m.reads, now.Sub(asked))
			m.overlap(m.writing)
		}
	})
}

// read notes that a reader lets go.
func (m *mixture) read() { m.tell(func() { m.readers-- }) }

// wrote notes that the writer was let in.
func (m *mixture) wrote(asked time.Time) {
	now := time.Now()
	m.tell(func() {
		m.grants++
		m.writing = true
		if m.counting {
			m.writes = append(m.writes, now.Sub(asked))
			m.bypasses += int64(m.past)
			m.overlap(m.readers > 0)
		}
		m.since = time.Time{}
	})
}

// unlock notes that the writer lets go, and returns how many readers had been let in until
// then.
func (m *mixture) unlock() (readers int) {
	m.tell(func() { m.writing, readers = false, m.letIn })
	return readers
}

func (m *mixture) overlap(is bool) {
	if is {
		m.overlaps++
	}
}

// into adds the slice to the sum. A writer that starves has waited at least until the end.
func (m *mixture) into(sum *mixedTally, commands int64, counted bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.reads)+len(m.writes) == 0 || m.elapsed <= 0 {
		return nil // broken off
	}
	sum.slices++
	for _, d := range m.reads {
		record(sum.readWait, d)
	}
	for _, d := range m.writes {
		record(sum.writeWait, d)
	}
	sum.waits += int64(len(m.writes))
	sum.bypasses += m.bypasses
	if len(m.writes) == 0 && m.starving(m.passedBy) {
		record(sum.writeWait, m.waiting)
		sum.bypasses += int64(m.passedBy)
		sum.waits++
		sum.starved++
	}
	sum.reads = append(sum.reads, float64(len(m.reads))/m.elapsed.Seconds())
	sum.writes = append(sum.writes, float64(len(m.writes))/m.elapsed.Seconds())
	sum.overlaps += m.overlaps
	if counted {
		sum.commands += max(commands, 0)
		sum.counted += int64(len(m.reads) + len(m.writes))
	}
	return nil
}
