package page

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/report/words"
)

// Facts say what was run.
func Facts(run report.Run) []Card {
	var out []Card
	add := func(name, value string) {
		if value != "" {
			out = append(out, Card{Name: name, Value: value})
		}
	}
	add("run", words.Word(run.Name))
	if !run.Start.IsZero() {
		add("started", run.Start.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("scenario", strings.TrimPrefix(words.Word(run.Scenario)+": "+words.Sentence(run.Title), ": "))
	add("backend", words.Word(run.Backend))
	if run.Scenario == "" { // a script has its own work and faults
		add("workload", words.Word(run.Workload))
		add("faults", words.List(run.Nemeses, ", ", "none"))
		add("seed", fmt.Sprint(run.Seed))
		add("duration", words.Span(int64(run.Duration)))
	}
	add("clients", fmt.Sprintf("%d%s", run.Clients, map[bool]string{true: ", inside the harness' process", false: ", each in a process of its own"}[run.InProcess]))
	add("lease", words.Span(int64(run.TTL)))
	add("lease clock", words.Sentence(run.LeaseClock))
	add("fencing", words.Word(run.Fencing))
	add("careful clients", map[bool]string{true: "yes: they ask before each store operation whether their lease is valid", false: "no"}[run.Careful])
	add("model", words.Word(run.Options.Model))
	add("expected", words.Word(run.Expect))
	add("topology", words.Sentence(run.Topology))
	add("nodes", words.List(run.Nodes, ", ", ""))
	add("servers", strings.TrimSuffix(words.Sentence(run.Provisioner)+" – "+words.Sentence(run.ProvisionerWhy), " – "))
	add("machine", run.Machine.Says())
	add("traffic", map[string]string{
		report.WireRecorded: "recorded: torture wire shows it", report.WireOff: "not recorded: --wire off",
		report.WireTLS: "not recorded: the servers speak TLS, which torture cannot decode",
	}[run.Wire])
	for _, v := range run.Versions {
		add(words.Word(v.Name), words.Word(v.Version))
	}
	add("torture", strings.TrimSpace(words.Word(run.Version)+" "+words.Word(run.Commit)))
	return out
}

// setting returns the TTL, the versions of the servers and of torture, and the date, in one line.
func setting(run report.Run) string {
	var parts []string
	if run.TTL > 0 {
		parts = append(parts, "TTL "+words.Span(int64(run.TTL)))
	}
	for _, v := range run.Versions {
		if text := words.Word(v.Version); slices.Contains(run.Nodes, v.Name) && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if !run.Start.IsZero() {
		parts = append(parts, run.Start.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if run.Version != "" {
		parts = append(parts, "torture "+words.Word(run.Version))
	}
	return strings.Join(parts, " · ")
}

// limits say what the verdict does not cover.
func limits(run report.Run, res checker.Result) []string {
	out := []string{
		"One run shows only what happened in this run. Anomalies that were found are facts; other anomalies may still exist.",
		"A seed fixes the work of each process and the schedule of the faults. It cannot fix the scheduler and the network of real servers, so the same seed may give another history. With --repeat, torture reports how often each verdict occurs.",
		"Only the faults listed above were injected.",
	}
	if run.Provisioner != "external" {
		out = append(out, "All servers and clients ran on one host. Failures of disks, of the kernel and of real network hardware were not tested.")
	}
	if run.Careful {
		out = append(out, "The clients were careful: before each store operation, they asked whether their lease was still valid. A program that does not ask is less safe.")
	}
	if run.Provisioner == "embedded" {
		out = append(out, "The servers were stand-ins inside the harness. Persistence, replication and clocks of the real servers were not tested.")
	}
	if run.Provisioner == "external" {
		out = append(out, "The harness did not control the servers, so faults that need control of their machines were not injected.")
	}
	if run.InProcess {
		out = append(out, "The clients ran inside the harness' process, so a pause of a client did not pause its watchdog.")
	}
	for _, p := range res.Properties {
		if p.Status == checker.NotChecked || p.Status == checker.NotApplicable {
			out = append(out, fmt.Sprintf("This verdict says nothing about %s (%s): %s.", words.Word(p.Name), p.Status, strings.TrimSuffix(words.Sentence(p.Reason), ".")))
		}
	}
	for _, f := range res.Faults {
		if f.Bit == 0 {
			out = append(out, fmt.Sprintf("The fault %s never took effect: this run says nothing about it.", words.Word(f.Nemesis)))
		}
	}
	for _, s := range run.LeftOut {
		out = append(out, "Left out: "+words.Sentence(s))
	}
	for _, s := range res.Warnings {
		out = append(out, words.Sentence(s))
	}
	return out
}
