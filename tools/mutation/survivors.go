package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
)

// A reason is why a survivor is let live.
type reason struct{ class, why string }

// A part is what is known of the mutants of one file.
type part struct {
	mutants int               // there were when all of them were tried last
	lives   map[string]reason // by the name of the mutant in its package
}

// survivors are the mutants that live, by the path of their file in the module.
// They are kept in a text file: the names are written by this command, the
// classes and reasons by those who have looked, and both outlast moves of lines.
type survivors map[string]*part

func (s survivors) part(file string) *part {
	if s[file] == nil {
		s[file] = &part{lives: map[string]reason{}}
	}
	return s[file]
}

// count is how many survivors of a package are in a class.
func (s survivors) count(pkg, class string) (n int) {
	for file, p := range s {
		for _, r := range p.lives {
			if path.Dir(file) == pkg && r.class == class {
				n++
			}
		}
	}
	return n
}

// update takes over what became of those mutants of a package that were tried.
// Of the others those stay that lived before and still are mutants.
func (s survivors) update(pkg string, all []*mutant, became map[*mutant]outcome) {
	old, counts := s.take(pkg)
	tried := map[string]int{}
	for _, m := range all {
		file := pkg + "/" + m.file
		p := s.part(file)
		p.mutants++
		why, lives := old[m.name()]
		if o, ok := became[m]; ok {
			tried[file]++
			lives = o.lives()
		}
		if why.class == "" {
			why = byRule(m)
		}
		if lives {
			p.lives[m.name()] = why
		}
	}
	for file, p := range s {
		if path.Dir(file) == pkg && tried[file] < p.mutants {
			p.mutants = counts[file]
		}
	}
}

// take removes what is known of a package, and returns it by the names of the mutants.
func (s survivors) take(pkg string) (old map[string]reason, counts map[string]int) {
	old, counts = map[string]reason{}, map[string]int{}
	for file, p := range s {
		if path.Dir(file) == pkg {
			maps.Copy(old, p.lives)
			counts[file] = p.mutants
			delete(s, file)
		}
	}
	return old, counts
}

// stale tells where the code of a package has moved on since its mutants were tried.
func (s survivors) stale(pkg string, all []*mutant) (complaints []string) {
	now, names := map[string]int{}, map[string]bool{}
	for _, m := range all {
		now[pkg+"/"+m.file]++
		names[pkg+"/"+m.file+" "+m.name()] = true
	}
	for file, p := range s {
		if path.Dir(file) != pkg {
			continue
		}
		if now[file] != p.mutants {
			complaints = append(complaints, fmt.Sprintf("%s has %d mutants, and had %d", file, now[file], p.mutants))
		}
		for name := range p.lives {
			if !names[file+" "+name] {
				complaints = append(complaints, fmt.Sprintf("%s has no mutant any more that is called %s", file, name))
			}
		}
		delete(now, file)
	}
	for file, n := range now {
		complaints = append(complaints, fmt.Sprintf("%s has %d mutants that were never tried", file, n))
	}
	slices.Sort(complaints)
	return complaints
}

// readSurvivors reads a file of survivors. One that is not there yet has none.
func readSurvivors(file string) (survivors, error) {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	s, err := parseSurvivors(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}
