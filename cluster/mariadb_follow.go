package cluster

import (
	"context"
	"database/sql"
	"fmt"
	"net"
)

// followMariaDB makes a MariaDB replicate from a primary, through a link, starting at its current
// position. The number of the server must differ from the number of every event of the primary,
// because a server ignores events with its own number, as in a replication circle.
func followMariaDB(ctx context.Context, addr, link string, number int) error {
	host, port, err := net.SplitHostPort(link)
	if err != nil {
		return err
	}
	return execAll(ctx, addr, "STOP SLAVE",
		fmt.Sprintf("SET GLOBAL server_id = %d", number),
		fmt.Sprintf("CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %s, MASTER_USER = 'root', MASTER_PASSWORD = '', "+
			"MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 1, MASTER_USE_GTID = slave_pos", host, port),
		"START SLAVE")
}

// emptyMariaDB removes all data and the replication position of a MariaDB, so that it can replicate
// from the beginning.
func emptyMariaDB(ctx context.Context, addr string) error {
	return withMariaDB(addr, func(db *sql.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		statements := []string{"STOP SLAVE", "RESET SLAVE ALL", "SET SESSION sql_log_bin = 0"}
		names, err := strings1(ctx, db, userDatabases)
		if err != nil {
			return err
		}
		for _, n := range names {
			statements = append(statements, "DROP DATABASE `"+n+"`")
		}
		for _, s := range append(statements, "RESET MASTER", "SET GLOBAL gtid_slave_pos = ''") {
			if _, err := conn.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("empty %s: %s: %w", addr, s, err)
			}
		}
		return nil
	})
}

// promoteMariaDB makes a replica a primary after it has applied all received data, and returns once
// it accepts a write (one that changes no data).
func promoteMariaDB(ctx context.Context, addr string) error {
	if err := execAll(ctx, addr, "STOP SLAVE IO_THREAD"); err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	err := poll(ctx, replicaPoll, func() (bool, error) {
		s, err := slaveStatus(ctx, addr)
		return s["Slave_SQL_Running"] != "Yes" || s["Read_Master_Log_Pos"] == s["Exec_Master_Log_Pos"] &&
			s["Master_Log_File"] == s["Relay_Master_Log_File"], err
	})
	if err != nil {
		return fmt.Errorf("promote: apply what was received: %w", err)
	}
	err = execAll(ctx, addr, "STOP SLAVE", "RESET SLAVE ALL", "DELETE FROM mysql.plugin WHERE name = ''")
	if err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	return nil
}

// slaveStatus returns the replication status of a MariaDB. It is empty if the server is no replica.
func slaveStatus(ctx context.Context, addr string) (map[string]string, error) {
	status := map[string]string{}
	err := withMariaDB(addr, func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SHOW SLAVE STATUS")
		if err != nil {
			return err
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return err
			}
			for i, name := range names {
				status[name] = values[i].String
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("ask %s for its replication: %w", addr, err)
	}
	return status, nil
}
