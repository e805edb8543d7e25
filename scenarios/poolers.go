//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// TransactionPool returns the scenario of a session's lock whose server connection other clients
// get between two transactions.
func TransactionPool() Scenario {
	refused := []string{"client 2 was refused"}
	return Scenario{
		Title:  "an advisory lock of a session, through a pooler that hands out connections for a transaction each",
		Source: "the feature table of PgBouncer; pgbouncer#102 and #617; authentik#23876",
		Shows:  "The server's connection has the lock, and goes to whoever comes next: the server takes both clients for one session, and grants it to the second, too.",
		Story: "Client 1 takes the lock and reads. Its transaction is over, so the pooler has its connection to PostgreSQL back. Client 2 asks for the lock and gets that connection. " +
			"It reads and writes; client 1 writes what it had computed.",
		Lesson: "Behind a pooler in transaction mode take the lock of a transaction (pg_advisory_xact_lock), or a row, and work before the commit; or connect past the pooler.",
		Cases: []Case{
			{Backend: "pgbouncer-advisory", Expect: "unsafe+double-grant+lost-update", Found: foundTransactionPool()},
			{Backend: "pgbouncer-session", Expect: "safe", Facts: refused},
			{Backend: "pgbouncer-xact", Expect: "safe", Facts: refused},
			{Backend: "postgres-skip-locked", Variant: "through PgBouncer", Topology: "pgbouncer", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			s.Client(2).Release(l2)
			s.Client(1).Release(l1)
		},
	}
}

// LeftInThePool returns the scenario of a holder that dies behind a pooler.
func LeftInThePool() Scenario {
	granted := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a holder of an advisory lock dies, and the pooler keeps its connection to the server",
		Source: "authentik#23876 on PgBouncer; pgdog#1407 on PgDog",
		Shows:  "A lock that ends with its connection does not end with its client: the pooler's connection lives on, and nobody can release what it has.",
		Story: "Client 1 takes the lock and is killed. A program that knows nothing of the lock begins a transaction, for which it gets the connection that has it. " +
			"Client 2 asks for the lock, over another connection, and waits for longer than it may stay taken.",
		Lesson: "As transaction-pool. What is left is released when the pooler drops the connection: after an hour (server_lifetime), or by pg_terminate_backend.",
		TTL:    crashTTL,
		Cases: []Case{
			{Backend: "pgbouncer-advisory", Expect: "safe+deadlock", Facts: []string{"the connection that has the lock works for others", "client 2 was refused"}, Found: foundLeftInThePool()},
			{Backend: "pgbouncer-session", Expect: "safe", Facts: granted},
			{Backend: "pgbouncer-xact", Expect: "safe", Facts: granted},
			{Backend: "postgres-skip-locked", Variant: "through PgBouncer", Topology: "pgbouncer", Expect: "safe", Facts: granted},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			c1.Write(l1, c1.Read(l1)+1)
			c1.Kill()
			s.workThroughPool()
			s.waitFor(c2)
		},
	}
}

// workThroughPool begins a transaction through the pooler, which lasts until the end of the script,
// and reports whether its server connection has an advisory lock.
func (s *Stage) workThroughPool() {
	s.step("begin a transaction through the pooler", func(ctx context.Context) error {
		c, err := pgx.Connect(ctx, "postgres://postgres@"+s.cluster.Endpoints(0)[0]+"/postgres?sslmode=disable")
		if err != nil {
			return err
		}
		s.later(func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return c.Close(ctx)
		})
		results, err := c.PgConn().Exec(ctx, "BEGIN; SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()").ReadAll()
		if err != nil {
			return err
		}
		if len(results) != 2 || len(results[1].Rows) != 1 {
			return fmt.Errorf("%d results, want two", len(results))
		}
		s.Fact("the connection that has the lock works for others", string(results[1].Rows[0][0]) != "0")
		return nil
	})
}

// TwoNodes returns the scenario of a lock of one node of a cluster, with a client on each of two
// nodes.
func TwoNodes() Scenario {
	refused := []string{"client 2 was refused"}
	return Scenario{
		Title:  "two clients ask two nodes of a Galera cluster for one lock",
		Source: "the list of Galera's limitations; gh-ost#224 and flyway#4271",
		Shows:  "GET_LOCK and FOR UPDATE lock on the node that is asked, and on no other. Only what is written is compared between nodes, at its commit.",
		Story: "A balancer sends client 1 to the first node and client 2 to the second. Client 1 takes the lock and reads. Client 2 asks for it. " +
			"If it is granted it reads and writes; client 1 writes what it had computed.",
		Lesson: "On Galera take a lock by a write that is committed at once (a row with an owner and an expiry), or send all who lock to one node.",
		Cases: []Case{
			{Backend: "galera-get-lock", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "galera-for-update", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "galera-unique-ttl", Expect: "safe", Facts: refused},
			{Backend: "mysql-get-lock", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			s.Client(2).Release(l2)
			s.Client(1).Release(l1)
		},
	}
}
