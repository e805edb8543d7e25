package conform

import (
	"fmt"
	"slices"
	"time"

	"locktorture/checker/bare"
	"locktorture/checker/linear"
)

// Grades of a store.
const (
	Conforms = "conforms"
	Broken   = "does not conform"
	Unknown  = "unknown"
)

// A Verdict is the result of a store's test.
type Verdict struct {
	Grade     string   `json:"grade"`
	Why       []string `json:"why,omitempty"` // reasons why the grade is not Conforms
	Server    string   `json:"server,omitempty"`
	Endpoints []string `json:"endpoints"`
	Clients   int      `json:"clients"`
	Seed      uint64   `json:"seed"`
	Took      int64    `json:"took"` // ns, without the judging

	Groups []Group      `json:"groups"` // of bursts, by fault and kind
	Worst  *Burst       `json:"worst,omitempty"`
	Linear bare.Verdict `json:"linear"` // one register for each key
}

// A Group is all bursts of one kind under one fault.
type Group struct {
	Fault   string `json:"fault"`
	Kind    string `json:"kind"`
	Bursts  int    `json:"bursts"`
	Overlap int    `json:"overlap"` // bursts in which two puts at least were under way at a time
	Puts    int    `json:"puts"`
	One     int    `json:"one"`     // bursts with one winner
	None    int    `json:"none"`    // bursts without a winner
	More    int    `json:"more"`    // bursts with two or more winners
	Most    int    `json:"most"`    // largest number of winners in one burst
	Unknown int    `json:"unknown"` // puts that were not answered
	Silent  int    `json:"silent"`  // puts refused with another answer than 412 or 404
}

// searchTime bounds the search for an order of one key.
const searchTime = 20 * time.Second

// Judge judges a run by its bursts and by its history, which is in a file. The error concerns
// the file.
func Judge(run Run, file string) (Verdict, error) {
	v := Verdict{
		Grade: Conforms, Server: run.Server, Endpoints: run.Config.Endpoints, Clients: run.Config.Clients, Seed: run.Config.Seed,
		Took: run.Took.Nanoseconds(), Groups: groups(run.bursts),
	}
	l, err := bare.Judge(file, bare.Options{Options: linear.Options{Timeout: searchTime}, Model: "register", Keys: "split", FailedCAS: true})
	if err != nil {
		return v, err
	}
	v.Linear = *l
	for i, b := range run.bursts {
		if len(b.Winners) > 1 && (v.Worst == nil || len(b.Winners) > len(v.Worst.Winners)) {
			v.Worst = &run.bursts[i]
		}
	}
	v.grade(run)
	return v, nil
}

func (v *Verdict) grade(run Run) {
	more := 0
	for _, g := range v.Groups {
		more += g.More
	}
	switch {
	case more > 0 || v.Linear.Outcome == linear.Invalid.String():
		v.Grade = Broken
		if more > 0 {
			v.Why = append(v.Why, fmt.Sprintf("%d bursts with more than one winner", more))
		}
		for _, j := range v.Linear.Objects {
			if j.Verdict.Outcome == linear.Invalid {
				v.Why = append(v.Why, j.Object+": "+j.Verdict.Explanation)
				break
			}
		}
		return
	case !run.ended:
		v.Why = append(v.Why, "it was interrupted")
	case v.Linear.Outcome != linear.Valid.String():
		v.Why = append(v.Why, "it could not be decided whether there is an order")
	}
	v.Why = append(v.Why, untested(run, v.Groups)...)
	for _, g := range v.Groups {
		switch {
		case g.One == 0 && g.Silent > 0:
			v.Why = append(v.Why, fmt.Sprintf("puts with %s were refused: %s", g.Kind, silence(run.bursts, g)))
		case 2*g.Overlap < g.Bursts: // too few for their result to say something
			v.Why = append(v.Why, fmt.Sprintf("puts overlapped in time in only %d of %d bursts with %s (%s)", g.Overlap, g.Bursts, g.Kind, g.Fault))
		case g.One == 0:
			v.Why = append(v.Why, fmt.Sprintf("no burst with %s (%s) had a winner", g.Kind, g.Fault))
		case g.Fault == Cut && g.Unknown == 0:
			v.Why = append(v.Why, fmt.Sprintf("every put with %s was answered: the fault did not take effect", g.Kind))
		}
	}
	if len(v.Groups) == 0 {
		v.Why = append(v.Why, "no burst was played")
	}
	if len(v.Why) > 0 {
		v.Grade = Unknown
	}
}

// untested returns why a kind of request was not tested under a fault.
func untested(run Run, groups []Group) (why []string) {
	if !run.ended {
		return nil
	}
	stages := run.Config.stages()
	slices.Sort(stages)
	stages = slices.Compact(stages)
	for _, fault := range run.Config.Faults {
		for _, stage := range stages {
			deleted, refused := 0, 0
			for _, b := range run.bursts {
				if b.Fault == fault && b.Kind == stage && b.deleted {
					deleted++
				}
				if b.Fault == fault && b.Kind == stage && b.refused {
					refused++
				}
			}
			switch {
			case !slices.ContainsFunc(groups, func(g Group) bool { return g.Fault == fault && g.Kind == stage }):
				why = append(why, fmt.Sprintf("no client knew the present ETag, so nothing was asked with %s (%s)", stage, fault))
			case stage == Deletion && deleted == refused:
				why = append(why, fmt.Sprintf("every request with %s (%s) was refused for another reason than its condition, or none was sent", stage, fault))
			}
		}
	}
	return why
}

// silence returns the answer of a store that refused puts for another reason than the
// condition.
func silence(bursts []Burst, g Group) string {
	for _, b := range bursts {
		if b.Kind == g.Kind && b.Fault == g.Fault && b.Silent > 0 {
			return b.Why
		}
	}
	return ""
}

// groups counts the bursts.
func groups(bursts []Burst) (list []Group) {
	index := map[[2]string]int{}
	for _, b := range bursts {
		if b.Asked == 0 {
			continue // no client knew the present value
		}
		at, ok := index[[2]string{b.Fault, b.Kind}]
		if !ok {
			at = len(list)
			index[[2]string{b.Fault, b.Kind}] = at
			list = append(list, Group{Fault: b.Fault, Kind: b.Kind})
		}
		g := &list[at]
		g.Bursts, g.Puts, g.Unknown, g.Silent = g.Bursts+1, g.Puts+b.Asked, g.Unknown+b.Unknown, g.Silent+b.Silent
		g.Most = max(g.Most, len(b.Winners))
		if b.Overlap {
			g.Overlap++
		}
		switch len(b.Winners) {
		case 0:
			g.None++
		case 1:
			g.One++
		default:
			g.More++
		}
	}
	return list
}
