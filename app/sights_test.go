package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/history"
	"locktorture/timeline"
)

// A told is a history that a book has written.
type told struct {
	mu    sync.Mutex
	start time.Time
	ops   history.History
}

func newTold() *told { return &told{start: time.Now()} }

func (h *told) now() int64 { return max(int64(time.Since(h.start)), 2) }

func (h *told) note(op history.Op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	op.Time = h.now()
	h.ops = append(h.ops, op)
}

// judge judges what was told, of a job of which one may run at a time.
func (h *told) judge(t *testing.T) checker.Result {
	t.Helper()
	h.note(history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: history.Complete})
	if err := history.Validate(h.ops); err != nil {
		t.Fatal(err)
	}
	return checker.Check(h.ops, timeline.Options{Kind: timeline.AppKind, MinGrants: 1, Jobs: []timeline.Job{{Name: "payout", OneAtATime: timeline.OneRun, Ends: true}}}, nil)
}

// post sends an event and waits for the answer.
func post(t *testing.T, url, mode string) {
	t.Helper()
	answer, err := http.Post(url+"/"+mode, "application/json", strings.NewReader(`{"job": "payout", "key": "1"}`))
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", answer.Status, body)
	}
}

// TestEventHeldBack: two replicas take turns under a mutex, and the events of one of them come
// 200 ms late. That must not look as if they were inside together; without the mutex it does.
func TestEventHeldBack(t *testing.T) {
	for _, locked := range []bool{true, false} {
		h := newTold()
		book := newBook(h.note)
		e, err := listen(&File{Replicas: 2, Jobs: []Job{{Job: timeline.Job{Name: "payout"}, Event: true}}}, book, h.now)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		late, err := cluster.NewLink(cluster.Plain, "127.0.0.1:0", e.addr, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer late.Close()
		if err := late.Slow(200*time.Millisecond, 0); err != nil {
			t.Fatal(err)
		}
		urls := []string{strings.Replace(e.url(1, 0), e.addr, late.Addr(), 1), e.url(2, 1)}
		var mutex sync.Mutex
		var both sync.WaitGroup
		for i, url := range urls {
			both.Go(func() {
				for range 2 + 30*i {
					if locked {
						mutex.Lock()
					}
					post(t, url, "begin")
					post(t, url, "end")
					if locked {
						mutex.Unlock()
					}
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		both.Wait()
		r := h.judge(t)
		if locked && r.Grade != checker.Safe || !locked && r.Counts.Anomalies["ran-together"] == 0 {
			t.Errorf("locked %v: %s", locked, r.Sentence)
		}
	}
}

// TestLineReadLate: a replica writes its end before it is let go of, and torture reads it only
// after another replica has begun. Nobody knows when it was written, so nothing is claimed.
func TestLineReadLate(t *testing.T) {
	jobs := []Job{{Job: timeline.Job{Name: "payout"}, Lines: map[string]*regexp.Regexp{
		history.JobBegin: regexp.MustCompile(`^begin (?P<key>\d+)`), history.JobEnd: regexp.MustCompile(`^end (?P<key>\d+)`),
	}}}
	for _, late := range []bool{true, false} {
		h := newTold()
		book := newBook(h.note)
		var in [2]*os.File
		var reading sync.WaitGroup
		read := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
		for i := range in {
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			in[i] = to
			o := &output{from: from, log: io.Discard, now: h.now, look: true, started: max(h.now(), 1)}
			o.line = func(text string, began int64) {
				if i == 0 && strings.HasPrefix(text, "end") && late {
					<-read[0] // torture itself stood still
				}
				lineSeen(jobs, book, i+1, i, text, began, h.now())
			}
			reading.Go(o.read)
		}
		say := func(i int, text string) {
			fmt.Fprintln(in[i], text)
			time.Sleep(50 * time.Millisecond)
		}
		say(0, "begin 1")
		if late {
			say(0, "end 1")
		}
		say(1, "begin 2")
		close(read[0])
		if !late {
			say(0, "end 1")
		}
		say(1, "end 2")
		in[0].Close()
		in[1].Close()
		reading.Wait()
		r := h.judge(t)
		if late && (r.Grade != checker.Unknown || len(r.Counts.Anomalies) > 0) || !late && r.Counts.Anomalies["ran-together"] != 1 {
			t.Errorf("late %v: %s", late, r.Sentence)
		}
	}
}

// TestLinesCollected: of a program that writes its lines in blocks nobody knows when it wrote
// one.
func TestLinesCollected(t *testing.T) {
	var began []int64
	o := &output{line: func(_ string, at int64) { began = append(began, at) }}
	o.take([]byte("one\n"), 50)
	o.take([]byte(strings.Repeat("x", aBlock-1)+"\ny"), 60)
	o.take([]byte("z\n"), 70)
	o.collected = false
	o.take([]byte("four\n"), 80)
	o.take([]byte(strings.Repeat("x", aBlockOfLines-1)+"\n"), 90)
	o.take([]byte("six\n"), 100)
	if fmt.Sprint(began) != "[50 1 1 80 1 1]" {
		t.Errorf("the earliest times are %v", began)
	}
}

// modes returns what a book has noted of runs, such as "begin 1, end 1".
func (h *told) modes() string {
	var list []string
	for _, op := range h.ops {
		if op.F == history.Job {
			list = append(list, fmt.Sprint(op.Mode, " ", op.Lease))
		}
	}
	return strings.Join(list, ", ")
}

// TestEndToldTwice: an end that is sent again is no second run. Where no begins are told, every end is a run.
func TestEndToldTwice(t *testing.T) {
	h := newTold()
	b := newBook(h.note)
	tell := func(modes ...string) {
		for _, mode := range modes {
			b.seen(sight{client: 1, job: "payout", key: "17", mode: mode, way: byEvent}, h.now())
		}
	}
	tell(history.JobBegin, history.JobEnd, history.JobEnd, history.JobBegin, history.JobEnd)
	if got := h.modes(); got != "begin 1, end 1, begin 2, end 2" {
		t.Error(got)
	}
	h.ops, b = nil, newBook(h.note)
	tell(history.JobEnd, history.JobEnd)
	if got := h.modes(); got != "end 1, end 2" {
		t.Error(got)
	}
}

// TestRequestOfTheDead: a request that is seen on a link after its sender was killed may be carried out, in the
// run that it was in. What the dead tell themselves is not taken.
func TestRequestOfTheDead(t *testing.T) {
	h := newTold()
	b := newBook(h.note)
	s := sight{client: 1, job: "payout", key: "17", mode: history.JobBegin, way: byEvent}
	b.seen(s, h.now())
	b.died(1, 0, h.now(), nil)
	s.mode = history.JobTry
	b.seen(s, h.now())
	s.way = "redis"
	b.seen(s, h.now())
	if got := h.modes(); got != "begin 1, try 1" {
		t.Error(got)
	}
}

// TestEventsOfNobody: an address of a replica that is not there is refused.
func TestEventsOfNobody(t *testing.T) {
	h := newTold()
	e, err := listen(&File{Replicas: 2, Jobs: []Job{{Job: timeline.Job{Name: "payout"}, Event: true}}}, newBook(h.note), h.now)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	for _, who := range []string{"3", "3.2", "-1.0", "1.-2", "x"} {
		answer, err := http.Post("http://"+e.addr+"/"+who+"/begin", "application/json", strings.NewReader(`{"job": "payout"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", who, answer.Status)
		}
	}
	if len(h.ops) > 0 {
		t.Errorf("noted %v", h.ops)
	}
}
