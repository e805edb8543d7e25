package checker_test

import (
	"testing"

	"locktorture/history"
)

// Clients that give a lock less time than it may take at the most, where the run shows that it
// takes much less: FreeWithin 3 s, 300 ms of slack, Retry 50 ms. So waits of up to 350 ms
// prove nothing by themselves.
func TestDeadlockShortWaits(t *testing.T) {
	one := map[string]int{"deadlock": 1}
	reentrant := mutex
	reentrant.Reentrant = true
	// served grants clients 2 and 3 the lock n times, told so many ms after it was free.
	served := func(b *build, n int64, told int64) *build {
		for i := range n {
			at := 95 * i
			b.grant(2+int(i%2), i+1, at, at+told, 0).release(i+1, at+90, at+91, history.OK)
		}
		return b
	}
	// refused lets clients 2 and 3 wait for so many ms each, in turn, until 6.5 s later.
	refused := func(b *build, from, each int64) *build {
		for i, at := 0, from; at < from+6500; i, at = i+1, at+each {
			b.try(2+i%2, at, at+each-1, history.Fail, history.ByTime)
		}
		return b
	}
	run(t, []row{
		{"longer than 100 ms and a retry", mutex, nil, func(b *build) { refused(served(b, 21, 1), 2000, 152) }, one},
		{"as long as that", mutex, nil, func(b *build) { refused(served(b, 21, 1), 2000, 151) }, nil},
		{"four times as long as it took", mutex, nil, func(b *build) { refused(served(b, 21, 40), 2000, 212) }, one},
		{"not quite", mutex, nil, func(b *build) { refused(served(b, 21, 40), 2000, 211) }, nil},
		{"not quite, where a single one was told at once", mutex, nil, func(b *build) {
			served(b, 21, 40).h[1].Time = ms
			refused(b, 2000, 211)
		}, nil},
		{"too few grants to know", mutex, nil, func(b *build) { refused(served(b, 20, 1), 2000, 200) }, nil},
		{"re-entries are told at once", reentrant, nil, func(b *build) { refused(served(b, 21, 1), 2000, 200) }, nil},
		{"the time that another held it is not the lock's", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).grant(2, 100, 2000, 2001, 0).release(100, 2999, 3001, history.OK).grant(3, 101, 2000, 3002, 0).release(101, 3003, 3004, history.OK), 3100, 152)
		}, one},
		{"a server was restarted: nobody is known to be connected", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).fault("restart", 1, 0, "n1", 1992, 1995), 2000, 200)
		}, nil},
		{"both were stopped", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).fault("pause", 1, 2, "c2", 1992, 1995).fault("pause", 2, 3, "c3", 1993, 1996), 2000, 200)
		}, nil},
		{"others were stopped", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).fault("pause", 1, 4, "c4", 1992, 1995).fault("pause", 2, 5, "c5", 1993, 1996), 2000, 200)
		}, one},
		{"other processes, that were never served", mutex, nil, func(b *build) {
			served(b, 21, 1).crash(2, 1992).crash(3, 1993)
			refused(b, 2000, 200)
		}, nil},
		{"the machine stalls for as long as the rest, now and then", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).stall(2000, 2148).stall(4000, 4148).stall(6000, 6148), 2000, 200)
		}, nil},
		{"a little less", mutex, nil, func(b *build) {
			refused(served(b, 21, 1).stall(2000, 2147).stall(4000, 4147).stall(6000, 6147), 2000, 200)
		}, one},
	})
}
