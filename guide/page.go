package guide

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"text/template"

	"locktorture/scenarios/record"
)

// Renew is the command that writes the page again.
const Renew = "make choosing"

// Page is where the page stands, below the root of the repository.
const Page = "docs/choosing.md"

//go:embed choosing.md.tmpl
var prose string

// Write writes the page.
func (d *Data) Write(w io.Writer) error {
	t, err := template.New("choosing.md").Funcs(template.FuncMap{
		"seen": d.seen, "run": d.run, "rate": d.rate, "play": d.play, "host": d.host, "acquire": d.acquire,
		"overview": d.overview, "costs": d.costs, "recovery": d.recovery, "locks": d.sections, "sweep": d.sweepText,
	}).Parse(prose)
	if err != nil {
		return err
	}
	return t.Execute(w, nil)
}

// seen is what a lock came to under a fault: "unsafe (overrun)".
func (d *Data) seen(lock, nemesis string) (string, error) {
	c, err := d.cell(lock, nemesis)
	if err == nil && c.none {
		err = fmt.Errorf("%s cannot suffer %s", lock, nemesis)
	}
	return c.String(), err
}

// run is the command that shows it.
func (d *Data) run(lock, nemesis string) (string, error) {
	_, err := d.seen(lock, nemesis)
	return "`" + d.torture(lock, nemesis) + "`", err
}

// row is the row of one case in the track record.
func (d *Data) row(scenario, lock, variant string) (record.Row, error) {
	r, ok := d.plays[record.Command(scenario, lock, variant)]
	if !ok {
		return r, fmt.Errorf("%s has no row for %s", recordFile, record.Command(scenario, lock, variant))
	}
	return r, nil
}

// rate is what must be seen in a scenario, and how often it was: "unsafe + double-grant, 5 of
// 5 times".
func (d *Data) rate(scenario, lock, variant string) (string, error) {
	r, err := d.row(scenario, lock, variant)
	return fmt.Sprintf("%s, %s times", r.Expected, r.Rate), err
}

// play is the command that plays it.
func (d *Data) play(scenario, lock, variant string) (string, error) {
	r, err := d.row(scenario, lock, variant)
	return "`" + r.Command + "`", err
}

// sweepText is the table of the sweep, its advice and its command.
func (d *Data) sweepText() (string, error) {
	var b strings.Builder
	if len(d.sweep.TTLs) == 0 || d.sweep.Interrupted {
		return "", fmt.Errorf("%s is not complete", sweepFile)
	}
	err := d.sweep.Text(&b)
	return fmt.Sprintf("```console\n$ %s\n%s```", d.sweep.Command, b.String()), err
}
