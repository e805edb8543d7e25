package bare

import "locktorture/checker/linear"

// chooseModel takes the model that was named, else the one that the
// operations suggest, and says why.
func chooseModel(ops []linear.Operation, named string) (model, why string) {
	if named != "" {
		return named, "named by --model"
	}
	const other = "; --model can name another model"
	has := map[linear.F]bool{}
	tokens, shared := false, false
	for i := range ops {
		has[ops[i].F] = true
		tokens = tokens || ops[i].Token != 0
		shared = shared || ops[i].Shared
	}
	locks := has[linear.Acquire] || has[linear.Release] || has[linear.Renew]
	switch {
	case locks && shared:
		return "rwlock", "some acquires are shared, and expiry is not assumed" + other
	case has[linear.CountDown] || has[linear.Await]:
		return "latch", "there are count-downs; --parties sets how many open the latch" + other
	case has[linear.Enter] || has[linear.Leave]:
		return "barrier", "parties enter; --parties sets how many enter together" + other
	case has[linear.Campaign] || has[linear.Resign] || has[linear.Observe]:
		return "election", "there are candidates and leaders" + other
	case locks && tokens:
		return "fenced", "the leases have tokens" + other
	case locks && has[linear.Renew]:
		return "lease", "leases are renewed, so the history does not show when they end" + other
	case locks:
		return "mutex", "there are no tokens, and expiry is not assumed" + other
	case has[linear.FetchAdd]:
		return "faa", "each addition returns a sum" + other
	case has[linear.Add]:
		return "counter", "there are additions" + other
	case has[linear.Sell]:
		return "inventory", "there are sales; --stock sets how many units there were" + other
	case has[linear.Read] || has[linear.Write] || has[linear.CAS] || has[linear.Append]:
		return "register", "the operations only read or change values" + other
	}
	return "mutex", "there are no tokens, and expiry is not assumed" + other
}
