package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// A Spread is a distribution of times. The zero value stands for the default of its place of use.
type Spread struct {
	kind string
	a, b time.Duration
}

// The kinds of a Spread; the empty kind is the zero value.
const (
	constant    = "constant"    // always a
	uniform     = "uniform"     // between a and b
	exponential = "exponential" // of mean a
	lognormal   = "lognormal"   // of median a and 99th percentile b
)

// Constant returns the spread whose times are all d.
func Constant(d time.Duration) Spread { return Spread{constant, d, d} }

// Uniform returns the uniform spread between least and most.
func Uniform(least, most time.Duration) Spread { return Spread{uniform, least, most} }

// ParseSpread parses "2ms" (constant), "1ms-5ms" (uniform), "exp:2ms" (exponential with this mean)
// or "lognormal:2ms,50ms" (with this median and 99th percentile).
func ParseSpread(s string) (Spread, error) {
	bad := func(err error) (Spread, error) {
		return Spread{}, fmt.Errorf("%q is no time like 2ms, 1ms-5ms, exp:2ms or lognormal:2ms,50ms: %w", s, err)
	}
	kind, times := constant, []string{s}
	if rest, ok := strings.CutPrefix(s, "exp:"); ok {
		kind, times = exponential, []string{rest}
	} else if rest, ok := strings.CutPrefix(s, "lognormal:"); ok {
		kind, times = lognormal, strings.Split(rest, ",")
	} else if least, most, ok := strings.Cut(s, "-"); ok && least != "" {
		kind, times = uniform, []string{least, most}
	}
	var d []time.Duration
	for _, text := range times {
		t, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil {
			return bad(err)
		}
		if t < 0 {
			return bad(fmt.Errorf("%s is negative", t))
		}
		d = append(d, t)
	}
	switch two := kind == uniform || kind == lognormal; {
	case two && len(d) != 2:
		return bad(fmt.Errorf("it has %d times, not 2", len(d)))
	case two && d[1] < d[0]:
		return bad(fmt.Errorf("%s is less than %s", d[1], d[0]))
	case kind == lognormal && d[0] == 0:
		return bad(fmt.Errorf("a median of 0 has no 99th percentile"))
	}
	return Spread{kind, d[0], d[len(d)-1]}, nil
}

// Draw draws a time. Each call uses r at most once.
func (s Spread) Draw(r *rand.Rand) time.Duration {
	switch s.kind {
	case uniform:
		return s.a + time.Duration(r.Uint64N(uint64(s.b-s.a)+1))
	case exponential:
		return atMost(r.ExpFloat64() * float64(s.a))
	case lognormal:
		const z99 = 2.3263478740408408 // 99th percentile of the normal distribution
		sigma := math.Log(float64(s.b)/float64(s.a)) / z99
		return atMost(float64(s.a) * math.Exp(sigma*r.NormFloat64()))
	}
	return s.a
}

// atMost returns a time in ns, or the longest possible time, because a draw has no bound.
func atMost(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// or returns s, or def if s is the zero value.
func (s Spread) or(def Spread) Spread {
	if s.kind == "" {
		return def
	}
	return s
}

// String returns the spread in the syntax of ParseSpread, and "" for the zero value.
func (s Spread) String() string {
	switch s.kind {
	case constant:
		return s.a.String()
	case uniform:
		return s.a.String() + "-" + s.b.String()
	case exponential:
		return "exp:" + s.a.String()
	case lognormal:
		return "lognormal:" + s.a.String() + "," + s.b.String()
	}
	return ""
}

// Slower returns the spread with all times multiplied.
func (s Spread) Slower(by int) Spread {
	s.a, s.b = s.a*time.Duration(by), s.b*time.Duration(by)
	return s
}
