// Package layers holds the test that keeps the floors of the house apart.
package layers

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "locktorture/"

// allowed says which packages of this module a folder may import; tests may import what they
// like. The longest matching folder counts.
var allowed = map[string][]string{
	"history":             {"history", "internal/wire", "internal/plainfile"},
	"locks":               {"internal/dial", "internal/plainfile"},
	"locks/":              {"locks", "locks/attempt", "internal/wire"}, // families, driver, locktest
	"locks/attempt":       {"locks"},
	"locks/driver":        {"locks", "internal/child", "internal/hostclock", "internal/suggest", "internal/wire"},
	"locks/redisconn":     {"locks", "locks/attempt", "internal/rediscmd"},
	"locks/redis":         {"locks", "locks/attempt", "locks/redisconn", "internal/wire"},
	"locks/redlock":       {"locks", "locks/attempt", "locks/redisconn", "internal/rediscmd"},
	"locks/s3":            {"locks", "locks/attempt", "internal/s3api"},
	"locks/mysql":         {"locks", "locks/attempt", "locks/redisconn", "internal/rediscmd"}, // half of one lock is in Redis
	"locks/redislib":      {"locks", "locks/attempt", "locks/redisconn"},
	"locks/rueidis":       {"locks", "locks/redislib"},
	"locks/redsync":       {"locks", "locks/redislib"},
	"locks/redislock":     {"locks", "locks/redislib"},
	"locks/thirdparty":    {"locks", "locks/attempt", "internal/dial", "internal/wire"},
	"locks/mutants":       {"locks", "locks/attempt", "locks/redisconn"},
	"cluster":             {"cluster", "internal/child", "internal/plainfile", "internal/wire", "internal/rediscmd", "internal/s3api"},
	"nemesis":             {"internal/wire"},
	"nemesis/nemesistest": {"nemesis"},
	"workloads":           {"internal/wire"},
	"workloads/":          {"workloads", "internal/rediscmd"}, // stores
	"timeline":            {"history", "internal/wire", "internal/figures"},
	"checker":             {"history", "timeline", "checker", "internal/wire", "internal/figures", "internal/plainfile"},
	"harness":             {"history", "locks", "cluster", "nemesis", "workloads", "checker", "internal/wire"},
	"explore":             {"checker", "simulate", "trial", "wire/etcd", "internal/exit"},
	"explore/session":     {"explore", "runs", "ledger", "checker", "simulate", "trial", "harness", "locks", "nemesis", "workloads", "registry", "report", "internal"},
	"explore/kept":        {"simulate", "locks", "wire/owner", "internal/plainfile"},
	"gotest":              {"explore", "simulate", "internal/suggest", "trial", "harness", "history", "locks", "cluster", "nemesis", "workloads", "checker", "report"},
	"report":              {"history", "checker", "report/words", "report/verdict", "internal/exit"},
	"report/words":        {"history", "internal/figures"},
	"report/verdict":      {"history", "checker", "report/words"},
	"report/frame":        {"report/words", "report/verdict"},
	"report/state":        {"history", "timeline"},
	"report/votes":        {"history", "checker", "report/words", "internal/wire"},
	"report/diagram":      {"history", "checker", "timeline", "report/words", "report/votes"},
	"report/story":        {"history", "checker", "timeline", "report", "report/words", "report/verdict", "report/diagram", "report/votes"},
	"report/export":       {"history", "checker", "timeline", "checker/linear/jepsen", "report", "report/diagram", "wire/trace"},
	"report/page":         {"history", "checker", "timeline", "report"},
	"report/charts":       {"report/frame"},
	"report/scorecard":    {"history", "checker", "report", "report/words", "internal/figures", "report/verdict", "report/frame", "internal/wire", "internal/terminal"},
	"report/serve":        {"checker", "report", "report/page", "report/scorecard", "report/words", "report/verdict", "report/frame"},
	"report/internal":     {"history", "checker", "report"}, // for tests
	"scenarios":           {"trial", "report", "harness", "history", "locks", "cluster", "nemesis", "workloads", "checker", "simulate/inside", "internal/wire", "internal/rediscmd"},
	"bench":               {"locks", "cluster", "bench", "internal/rediscmd", "internal/s3api"},
	"wire":                {"cluster", "wire", "internal/plainfile", "internal/resp"},
	"trial":               {"wire", "harness", "history", "locks", "cluster", "nemesis", "workloads", "checker", "report", "internal"},
	"registry":            {"locks", "cluster", "nemesis", "workloads", "checker", "internal"},
	"registry/config":     {"registry", "checker", "cluster", "internal"},
	"scenarios/record":    {"scenarios", "report", "internal"},
	"scenarios/play":      {"scenarios", "simulate", "trial", "registry", "report", "harness", "history", "locks", "cluster", "checker", "internal"},
	"bench/suite":         {"bench", "locks", "cluster", "registry", "report", "internal"},
	"drivertest":          {"locks", "cluster", "registry", "internal/rediscmd"},
	"conform":             {"cluster", "checker", "internal/s3api"},
	"app":                 {"trial", "harness", "history", "locks", "cluster", "nemesis", "timeline", "wire", "report", "internal"},
	"runs":                {"ledger", "trial", "harness", "locks", "cluster", "nemesis", "workloads", "wire", "checker", "registry", "report", "internal"},
	"sweep":               {"runs", "ledger", "registry", "trial", "nemesis", "workloads", "history", "report", "internal"},
	"ledger":              {"checker", "history", "report", "registry", "cluster", "nemesis", "internal"},
	"guide":               {"app", "ledger", "matrix", "nemesis", "registry", "report", "scenarios"},
	"site":                {"guide", "ledger", "cluster", "checker", "registry", "report", "internal"},
	"matrix":              {"checker", "nemesis", "locks", "report", "registry", "internal"},
	"selftest":            {"matrix", "checker", "locks", "workloads", "report", "registry", "simulate", "internal"},
	"matrix/inpod":        {"matrix", "report", "internal"},
	"simulate":            {"simulate/inside", "registry/onredis", "wire/owner", "internal/resp", "simulate/machine", "simulate/server", "simulate/rawio", "trial", "harness", "history", "cluster", "nemesis", "report", "internal/plainfile"},
	"simulate/search":     {"registry/onredis", "simulate", "nemesis/points/schedule", "wire/owner", "trial", "history", "checker", "timeline", "cluster"},
	"simulate/machine":    {"simulate/machine/native", "simulate/rawio", "internal/child"},
	"simulate/nursery":    {"internal/dial"},
	"simulate/rawio":      {},
	"simulate/server":     {"simulate/rawio", "internal/resp", "cluster/embedded", "cluster/process/clock", "internal/child"},
	"simulate/inside":     {"registry/onredis", "locks", "nemesis", "workloads", "wire/owner"},
	"cmd/torture":         {"wire", "history", "locks", "cluster", "nemesis", "workloads", "checker", "harness", "scenarios", "report", "bench", "registry", "trial", "app", "selftest", "matrix", "sweep", "guide", "drivertest", "simulate", "conform", "explore", "ledger", "site", "runs", "internal"},
	"internal/":           {}, // small general things
	"internal/atomicfile": {"internal/plainfile"},
	"internal/cli":        {"internal/exit", "internal/suggest", "internal/terminal"},
	"internal/strictyaml": {"internal/suggest"},
	"internal/layers":     {},
	"internal/self":       {"internal/child"},

	"cluster/docker/compose":  {"cluster", "internal/suggest"},
	"simulate/machine/wasm":   {"simulate/machine"},
	"nemesis/points":          {},
	"nemesis/points/schedule": {"internal/suggest"},
	"nemesis/points/faults":   {"nemesis"},
	"nemesis/points/anchor":   {"nemesis", "cluster", "internal/resp"},
	"wire/owner":              {"cluster", "history", "internal/resp", "internal/wire"},
	"cmd/guest":               {"registry/onredis", "registry/onredis/libraries", "simulate/nursery", "simulate/inside", "scenarios", "harness", "history", "locks", "nemesis", "workloads"},
	"registry/onredis":        {"locks"},

	"registry/onredis/libraries": {"registry/onredis", "locks"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

// packages lists the packages of the module, with what each imports under any of its build tags.
func packages(t *testing.T) map[string][]string {
	imports := map[string][]string{}
	for _, tags := range []string{"", "engine,wasmguests,simulated"} {
		cmd := exec.Command("go", "list", "-tags="+tags, "-json=ImportPath,Imports", "./...")
		cmd.Dir = "../.."
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
			var p pkg
			if err := dec.Decode(&p); err != nil {
				t.Fatal(err)
			}
			folder := strings.TrimPrefix(p.ImportPath, module)
			imports[folder] = append(imports[folder], p.Imports...)
			slices.Sort(imports[folder])
			imports[folder] = slices.Compact(imports[folder])
		}
	}
	if len(imports) < 100 {
		t.Fatalf("only %d packages were listed", len(imports))
	}
	return imports
}

// TestImports fails on an import that the table above forbids.
func TestImports(t *testing.T) {
	for folder, imports := range packages(t) {
		may, ok := rule(folder)
		if !ok {
			t.Errorf("%s: the table does not say what it may import", folder)
			continue
		}
		for _, imp := range imports {
			if in, ours := strings.CutPrefix(imp, module); ours && !permitted(may, folder, in) {
				t.Errorf("%s imports %s, which the table forbids", folder, in)
			}
		}
	}
}

// rule finds what a folder may import.
func rule(folder string) ([]string, bool) {
	if may, ok := allowed[folder]; ok {
		return may, true
	}
	best := ""
	for key := range allowed {
		prefix := strings.TrimSuffix(key, "/") + "/"
		if strings.HasPrefix(folder, prefix) && len(key) > len(best) {
			best = key
		}
	}
	may, ok := allowed[best]
	return may, ok
}

// permitted reports whether an import is within what a folder may import. A
// family of locks may use the contract, the rule of attempts, the connections of its
// family, and its own sub-packages only.
func permitted(may []string, folder, imp string) bool {
	for _, m := range may {
		if imp == m || m != "locks" && strings.HasPrefix(imp, m+"/") {
			return true
		}
		if m == "locks" && !strings.HasPrefix(folder, "locks") && strings.HasPrefix(imp, "locks/") {
			return true
		}
	}
	return strings.HasPrefix(imp, folder+"/")
}
