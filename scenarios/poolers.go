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
		Title:  "a session's advisory lock through a pooler that lends connections for one transaction",
		Source: "pgbouncer#102 and #617; authentik#23876",
		Shows:  "The lock belongs to the pooler's connection, which goes to the next client: the server sees one session and grants the lock to both.",
		Story: "Client 1 takes the lock and reads. Its transaction is over, so the pooler takes the connection back and lends it to client 2, which " +
			"asks for the lock. It reads and writes; client 1 writes what it had computed.",
		Lesson: "Behind a pooler in transaction mode, lock for a transaction (pg_advisory_xact_lock) or lock a row, and work before the commit; or " +
			"bypass the pooler.",
		Cases: []Case{
			{Backend: "pgbouncer-advisory", Expect: "unsafe+double-grant+lost-update", Found: foundTransactionPool()},
			{Backend: "pgbouncer-session", Expect: "safe", Facts: refused},
			{Backend: "pgbouncer-xact", Expect: "safe", Facts: refused},
			{Backend: "postgres-skip-locked", Variant: "through PgBouncer", Topology: "pgbouncer", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			l2.Release()
			l1.Release()
		},
	}
}

// LeftInThePool returns the scenario of a holder that dies behind a pooler.
func LeftInThePool() Scenario {
	granted := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a holder of an advisory lock dies, and the pooler keeps its connection",
		Source: "authentik#23876 on PgBouncer; pgdog#1407 on PgDog",
		Shows:  "The lock ends with the pooler's connection, not with the client, and nobody can release it.",
		Story: "Client 1 takes the lock and is killed. Another program's transaction gets the connection that has the lock. Client 2 asks for the lock " +
			"over a second connection, and waits for longer than the lock may stay taken.",
		Lesson: "As transaction-pool. The lock is free when the pooler closes the connection (server_lifetime: an hour), or after pg_terminate_backend.",
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
			l1.Write(l1.Read() + 1)
			c1.Process.Kill()
			s.workThroughPool()
			c2.waitLong()
		},
	}
}

// workThroughPool begins a transaction through the pooler, which lasts until the end of the script,
// and reports whether its server connection has an advisory lock.
func (s *Stage) workThroughPool() {
	s.step("begin a transaction through the pooler", func(ctx context.Context) error {
		c, err := pgx.Connect(ctx, "postgres://postgres@"+s.Servers.cluster.Endpoints(0)[0]+"/postgres?sslmode=disable")
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
		Source: "Galera's list of limitations; gh-ost#224 and flyway#4271",
		Shows:  "GET_LOCK and FOR UPDATE lock on one node alone. Nodes compare only writes, when they commit.",
		Story: "A balancer sends client 1 to one node and client 2 to another. Client 1 takes the lock and reads. Client 2 asks for it. If granted, it " +
			"reads and writes; client 1 writes what it had computed.",
		Lesson: "On Galera, lock by a write that is committed at once (a row with owner and expiry), or send all lockers to one node.",
		Cases: []Case{
			{Backend: "galera-get-lock", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "galera-for-update", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "galera-unique-ttl", Expect: "safe", Facts: refused},
			{Backend: "mysql-get-lock", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			l2.Release()
			l1.Release()
		},
	}
}
