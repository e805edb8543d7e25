package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// inPage finds the commands of a page, in backquotes or after a prompt; inScript those of a
// script, each on a line of its own.
var (
	inPage   = regexp.MustCompile("(?m)`(torture [^`\n]+)`|^\\$ (?:bin/)?(torture [^\n]+)$")
	inScript = regexp.MustCompile(`(?m)^\s*(torture [a-z][^\n]+)()$`)
)

// commandsOf are the commands of a text, without those that leave something out.
func commandsOf(text string, where *regexp.Regexp) (out []string) {
	for _, m := range where.FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(m[1]+m[2], "  #")
		if line = strings.TrimSpace(line); !strings.Contains(line, "…") && !strings.ContainsAny(line, "<[|") && !strings.HasSuffix(line, "DIR") {
			out = append(out, line)
		}
	}
	return out
}

// parses fails unless a command line is one of torture's: the command, its flags, and how many arguments it takes.
func parses(t *testing.T, line string) {
	t.Helper()
	if err := takes(strings.TrimPrefix(line, "torture ")); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}

// TestCommandsOfPages parses what the pages for users advise.
func TestCommandsOfPages(t *testing.T) {
	for page, least := range map[string]int{
		"README.md": 5, "docs/choosing.md": 3, "docs/ledger.md": 3, "results/cells.md": 80, "docs/reading-a-run.md": 3, "docs/ci.md": 2, "docs/limits.md": 0, "docs/glossary.md": 3, "docs/matrix.md": 2, "docs/explore.md": 2,
	} {
		commands := commandsOf(read(t, page), inPage)
		for _, line := range commands {
			parses(t, line)
		}
		if len(commands) < least {
			t.Errorf("%s: %d commands were found, want %d", page, len(commands), least)
		}
	}
}

// TestSizeOfPages holds the README to 700 words, and prose, that is all but tables and code, to lines of 120 columns.
func TestSizeOfPages(t *testing.T) {
	if words := len(strings.Fields(read(t, "README.md"))); words > 700 {
		t.Errorf("README.md has %d words", words)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../checker/rules.md", "../../checker/linear/procedures.md") {
		text, code := read(t, strings.TrimPrefix(page, "../../")), false
		for i, line := range strings.Split(text, "\n") {
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			if code = code != fence; !code && !strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > 120 {
				t.Errorf("%s:%d: %d columns of prose", page, i+1, utf8.RuneCountInString(line))
			}
		}
	}
}

// TestCIAction parses the composite action and looks up the make targets that it calls.
func TestCIAction(t *testing.T) {
	var action struct {
		Runs struct {
			Using string
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "docs/ci/action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	if action.Runs.Using != "composite" {
		t.Errorf("it runs %q, not composite", action.Runs.Using)
	}
	makefile, called := read(t, "Makefile"), 0
	for _, step := range action.Runs.Steps {
		for _, m := range regexp.MustCompile(`make -C \S+ (\S+)`).FindAllStringSubmatch(step.Run, -1) {
			called++
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("the Makefile has no target %s", m[1])
			}
		}
	}
	if called == 0 {
		t.Error("it calls no make target, so nothing builds torture")
	}
}

// TestCIFiles reads the files of docs/ci as a CI does, as far as that goes here: YAML, and the commands of each script.
func TestCIFiles(t *testing.T) {
	files, err := filepath.Glob("../../docs/ci/*")
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "action.yml" })
	if err != nil || len(files) != 3 {
		t.Fatalf("%v: %v", err, files)
	}
	for _, file := range files {
		text := read(t, filepath.Join("docs/ci", filepath.Base(file)))
		scripts := []string{text}
		if strings.HasSuffix(file, ".yml") {
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			scripts = scalars(&doc)
		}
		var commands []string
		for _, s := range scripts {
			commands = append(commands, commandsOf(s, inScript)...)
		}
		for _, line := range commands {
			parses(t, line)
		}
		if len(commands) != 2 || !strings.HasPrefix(commands[0], "torture driver check") || !strings.HasPrefix(commands[1], "torture matrix") {
			t.Errorf("%s: the commands %q", file, commands)
		}
		for _, part := range []string{"junit.xml", "torture-out", "difference.txt", "--expect expected.yaml"} {
			if strings.HasSuffix(file, "actions.yml") && part == "junit.xml" {
				continue // it is in the artefact
			}
			if !strings.Contains(text, part) {
				t.Errorf("%s says nothing of %s", file, part)
			}
		}
	}
}

// scalars are the texts of a document.
func scalars(n *yaml.Node) (out []string) {
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	for _, child := range n.Content {
		out = append(out, scalars(child)...)
	}
	return out
}

// TestExitCodesOfPage: docs/ci.md has the codes of torture --help, no fewer and no others.
func TestExitCodesOfPage(t *testing.T) {
	_, help, _ := strings.Cut(newRoot(environment{}).Long, "exit codes: ")
	var want []string
	for _, m := range regexp.MustCompile(`(?:^|[,\n] ?)(\d+) `).FindAllStringSubmatch(help, -1) {
		want = append(want, m[1])
	}
	if len(want) < 6 {
		t.Fatalf("the exit codes of torture --help: %q", want)
	}
	const page = "docs/ci.md"
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(read(t, page), -1) {
		got = append(got, m[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the exit codes %q, torture --help %q", page, got, want)
	}
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// link is one of Markdown to a file of this repository, or to a heading.
var link = regexp.MustCompile(`\]\(<?([^)#\s>:]*)(?:#([^)\s]+))?>?\)`)

// TestLinksOfPages fails on a link to a file or to a heading that is not there.
func TestLinksOfPages(t *testing.T) {
	links, known := 0, map[string][]string{}
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "docs/scenarios/*.md", "results/*.md", "checker/*.md", "checker/linear/*.md", "checker/linear/jepsen/*.md"} {
		pages, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllStringSubmatch(string(text), -1) {
				links++
				to := page
				if m[1] != "" {
					to = filepath.Join(filepath.Dir(page), m[1])
				}
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s leads to %s, which is not there", page, m[1])
				} else if m[2] != "" && filepath.Ext(to) == ".md" && !slices.Contains(anchors(t, to, known), m[2]) {
					t.Errorf("%s leads to %s#%s, and no heading is called so", page, m[1], m[2])
				}
			}
		}
	}
	if links < 300 {
		t.Errorf("only %d links were followed", links)
	}
}

var (
	heading  = regexp.MustCompile("(?m)^#+ (.+)$")
	noAnchor = regexp.MustCompile(`\]\([^)]*\)|[^\p{L}\p{N}_ -]`)
)

// anchors are the names of a page's headings in links.
func anchors(t *testing.T, page string, known map[string][]string) []string {
	t.Helper()
	if known[page] == nil {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
			known[page] = append(known[page], strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
		}
	}
	return known[page]
}
