package checker_test

import (
	"testing"

	"locktorture/history"
)

const killed = "kill-client"

// Retry is 50 ms.
func TestOrphan(t *testing.T) {
	one := map[string]int{"orphan": 1}
	run(t, []row{
		{"kept after its release", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).probe(20, "p1:1", 2000).release(1, 100, 110, history.OK).probe(150, "p1:1", 2000).probe(201, "p1:1", 2000)
		}, one},
		{"no longer than a retry", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).probe(20, "p1:1", 2000).release(1, 100, 110, history.OK).probe(150, "p1:1", 2000).probe(200, "p1:1", 2000).probe(210, "", 0)
		}, nil},
		{"its release has an unknown outcome", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 100, 110, history.Info).probe(150, "p1:1", 2000).probe(400, "p1:1", 2000)
		}, nil},
		{"its release found it lost, which had been told: that is what expiry is for", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).lost(1, 90).release(1, 100, 110, history.Fail).probe(150, "p1:1", 2000).probe(400, "p1:1", 2000)
		}, nil},
		{"its release said yes, though the loss had been told", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).lost(1, 90).release(1, 100, 110, history.OK).probe(150, "p1:1", 2000).probe(400, "p1:1", 2000)
		}, one},
		{"its holder died: that is what expiry is for", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(400, "p1:1", 2000)
		}, nil},
		{"a replica that was cut off for a fail-over keeps what is over", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 100, 110, history.OK).probe(150, "p1:1", 2000).probe(400, "p1:1", 2000).fault("failover", 1, 0, "n1", 2000, 3000)
		}, nil},
	})
}

// A name is there that no grant explains: a call that was refused, or whose outcome is
// unknown, has left it.
func TestOrphanOfCall(t *testing.T) {
	one := map[string]int{"orphan": 1}
	scripted := bounded
	scripted.Scripted = true
	run(t, []row{
		{"taken in the name of a client that was refused", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Fail, history.ByServer).probe(90, "p1:x", 2000).probe(150, "p1:x", 2000).probe(300, "p1:x", 2000)
		}, one},
		{"that client asks again: it may be the new call's", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Fail, history.ByServer).try(1, 120, 400, history.Fail, history.ByServer)
			b.probe(150, "p1:x", 2000).probe(300, "p1:x", 2000).probe(401, "", 0)
		}, nil},
		{"landed after the client had given up", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").probe(300, "", 0).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, one},
		{"a fault had kept its request back: it said that it does not know", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").fault("latency", 1, 0, "n1", 50, 350).probe(300, "", 0).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, nil},
		{"a schedule that was made to show it", scripted, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").fault("hold", 1, 1, "n1", 50, 350).probe(300, "", 0).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, one},
		{"a fault of another client", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").fault("hold", 1, 2, "n1", 50, 350).probe(300, "", 0).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, one},
		{"it was refused: a fault is no excuse for what is certain", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Fail, history.ByServer).fault("latency", 1, 0, "n1", 50, 350).probe(300, "", 0).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, one},
		{"an earlier call, of unknown outcome, may have it", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "")
			b.process[1] = 101
			b.try(1, 120, 300, history.Fail, history.ByServer).probe(250, "p1:x", 2000).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, nil},
		{"also when others were refused since", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "")
			b.process[1] = 101
			b.try(1, 110, 120, history.Fail, history.ByServer).try(1, 130, 140, history.Fail, history.ByServer)
			b.try(1, 150, 300, history.Fail, history.ByServer).probe(250, "p1:x", 2000).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, nil},
		{"the server was seen without it after that one", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").probe(201, "", 0)
			b.process[1] = 101
			b.try(1, 210, 300, history.Fail, history.ByServer).probe(250, "p1:x", 2000).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, one},
		{"so soon after it that the look may be older", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").probe(200, "", 0)
			b.process[1] = 101
			b.try(1, 210, 300, history.Fail, history.ByServer).probe(250, "p1:x", 2000).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, nil},
		{"the earlier one was in another life: the name is this one's", bounded, nil, func(b *build) {
			b.try(1, 0, -1, "", "").crash(1, 100)
			b.try(1, 110, 300, history.Fail, history.ByServer).probe(250, "p101:x", 2000).probe(400, "p101:x", 2000).probe(500, "p101:x", 2000)
		}, one},
		{"a killed client's name, seen when its next life was refused", bounded, nil, func(b *build) {
			b.try(1, 0, -1, "", "").crash(1, 100)
			b.try(1, 110, 300, history.Fail, history.ByServer).probe(120, "p1:x", 2000).probe(400, "p1:x", 2000).probe(500, "p1:x", 2000)
		}, nil},
		{"had landed when the client gave up: the outcome was unknown, no more", bounded, nil, func(b *build) {
			b.try(1, 0, 100, history.Info, "").probe(90, "p1:x", 2000).probe(400, "p1:x", 2000)
		}, nil},
	})
}

// A client was refused and asks again at once, before anybody looks at the server: whose is
// the name there?
func TestOrphanAskedAgain(t *testing.T) {
	one := map[string]int{"orphan": 1}
	refused := func(b *build) *build { return b.try(1, 0, 100, history.Fail, history.ByServer) }
	kept := func(b *build, from int64) *build {
		return b.probe(from, "p1:x", 2000).probe(400, "p1:x", 2000).probe(2001, "", 0)
	}
	run(t, []row{
		{"granted under another name: it was the refused call's", bounded, nil, func(b *build) {
			kept(refused(b).grant(1, 1, 101, 2005, 4005), 150)
		}, one},
		{"that one was refused, too, and may have freed it at its end", bounded, nil, func(b *build) {
			kept(refused(b).try(1, 101, 2005, history.Fail, history.ByTime), 150)
		}, nil},
		{"that one has an unknown outcome", bounded, nil, func(b *build) {
			kept(refused(b).try(1, 101, 2005, history.Info, ""), 150)
		}, nil},
		{"granted, but nobody knows under which name", bounded, nil, func(b *build) {
			kept(refused(b).grant(1, 1, 101, 2005, 0), 150)
			for i := range b.h {
				if b.h[i].Type == history.OK {
					b.h[i].Value = ""
				}
			}
		}, nil},
		{"the server was seen without it, so soon that the look may be older", bounded, nil, func(b *build) {
			kept(refused(b).probe(200, "", 0).grant(1, 1, 101, 2005, 4005), 210)
		}, one},
		{"it landed later: the new call may have asked under two names", bounded, nil, func(b *build) {
			kept(refused(b).probe(201, "", 0).grant(1, 1, 101, 2005, 4005), 210)
		}, nil},
		{"a fault that may have made it do so", bounded, nil, func(b *build) {
			kept(refused(b).fault("latency", 1, 0, "n1", 120, 140).grant(1, 1, 101, 2005, 4005), 150)
		}, nil},
		{"a fault of another client", bounded, nil, func(b *build) {
			kept(refused(b).fault("pause", 1, 2, "c2", 120, 140).grant(1, 1, 101, 2005, 4005), 150)
		}, one},
		{"the call before the refused one has an unknown outcome", bounded, nil, func(b *build) {
			b.try(1, 0, 20, history.Info, "")
			b.process[1] = 101
			kept(b.try(1, 30, 100, history.Fail, history.ByServer).grant(1, 1, 101, 2005, 4005), 150)
		}, nil},
		{"the server was seen without it since", bounded, nil, func(b *build) {
			b.try(1, 0, 20, history.Info, "").probe(121, "", 0)
			b.process[1] = 101
			kept(b.try(1, 125, 130, history.Fail, history.ByServer).grant(1, 1, 131, 2005, 4005), 150)
		}, one},
		{"the refused call was another life's", bounded, nil, func(b *build) {
			refused(b).crash(1, 110).grant(1, 1, 120, 2005, 4005).probe(150, "p101:x", 2000).probe(400, "p101:x", 2000).probe(2001, "", 0)
		}, nil},
		{"no call before it", bounded, nil, func(b *build) { kept(b.grant(1, 1, 101, 2005, 4005), 150) }, nil},
	})
}

func TestOrphanNeedsAllNodes(t *testing.T) {
	on := func(b *build, nodes ...string) {
		b.grant(1, 1, 0, 10, 2000).release(1, 100, 110, history.OK)
		for _, at := range []int64{150, 300} {
			for _, n := range []string{"n1", "n2", "n3"} {
				op := history.Op{F: history.Probe, Process: history.Harness, Lock: "L", Node: n}
				for _, taken := range nodes {
					if taken == n {
						op.Value, op.UntilMax = "p1:1", 2000*ms
					}
				}
				b.event(at, op)
			}
		}
	}
	run(t, []row{
		{"two of three may be replicas that were cut off", bounded, nil, func(b *build) { on(b, "n1", "n2") }, nil},
		{"all three", bounded, nil, func(b *build) { on(b, "n1", "n2", "n3") }, map[string]int{"orphan": 1}},
	})
}

func TestImmortal(t *testing.T) {
	one := map[string]int{"immortal": 1}
	run(t, []row{
		{"renewed after its holder's death", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3051).probe(2900, "p1:1", 4102)
		}, one},
		{"a renewal that was under way when its holder died moves it once", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3051).probe(2900, "p1:1", 4101)
		}, nil},
		{"shortened first, as its clock had gone ahead, and renewed twice then", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 4000).probe(200, "p1:1", 2000).probe(1900, "p1:1", 3051).probe(2900, "p1:1", 4102)
		}, one},
		{"shortened, and renewed by less than a second more than it had", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 4000).probe(200, "p1:1", 2000).probe(1900, "p1:1", 3051).probe(2900, "p1:1", 4101)
		}, nil},
		{"once on each of two nodes is once each", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3900)
			for _, x := range [][2]int64{{160, 2000}, {1910, 3910}} {
				b.event(x[0], history.Op{F: history.Probe, Process: history.Harness, Lock: "L", Node: "n2", Value: "p1:1", UntilMax: x[1] * ms})
			}
		}, nil},
		{"once before a new leader gave it a new time, once after", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(900, "p1:1", 3900)
			b.fault("leader", 1, 0, "n1", 2000, 2100).probe(2200, "p1:1", 5000).probe(3500, "p1:1", 6100)
		}, nil},
		{"twice after it", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(900, "p1:1", 3900)
			b.fault("leader", 1, 0, "n1", 2000, 2100).probe(2200, "p1:1", 5000).probe(3500, "p1:1", 6100).probe(4500, "p1:1", 7200)
		}, one},
		{"the reading jitters, or is in whole seconds", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3050).probe(2900, "p1:1", 3050)
		}, nil},
		{"in whole seconds: nothing is left, and the server has not cleared it yet", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 1000).crash(1, 30).probe(88, "p1:1", 88).probe(1323, "p1:1", 1323)
		}, nil},
		{"moved on, and nearly over each time", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).probe(150, "p1:1", 200).probe(1900, "p1:1", 1950).probe(3900, "p1:1", 3950)
		}, nil},
		{"renewed while it was held", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).probe(150, "p1:1", 2000).probe(900, "p1:1", 2900).crash(1, 901).probe(950, "p1:1", 2900)
		}, nil},
		{"renewed after its release (and an orphan with it)", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 100, 110, history.OK).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3900).probe(2900, "p1:1", 4960)
		}, map[string]int{"immortal": 1, "orphan": 1}},
		{"a new leader gives every lease a new time", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).fault("leader", 1, 0, "n1", 500, 950).probe(150, "p1:1", 2000).probe(1900, "p1:1", 3900)
		}, nil},
		{"a moved clock moves the expiry", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 100).fault("clock", 1, 0, "n1", 500, 950).probe(150, "p1:1", 2000).probe(900, "p1:1", 2900)
		}, nil},
	})
}
