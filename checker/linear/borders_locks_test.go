package linear_test

import (
	"testing"

	"locktorture/checker/linear"
)

// TestWhoGoesOn: an end whose outcome nobody learned may land after what the process takes
// next, so only the search can tell; one that was answered is over.
func TestWhoGoesOn(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	long, one := linear.Options{TTL: 100, Capacity: 1}, linear.Options{Capacity: 1}
	const lateEnd = "1 end unknown 1 -; 1 acquire ok 5 6; 2 acquire ok 7 8"
	const unknownEnd, end = "1 acquire ok 1 2; 1 end unknown 3 -; 1 acquire ok 5 6; 2 acquire ok 7 8", "1 acquire ok 1 2; 1 end ok 3 4; 1 acquire ok 5 6; 2 acquire ok 7 8"
	checkDecided(t, map[string]decided{
		"mutex: an end that may come late":                   {row{"mutex", unknownEnd, one, invalid, "continues after", nil}, "search"},
		"mutex: an end that came":                            {row{"mutex", end, one, invalid, "surely holds it", []int{2, 3}}, "sections"},
		"mutex: an end of nothing that may come late":        {row{"mutex", lateEnd, one, valid, "", nil}, "search"},
		"mutex: an acquire that the release proves":          {row{"mutex", "1 acquire unknown 1 -; 1 release ok 5 6", one, valid, "", nil}, "sections"},
		"mutex: the same, the release named first":           {row{"mutex", "1 release ok 5 6; 1 acquire unknown 1 -", one, valid, "", nil}, "sections"},
		"mutex: it was had as the next release began":        {row{"mutex", "2 acquire unknown 1 -; 1 acquire ok 2 3; 1 release ok 8 9; 2 release ok 5 8", one, valid, "", nil}, "sections"},
		"mutex: it cannot have been had":                     {row{"mutex", "2 acquire unknown 1 -; 1 acquire ok 2 3; 1 release ok 8 9; 2 release ok 5 7", one, invalid, "releases the lock between 5 and 7", []int{1, 2, 0, 3}}, "sections"},
		"mutex: the release is named first":                  {row{"mutex", "1 release ok 20 21; 1 acquire ok 1 2; 2 acquire ok 5 6", one, invalid, "surely holds it", []int{1, 0, 2}}, "sections"},
		"rwlock: an end that may come late":                  {row{"rwlock", unknownEnd, one, invalid, "continues after", nil}, "search"},
		"rwlock: an end of nothing that may come late":       {row{"rwlock", lateEnd, one, valid, "continues after", nil}, "search"},
		"rwlock: an end that came":                           {row{"rwlock", end, one, invalid, "surely hold the lock", nil}, "sweep"},
		"semaphore: the latest is named first":               {row{"semaphore", "2 acquire ok 5 6; 1 acquire ok 1 2", one, invalid, "", []int{1, 0}}, "sweep"},
		"timed rwlock: an end that may come late":            {row{"timed-rwlock", unknownEnd, long, invalid, "continues after", nil}, "search"},
		"timed rwlock: an end of nothing that may come late": {row{"timed-rwlock", lateEnd, long, valid, "continues after", nil}, "search"},
		"timed rwlock: an end that came":                     {row{"timed-rwlock", end, long, invalid, "", nil}, "least points"},
		"timed rwlock: the release is named first":           {row{"timed-rwlock", "1 release ok 20 21; 1 acquire ok 1 2; 2 acquire ok 5 6", long, invalid, "", []int{1, 0, 2}}, "least points"},
		"timed semaphore: the latest is named first":         {row{"timed-semaphore", "2 acquire ok 5 6; 1 acquire ok 1 2", long, invalid, "", []int{1, 0}}, "sweep"},
		"timed lease: the refusal is named first":            {row{"timed-lease", "1 renew refused 5 6; 1 acquire ok 1 2", long, invalid, "an answer at 6 says that a lease is over", []int{1, 1, 0}}, "least points"},
		"timed lease: who has none is refused a renewal":     {row{"timed-lease", "1 acquire ok 1 2; 2 renew refused 3 4", long, valid, "", nil}, "least points"},
		"timed lease: an end after another's grant":          {row{"timed-lease", "1 acquire ok 1 2; 2 acquire ok 120 121; 1 end ok 130 131", long, valid, "", nil}, "least points"},
		"re-entered, and an acquire that a second release proves": {row{"reentrant-fenced",
			"1 acquire ok 1 2 token=1; 1 acquire unknown 3 -; 1 release ok 5 6 token=1; 1 release ok 7 8 token=1", one, valid, "", nil}, "search"},
		"a renewal is no re-entry":   {row{"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 renew ok 3 4 token=1; 1 release ok 5 6 token=1; 1 renew ok 7 8 token=1", one, invalid, "", nil}, "tokens"},
		"re-entered, and another's":  {row{"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 token=1; 2 release ok 5 6 token=1", one, invalid, "", nil}, "tokens"},
		"a grant without its token":  {row{"timed-lease", "1 acquire ok 1 2 token=1; 1 release ok 3 4; 2 acquire ok 5 6", long, invalid, "some grants have tokens and some have none", nil}, "search"},
		"a lesser token than two":    {row{"fenced", "1 acquire ok 10 12 token=1; 2 acquire ok 5 13 token=2; 3 acquire ok 6 8 token=3", one, invalid, "", []int{0, 2}}, "tokens"},
		"a greater one than the two": {row{"fenced", "1 acquire ok 10 12 token=1; 2 acquire ok 5 13 token=2; 3 acquire ok 6 10 token=3", one, valid, "", nil}, "tokens"},
	})
}

// TestStrictBorders: a refused try needs something that was in its way, each of several its
// own.
func TestStrictBorders(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	strict := linear.Options{StrictTries: true, Capacity: 1}
	// Sections, and leases, without length at one stamp may stand in either order.
	const late = "1 acquire ok 10 10; 1 release ok 10 10; 2 acquire ok 4 10; 2 release ok 10 10; "
	const early = "1 acquire ok 10 10; 1 release ok 10 30; 2 acquire ok 10 10; 2 release ok 10 10; "
	const leases = "1 acquire ok 10 10; 1 renew ok 10 10; 2 acquire ok 4 10; 2 renew ok 10 10; "
	checkDecided(t, map[string]decided{
		"mutex: the first may be right, the second not":     {row{"mutex", "1 acquire ok 1 2; 1 release ok 3 6; 2 acquire refused 4 5; 3 acquire refused 8 9", strict, invalid, "surely free", []int{1, 3}}, "sections"},
		"lease: the first may be right, the second not":     {row{"lease", "2 acquire refused 1 5; 1 acquire ok 5 6; 1 renew ok 7 8; 1 release ok 9 10; 3 acquire refused 12 13", strict, invalid, "surely free", nil}, "zones"},
		"fenced: the first may be right, the second not":    {row{"fenced", "2 acquire refused 1 5; 1 acquire ok 5 6 token=1; 1 release ok 7 8; 3 acquire refused 10 11", strict, invalid, "surely free", nil}, "tokens"},
		"semaphore: the first is right, the second not":     {row{"semaphore", "1 acquire ok 1 2; 1 release ok 9 10; 2 acquire refused 4 5; 3 acquire refused 12 13", strict, invalid, "nothing can have blocked this try", []int{3}}, "sweep"},
		"rwlock: a reader beside a reader":                  {row{"rwlock", "1 acquire ok 1 2 shared; 2 acquire refused 4 5 shared", strict, invalid, "nothing can have blocked this try", []int{1}}, "sweep"},
		"rwlock: a writer beside a reader":                  {row{"rwlock", "1 acquire ok 1 2 shared; 2 acquire refused 4 5", strict, valid, "", nil}, "sweep"},
		"mutex: the other of one stamp came early":          {row{"mutex", late + "3 acquire refused 5 6", strict, valid, "begin and end at the same time stamp", nil}, "search"},
		"mutex: early enough":                               {row{"mutex", late + "3 acquire refused 2 4", strict, valid, "begin and end at the same time stamp", nil}, "search"},
		"mutex: not so early":                               {row{"mutex", late + "3 acquire refused 2 3", strict, invalid, "surely free", nil}, "sections"},
		"mutex: the other of one stamp ended late":          {row{"mutex", early + "3 acquire refused 12 13", strict, valid, "begin and end at the same time stamp", nil}, "search"},
		"mutex: late enough":                                {row{"mutex", early + "3 acquire refused 30 31", strict, valid, "begin and end at the same time stamp", nil}, "search"},
		"mutex: not so late":                                {row{"mutex", early + "3 acquire refused 31 32", strict, invalid, "surely free", nil}, "sections"},
		"mutex: the one before ended late, and has length":  {row{"mutex", "1 acquire ok 1 2; 1 release ok 5 20; 2 acquire ok 3 5; 2 release ok 7 8; 3 acquire refused 10 11", strict, invalid, "surely free", nil}, "sections"},
		"lease: the other of one stamp came early":          {row{"lease", leases + "3 acquire refused 5 6", strict, valid, "granted and used at the same time stamp", nil}, "search"},
		"lease: the same, and a grant that came too late":   {row{"lease", leases + "3 acquire refused 5 6; 4 acquire unknown 8 -", strict, valid, "granted and used at the same time stamp", nil}, "search"},
		"lease: not so early, and a grant in time":          {row{"lease", leases + "3 acquire refused 2 3; 4 acquire unknown 2 -", strict, valid, "operations with the same time stamp", nil}, "search"},
		"re-entrant: a try of what nobody holds":            {row{"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 release ok 3 4; 2 acquire refused 5 6", strict, invalid, "surely free", nil}, "tokens"},
		"re-entrant: a try of what another may hold, still": {row{"reentrant-fenced", "1 acquire ok 1 2 token=1; 1 release ok 3 5; 2 acquire refused 5 6", strict, valid, "", nil}, "tokens"},
	})
}

// TestHoldsInPlace: where holds that end by themselves find their places, and where not.
func TestHoldsInPlace(t *testing.T) {
	const valid, invalid = linear.Valid, linear.Invalid
	one, two := linear.Options{Capacity: 1, TTL: 10}, linear.Options{Capacity: 2, TTL: 100}
	short, none := linear.Options{Capacity: 2, TTL: 10}, linear.Options{Capacity: 1}
	const both = "1 acquire ok 1 2 token=1; 1 acquire ok 3 4 token=2; "
	checkDecided(t, map[string]decided{
		"after one that was given back":                     {row{"timed-semaphore", "1 acquire ok 1 20; 2 acquire ok 4 5; 2 release ok 15 16", one, valid, "", nil}, "sweep"},
		"it must have ended before that":                    {row{"timed-semaphore", "1 acquire ok 1 20; 2 acquire ok 4 5; 2 release ok 15 16; 1 renew refused 22 23", one, invalid, "ended by themselves", nil}, "search"},
		"just before one that was given back":               {row{"timed-semaphore", "1 acquire ok 1 12; 2 acquire ok 10 11; 2 release ok 30 31", one, valid, "", nil}, "sweep"},
		"one moment too long for that":                      {row{"timed-semaphore", "1 acquire ok 2 12; 2 acquire ok 9 11; 2 release ok 30 31", one, invalid, "ended by themselves", nil}, "search"},
		"one of no length beside another":                   {row{"timed-semaphore", "1 acquire ok 1 2 ttl=100; 2 acquire ok 5 5", none, invalid, "others surely hold 1", []int{0, 1}}, "sweep"},
		"one of no length before two":                       {row{"timed-semaphore", "1 acquire ok 5 5; 2 acquire ok 7 8 ttl=100; 3 acquire ok 9 10 ttl=100", none, invalid, "others surely hold 1", []int{1, 2}}, "sweep"},
		"what ended at that moment is no witness":           {row{"timed-semaphore", "1 acquire ok 1 2; 1 release ok 5 6; 2 acquire ok 2 3; 3 acquire ok 4 5; 4 acquire ok 4 5", two, invalid, "others surely hold 2", []int{2, 3, 4}}, "sweep"},
		"nor without a TTL":                                 {row{"semaphore", "1 acquire ok 1 2; 1 release ok 5 6; 2 acquire ok 2 3; 3 acquire ok 4 5; 4 acquire ok 4 5", two, invalid, "", []int{2, 3, 4}}, "sweep"},
		"a refused release is of the hold that it names":    {row{"timed-semaphore", both + "1 release refused 200 201 token=1; 1 release ok 210 211 token=2", two, valid, "", nil}, "sweep"},
		"the one that it names is given back":               {row{"timed-semaphore", both + "1 release ok 5 6 token=2; 2 acquire ok 7 8; 3 acquire ok 9 12", short, valid, "", nil}, "sweep"},
		"the other would have ended sooner":                 {row{"timed-semaphore", both + "1 release ok 5 6 token=1; 2 acquire ok 7 8; 3 acquire ok 9 12", short, invalid, "", nil}, "sweep"},
		"without a name the older is, and ends sooner":      {row{"timed-semaphore", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 2 acquire ok 7 8; 3 acquire ok 9 12", short, invalid, "a process has several holds", nil}, "search"},
		"without a name the older is, and there is a while": {row{"timed-semaphore", "1 acquire ok 1 2; 1 acquire ok 3 4; 1 release ok 5 6; 2 acquire ok 7 8; 3 acquire ok 9 13", short, valid, "a process has several holds", nil}, "search"},
	})
}
