package main

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/scenarios"
	"locktorture/scenarios/play"
)

// TestScenarioList checks what can be checked of the scenarios without playing
// them: names, locks and expectations.
func TestScenarioList(t *testing.T) {
	t.Chdir("../..") // locks of other languages are backends there
	known := map[string]bool{}
	for _, k := range checker.Kinds() {
		known[k] = true
	}
	locks := readEnvironment().locks
	seen := map[string]bool{}
	for _, n := range scenarios.All() {
		if seen[n.Name] {
			t.Errorf("%s is there twice", n.Name)
		}
		seen[n.Name] = true
		for _, text := range []string{n.Title, n.Source, n.Shows, n.Story, n.Lesson} {
			if text == "" {
				t.Errorf("%s lacks one of its texts", n.Name)
			}
		}
		cases := map[string]bool{}
		for _, c := range n.Cases {
			if cases[c.Name()] {
				t.Errorf("%s has %s twice", n.Name, c.Name())
			}
			cases[c.Name()] = true
			b, ok := locks[c.Backend]
			if !ok {
				t.Errorf("%s: no backend is called %s", n.Name, c.Backend)
			}
			if c.Fenced && !b.Traits.Token {
				t.Errorf("%s: %s has no tokens for a fenced store", n.Name, c.Name())
			}
			if n.TimeToLive() < b.Traits.LeastTTL {
				t.Errorf("%s: a TTL of %v is too short for %s", n.Name, n.TimeToLive(), c.Backend)
			}
			if _, err := checker.ParseExpectation(c.Expect); err != nil {
				t.Errorf("%s with %s: %v", n.Name, c.Name(), err)
			}
			for _, a := range c.Never {
				if !known[a] {
					t.Errorf("%s with %s: no anomaly is called %s", n.Name, c.Name(), a)
				}
			}
		}
	}
}

// TestPartOfScenarios looks at what testdata/script/scenario.txt plays on real servers: some
// of
// every family, and a quarter of the scenarios that are not played in virtual time.
func TestPartOfScenarios(t *testing.T) {
	script, err := os.ReadFile("testdata/script/scenario.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, virtual := map[string]scenarios.Named{}, map[string]bool{}
	for _, n := range scenarios.All() {
		list[n.Name] = n
		virtual[n.Name] = slices.ContainsFunc(n.Cases, func(c scenarios.Case) bool { return play.Virtual(c) == nil })
	}
	played, families, real := map[string]bool{}, map[string]bool{}, 0
	locks := readEnvironment().locks
	for _, m := range regexp.MustCompile(`(?m)^patient 0 torture scenario run (\S+)(?: --backend (\S+))?`).FindAllStringSubmatch(string(script), -1) {
		played[m[1]] = true
		for _, c := range list[m[1]].Cases {
			if b, ok := locks[c.Backend]; ok && (m[2] == "" || m[2] == c.Backend) {
				topology := b.Topology
				if c.Replicated && b.Replicated != "" {
					topology = b.Replicated
				}
				families[topology] = true
			}
		}
	}
	both := 0
	for name := range list {
		switch {
		case !virtual[name]:
			real++
		case played[name]:
			both++
		}
	}
	if share := float64(len(played)-both) / float64(real); share < 0.25 {
		t.Errorf("%d of the %d scenarios that are not simulated are played, want a quarter", len(played)-both, real)
	}
	if both > 6 {
		t.Errorf("%d scenarios are played twice, in virtual time too: want few", both)
	}
	for _, f := range []string{"redis", "redis-5", "redis-replicas", "redis-cluster", "mariadb", "postgres", "pgbouncer", "memcached", "etcd-3", "zookeeper-3", "consul-3"} {
		if !families[f] {
			t.Errorf("no scenario is played on %s: %v", f, families)
		}
	}
}
