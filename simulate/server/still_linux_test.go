package server

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// A stepped server does nothing by itself: its own timer, once a second, does not wake it.
func TestNothingByItself(t *testing.T) {
	s, err := StartStepped(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	waits := func() int {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.proc.PID()))
		m := regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)`).FindSubmatch(b)
		if err != nil || m == nil {
			t.Fatalf("%s, %v", b, err)
		}
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
	if err := s.wires.admin("PING"); err != nil {
		t.Fatal(err)
	}
	before := waits()
	time.Sleep(2500 * time.Millisecond)
	if after := waits(); after > before+1 { // it may not have come to rest before
		t.Errorf("it has waited %d times, and %d times 2.5 s before", after, before)
	}
}
