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

// UntilQueued needs a queue.
func (s *Stage) UntilQueued(int) { s.absent() }

// UntilWatched needs a queue.
func (s *Stage) UntilWatched() { s.absent() }

// EndSession needs a session.
func (s *Stage) EndSession(*Client, int) { s.absent() }

// Compact needs etcd.
func (s *Stage) Compact() { s.absent() }

func (s *Stage) absent() {
	s.fail(fmt.Errorf("these servers are not simulated: %w", ErrCannot))
}
