//go:build wasip1 || simulated

package scenarios

import "fmt"

// The constructors and methods that need real servers: replicas, a queue of another service, a
// database. In virtual time their scenarios have no cases.

func Failover() Scenario              { return Scenario{} }
func FailoverWait() Scenario          { return Scenario{} }
func SentinelFailover() Scenario      { return Scenario{} }
func ClusterFailover() Scenario       { return Scenario{} }
func IsolatedPrimary() Scenario       { return Scenario{} }
func FenceRegression() Scenario       { return Scenario{} }
func Herd() Scenario                  { return Scenario{} }
func LockInsideTransaction() Scenario { return Scenario{} }
func TransactionPool() Scenario       { return Scenario{} }
func LeftInThePool() Scenario         { return Scenario{} }
func TwoNodes() Scenario              { return Scenario{} }

// UntilLength needs a queue.
func (q Queue) UntilLength(int) { q.stage.absent() }

// UntilWatched needs a queue.
func (q Queue) UntilWatched() { q.stage.absent() }

// EndSession needs a session.
func (q Queue) EndSession(*Client, int) { q.stage.absent() }

// Compact needs etcd.
func (v *Servers) Compact() { v.stage.absent() }

func (s *Stage) absent() {
	s.fail(fmt.Errorf("these servers are not simulated: %w", ErrCannot))
}
