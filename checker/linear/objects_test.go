package linear_test

import (
	"testing"

	"locktorture/checker/linear"
)

// Border cases of the objects that locks protect, either side of each.
func TestObjects(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	none := linear.Options{}
	stock := linear.Options{Stock: 2}
	for name, r := range map[string]row{
		"counter: nothing counts down":         {"counter", "1 read ok 1 2 number=-1", none, invalid, "no operation counts down", []int{0}},
		"counter: before it was added":         {"counter", "1 read ok 1 2 number=1; 1 add ok 3 4 delta=1", none, invalid, "fewer can have happened by then", nil},
		"counter: while it is added":           {"counter", "1 read ok 1 3 number=1; 2 add ok 3 4 delta=1", none, valid, "", nil},
		"counter: more than were added":        {"counter", "1 add ok 1 2 delta=1; 1 read ok 3 4 number=2", none, invalid, "but there were at most 1 increments", []int{1}},
		"counter: fewer than had returned":     {"counter", "1 add ok 1 2 delta=1; 1 add ok 3 4 delta=1; 1 read ok 5 6 number=1", none, invalid, "1 increments had returned before a read that does not include them", nil},
		"counter: fewer, one at the same time": {"counter", "1 add ok 1 2 delta=1; 2 add ok 3 5 delta=1; 1 read ok 5 6 number=1", none, valid, "", nil},
		"counter: less than before":            {"counter", "1 add ok 1 2 delta=1; 2 read ok 3 4 number=1; 2 read ok 5 6 number=0", none, invalid, "but later", nil},
		"counter: an unknown one is needed":    {"counter", "1 add unknown 1 -  delta=1; 2 read ok 3 4 number=1", none, valid, "", nil},
		"counter: an unknown one came later":   {"counter", "1 add unknown 5 - delta=1; 2 read ok 3 4 number=1", none, invalid, "", nil},
		"counter: steps of two":                {"counter", "1 add ok 1 2 delta=2; 2 read ok 3 4 number=2", none, valid, "", nil},
		"counter: half a step":                 {"counter", "1 add ok 1 2 delta=2; 2 read ok 3 4 number=1", none, invalid, "", nil},
		"inventory: sold to the last":          {"inventory", "1 sell ok 1 2; 1 sell ok 3 4; 1 sell refused 5 6; 1 read ok 7 8 number=0", stock, valid, "", nil},
		"inventory: sold once more":            {"inventory", "1 sell ok 1 2; 1 sell ok 3 4; 1 sell ok 5 6", stock, invalid, "at least 3 units were sold, but the stock had only 2", []int{0, 1, 2}},
		"inventory: an unknown sale":           {"inventory", "1 sell ok 1 2; 1 sell ok 3 4; 1 sell unknown 5 -", stock, valid, "", nil},
		"inventory: sold out too early":        {"inventory", "1 sell ok 1 2; 1 sell refused 3 4", stock, invalid, "", nil},
		"inventory: sold out by an unknown":    {"inventory", "1 sell ok 1 2; 2 sell unknown 1 -; 1 sell refused 3 4", stock, valid, "", nil},
		"inventory: more than there were":      {"inventory", "1 read ok 1 2 number=3", stock, invalid, "but the stock had 2 units at the start", []int{0}},
		"inventory: fewer than none":           {"inventory", "1 read ok 1 2 number=-1", stock, invalid, "but the stock had 2 units at the start", []int{0}},
		"inventory: a full stock":              {"inventory", "1 read ok 1 2 number=2", stock, valid, "", nil},
		"faa: the order of the answers":        {"faa", "1 fetch-add ok 1 2 delta=1 number=0; 2 fetch-add ok 3 4 delta=1 number=1; 1 read ok 5 6 number=2", none, valid, "", nil},
		"faa: against the order":               {"faa", "1 fetch-add ok 1 2 delta=1 number=1; 2 fetch-add ok 3 4 delta=1 number=0", none, invalid, "", nil},
		"faa: one answer twice":                {"faa", "1 fetch-add ok 1 5 delta=1 number=0; 2 fetch-add ok 1 5 delta=1 number=0", none, invalid, "two additions found the same sum", []int{0, 1}},
		"faa: a hole":                          {"faa", "1 fetch-add ok 1 5 delta=1 number=1", none, invalid, "nobody can have added to the sum 0", []int{0}},
		"faa: a hole that an unknown fills":    {"faa", "2 fetch-add unknown 1 - delta=1; 1 fetch-add ok 1 5 delta=1 number=1", none, valid, "", nil},
		"faa: an unknown too late":             {"faa", "2 fetch-add unknown 6 - delta=1; 1 fetch-add ok 1 5 delta=1 number=1", none, invalid, "", nil},
		"faa: beyond all":                      {"faa", "1 fetch-add ok 1 5 delta=1 number=9", none, invalid, "only 1 operations", []int{0}},
		"faa: below zero":                      {"faa", "1 read ok 1 5 number=-1", none, invalid, "only 1 operations", []int{0}},
		"log: in order":                        {"log", "1 append ok 1 2 value=a; 2 append ok 3 4 value=b; 1 read ok 5 6 value=a,b", none, valid, "", nil},
		"log: against the order":               {"log", "1 append ok 1 2 value=a; 2 append ok 3 4 value=b; 1 read ok 5 6 value=b,a", none, invalid, "", nil},
		"log: lost":                            {"log", "1 append ok 1 2 value=a; 2 append ok 3 4 value=b; 1 read ok 5 6 value=a", none, invalid, "", nil},
		"log: twice":                           {"log", "1 append ok 1 2 value=a; 1 read ok 5 6 value=a,a", none, invalid, "was appended only once", []int{1}},
		"log: nobody's":                        {"log", "1 append ok 1 2 value=a; 1 read ok 5 6 value=b", none, invalid, "but nobody appended this value", []int{1}},
		"log: two ends":                        {"log", "1 append ok 1 9 value=a; 2 append ok 1 9 value=b; 1 read ok 10 11 value=a,b; 2 read ok 10 11 value=b", none, invalid, "is a prefix of the other", []int{3, 2}},
		"log: half a value":                    {"log", "1 append ok 1 9 value=ab; 1 read ok 10 11 value=ab; 2 read ok 10 11 value=a", none, invalid, "is a prefix of the other", []int{2, 1}},
		"log: an unknown one":                  {"log", "1 append unknown 1 - value=a; 2 read ok 3 4 value=a", none, valid, "", nil},
		"log: empty at the start":              {"log", "1 read ok 1 2; 1 append ok 3 4 value=a", none, valid, "", nil},
		"log: empty after an append":           {"log", "1 append ok 1 2 value=a; 1 read ok 3 4", none, invalid, "", nil},
		"register: the start":                  {"register", "1 read ok 1 2; 1 write ok 3 4 value=a", none, valid, "", nil},
		"register: the start, too late":        {"register", "1 write ok 1 2 value=a; 1 read ok 3 4", none, invalid, "the value at the start was surely in place", nil},
		"register: nobody's":                   {"register", "1 read ok 1 2 value=x", none, invalid, "that nobody wrote", []int{0}},
		"register: before the write":           {"register", "1 read ok 1 2 value=x; 1 write ok 3 4 value=x", none, invalid, "before", []int{0, 1}},
		"register: a stale read":               {"register", "1 write ok 1 2 value=x; 1 write ok 3 4 value=y; 2 read ok 5 6 value=x", none, invalid, "was surely in place from 2 to 5", nil},
		"register: beside the next write":      {"register", "1 write ok 1 2 value=x; 1 write ok 3 5 value=y; 2 read ok 5 6 value=x", none, valid, "", nil},
		"register: a refused cas":              {"register", "1 write ok 1 2 value=x; 1 cas refused 3 4 expect=x value=y", none, invalid, "", nil},
		"register: a mismatch":                 {"register", "1 write ok 1 2 value=x; 1 cas refused 3 4 expect=z value=y", none, valid, "", nil},
		"register: an append":                  {"register", "1 write ok 1 2 value=x; 1 append ok 3 4 value=y; 1 read ok 5 6 value=xy", none, valid, "", nil},
		"state machine: a path":                {"statemachine", "1 cas ok 1 2 expect=a value=b; 1 read ok 3 4 value=b; 1 cas ok 5 6 expect=b value=c", linear.Options{Initial: "a"}, valid, "", nil},
		"state machine: read too late":         {"statemachine", "1 cas ok 1 2 expect=a value=b; 1 read ok 3 4 value=a", linear.Options{Initial: "a"}, invalid, "", nil},
		"state machine: nobody's state":        {"statemachine", "1 cas ok 1 2 expect=a value=b; 1 read ok 3 4 value=z", linear.Options{Initial: "a"}, invalid, "a state that no transition leads to", []int{1}},
		"state machine: back again":            {"statemachine", "1 cas ok 1 2 expect=a value=b; 1 cas ok 3 4 expect=b value=a; 1 read ok 5 6 value=a", linear.Options{Initial: "a"}, valid, "", nil},
		"fenced store: a lesser token":         {"fenced-store", "1 write ok 1 2 token=2 key=k value=x; 2 write ok 3 4 token=1 key=k value=y", none, invalid, "", nil},
		"fenced store: refused rightly":        {"fenced-store", "1 write ok 1 2 token=2 key=k value=x; 2 write refused 3 4 token=1 key=k value=y", none, valid, "", nil},
		"fenced store: refused too early":      {"fenced-store", "2 write refused 1 2 token=1 key=k value=y; 1 write ok 3 4 token=2 key=k value=x", none, invalid, "before any greater token was used", []int{0}},
		"fenced store: refused at once":        {"fenced-store", "2 write refused 1 3 token=1 key=k value=y; 1 write ok 3 4 token=2 key=k value=x", none, valid, "", nil},
		"fenced store: refused its own token":  {"fenced-store", "1 write ok 1 2 token=2 key=k value=x; 1 write refused 3 4 token=2 key=k value=y", none, invalid, "before any greater token was used", []int{1}},
		"fenced store: a read moves the mark":  {"fenced-store", "1 read ok 1 2 token=2 key=k; 2 write refused 3 4 token=1 key=k value=y", none, valid, "", nil},
		"fenced store: another key":            {"fenced-store", "1 write ok 1 2 token=1 key=k value=x; 2 read ok 3 4 token=2 key=j; 2 read ok 5 6 token=2 key=k value=x", none, valid, "", nil},
		"fenced store: a lost write":           {"fenced-store", "1 write ok 1 2 token=1 key=k value=x; 2 read ok 3 4 token=2 key=k", none, invalid, "by the order of tokens", []int{0, 1}},
	} {
		t.Run(name, r.check)
	}
}
