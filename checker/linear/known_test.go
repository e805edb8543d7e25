package linear_test

import (
	"math"
	"strings"
	"testing"

	"locktorture/checker/linear"
)

// A model says nothing about operations that it has no word for: a read is no
// proof against a mutex.
func TestForeignOperations(t *testing.T) {
	of := map[string]string{
		"mutex": "acquire renew release end", "reentrant": "acquire renew release end", "lease": "acquire renew release end",
		"fenced": "acquire renew release end", "reentrant-fenced": "acquire renew release end", "timed-lease": "acquire renew release end",
		"rwlock": "acquire renew release end", "semaphore": "acquire renew release end",
		"timed-rwlock": "acquire renew release end", "timed-semaphore": "acquire renew release end",
		"latch": "count-down await", "barrier": "enter leave end", "election": "campaign resign renew end observe",
		"register": "read write cas append", "statemachine": "read write cas append", "counter": "read add fetch-add",
		"faa": "read add fetch-add", "inventory": "read sell", "log": "read append", "fenced-store": "read write", "replay": "read write",
	}
	for _, model := range linear.Models() {
		if of[model] == "" {
			t.Errorf("what does the model %s know?", model)
		}
		for f := linear.Acquire; f <= linear.Observe; f++ {
			v := linear.Check([]linear.Operation{{F: f, Call: 1}}, model, linear.Options{TTL: 5})
			foreign := strings.HasPrefix(v.Reason, "the model "+model+" has no operation "+f.String()+": ")
			if known := strings.Contains(" "+of[model]+" ", " "+f.String()+" "); foreign == known || foreign && v.Outcome != linear.Unknown {
				t.Errorf("%s of %s: %+v", f, model, v)
			}
		}
	}
}

// Sums that leave the range of int64 are not counted wrong, but not at all.
func TestSumsThatWrap(t *testing.T) {
	const most = math.MaxInt64
	for name, c := range map[string]struct {
		deltas []int64
		read   int64
		want   linear.Outcome
	}{
		"the greatest sum":   {[]int64{most - 1, 1}, most, linear.Valid},
		"one more":           {[]int64{most, 1}, math.MinInt64, linear.Unknown},
		"the least sum":      {[]int64{-most}, -most, linear.Valid},
		"one less":           {[]int64{math.MinInt64}, math.MinInt64, linear.Unknown},
		"forth and back":     {[]int64{most, -1}, most - 1, linear.Unknown}, // in another order it might not fit
		"over all of uint64": {[]int64{most, most, most}, 0, linear.Unknown},
		"a wrong sum":        {[]int64{most}, 5, linear.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			var ops []linear.Operation
			for i, d := range c.deltas {
				ops = append(ops, linear.Operation{F: linear.Add, Status: linear.OK, Call: int64(2*i + 1), Return: int64(2*i + 2), Delta: d})
			}
			ops = append(ops, linear.Operation{F: linear.Read, Status: linear.OK, Call: 100, Return: 101, Number: c.read})
			for _, engine := range []string{"", "search", "porcupine"} {
				v := linear.Check(ops, "counter", linear.Options{Engine: engine})
				if v.Outcome != c.want || c.want == linear.Unknown && !strings.Contains(v.Reason, "exceeds the largest possible sum") {
					t.Errorf("by %q: %+v", engine, v)
				}
			}
		})
	}
}
