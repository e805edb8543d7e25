package checker_test

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
	"locktorture/locks"
)

var (
	recordSame  = flag.String("record-same", "", "the file to which TestSame writes the hash of every result")
	compareSame = flag.String("compare-same", "", "a file that -record-same wrote: TestSame fails on each result that differs")
)

// sameKinds are the random histories of TestSame: how each is drawn, and of how many histories
// in a thousand it is one. Options.Model is left as the generator sets it.
var sameKinds = []struct {
	name     string
	share    int
	generate func(r *rand.Rand) (history.History, checker.Options, checker.Invariant)
}{
	{"damaged", 300, withoutInvariant(damaged)},
	{"claimed", 150, withoutInvariant(claimed)},
	{"elected", 100, withoutInvariant(elected)},
	{"wild", 100, drawnWild},
	{"worked", 200, drawnWorked},
	{"latch", 100, drawnLatch},
	{"barrier", 50, drawnBarrier},
}

// TestSame hashes result.json of the corpus and of -histories random histories, so that a
// change that must not touch any verdict can be held against the commit before it. Without the
// flags it only shows that each history is judged to the same bytes twice.
func TestSame(t *testing.T) {
	got := map[string]string{}
	for name, c := range corpus(t) {
		h := c.read(t, name)
		got[filepath.Base(name)] = resultHash(t, h, c.Options, corpusInvariants[c.Workload], checker.Whole)
		got[filepath.Base(name)+" in parts"] = resultHash(t, h, c.Options, corpusInvariants[c.Workload], 50)
	}
	for _, k := range sameKinds {
		for i := range *histories * k.share / 1000 {
			h, o, inv := k.generate(rand.New(rand.NewPCG(*referenceSeed, uint64(i))))
			every := []int{checker.Whole, 10, 60}[i%3]
			hash := resultHash(t, h, o, inv, every)
			if *recordSame == "" && *compareSame == "" && hash != resultHash(t, h, o, inv, every) {
				t.Errorf("%s %d: another result the second time", k.name, i)
			}
			got[fmt.Sprintf("%s %d", k.name, i)] = hash
		}
	}
	if *recordSame != "" {
		writeSame(t, *recordSame, got)
	}
	if *compareSame != "" {
		sameAs(t, readSame(t, *compareSame), got)
	}
}

// resultHash is the SHA-256 of the result as result.json holds it.
func resultHash(t *testing.T, h history.History, o checker.Options, inv checker.Invariant, every int) string {
	t.Helper()
	r, err := checker.JudgeEvery(h, o, inv, every)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// sameAs fails on each hash that differs from the one that was recorded.
func sameAs(t *testing.T, want, got map[string]string) {
	t.Helper()
	compared, differ := 0, 0
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == "" {
			continue
		}
		compared++
		if want[name] != got[name] {
			if differ++; differ <= 20 {
				t.Errorf("%s: another result", name)
			}
		}
	}
	t.Logf("%d results compared, %d differ", compared, differ)
	if compared < len(got)/2 {
		t.Errorf("only %d of %d results were recorded", compared, len(got))
	}
}

func writeSame(t *testing.T, name string, hashes map[string]string) {
	t.Helper()
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(&b, "%s\t%s\n", k, hashes[k])
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readSame(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		key, hash, _ := strings.Cut(lines.Text(), "\t")
		out[key] = hash
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func withoutInvariant(generate func(r *rand.Rand) (history.History, checker.Options)) func(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
	return func(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
		h, o := generate(r)
		return h, o, nil
	}
}

// drawnWild is a history of three clients and two stores, with all kinds of locks and models.
func drawnWild(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
	o := []checker.Options{bounded, tokened, watched, mutex, boundedToo}[r.IntN(5)]
	if o.Tokens && r.IntN(2) == 0 {
		o.Model = "fenced"
	}
	o.Nemeses, o.Fair = []string{"pause", killed}, r.IntN(3) == 0
	return wild(r, o), o, invariant.Counter{}
}

// drawnWorked is a history of the sections of a workload, with the workload's invariant.
func drawnWorked(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
	all := maps.Clone(refWorkloads)
	maps.Copy(all, refGatherings)
	names := slices.Sorted(maps.Keys(all))
	w := all[names[r.IntN(len(names))]]
	return spoiled(r, worked(r, w.work())), checker.Options{}, w.inv
}

// drawnLatch is a history of count-downs and waits, some of which were never answered.
func drawnLatch(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
	need := 1 + r.IntN(3)
	b := newBuild()
	types := []history.Type{history.OK, history.OK, history.Info, history.Fail}
	for i := range 1 + r.IntN(8) {
		op := history.Op{Lock: "L.1", Process: i, Client: 1 + i%3, Parties: need, F: history.CountDown, Value: strconv.Itoa(r.IntN(need + 1))}
		if r.IntN(2) == 0 {
			op.F, op.Value = history.Await, ""
		}
		call := r.Int64N(20) * 50
		b.add(call, call+r.Int64N(100)*50, op, types[r.IntN(len(types))], nil)
	}
	return b.drawn(), checker.Options{Kind: locks.CountDownLatch, Model: "latch", FreeWithin: 1e9}, nil
}

// drawnBarrier is a history of parties that enter a barrier and leave it.
func drawnBarrier(r *rand.Rand) (history.History, checker.Options, checker.Invariant) {
	need := 2 + r.IntN(2)
	b := newBuild()
	for i := range 2 + r.IntN(7) {
		call := r.Int64N(12) * 100
		ret := call + r.Int64N(60)*50
		if r.IntN(6) == 0 {
			op := history.Op{F: history.Acquire, Lock: "L", Process: i, Client: i + 1, Mode: history.Party, Parties: need}
			b.add(call, ret, op, history.Info, nil)
			continue
		}
		b.process[i+1] = i
		b.partyOf(need, i+1, int64(i+1), call, ret)
	}
	return b.drawn(), checker.Options{Kind: locks.DoubleBarrier, Model: "barrier", FreeWithin: 1e9}, nil
}

// drawn is the history in the order of its times, with its end.
func (b *build) drawn() history.History {
	slices.SortStableFunc(b.h, func(x, y history.Op) int { return cmp.Compare(x.Time, y.Time) })
	return ended(b.h, history.Complete)
}
