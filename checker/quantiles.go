package checker

import "locktorture/timeline"

func quantiles(s *timeline.Sample) Quantiles {
	if s.N() == 0 {
		return Quantiles{}
	}
	q := func(p int) int64 { return s.Rank((s.N() - 1) * p / 100) }
	return Quantiles{N: s.N(), P50: q(50), P90: q(90), P99: q(99), Max: s.Rank(s.N() - 1)}
}
