package ledger

import (
	"strings"
	"testing"
	"time"
)

// tried is a valid line about a release, changed as a test wants it.
func tried(change func(r *Release)) Release {
	r := Release{
		Kind: Version, Finding: "redsync-late-set", Library: "github.com/go-redsync/redsync/v4", Release: "v4.8.0", Day: "2026-02-01", Previous: "v4.7.1", Releases: 9,
		Outcome: Shows, Rounds: 1, Duration: 9000, Commit: "c776436", Date: "2026-11-24T01:50:00Z", Machine: "linux/amd64", Cores: 2, Before: 0.4, After: 1.2, Program: "01234567",
	}
	if change != nil {
		change(&r)
	}
	return r
}

// TestParseReleasesRefuses: each text is wrong in one way, and the error says where.
func TestParseReleasesRefuses(t *testing.T) {
	good := string(encode(tried(nil))) + "\n"
	changed := func(change func(r *Release)) string { return string(encode(tried(change))) + "\n" }
	for name, tt := range map[string]struct{ text, want string }{
		"no JSON":          {"{\n", "unexpected EOF"},
		"an unknown field": {strings.Replace(good, `"rounds"`, `"colour":1,"rounds"`, 1), `unknown field "colour"`},
		"a field twice":    {strings.Replace(good, `"rounds":1`, `"rounds":2,"rounds":1`, 1), "not as the commands write it"},
		"cut off":          {strings.TrimSuffix(good, "\n"), "the line is cut off"},
		"another kind":     {changed(func(r *Release) { r.Kind = Run }), `kind "run"`},
		"no such outcome":  {changed(func(r *Release) { r.Outcome = "maybe" }), `outcome "maybe"`},
		"no round":         {changed(func(r *Release) { r.Rounds = 0 }), "shows with 0 rounds"},
		"no reason":        {changed(func(r *Release) { r.Outcome, r.Rounds = NotBuilt, 0 }), "need a reason, and no others have one"},
		"a reason":         {changed(func(r *Release) { r.Reason = "why" }), "need a reason, and no others have one"},
		"built, and run":   {changed(func(r *Release) { r.Outcome, r.Reason = NotBuilt, "why" }), "not built with 1 rounds"},
		"a name of markup": {changed(func(r *Release) { r.Finding = "<b>" }), "finding"},
		"a path":           {changed(func(r *Release) { r.Library = "../x" }), "library"},
		"no version":       {changed(func(r *Release) { r.Release = "latest" }), "a name and a version are needed"},
		"no sum":           {changed(func(r *Release) { r.Program = "x" }), "eight hexadecimal digits"},
		"the future":       {changed(func(r *Release) { r.Date = "2026-11-24T13:50:00Z" }), "in the future"},
		"no commit":        {changed(func(r *Release) { r.Commit = "" }), "commit"},
	} {
		if _, err := ParseReleases("f", []byte(good+tt.text), now()); err == nil || !strings.HasPrefix(err.Error(), "f:2: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := ParseReleases("2026-10.jsonl", []byte(good), now()); err == nil {
		t.Error("a line in the file of another month is read")
	}
}

// TestAppendRelease: what is appended is read, and the other lines of the ledger do not mind it.
func TestAppendRelease(t *testing.T) {
	dir := t.TempDir()
	for _, v := range []string{"v4.8.0", "v4.9.0"} {
		if err := AppendRelease(dir, tried(func(r *Release) { r.Release = v; r.Date = "2025-11-24T01:50:00Z" })); err != nil {
			t.Fatal(err)
		}
	}
	if err := AppendRelease(dir, tried(func(r *Release) { r.Outcome = "maybe" })); err == nil {
		t.Error("a line with a wrong outcome was written")
	}
	if lines, err := ReadReleases(dir, time.Now()); err != nil || len(lines) != 2 || lines[1].Release != "v4.9.0" {
		t.Errorf("%+v, %v", lines, err)
	}
	if lines, err := Read(dir, time.Now()); err != nil || len(lines) != 0 {
		t.Errorf("runs: %+v, %v", lines, err)
	}
}

// TestHistory says since and until which release a failure shows, and no more than was seen.
func TestHistory(t *testing.T) {
	// of makes lines: "v1.0.0 n" is a release that came after the one before it on the list; "-" leaves one out.
	of := func(text string) (lines []Release) {
		previous := ""
		for part := range strings.SplitSeq(text, ", ") {
			version, letter, known := strings.Cut(part, " ")
			if known {
				lines = append(lines, tried(func(r *Release) {
					r.Release, r.Previous, r.Day = version, previous, ""
					r.Outcome = map[string]string{"s": Shows, "n": NotSeen, "b": NotBuilt, "f": Failing}[letter]
				}))
			}
			previous = version
		}
		return lines
	}
	for text, want := range map[string]string{
		"v1.0.0 s, v1.1.0 s":                       "since the oldest release that is listed, v1.0.0",
		"v1.0.0 n, v1.1.0 s":                       "since v1.1.0, not in v1.0.0",
		"v1.0.0 n, v1.1.0, v1.2.0 s":               "since v1.2.0, not in v1.0.0 (the releases between were not tried)",
		"v1.0.0 n, v1.1.0 b, v1.2.0 s":             "since v1.2.0, not in v1.0.0 (no release between them runs)",
		"v1.0.0 b, v1.1.0 f, v1.2.0 s":             "since v1.2.0, the oldest with which the program runs",
		"v1.0.0, v1.1.0, v1.2.0 s":                 "in v1.2.0, the oldest that was tried and runs",
		"v1.0.0 n, v1.9.0 s, v1.10.0 s, v1.11.0 n": "since v1.9.0, not in v1.0.0, until v1.10.0, no longer in v1.11.0",
		"v1.0.0 s, v1.1.0, v1.2.0 n":               "since the oldest release that is listed, v1.0.0, until v1.0.0, no longer in v1.2.0 (the releases between were not tried)",
		"v1.0.0 n, v1.1.0 n":                       "in none of the 2 releases with which the program runs",
		"v1.0.0 b, v1.1.0 f":                       "not known: the program runs with no release",
	} {
		all, err := Histories(of(text), func(string) (string, error) { return "01234567", nil })
		if err != nil || len(all) != 1 || all[0].String() != want {
			t.Errorf("%s: %q, %v; want %q", text, all[0], err, want)
		}
	}
	stale, err := Histories(of("v1.0.0 s"), func(string) (string, error) { return "76543210", nil })
	if err != nil || stale[0].String() != "since the oldest release that is listed, v1.0.0 (stale: 2026-11-24)" {
		t.Errorf("the program has changed: %v, %v", stale, err)
	}
	again := append(of("v1.0.0 s"), of("v1.0.0 n")...) // it showed once
	if all, _ := Histories(again, func(string) (string, error) { return "01234567", nil }); all[0].Tried[0].Outcome != Shows {
		t.Error("a later run in which it did not show hides that it had shown")
	}
}

func TestCompareVersions(t *testing.T) {
	for a, b := range map[string]string{"v2.0.0+incompatible": "v2.0.0", "1.0.0-rc.1+build-7": "1.0.0-rc.1+build-12", "v1.2.3+a-b": "v1.2.3"} {
		if got := CompareVersions(a, b); got != 0 || IsPreRelease(a) != IsPreRelease(b) {
			t.Errorf("%s and %s differ in what does not count: %d", a, b, got)
		}
	}
	sorted := strings.Fields("v0.9.9 v1.0.0-alpha v1.0.0-alpha.1 v1.0.0-beta.2 v1.0.0-beta.10 v1.0.0-rc.1 v1.0.0 v1.9.0 v1.10.0 v2.0.0+incompatible v3.0.0")
	for i := range sorted {
		for j := range sorted {
			want := min(1, max(-1, i-j))
			if got := CompareVersions(sorted[i], sorted[j]); got != want {
				t.Errorf("%s and %s: %d, want %d", sorted[i], sorted[j], got, want)
			}
		}
	}
}
