package checker

import "locktorture/timeline"

func quantiles(s *timeline.Sample) Quantiles {
	if s.N() == 0 {
		return Quantiles{}
	}
	return Quantiles{N: s.N(), P50: s.Quantile(500), P90: s.Quantile(900), P99: s.Quantile(990), Max: s.Quantile(1000)}
}
