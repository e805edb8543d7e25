package checker_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

var (
	histories     = flag.Int("histories", 300, "how many random histories TestReference compares")
	referenceSeed = flag.Uint64("reference-seed", 20261121, "of TestReference")
)

// judged are the kinds of anomaly that have a reference.
var judged = map[string]func(r *reference) int{
	"double-grant":      (*reference).doubleGrants,
	"late-notice":       (*reference).lateNotices,
	"void-grant":        (*reference).voidGrants,
	"false-validity":    (*reference).falseValidities,
	"overrun":           (*reference).overruns,
	"token-regression":  (*reference).tokenRegressions,
	"token-duplicate":   (*reference).tokenDuplicates,
	"token-changed":     (*reference).tokensChanged,
	"stale-accepted":    (*reference).staleAccepted,
	"fence-lockout":     (*reference).fenceLockouts,
	"foreign-release":   (*reference).foreignReleases,
	"immortal":          (*reference).immortals,
	"extended-by-other": (*reference).extendedByOthers,
	"partial-grant":     (*reference).partialGrants,
	"deadlock":          (*reference).deadlocks,
	"self-deadlock":     (*reference).selfDeadlocks,
	"starved":           (*reference).starved,
	"unfair":            (*reference).unfair,
	"orphan":            (*reference).orphans,

	"reader-beside-writer": (*reference).readersBesideWriters,
	"over-capacity":        (*reference).overCapacities,
	"extra-permit":         (*reference).extraPermits,
	"lost-permit":          (*reference).lostPermits,
	"starved-writer":       (*reference).starvedWriters,

	"two-leaders":        (*reference).twoLeaders,
	"zombie-candidate":   (*reference).zombies,
	"observer-disagrees": (*reference).disagreements,
}

// claims are the kinds of locks that several can hold, and those of all locks that ask who
// excludes whom.
var claims = []string{
	"reader-beside-writer", "over-capacity", "extra-permit", "lost-permit", "starved-writer", "extended-by-other", "partial-grant",
	"double-grant", "overrun", "foreign-release", "unfair", "deadlock",
}

// contradictory are the kinds that ask which of two grants was the newer. Where tokens go
// against the times the grants stand in no order, and what is next to another depends on where
// one begins.
var contradictory = map[string]bool{"late-notice": true, "overrun": true}

// TestReference compares the checker with one that follows the document word by word,
// on histories of locks that are good, bad and worse, which were damaged besides.
func TestReference(t *testing.T) {
	compareWithReference(t, damaged, func(kind string) bool { return !slices.Contains(append(ofElections, claims[:7]...), kind) })
}

// TestReferenceClaims does the same on histories of read–write locks and semaphores.
func TestReferenceClaims(t *testing.T) {
	compareWithReference(t, claimed, func(kind string) bool { return slices.Contains(claims, kind) })
}

// compareWithReference compares all kinds, of which some must show.
func compareWithReference(t *testing.T, generate func(r *rand.Rand) (history.History, checker.Options), shows func(kind string) bool) {
	seen, wrong, contradicted := map[string]int{}, map[string]int{}, 0
	for i := range *histories {
		h, o := generate(rand.New(rand.NewPCG(*referenceSeed, uint64(i))))
		if err := history.Validate(h); err != nil {
			t.Fatalf("history %d: %v", i, err)
		}
		every := checker.Whole
		if i%3 == 0 {
			every = 10
		}
		res, err := checker.JudgeEvery(h, o, nil, every)
		if err != nil {
			t.Fatal(err)
		}
		ref := refer(h, o)
		for kind, count := range judged {
			want, got := count(ref), res.Counts.Anomalies[kind]
			if want > 0 {
				seen[kind]++
			}
			if want != got && contradictory[kind] && ref.contradicted() {
				contradicted++
				continue
			}
			if want != got {
				if wrong[kind]++; wrong[kind] <= 3 {
					t.Errorf("history %d: %d %s, by its definition %d; %+v", i, got, kind, want, o)
				}
			}
		}
	}
	t.Logf("of %d histories so many show: %v", *histories, seen)
	for kind := range judged {
		if !shows(kind) {
			continue
		}
		if seen[kind] == 0 || *histories >= 5000 && seen[kind] < 50 {
			t.Errorf("%s in %d of %d histories: too few to compare", kind, seen[kind], *histories)
		}
	}
	if contradicted*1000 > *histories {
		t.Errorf("%d histories left out, as their tokens go against the times", contradicted)
	}
	if len(wrong) > 0 {
		t.Errorf("histories in which they differ: %v", wrong)
	}
}
