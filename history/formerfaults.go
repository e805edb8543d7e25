package history

import "time"

// FormerFault returns the traits of a kind of fault for histories that were recorded before faults
// declared their traits. For an unknown name it returns the zero traits. This is the only table of
// fault names outside of package nemesis and the registry. It does not grow, because newer faults
// declare their traits.
func FormerFault(kind string) FaultTraits {
	const late, cutBefore = 500 * time.Millisecond, 5 * time.Second
	switch kind {
	case "client-clock":
		return FaultTraits{Effect: Skewed, UpsetsAll: true}
	case "clock":
		return FaultTraits{Effect: Skewed, TakesLocks: true, SeenLate: late}
	case "failover":
		return FaultTraits{Effect: Demoted, TakesLocks: true, LeavesCopies: true, SeenLate: late, Ahead: cutBefore}
	case "hold":
		return FaultTraits{Effect: Held}
	case "kill-client":
		return FaultTraits{Effect: Killed, SeenLate: late}
	case "latency":
		return FaultTraits{Effect: Slowed}
	case "leader":
		return FaultTraits{Effect: Down, TakesLocks: true, SeenLate: late}
	case "partition":
		return FaultTraits{Effect: Cut, TakesLocks: true}
	case "pause":
		return FaultTraits{Effect: Stopped}
	case "restart":
		return FaultTraits{Effect: Down, TakesLocks: true, LeavesCopies: true, SeenLate: late}
	}
	return FaultTraits{}
}
