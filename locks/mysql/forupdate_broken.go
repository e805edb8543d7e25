package mysql

// NewForUpdateNoRow returns a ForUpdate that does not create the row first.
//
// It is broken: a SELECT … FOR UPDATE that finds no row locks the gap where the row would be, and
// such locks do not exclude each other. Every request is granted.
func NewForUpdateNoRow(cfg Config) *ForUpdate {
	return &ForUpdate{server: newServer(cfg), rows: rows{table: noRowTable()}}
}

// NewForUpdateNoIndex returns a ForUpdate whose table has no index on the name.
//
// It is broken: to find the row, the server reads and locks all rows and the gaps between them. So
// locks with different names wait for each other, and the row of a new lock waits for all.
func NewForUpdateNoIndex(cfg Config) *ForUpdate {
	return &ForUpdate{server: newServer(cfg), rows: rows{table: noIndexTable(), make: "INSERT INTO %s (name) VALUES (?)"}}
}
