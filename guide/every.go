package guide

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"locktorture/ledger"
)

// runs is the table of every run in the ledger, beside what is expected of it.
func (d *Data) runs() (string, error) {
	var b strings.Builder
	b.WriteString("| lock | fault | work | seen | expected |\n|---|---|---|---|---|\n")
	locks := map[string]bool{}
	for _, s := range d.book.Subjects(ledger.Run) {
		c, err := d.book.Cell(s)
		if err != nil {
			return "", err
		}
		locks[s.Lock] = true
		fmt.Fprintf(&b, "| `%s` | %s | %s `%s` | %s%s | %s |\n", s.Lock, s.Fault, s.Workload, s.Flags, c, kinds(c), d.expected.Of(s.Lock, s.Fault, s.Workload))
	}
	fmt.Fprintf(&b, "\n%d of %d locks have runs in the ledger. A cell without a run is *not tested*.\n", len(locks), len(d.expected))
	return b.String(), nil
}

// findings is the table of the programs that show a failure of a library.
func (d *Data) findings() (string, error) {
	folders, err := filepath.Glob(filepath.Join(d.root, "findings", "*", "REPORT.md"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| program | shows its failure | latest run |\n|---|---|---|\n")
	for _, path := range folders {
		name := filepath.Base(filepath.Dir(path))
		c, err := d.book.Cell(ledger.Subject{Kind: ledger.Finding, Lock: name})
		if err != nil {
			return "", err
		}
		day, _, _ := strings.Cut(c.Last, "T")
		fmt.Fprintf(&b, "| [%s](%s/REPORT.md) | %s | %s |\n", name, name, c, day)
	}
	return b.String(), nil
}

// stores is the table of object stores whose conditional writes were tried.
func (d *Data) stores() (string, error) {
	return d.every(ledger.Conform, "| store | flags | seen |\n|---|---|---|\n", func(ledger.Subject) string { return "" })
}

// searches is the table of the searches in virtual time.
func (d *Data) searches() (string, error) {
	return d.every(ledger.Search, "| lock | flags | seen | from night to night |\n|---|---|---|---|\n", func(s ledger.Subject) string {
		var nights []string
		for anomaly, state := range d.book.Nights(s) {
			nights = append(nights, anomaly+" "+state)
		}
		slices.Sort(nights)
		return " " + strings.Join(nights, ", ") + " |"
	})
}

// every is the table of everything of a kind, below a head. more returns further columns of a row.
func (d *Data) every(kind, head string, more func(ledger.Subject) string) (string, error) {
	var b strings.Builder
	b.WriteString(head)
	for _, s := range d.book.Subjects(kind) {
		c, err := d.book.Cell(s)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s%s |%s\n", s.Lock, s.Flags, c, kinds(c), more(s))
	}
	return b.String(), nil
}
