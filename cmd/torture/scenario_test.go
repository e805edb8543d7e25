package main

import (
	"os"
	"regexp"
	"testing"

	"locktorture/checker"
	"locktorture/scenarios"
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

// TestThirdOfScenarios looks at what testdata/script/scenario.txt plays: about a third of the
// scenarios, on servers of every family, and every scenario there is of it by name.
func TestThirdOfScenarios(t *testing.T) {
	script, err := os.ReadFile("testdata/script/scenario.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]scenarios.Named{}
	for _, n := range scenarios.All() {
		list[n.Name] = n
	}
	played, families := map[string]bool{}, map[string]bool{}
	locks := readEnvironment().locks
	for _, m := range regexp.MustCompile(`(?m)^exits 0 torture scenario run (\S+)(?: --backend (\S+))?`).FindAllStringSubmatch(string(script), -1) {
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
	if share := float64(len(played)) / float64(len(list)); share < 0.3 || share > 0.4 {
		t.Errorf("%d of %d scenarios are played, want about a third", len(played), len(list))
	}
	for _, f := range []string{"redis", "redis-5", "redis-replicas", "redis-cluster", "mariadb", "postgres", "memcached", "etcd-3", "zookeeper-3", "consul-3"} {
		if !families[f] {
			t.Errorf("no scenario is played on %s: %v", f, families)
		}
	}
}
