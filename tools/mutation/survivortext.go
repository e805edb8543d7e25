package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const survivorsHead = `# The mutants of the checkers that no test notices. make mutation writes their names, whoever has looked at one its class and the reason.
# classes.go defines the classes. What stands under the same class and reason belongs together; a new survivor is "open".
# After a class or a reason was changed by hand make survivors puts the file in order, and tells where the code has moved on.
`

// String is the file of the survivors: file by file, in each by classes and
// reasons, then by names. parseSurvivors reads it.
func (s survivors) String() string {
	var b strings.Builder
	b.WriteString(survivorsHead)
	for _, file := range slices.Sorted(maps.Keys(s)) {
		p := s[file]
		fmt.Fprintf(&b, "\n== %s, %d mutants\n", file, p.mutants)
		for _, r := range p.reasons() {
			b.WriteString(strings.TrimSpace(r.class+": "+r.why) + "\n")
			for _, name := range slices.Sorted(maps.Keys(p.lives)) {
				if p.lives[name] == r {
					b.WriteString("\t" + name + "\n")
				}
			}
		}
	}
	return b.String()
}

// reasons are all that are given in a file, in the order of their classes.
func (p *part) reasons() []reason {
	set := map[reason]bool{}
	for _, r := range p.lives {
		set[r] = true
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b reason) int {
		if c := classNumber(a.class) - classNumber(b.class); c != 0 {
			return c
		}
		return strings.Compare(a.why, b.why)
	})
}

// parseSurvivors reads what String writes, with the parts of a file in any order.
func parseSurvivors(text string) (survivors, error) {
	s := survivors{}
	var p *part
	var r reason
	for i, line := range strings.Split(text, "\n") {
		err := error(nil)
		switch name, survivor := strings.CutPrefix(line, "\t"); {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "== "):
			p, err = s.heading(line)
			r = reason{}
		case survivor:
			err = p.add(name, r)
		default:
			r, err = parseReason(line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return s, nil
}

func (s survivors) heading(line string) (*part, error) {
	file, count, _ := strings.Cut(strings.TrimPrefix(line, "== "), ", ")
	if s[file] != nil {
		return nil, fmt.Errorf("%s stands there twice", file)
	}
	p := s.part(file)
	if _, err := fmt.Sscanf(count, "%d mutants", &p.mutants); err != nil {
		return nil, fmt.Errorf("how many mutants has %s? %w", file, err)
	}
	return p, nil
}

func (p *part) add(name string, r reason) error {
	if p == nil || r.class == "" {
		return fmt.Errorf("%s has no file or no class", name)
	}
	if _, twice := p.lives[name]; twice {
		return fmt.Errorf("%s stands there twice", name)
	}
	p.lives[name] = r
	return nil
}

func parseReason(line string) (reason, error) {
	name, why, _ := strings.Cut(line, ":")
	r := reason{name, strings.TrimSpace(why)}
	switch {
	case classNumber(r.class) < 0:
		return r, fmt.Errorf("%s is no class", r.class)
	case (r.class == open) != (r.why == ""):
		return r, fmt.Errorf("what is open has no reason, and what has a class needs one: %s", line)
	}
	return r, nil
}
