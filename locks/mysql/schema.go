package mysql

import (
	"context"
	"fmt"
	"slices"
)

// A table describes the table of an algorithm.
type table struct{ name, columns string }

// nameColumn compares names of locks byte by byte. A name has at most 190 characters.
const nameColumn = "name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"

// ownerColumn compares bytes, because the default collation would treat owners in different case as
// equal.
const ownerColumn = "owner VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

// uniqueTable is the table of locks without an expiry. A free lock has no row here; in the
// tables whose owner may be NULL, a free lock has a row with a NULL owner.
func uniqueTable() table {
	return table{"lock_unique", nameColumn + " PRIMARY KEY, " + ownerColumn + " NOT NULL"}
}

// ttlTable is the table of locks with a TTL. The version is the fencing token.
func ttlTable() table {
	return table{"lock_ttl", nameColumn + " PRIMARY KEY, " + ownerColumn +
		", count INT NOT NULL, expires DATETIME(6), version BIGINT UNSIGNED NOT NULL, KEY (expires)"}
}

// versionTable is the table of locks that compare versions. A changed version makes a stale update
// fail.
func versionTable() table {
	return table{"lock_version", nameColumn + " PRIMARY KEY, " + ownerColumn +
		", expires DATETIME(6), version BIGINT UNSIGNED NOT NULL"}
}

// quorumTable is the table of the lock on the majority of several servers.
func quorumTable() table {
	return table{"lock_quorum", nameColumn + " PRIMARY KEY, " + ownerColumn + " NOT NULL, expires DATETIME(6) NOT NULL"}
}

func rowTable() table { return table{"lock_row", nameColumn + " PRIMARY KEY"} }

func sharedTable() table { return table{"lock_shared", nameColumn + " PRIMARY KEY"} }

func noRowTable() table { return table{"lock_norow", nameColumn + " PRIMARY KEY"} }

// noIndexTable has no index on the name, so that a statement locks rows of other names too.
func noIndexTable() table {
	return table{"lock_noindex", "id BIGINT AUTO_INCREMENT PRIMARY KEY, " + nameColumn}
}

// confirmTable is the table of the lock on a Redis and a database.
func confirmTable() table {
	return table{"lock_confirm", nameColumn + " PRIMARY KEY, " + ownerColumn + ", expires DATETIME(6), version BIGINT UNSIGNED NOT NULL"}
}

// name returns the table's name in statements: quoted, with database and prefix.
func (s *server) name(t table) string { return s.schema + ".`" + s.cfg.Prefix + t.name + "`" }

// create creates a table, and its database, if they are missing.
func (s *server) create(ctx context.Context, t table) error {
	statements := []string{fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (%s) ENGINE = InnoDB", s.name(t), t.columns)}
	if s.cfg.Access.InDatabase("") == "" { // otherwise the database exists
		statements = slices.Insert(statements, 0, "CREATE DATABASE IF NOT EXISTS "+s.schema)
	}
	for _, statement := range statements {
		if _, err := s.execOnce(ctx, statement, nil); err != nil {
			return fmt.Errorf("make table %s: %w", t.name, err)
		}
	}
	return nil
}
