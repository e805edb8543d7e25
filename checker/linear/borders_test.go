package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"locktorture/checker/linear"
)

// A decided is a row that says which procedure must decide it: that it needs no search is the
// promise of procedures.md, and a verdict that comes of the search hides a procedure that
// gave up.
type decided struct {
	row
	by string
}

func checkDecided(t *testing.T, rows map[string]decided) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			r.check(t)
			if v := linear.Check(r.operations(t), r.model, r.opt); v.Algorithm != r.by {
				t.Errorf("decided by %s (%s), want %s", v.Algorithm, v.Reason, r.by)
			}
		})
	}
}

// TestChainBorders: states of a machine and values of a log lie on one path, which decides
// where its answer leaves no choice.
func TestChainBorders(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	a, none := linear.Options{Initial: "a"}, linear.Options{}
	checkDecided(t, map[string]decided{
		"refused after its state was left":            {row{"statemachine", "1 cas ok 1 2 expect=a value=b; 2 cas refused 5 6 expect=a value=c", a, valid, "", nil}, "chain"},
		"refused as its state was left":               {row{"statemachine", "1 cas ok 5 8 expect=a value=b; 2 cas refused 1 5 expect=a value=c", a, valid, "", nil}, "chain"},
		"refused just before":                         {row{"statemachine", "1 cas ok 5 8 expect=a value=b; 2 cas refused 1 4 expect=a value=c", a, invalid, "earliest possible moments", nil}, "search"},
		"refused as its state was entered":            {row{"statemachine", "1 cas ok 5 8 expect=a value=b; 2 cas refused 5 9 expect=b value=c", a, valid, "", nil}, "chain"},
		"refused in its state":                        {row{"statemachine", "1 cas ok 5 8 expect=a value=b; 2 cas refused 9 10 expect=b value=c", a, invalid, "earliest possible moments", nil}, "search"},
		"one refused rightly, one wrongly":            {row{"statemachine", "1 cas ok 1 2 expect=a value=b; 2 cas refused 5 6 expect=a value=c; 3 cas refused 5 6 expect=b value=c", a, invalid, "earliest possible moments", nil}, "search"},
		"a state off the path, perhaps":               {row{"statemachine", "1 cas unknown 1 - expect=b value=c; 2 read ok 5 6 value=c", a, invalid, "may have left the path", nil}, "search"},
		"a state to which nothing leads":              {row{"statemachine", "1 cas unknown 1 - expect=b value=c; 2 read ok 5 6 value=d", a, invalid, "no transition leads to", []int{1}}, "chain"},
		"nor does what was refused":                   {row{"statemachine", "1 cas refused 1 2 expect=b value=d; 2 read ok 5 6 value=d", a, invalid, "no transition leads to", []int{1}}, "chain"},
		"a state left twice":                          {row{"statemachine", "1 cas ok 1 2 expect=a value=b; 2 cas ok 3 4 expect=a value=c", a, invalid, "left twice", nil}, "search"},
		"a transition to where it came from":          {row{"statemachine", "1 cas ok 1 2 expect=a value=a", a, valid, "left twice", nil}, "search"},
		"two that may have done the same":             {row{"statemachine", "1 cas unknown 1 - expect=a value=b; 2 cas unknown 9 - expect=a value=b; 3 read ok 5 6 value=b", a, valid, "", nil}, "chain"},
		"of which the later is named first":           {row{"statemachine", "1 cas unknown 9 - expect=a value=b; 2 cas unknown 1 - expect=a value=b; 3 read ok 5 6 value=b", a, valid, "", nil}, "chain"},
		"two that may have led apart":                 {row{"statemachine", "1 cas unknown 1 - expect=a value=b; 2 cas unknown 2 - expect=a value=c; 3 read ok 5 6 value=b", a, valid, "not known where", nil}, "search"},
		"two reads of a state, the later named first": {row{"statemachine", "1 read ok 5 6 value=a; 2 read ok 1 2 value=a", a, valid, "", nil}, "chain"},
		"log: an open read says nothing":              {row{"log", "1 read unknown 1 -; 2 append ok 1 2 value=x; 3 read ok 5 6 value=x", none, valid, "", nil}, "chain"},
		"log: what follows an open read does":         {row{"log", "1 read unknown 1 -; 2 append ok 7 8 value=x; 3 read ok 5 6 value=x", none, invalid, "", []int{1, 2}}, "chain"},
		"log: an open append that was read":           {row{"log", "1 append unknown 1 - value=x; 2 read ok 5 6 value=x", none, valid, "", nil}, "chain"},
		"log: one that was not":                       {row{"log", "1 append unknown 1 - value=x; 2 read ok 5 6 value=", none, valid, "", nil}, "chain"},
		"log: what an open read says does not count":  {row{"log", "1 read unknown 9 - value=x; 2 append ok 1 2 value=x; 3 read ok 3 4 value=x", none, valid, "", nil}, "chain"},
		"log: nor where it says more than others":     {row{"log", "1 read unknown 9 - value=x,y; 2 append ok 1 2 value=x; 3 read ok 3 4 value=x", none, valid, "", nil}, "chain"},
		"log: what was refused was not appended":      {row{"log", "1 append refused 1 2 value=a; 2 read ok 3 4 value=a", none, invalid, "a log has no", nil}, "search"},
		"faa: what was refused was not added":         {row{"faa", "1 fetch-add refused 1 2 delta=1 number=0; 2 read ok 3 4 number=1", none, invalid, "", nil}, "search"},
		"faa: an open addition of two":                {row{"faa", "1 fetch-add unknown 1 - delta=2; 2 read ok 5 6 number=1", none, invalid, "additions of one", nil}, "search"},
		"log: an empty value":                         {row{"log", "1 append ok 1 2 value=; 2 read ok 5 6 value=", none, valid, "cannot be distinguished", nil}, "search"},
		"log: a value with a comma":                   {row{"log", "1 append ok 1 2 value=x,y; 2 read ok 5 6 value=x,y", none, valid, "cannot be distinguished", nil}, "search"},
		"log: the longest read is named first":        {row{"log", "1 read ok 5 6 value=x; 2 read ok 1 2 value=; 3 append ok 1 4 value=x", none, valid, "", nil}, "chain"},
		"log: a long value is cut in a sentence":      {row{"log", "1 append ok 1 2 value=" + strings.Repeat("x", 41) + "; 2 read ok 5 6 value=" + strings.Repeat("x", 41) + "," + strings.Repeat("x", 41), none, invalid, `holds "` + strings.Repeat("x", 40) + `…" twice`, nil}, "chain"},
		"log: one of 40 characters is not":            {row{"log", "1 append ok 1 2 value=" + strings.Repeat("x", 40) + "; 2 read ok 5 6 value=" + strings.Repeat("x", 40) + "," + strings.Repeat("x", 40), none, invalid, `holds "` + strings.Repeat("x", 40) + `" twice`, nil}, "chain"},
	})
}

// TestSlotBorders: increments by one are decided by slots, all others by the search.
func TestSlotBorders(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	none, five := linear.Options{}, linear.Options{Stock: 5}
	checkDecided(t, map[string]decided{
		"an open increment that was read": {row{"counter", "1 add unknown 1 - delta=1; 2 read ok 5 6 number=1", none, valid, "", nil}, "slots"},
		"one that was not":                {row{"counter", "1 add unknown 1 - delta=1; 2 read ok 5 6 number=0", none, valid, "", nil}, "slots"},
		"an open one by two":              {row{"counter", "1 add unknown 1 - delta=2; 2 read ok 5 6 number=2", none, valid, "by one", nil}, "search"},
		"one by two":                      {row{"counter", "1 add ok 1 2 delta=2; 2 read ok 5 6 number=2", none, valid, "by one", nil}, "search"},
		"one that was refused":            {row{"counter", "1 add refused 1 2 delta=1; 2 read ok 5 6 number=0", none, invalid, "by one", nil}, "search"},
		"too many had returned before": {row{"counter", "1 add ok 1 2 delta=1; 2 add ok 1 2 delta=1; 3 read ok 5 6 number=1; 4 add unknown 1 - delta=1; 5 add ok 7 8 delta=1; 6 add ok 3 5 delta=1",
			none, invalid, "1 increments had returned before a read that does not include them", []int{0, 1, 2}}, "slots"},
		"what it needs was over before": {row{"counter", "1 read ok 3 4 number=0; 2 add ok 1 2 delta=1; 1 read ok 5 6 number=1", none, invalid, "needs 1 increments", []int{2, 0}}, "slots"},
		"an open sale that was seen":    {row{"inventory", "1 sell unknown 1 -; 2 read ok 5 6 number=4", five, valid, "", nil}, "slots"},
		"one that was not seen":         {row{"inventory", "1 sell unknown 1 -; 2 read ok 5 6 number=5", five, valid, "", nil}, "slots"},
	})
}

// TestZoneBorders: which operations are named where a value stood while another was read.
func TestZoneBorders(t *testing.T) {
	const invalid = linear.Invalid
	none := linear.Options{}
	checkDecided(t, map[string]decided{
		"the read that proves the value came before its write returned": {row{"register",
			"1 write ok 1 9 value=a; 2 read ok 2 3 value=a; 3 write ok 4 5 value=b; 3 read ok 6 7 value=b; 4 read ok 20 21 value=a", none, invalid, "", []int{0, 1, 4, 2, 3}}, "zones"},
		"the write is named first": {row{"register", "1 write ok 3 4 value=x; 2 read ok 1 2 value=x", none, invalid, "before", []int{1, 0}}, "zones"},
		"and bounds it on both sides": {row{"register",
			"1 write ok 1 9 value=a; 2 read ok 2 3 value=a; 3 write ok -2 -1 value=b; 4 read ok 12 13 value=b", none, invalid, "", []int{2, 3, 0, 1}}, "zones"},
	})
}

// TestSearchForesees: what changes nothing where it stands may be needed later, so the search
// must not do it at once (procedures.md, trap 9).
func TestSearchForesees(t *testing.T) {
	const valid = linear.Valid
	for name, r := range map[string]row{
		"a write of the value that stands":            {"register", "1 write ok 1 10 value=x; 2 write ok 2 3 value=y; 3 read ok 5 6 value=x", linear.Options{Initial: "x"}, valid, "", nil},
		"a grant to the one that has the lease":       {"lease", "1 acquire ok 1 2; 1 acquire ok 3 20; 2 acquire ok 5 6; 1 renew ok 22 23", linear.Options{}, valid, "", nil},
		"a read of an empty log, and then an append":  {"log", "1 read ok 1 9 value=; 2 append ok 2 3 value=x; 3 read ok 4 5 value=x", linear.Options{}, valid, "", nil},
		"a write to a store that knows its token":     {"fenced-store", "3 write ok 1 2 token=1 key=k value=x; 1 write ok 3 12 token=1 key=k value=x; 2 write ok 4 5 token=1 key=k value=y; 3 read ok 7 8 token=1 key=k value=x", linear.Options{}, valid, "", nil},
		"an increment by nothing between its readers": {"faa", "1 fetch-add ok 1 9 number=1 delta=0; 2 add ok 2 3 delta=1; 3 read ok 4 5 number=1", linear.Options{}, valid, "", nil},
	} {
		t.Run(name, r.check)
	}
}

// TestTiedStamps: a process whose stamps touch is judged on a finer clock, as long as there is
// one.
func TestTiedStamps(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	const tied = "1 acquire ok 1 2; 1 release ok 2 3; "
	none := linear.Options{}
	checkDecided(t, map[string]decided{
		"the latest stamp that it has":      {row{"mutex", tied + "2 acquire ok 1844674407370955159 1844674407370955160", none, valid, "", nil}, "sections"},
		"a later return":                    {row{"mutex", tied + "2 acquire ok 1844674407370955159 1844674407370955161", none, valid, "no finer clock", nil}, "search"},
		"a later call":                      {row{"mutex", tied + "2 acquire unknown 1844674407370955161 -", none, valid, "no finer clock", nil}, "search"},
		"the latest call, and no return":    {row{"mutex", tied + "2 acquire unknown 1844674407370955160 -", none, valid, "", nil}, "sections"},
		"the earliest":                      {row{"mutex", "2 acquire ok -1844674407370955160 -9; 2 release ok -8 -7; " + tied[:len(tied)-2], none, valid, "", nil}, "sections"},
		"an earlier one":                    {row{"mutex", "2 acquire ok -1844674407370955161 -9; 2 release ok -8 -7; " + tied[:len(tied)-2], none, valid, "no finer clock", nil}, "search"},
		"operations that are not in order":  {row{"mutex", "1 release ok 2 3; 1 acquire ok 1 2; 2 acquire ok 3 4", none, valid, "", nil}, "sections"},
		"the greatest TTL":                  {row{"timed-lease", "1 acquire ok 1 2; 1 release ok 3 4; 1 acquire ok 4 5", linear.Options{TTL: 1844674407370955160}, valid, "", nil}, "least points"},
		"a greater one":                     {row{"timed-lease", "1 acquire ok 1 2; 1 release ok 3 4; 1 acquire ok 4 5", linear.Options{TTL: 1844674407370955161}, valid, "no finer clock", nil}, "search"},
		"the greatest TTL of a hold":        {row{"timed-rwlock", tied + "2 acquire ok 3 4 ttl=1844674407370955160", none, valid, "", nil}, "least points"},
		"a greater one of a hold":           {row{"timed-rwlock", tied + "2 acquire ok 3 4 ttl=1844674407370955161", none, valid, "no finer clock", nil}, "search"},
		"a TTL counts on either clock":      {row{"timed-lease", "1 acquire ok 1 2; 1 renew ok 2 3; 2 acquire ok 10 11", linear.Options{TTL: 100}, invalid, "", nil}, "least points"},
		"one of a hold, too":                {row{"timed-rwlock", "1 acquire ok 1 2 ttl=100; 1 renew ok 2 3 ttl=100; 2 acquire ok 10 11 ttl=100", none, invalid, "", nil}, "least points"},
		"what ends at one stamp is over":    {row{"mutex", tied + "2 acquire ok 4 5; 2 release ok 6 7; 3 acquire ok 4 5; 3 release ok 6 7", none, invalid, "", nil}, "sections"},
		"the later one is named first":      {row{"register", "1 read ok 2 3; 1 write ok 1 2 value=a", none, invalid, "", nil}, "search"},
		"an open one between the two":       {row{"register", "1 write ok 1 2 value=a; 1 read unknown 2 -; 1 read ok 2 3", none, invalid, "", nil}, "search"},
		"several sections within one stamp": {row{"mutex", "1 acquire ok 5 5; 1 release ok 5 5; 1 acquire ok 5 5; 1 release ok 5 5; 2 acquire ok 6 7; 2 release ok 7 8; 1 acquire ok 8 9", none, valid, "", nil}, "sections"},
		"processes with large numbers":      {row{"mutex", "1099511627776 acquire ok 1 2; 1099511627776 release ok 3 4; -7 acquire ok 5 6; 0 acquire refused 7 8", none, valid, "", nil}, "sections"},
	})
}

// TestManyOperations: tokens grow in the order of time, in whatever order so many operations
// are given; two that are swapped are found.
func TestManyOperations(t *testing.T) {
	for n, step := range map[int]uint64{100: 7, 300: 7, 301: 1 << 16, 9000: 7, 9001: 1 << 22} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(20261121, uint64(n)))
			ops := make([]linear.Operation, n)
			for place, i := range r.Perm(n) {
				at := 1000 * int64(i)
				ops[place] = linear.Operation{Process: i, F: linear.Acquire, Status: linear.OK, Call: at, Return: at + 500, Token: step*uint64(i) + 1}
			}
			if v := linear.Check(ops, "fenced", linear.Options{}); v.Outcome != linear.Valid {
				t.Fatalf("in order: %v %s", v.Outcome, v.Explanation)
			}
			a, b := r.IntN(n), r.IntN(n)
			ops[a].Token, ops[b].Token = ops[b].Token, ops[a].Token
			v := linear.Check(ops, "fenced", linear.Options{})
			if v.Outcome != linear.Invalid || !slices.Contains(v.Witness, a) && !slices.Contains(v.Witness, b) {
				t.Errorf("%d and %d swapped: %v %v %s", a, b, v.Outcome, v.Witness, v.Explanation)
			}
		})
	}
}

// TestStoreBorders: which operations explain a refusal, and what a store holds.
func TestStoreBorders(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	none := linear.Options{}
	checkDecided(t, map[string]decided{
		"no token at all":                      {row{"fenced-store", "1 write ok 1 2 key=k value=x; 1 read ok 3 4 key=k value=x", none, valid, "", nil}, "tokens"},
		"an open write with its own token":     {row{"fenced-store", "1 write unknown 1 - token=1 key=k value=x; 2 write refused 5 6 token=1 key=k value=y", none, invalid, "before any greater token", []int{1}}, "tokens"},
		"an open write with a greater one":     {row{"fenced-store", "1 write unknown 1 - token=2 key=k value=x; 2 write refused 5 6 token=1 key=k value=y", none, valid, "may depend on", nil}, "search"},
		"two open writes of what was read":     {row{"fenced-store", "1 write unknown 1 - token=1 key=k value=x; 2 write unknown 1 - token=2 key=k value=x; 3 read ok 5 6 token=3 key=k value=x", none, valid, "several writes of unknown outcome", nil}, "search"},
		"the count-downs that came in time":    {row{"latch", "1 count-down ok 1 2; 2 count-down ok 5 6; 3 await ok 1 5", linear.Options{Parties: 3}, invalid, "at most 2 of 3", []int{2, 0, 1}}, "count"},
		"one open write, of which one is read": {row{"fenced-store", "1 write unknown 1 - token=1 key=k value=x; 2 write unknown 1 - token=2 key=k value=y; 3 read ok 5 6 token=3 key=k value=x", none, valid, "", nil}, "tokens"},
	})
}
