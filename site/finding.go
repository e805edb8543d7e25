package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locktorture/guide"
	"locktorture/ledger"
)

// A finding is a failure of a library, with the program that shows it.
type finding struct {
	Finding
	Title, Report string
	Short         string // its library, as locks name theirs
	Program       string // its text
}

// A release is a finding with what the releases of its library came to.
type release struct {
	Finding finding
	History *ledger.History // nil: not tried
}

// A findingView is what the page of a finding shows.
type findingView struct {
	release
	Cells []*cell // runs of its program
	Locks []string
	Try   string // the command that tries releases; "": there is one version only
	Fixed string // why
}

// findings reads the reports.
func findings(programs []Finding) (all []finding, err error) {
	for _, p := range programs {
		f := finding{Finding: p, Short: p.Short()}
		report, err := os.ReadFile(filepath.Join(p.Dir, "REPORT.md"))
		if err != nil {
			return nil, err
		}
		head, rest, _ := strings.Cut(string(report), "\n")
		f.Title, f.Report = strings.TrimLeft(head, "# "), rest
		paths, err := filepath.Glob(filepath.Join(p.Dir, "main.*"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			f.Program = string(text)
		}
		all = append(all, f)
	}
	return all, nil
}

// releasesOf returns what is known of the releases of a finding's library; nil: nothing.
func (d *data) releasesOf(name string) *ledger.History {
	if i := slices.IndexFunc(d.histories, func(h ledger.History) bool { return h.Finding == name }); i >= 0 {
		return &d.histories[i]
	}
	return nil
}

func (d *data) findingPage(f finding) view {
	v := findingView{release: release{f, d.releasesOf(f.Name)}, Fixed: f.Fixed()}
	if v.Fixed == "" {
		v.Try = guide.Versions(f.Name)
	}
	for _, c := range d.cells {
		if c.Lock == f.Name && c.Kind == ledger.Finding {
			v.Cells = append(v.Cells, c)
		}
	}
	for _, l := range d.locks {
		if f.Library != "" && madeOf(l, f) {
			v.Locks = append(v.Locks, l.Name)
		}
	}
	return view{kind: "finding", title: f.Name, up: "../", data: v}
}
