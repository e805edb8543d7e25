package checker

import (
	"slices"

	"locktorture/checker/rule"
)

// coverage counts, for every requested or seen nemesis, its faults and those that bit.
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
