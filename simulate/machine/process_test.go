package machine_test

import (
	"strings"
	"testing"

	"locktorture/simulate/machine"
)

// A world in which time goes on when it is told to, and which keeps what is written.
type world struct {
	now     int64
	written map[int32]string
	halt    bool // who writes
}

func (w *world) Now(*machine.Process) (mono, wall int64)     { return w.now, 1_767_225_600e9 + w.now }
func (w *world) Random(_ *machine.Process, b []byte)         { clear(b) }
func (w *world) Dial(*machine.Process, string) *machine.File { return nil }
func (w *world) Wrote(p *machine.Process, f *machine.File, b []byte) {
	if w.written[f.FD] += string(b); w.halt {
		p.Halt()
	}
}
func (w *world) Closed(*machine.Process, *machine.File) {}
func (w *world) Ask(*machine.Process, string) int32     { return 0 }
func (w *world) Refused(*machine.Process, string)       {}

// rest lets a process run until it waits for something that is to come.
func rest(p *machine.Process) {
	for p.Ready() {
		p.Step()
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A driver answers what it is asked, waits without running, has its clock from the world, and
// ends in every way in which a process does. Its memory is fresh, also after other processes.
func TestProcess(t *testing.T) { each(t, process) }

func process(t *testing.T, prog *machine.Program) {
	start := func(args ...string) (*machine.Process, *world) {
		w := &world{now: 1e9, written: map[int32]string{}}
		p, err := prog.Start(t.Context(), w, append([]string{"guest"}, args...), nil)
		must(t, err)
		rest(p)
		return p, w
	}
	wrong, w := start("nothing")
	if err := wrong.Err(); !wrong.Done() || err == nil || err.Error() != "exit code 1" || !strings.Contains(w.written[2], "usage") {
		t.Errorf("%v, %q", err, w.written)
	}
	must(t, wrong.Close(t.Context()))
	var answers []string
	for range 2 {
		p, w := start("driver")
		p.File(0).Deliver([]byte(`{"id":1,"op":"open","open":{"backend":"redis-set","endpoints":["redis-1:6379"],"ttl":2000000000,"process":1}}` + "\n"))
		rest(p)
		p.File(0).Deliver([]byte(`{"id":2,"op":"acquire","lock":"a","timeout":50000000}` + "\n"))
		rest(p)
		if p.Done() || p.Wake() == machine.Never || strings.Contains(w.written[1], `"id":2`) {
			t.Fatalf("it does not wait for a server that is not there: %q", w.written)
		}
		for n := 0; !strings.Contains(w.written[1], `"id":2`) && n < 1000; n++ {
			w.now = p.Wake()
			rest(p)
		}
		if passed := w.now - 1e9; passed < 50e6 || passed > 500e6 {
			t.Errorf("an acquire that may wait for 50 ms ended after %d ns", passed)
		}
		answers = append(answers, w.written[1])
		p.File(0).EOF()
		rest(p)
		if !p.Done() || p.Err() != nil {
			t.Errorf("at the end of its input: %v, %v", p.Done(), p.Err())
		}
		must(t, p.Close(t.Context()))
	}
	if answers[0] != answers[1] {
		t.Errorf("the second process said %q, the first %q", answers[1], answers[0])
	}
	killed, _ := start("driver")
	must(t, killed.Close(t.Context()))
	if !killed.Done() || killed.Err() == nil {
		t.Errorf("ended from outside: %v, %v", killed.Done(), killed.Err())
	}
}

// A process can be halted where it writes, and where it waits: it does nothing until it may go
// on, and then all of it.
func TestHalt(t *testing.T) { each(t, halt) }

func halt(t *testing.T, prog *machine.Program) {
	w := &world{now: 1e9, written: map[int32]string{}}
	p, err := prog.Start(t.Context(), w, []string{"guest", "driver"}, nil)
	must(t, err)
	ask := func(request string) { p.File(0).Deliver([]byte(request + "\n")) }
	rest(p)
	w.halt = true
	ask(`{"id":1,"op":"clock"}`)
	ask(`{"id":2,"op":"clock"}`)
	rest(p)
	if said := w.written[1]; !p.Halted() || p.Ready() || strings.Count(said, "\n") != 1 {
		t.Fatalf("halted %v, ready %v where it writes: %q", p.Halted(), p.Ready(), said)
	}
	w.halt = false
	p.Continue()
	rest(p)
	if said := w.written[1]; strings.Count(said, "\n") != 2 {
		t.Fatalf("it went on and said %q", said)
	}
	p.Halt()
	ask(`{"id":3,"op":"clock"}`)
	if p.Ready() {
		t.Error("it would run although it is halted where it waits")
	}
	p.Continue()
	rest(p)
	if said := w.written[1]; strings.Count(said, "\n") != 3 {
		t.Errorf("it went on and said %q", said)
	}
	p.Halt()
	must(t, p.Close(t.Context()))
	if !p.Done() {
		t.Error("a halted process does not end")
	}
}
