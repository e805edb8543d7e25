package checker

import (
	"fmt"
	"slices"

	"locktorture/checker/rule"
	"locktorture/internal/figures"
)

// coverage counts, for every requested or seen nemesis, how many faults it injected and how
// many of them took effect.
func (v *verdict) coverage() []FaultCoverage {
	names := slices.Clone(v.run.Options.Nemeses)
	for _, s := range v.run.Faults {
		if !slices.Contains(names, s.Kind()) && !s.Traits.Unplanned {
			names = append(names, s.Kind())
		}
	}
	var out []FaultCoverage
	for _, name := range names {
		c := FaultCoverage{Nemesis: name, Rule: rule.BitesWhen(v.run, name)}
		for i, s := range v.run.Faults {
			if s.Kind() != name {
				continue
			}
			c.Injected++
			if s.WaitedFor != "" {
				c.Waiting++
			}
			if v.on.Bit[i] {
				c.Bit++
			}
		}
		out = append(out, c)
	}
	return out
}

// ineffective says, for each requested fault that never took effect, what became of it. A run
// proves nothing about a fault that nobody met.
func ineffective(requested []string, faults []FaultCoverage) []string {
	var out []string
	for _, c := range faults {
		switch {
		case !slices.Contains(requested, c.Nemesis) || c.Bit > 0:
		case c.Injected == 0:
			out = append(out, c.Nemesis+" was never injected")
		default:
			out = append(out, fmt.Sprintf("%s was injected %s, but never took effect (it takes effect when %s)", c.Nemesis, figures.Plural(c.Injected, "time", "times"), c.Rule))
		}
	}
	return out
}
