package guide

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"locktorture/app"
	"locktorture/ledger"
)

// A program is what torture app can run in this repository.
type program struct {
	folder   string // from the root
	control  bool   // it tests torture app
	faults   []string
	duration time.Duration
	ttl      time.Duration
}

// controlled is how long a control app is run.
const controlled = time.Minute

// programs reads the apps below the root of the repository, by their names.
func programs(root string) (map[string]program, error) {
	all := map[string]program{}
	for _, in := range ledger.AppFolders() {
		files, err := filepath.Glob(filepath.Join(root, in, "*", app.FileName))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			f, err := app.Read(file)
			if err != nil {
				return nil, err
			}
			folder := path.Join(in, filepath.Base(filepath.Dir(file)))
			p := program{folder, in != "apps", app.New(f, 0, nil).Work.Faults.Wanted, f.Duration, f.TTL}
			if p.control {
				p.duration = controlled
			}
			all[f.App] = p
		}
	}
	return all, nil
}

// wanted is how an app is run for its row.
func (p program) wanted(name string) wanted {
	return wanted{
		Subject:  ledger.Subject{Kind: ledger.App, Lock: name, Fault: ledger.Faults(p.faults)},
		duration: p.duration, ttl: p.ttl, app: p.folder, needs: 20,
	}
}

// apps is the table of real programs.
func (d *Data) apps() (string, error) { return d.torturedApps(false) }

// controls is the table of the programs that test torture app.
func (d *Data) controls() (string, error) { return d.torturedApps(true) }

func (d *Data) torturedApps(control bool) (string, error) {
	subjects := d.book.Subjects(ledger.App)
	for name, p := range d.programs {
		if s := p.wanted(name).Subject; !slices.Contains(subjects, s) {
			subjects = append(subjects, s)
		}
	}
	slices.SortFunc(subjects, func(a, b ledger.Subject) int {
		return strings.Compare(a.Lock+a.Fault, b.Lock+b.Fault)
	})
	var b strings.Builder
	b.WriteString("| app | faults | seen |\n|---|---|---|\n")
	for _, s := range subjects {
		p, ok := d.programs[s.Lock]
		if !ok || p.control != control {
			continue
		}
		c, err := d.book.Cell(s)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s%s%s |\n", s.Lock, path.Base(p.folder), strings.ReplaceAll(s.Fault, "+", ", "), c, kinds(c), unknown(c))
	}
	return b.String(), nil
}

// unknown says how many runs came to no verdict, where others did.
func unknown(c ledger.Cell) string {
	if c.Runs == 0 || c.Open == 0 {
		return ""
	}
	return fmt.Sprintf("; unknown in %d more", c.Open)
}

// tortured are the runs of apps, in order.
func (d *Data) tortured() (list []wanted) {
	for _, name := range slices.Sorted(maps.Keys(d.programs)) {
		list = append(list, d.programs[name].wanted(name))
	}
	return list
}
